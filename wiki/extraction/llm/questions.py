"""The words of each call: instructions from the prompt files, the document between its delimiters."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from wiki.extraction.llm import schemas
from wiki.extraction.llm.listing import Entry, as_data, limit_for, noted, shortened
from wiki.extraction.llm.prompts import filled, prompt
from wiki.extraction.llm.replies import Question
from wiki.extraction.llm.structure import Known
from wiki.extraction.llm.tokens import count_tokens
from wiki.extraction.llm.windows import Budget, Window
from wiki.extraction.sections import MAX_DEPTH
from wiki.settings import ExtractionSettings

OUTLINE_TOKENS = 1_200
"""Of the outline that each of several windows is told."""
LONGEST_SHOWN_NAME = 80


@dataclass(frozen=True)
class Whole:
    """What is asked of the document as a whole: with a category of the list, or without."""

    categories: tuple[tuple[str, str], ...]
    """``(id, description)``; empty when the category is given or there is none to choose."""
    fallback: str

    @property
    def part(self) -> str:
        """Its part of the prompt."""
        listed = "\n".join(f"- {category}: {about}" for category, about in self.categories)
        asked = filled("category_part", categories=listed, fallback=self.fallback) if self.categories else ""
        return filled("document_part", category_part=asked)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(category for category, _ in self.categories)

    @property
    def schema(self) -> schemas.JsonSchema:
        return schemas.document_schema(self.ids)

    @property
    def shape(self) -> str:
        return schemas.document_shape(bool(self.categories))


def overhead(whole: Whole) -> int:
    """Tokens of a call beside the blocks, at the most: instructions, categories, outline, schema."""
    schema = json.dumps(schemas.tree_schema(0, 999_999, 99, whole.schema), ensure_ascii=False)
    texts = (prompt("tree"), prompt("tree_question"), whole.part, schemas.tree_shape(whole.shape), schema)
    return sum(count_tokens(text) for text in texts) + 150


def tree_question(
    window: Window, position: tuple[int, int], known: Sequence[Known], headings: str, budget: Budget,
    settings: ExtractionSettings, whole: Whole | None,
) -> Question:  # fmt: skip
    """Of one window; ``position`` is its number, from 1, and how many there are. ``headings``: those of the document,
    for one of several windows. ``whole``: the document is asked for, too."""
    notes = {topic.start: _note(topic) for topic in known} | {t.start: _wanted_note(t) for t in window.wanted}
    listing = noted(window.entries, notes, window.limit)
    number, count = position
    part = f"This is part {number} of {count} of a document, blocks {window.first} to {window.end - 1}."
    user = filled(
        "tree_question",
        least_words=settings.min_topic_words,
        most_words=settings.max_topic_words,
        most_topics=budget.most_topics,
        part="" if count == 1 else part,
        outline="" if count == 1 else _place(window, known, headings),
        document_part="" if whole is None else f"\n{whole.part}\n",
        shape=schemas.tree_shape(None if whole is None else whole.shape),
        mark=_mark(listing),
        blocks=listing,
    )
    schema = schemas.tree_schema(window.first, window.last, budget.most_topics, None if whole is None else whole.schema)
    return Question(prompt("tree"), user, schema, budget.reply)


def document_question(
    topics: Sequence[Entry], notes: dict[int, str], edges: Sequence[int], budget: Budget, whole: Whole
) -> Question:
    """Of the whole, after the windows: ``topics`` with their summaries, ``notes`` their levels and sizes."""
    listing = noted(topics, notes, limit_for(topics, budget.room))
    user = filled(
        "document_question",
        document_part=whole.part,
        shape=schemas.closing_shape(whole.shape),
        mark=_mark(listing),
        blocks=listing,
    )
    return Question(prompt("document"), user, schemas.closing_schema(edges, whole.schema), budget.reply)


def _mark(listing: str) -> str:
    """A word for the delimiters that the text can't have known: it depends on all of the text."""
    return sha256(listing.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _wanted_note(topic: Known) -> str:
    return f"topic, level {topic.depth}, {topic.words} words{', no name' if topic.needs_name else ''}"


def _note(topic: Known) -> str:
    return f"heading, level {topic.depth}" if topic.name else ""


def _place(window: Window, known: Sequence[Known], headings: str) -> str:
    """The outline of the whole document, and the topics that the window starts inside of."""
    path: list[Known] = []
    for topic in known:
        if topic.start > window.first:
            break
        path = [*(above for above in path if above.depth < topic.depth), topic]
    inside = " > ".join(_name(topic) for topic in path if topic.name and topic.start < window.first)
    lines = [f"Headings of the whole document:\n{headings}"] if headings else []
    lines += [f"Before this part began: {inside}"] if inside else []
    return "\n".join([*lines, "Blocks of this part:"])


def headings_of(known: Sequence[Known]) -> str:
    """The headings as an indented list, as many levels as there is room for."""
    text, tokens = "", 0
    for deepest in range(MAX_DEPTH, 0, -1):
        listed = (topic for topic in known if topic.name and topic.depth <= deepest)
        text = "\n".join(f"{'  ' * (topic.depth - 1)}- [{topic.start}] {_name(topic)}" for topic in listed)
        tokens = count_tokens(text)
        if tokens <= OUTLINE_TOKENS:
            break
    return shortened(text, tokens, OUTLINE_TOKENS)


def _name(topic: Known) -> str:
    name = as_data(topic.name)
    return name if len(name) <= LONGEST_SHOWN_NAME else name[: LONGEST_SHOWN_NAME - 1] + "…"
