"""From what a model proposed to a tree in which nothing is missing: what it did not say, the outline says."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from wiki.extraction.categories import GIVEN, Classification, classify
from wiki.extraction.llm.dialogue import Dialogue
from wiki.extraction.llm.prompts import VERSION
from wiki.extraction.llm.proposal import DocumentNote, TopicNote
from wiki.extraction.llm.rounds import Answers
from wiki.extraction.llm.schemas import MOST_LABELS
from wiki.extraction.llm.structure import Structure
from wiki.extraction.outline import cut_long, lead_of, named
from wiki.extraction.summaries import summarise
from wiki.extraction.tree import TopicSpan, TopicTree
from wiki.models.protocols import Embedder
from wiki.parsing.blocks import Block
from wiki.settings import ExtractionSettings

LENIENCY = 1.5
"""A topic the model made may be so many times as long as one of the outline before it is cut."""


class Finishing:
    """Makes the tree of one document."""

    def __init__(
        self,
        blocks: Sequence[Block],
        title: str,
        embedder: Embedder,
        categories: Sequence[tuple[str, str]],
        settings: ExtractionSettings,
    ) -> None:
        self._blocks = blocks
        self._title = title
        self._embedder = embedder
        self._categories = categories
        self._settings = settings

    def tree(
        self,
        answers: Answers,
        structure: Structure,
        dialogue: Dialogue,
        category_id: str | None,
        labels: tuple[str, ...],
    ) -> TopicTree:
        """A given ``category_id`` and given ``labels`` are kept as they are."""
        spans, unnamed, cut_by = self._spans(structure)
        spans, made_by, unsaid = self._summarised(spans, structure.notes, answers.wanted)
        summary = answers.document.summary or summarise(self._bodies(spans), self._embedder).document
        found, guessed = self._category(answers.document, spans, category_id)
        own = answers.document.labels or _commonest(spans)
        repairs = answers.repairs + structure.repairs + unnamed + unsaid + guessed
        repairs += (not answers.document.summary) + (not answers.document.labels)
        notes = {"category": found.reason}
        if found.confidence is not None:
            notes["category_confidence"] = f"{found.confidence:.2f}"
        notes |= {
            "summaries": made_by,
            "coverage": f"{self._coverage(spans):.3f}",
            "repaired": str(repairs),
            "calls": str(dialogue.calls),
            "cached": str(dialogue.cached),
        }
        if answers.shortened:
            notes["shortened"] = f"{answers.shortened} of {answers.shown} blocks"
        if cut_by:
            notes["cuts"] = cut_by
        return TopicTree(spans, summary, found.category_id, "llm", dialogue.model, VERSION, labels or own, notes)

    def _bodies(self, spans: Sequence[TopicSpan]) -> list[Sequence[Block]]:
        return [self._blocks[span.start : span.end] for span in spans]

    def _spans(self, structure: Structure) -> tuple[tuple[TopicSpan, ...], int, str | None]:
        """Named topics, how many names and cuts the model did not give, and what found those cuts."""
        given = {section.start: section.name for root in structure.roots for section in root.walk()}
        most = int(self._settings.max_topic_words * LENIENCY)
        lenient = self._settings.model_copy(update={"max_topic_words": most})
        roots, cut_by = cut_long(structure.roots, self._blocks, self._embedder, lenient)
        spans = named(roots, self._blocks, self._title)
        mended = sum(
            span.start not in given or (span.start in structure.notes and span.name != given[span.start])
            for span in spans
        )
        return spans, mended, cut_by

    def _summarised(
        self, spans: Sequence[TopicSpan], said: Mapping[int, TopicNote], wanted: frozenset[int]
    ) -> tuple[tuple[TopicSpan, ...], str, int]:
        """Topics with summaries and labels, who wrote them, and how many summaries the model owed."""
        missing = [span for span in spans if span.start not in said or not said[span.start].summary]
        picked = summarise(self._bodies(missing), self._embedder) if missing else None
        texts = {start: note.summary for start, note in said.items()}
        if picked is not None:
            texts |= dict(zip((span.start for span in missing), picked.topics, strict=True))
        unsaid = sum((span.start in wanted or span.start in said) and bool(texts[span.start]) for span in missing)
        full = tuple(
            replace(span, summary=texts[span.start], labels=said[span.start].labels if span.start in said else ())
            for span in spans
        )
        by_model = len(spans) - len(missing)
        return full, "llm" if picked is None else f"llm {by_model} of {len(spans)}, {picked.method}", unsaid

    def _category(
        self, note: DocumentNote, spans: Sequence[TopicSpan], given: str | None
    ) -> tuple[Classification, bool]:
        """The category, and whether the model's was none of the list, so that the nearest one was taken."""
        if given is not None:
            return Classification(given, GIVEN), False
        ids = {category.casefold(): category for category, _ in self._categories}
        chosen = ids.get((note.category or "").casefold())
        if chosen is not None:
            reason = note.reason or "chosen by the model"
            return Classification(chosen, reason, None, note.confidence), chosen != note.category
        found = classify(
            self._title,
            lead_of(self._blocks),
            [span.name for span in spans if span.depth <= 2][:20],
            summarise(self._bodies(spans), self._embedder).vectors,
            categories=self._categories,
            embedder=self._embedder,
            threshold=self._settings.classify_threshold,
        )
        return replace(found, reason=f"the model chose none of the list; {found.reason}"), bool(self._categories)

    def _coverage(self, spans: Sequence[TopicSpan]) -> float:
        """The part of the document's characters that lie in exactly one topic."""
        times = Counter(chain.from_iterable(range(span.start, span.end) for span in spans))
        size = sum(len(block.text) for block in self._blocks)
        return sum(len(block.text) for at, block in enumerate(self._blocks) if times[at] == 1) / max(1, size)


def _commonest(spans: Sequence[TopicSpan]) -> tuple[str, ...]:
    counted = Counter(label for span in spans for label in span.labels)
    return tuple(label for label, _ in counted.most_common(MOST_LABELS))
