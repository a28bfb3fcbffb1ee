"""Stand-ins for a language model, and the rules that every tree keeps."""

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.extraction.documents import CATEGORIES
from wiki.extraction.llm.method import TreeModel, llm_tree
from wiki.extraction.outline import prepare
from wiki.extraction.tree import TopicTree
from wiki.models.protocols import Embedder, Reply
from wiki.parsing.blocks import ParsedDocument
from wiki.settings import ExtractionSettings

ENTRY = re.compile(r"^\[(\d+)(?: \| ([^\]]*))?\] (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """One call as the model saw it."""

    system: str
    user: str
    schema: dict[str, Any]
    max_tokens: int

    @property
    def entries(self) -> list[tuple[int, str, str]]:
        """Number, note and first line of each block shown."""
        return [(int(number), note, text) for number, note, text in ENTRY.findall(self.user)]

    @property
    def is_closing(self) -> bool:
        return "<<<TOPICS" in self.user

    @property
    def asks_document(self) -> bool:
        return "document" in self.schema["properties"]


Answer = Callable[[Asked], object]
"""A reply's text, a value to be sent as JSON, or a whole ``Reply``."""


class StandInChat:
    """Answers by a function, or by a list of answers in turn, of which the last one is repeated."""

    def __init__(
        self, answers: "Answer | Sequence[object]", *, context_tokens: int = 80_000, name: str = "stand-in"
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.asked: list[Asked] = []
        self._answers = answers
        self._guard = threading.Lock()

    def ask(self, system: str, user: str, *, schema: dict[str, object], max_tokens: int) -> Reply:
        asked = Asked(system, user, schema, max_tokens)
        with self._guard:
            self.asked.append(asked)
            number = len(self.asked)
        if callable(self._answers):
            answer = self._answers(asked)
        else:
            answer = self._answers[min(number, len(self._answers)) - 1]
        if callable(answer):
            answer = answer(asked)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Reply):
            return answer
        return Reply(answer if isinstance(answer, str) else json.dumps(answer), cut=False)


@dataclass
class GoodModel:
    """Describes what is marked, and starts a topic of its own every so many blocks of text without a heading."""

    every: int = 0
    category: str = "Engineering"
    extra: dict[str, object] = field(default_factory=dict[str, object])

    def __call__(self, asked: Asked) -> dict[str, object]:
        document = {
            "summary": "It tells of pumps.", "labels": ["pumps", "repair"], "category": self.category,
            "confidence": 0.8, "reason": "It is about machines.",
        }  # fmt: skip
        if asked.is_closing:
            return {"joined": [], "document": document, **self.extra}
        marked = [entry for entry in asked.entries if entry[1].startswith("topic")]
        most = asked.schema["properties"]["topics"]["maxItems"] - len(marked)
        own = [entry for entry in asked.entries[:: self.every or 1] if not entry[1]] if self.every else []
        topics = [
            topic(number, 2, f"Part at {number}" if "no name" in note or not note else "", text)
            for number, note, text in sorted([*marked, *own[: max(0, most)]])
        ]
        reply: dict[str, object] = {"topics": topics, "joined": []}
        return reply | ({"document": document} if asked.asks_document else {}) | self.extra


def topic(
    start: object, level: object = 1, name: object = "", summary: object = "", **more: object
) -> dict[str, object]:
    told = summary if not isinstance(summary, str) else f"It says: {summary[:60]}"
    return {"start": start, "level": level, "name": name, "summary": told, "labels": ["pumps"], **more}


def llm_tree_of(
    document: ParsedDocument,
    chat: StandInChat,
    embedder: Embedder,
    settings: ExtractionSettings | None = None,
    **more: Any,
) -> tuple[TopicTree, list[str]]:
    """The tree and its bodies, the rules every tree keeps checked."""
    settings = settings or ExtractionSettings(method="llm")
    ready = prepare(document, settings)
    model = TreeModel(chat, replies=more.pop("replies", None))
    more = {"title": "A title", "categories": CATEGORIES, **more}
    tree = llm_tree(ready, embedder=embedder, settings=settings, model=model, **more)
    return tree, checked(tree, ready, [name for name, _ in more["categories"]])


def checked(tree: TopicTree, ready: ParsedDocument, categories: Sequence[str]) -> list[str]:
    """The bodies of a tree that keeps all rules."""
    bodies = ["".join(block.text for block in ready.blocks[span.start : span.end]) for span in tree.topics]
    assert "".join(bodies) == ready.markdown
    at = 0
    names: set[tuple[int | None, str]] = set()
    for number, span in enumerate(tree.topics):
        assert span.start == at < span.end
        at = span.end
        assert span.parent is None or span.parent < number
        assert span.depth == (1 if span.parent is None else tree.topics[span.parent].depth + 1) <= 6
        assert span.name.strip() == span.name
        assert 1 <= len(span.name) <= 120
        assert is_one_line(span.name)
        assert (span.parent, span.name.casefold()) not in names
        names.add((span.parent, span.name.casefold()))
        assert len(span.summary) <= 500
        assert is_one_line(span.summary)
        check_labels(span.labels)
    assert at == len(ready.blocks)
    assert len(tree.summary) <= 900
    assert is_one_line(tree.summary)
    assert not tree.summary.startswith(("#", "---", ">"))
    check_labels(tree.labels)
    assert tree.category_id in categories
    if tree.method == "llm":
        assert tree.notes["coverage"] == "1.000"
    for value in tree.notes.values():
        assert is_one_line(value)
    return bodies


def check_labels(labels: Sequence[str]) -> None:
    assert len(labels) <= 8
    assert len(set(labels)) == len(labels)
    for label in labels:
        assert label == label.lower().strip() != ""
        assert len(label) <= 40
        assert is_one_line(label)


def is_one_line(text: str) -> bool:
    return len(text.splitlines()) <= 1 and "\n" not in text
