"""The topic tree as a language model proposes it: boundaries, names, summaries, labels and category, never text.

A document that fits one window takes one call. A longer one takes a call a window, all at the same time, and one more
that sees the topics of all of them, joins what a window's edge cut in two and describes the whole; see ``windows`` for
why. Answers that can't be used are asked for once more.
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from wiki.errors import ExternalServiceUnavailable, ExtractionEmpty
from wiki.extraction.categories import FALLBACK, Classification, classify
from wiki.extraction.llm.dialogue import Dialogue
from wiki.extraction.llm.listing import Entry, as_data
from wiki.extraction.llm.prompts import VERSION
from wiki.extraction.llm.proposal import DocumentNote, Proposal, TopicNote, read_document, read_tree
from wiki.extraction.llm.questions import Whole, document_question, overhead, tree_question
from wiki.extraction.llm.replies import Replies
from wiki.extraction.llm.schemas import MOST_LABELS
from wiki.extraction.llm.structure import Builder, Structure, known_topics
from wiki.extraction.llm.tokens import count_tokens
from wiki.extraction.llm.windows import LEAST_ENTRY, MOST_REPLY_TOKENS, Budget, Window, budget_of, plan
from wiki.extraction.outline import cut_long, lead_of, named, outline
from wiki.extraction.sections import Section
from wiki.extraction.summaries import summarise
from wiki.extraction.tree import TopicSpan, TopicTree
from wiki.models.protocols import ChatModel, Embedder
from wiki.parsing.blocks import ParsedDocument
from wiki.parsing.source import Progress, Step, no_progress
from wiki.settings import ExtractionSettings

MOST_AT_ONCE = 8
"""Calls for one document at the same time; the model's own limit counts as well."""
LENIENCY = 1.5
"""A topic the model made may be so many times as long as one of the outline before it is cut."""


@dataclass(frozen=True)
class TreeModel:
    """The language model that proposes trees."""

    chat: ChatModel
    reply_tokens: int = MOST_REPLY_TOKENS
    """The longest reply it is asked for."""
    replies: Path | None = None
    """The folder its replies are kept in; None: they are not."""


@dataclass(frozen=True)
class _Answers:
    """What was proposed for one document."""

    notes: tuple[TopicNote, ...]
    joined: tuple[int, ...]
    document: DocumentNote
    repairs: int
    refused: str = ""
    """Why the replies can't be used; empty when they can."""


def llm_tree(
    parsed: ParsedDocument,
    *,
    title: str,
    embedder: Embedder,
    categories: Sequence[tuple[str, str]],
    settings: ExtractionSettings,
    model: TreeModel,
    category_id: str | None = None,
    labels: tuple[str, ...] = (),
    progress: Progress = no_progress,
) -> TopicTree:
    """The topic tree of ``parsed``, which must come from ``prepare``. Arguments as those of ``outline``.

    ``notes`` tell how it was made: ``calls`` to the model and answers ``cached``, how much was ``repaired``, the
    ``coverage`` of the document by its topics (always 1.000), and with ``extraction.fallback = outline`` the reason
    for a ``fallback``.

    Raises ``ExtractionEmpty`` for a document without text, ``ExternalServiceUnavailable`` when the provider fails, or
    when what it answers is of no use and there is no fallback, and ``ConfigurationError`` when the model's context is
    too small.
    """
    if not any(block.text.strip() for block in parsed.blocks):
        raise ExtractionEmpty("the document holds no text; nothing was added")
    dialogue = Dialogue(model.chat, None if model.replies is None else Replies(model.replies))
    maker = _Maker(parsed, title, embedder, categories, settings, category_id, dialogue)
    answers = maker.ask(model.reply_tokens, progress)
    if not answers.refused:
        return maker.tree(answers, labels)
    if settings.fallback != "outline":
        raise ExternalServiceUnavailable(
            f"the model {model.chat.name} answered {answers.refused}, asked twice. Try again, choose another llm.model, or set "
            "extraction.fallback = outline to take the document's headings then",
            provider="llm",
        )
    tree = outline(parsed, title=title, embedder=embedder, categories=categories, settings=settings,
                   category_id=category_id, labels=labels)  # fmt: skip
    why = f"the model {model.chat.name} answered {answers.refused}"
    return replace(tree, notes={**tree.notes, "fallback": why, "calls": str(dialogue.calls)})


class _Maker:
    """One document on its way to a tree."""

    def __init__(
        self, parsed: ParsedDocument, title: str, embedder: Embedder, categories: Sequence[tuple[str, str]],
        settings: ExtractionSettings, category_id: str | None, dialogue: Dialogue,
    ) -> None:  # fmt: skip
        self._blocks = parsed.blocks
        self._title = title
        self._embedder = embedder
        self._categories = tuple(categories)
        self._settings = settings
        self._given = category_id
        self._dialogue = dialogue
        # Questions don't depend on the title: the same bytes under another one are answered from the cache.
        self._known = known_topics(parsed.blocks, settings, parsed.title or "")
        self._builder = Builder(parsed.blocks, self._known, settings)
        ids = [category for category, _ in categories]
        self._choice = Whole(self._categories, FALLBACK if FALLBACK in ids or not ids else ids[-1])
        self._whole = self._choice if category_id is None else Whole((), "")
        self._windows: list[Window] = []

    def ask(self, reply_tokens: int, progress: Progress) -> _Answers:
        budget = budget_of(self._dialogue.context_tokens, overhead(self._choice), reply_tokens)
        self._windows = plan(self._blocks, self._known, budget)
        if len(self._windows) == 1:
            progress(Step("window", 0, 1))
            found = self._ask_window(0, budget)
            progress(Step("window", 1, 1))
            return _Answers(found.topics, found.joined, found.document, found.repairs, _refusal(found))
        found = self._ask_windows(budget, progress)
        for number, proposal in enumerate(found, start=1):
            if not proposal.usable:
                return _Answers((), (), DocumentNote(), 0, f"{_refusal(proposal)} (part {number} of {len(found)})")
        notes = tuple(note for proposal in found for note in proposal.topics)
        joined = tuple(start for proposal in found for start in proposal.joined)
        last = self._ask_whole(notes, joined, budget)
        progress(Step("window", len(found) + 1, len(found) + 1))
        repairs = last.repairs + sum(proposal.repairs for proposal in found)
        return _Answers(notes, joined + last.joined, last.document, repairs, _refusal(last))

    def _ask_windows(self, budget: Budget, progress: Progress) -> list[Proposal]:
        total = len(self._windows) + 1
        progress(Step("window", 0, total))
        with ThreadPoolExecutor(min(MOST_AT_ONCE, len(self._windows)), thread_name_prefix="extraction") as pool:
            waiting = [pool.submit(self._ask_window, at, budget) for at in range(len(self._windows))]
            try:
                for count, future in enumerate(as_completed(waiting), start=1):
                    future.result()
                    progress(Step("window", count, total))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return [future.result() for future in waiting]

    def _ask_window(self, at: int, budget: Budget) -> Proposal:
        window = self._windows[at]
        position = (at + 1, len(self._windows))
        alone = len(self._windows) == 1
        wholes = [self._whole, *([self._choice] if self._given is not None else [])] if alone else [None]
        questions = [tree_question(window, position, self._known, budget, self._settings, whole) for whole in wholes]
        starts = [entry.start for entry in window.entries]
        wanted = [topic.start for topic in window.wanted]

        def read(text: str, cut: bool) -> Proposal:
            return read_tree(text, cut, starts=starts, wanted=wanted, most_topics=budget.most_topics)

        return self._dialogue.ask(questions[0], read, questions[1:])

    def _ask_whole(self, notes: Sequence[TopicNote], joined: Sequence[int], budget: Budget) -> Proposal:
        said = {note.start: note for note in notes}
        structure = self._builder.build(notes, joined)
        sections = [(section, depth) for root in structure.roots for section, depth in _walk(root, 1)]
        shown = [pair for pair in sections if pair[0].start in said or pair[1] == 1]
        most = max(10, budget.room // (LEAST_ENTRY + 18))
        shown = sorted(sorted(shown, key=lambda pair: -pair[0].words)[:most], key=lambda pair: pair[0].start)
        known = {topic.start for topic in self._known}
        firsts = {window.first for window in self._windows[1:]} - known
        edges = [section.start for section, _ in shown if section.start in firsts]
        entries: list[Entry] = []
        about: dict[int, str] = {}
        for section, depth in shown:
            note = said.get(section.start)
            text = as_data(f"{section.name}: {note.summary if note else ''}".strip(": "))
            entries.append(Entry(section.start, section.end, text, count_tokens(text)))
            edge = ", edge" if section.start in edges else ""
            about[section.start] = f"level {depth}, {section.words} words{edge}"

        def read(text: str, cut: bool) -> Proposal:
            return read_document(text, cut, edges=edges)

        asked = document_question(entries, about, edges, budget, self._whole)
        same = [document_question(entries, about, edges, budget, self._choice)] if self._given is not None else []
        return self._dialogue.ask(asked, read, same)

    def tree(self, answers: _Answers, labels: tuple[str, ...]) -> TopicTree:
        structure = self._builder.build(answers.notes, answers.joined)
        spans, mended, cut_by = self._spans(structure, answers)
        spans, document_summary, made_by, unsaid = self._summarised(spans, answers)
        found, guessed = self._category(answers.document, spans)
        own = answers.document.labels or _commonest(spans)
        repairs = answers.repairs + structure.repairs + mended + unsaid + guessed + (not answers.document.labels)
        notes = {"category": found.reason}
        if found.confidence is not None:
            notes["category_confidence"] = f"{found.confidence:.2f}"
        notes |= {
            "summaries": made_by,
            "coverage": f"{self._coverage(spans):.3f}",
            "repaired": str(repairs),
            "calls": str(self._dialogue.calls),
            "cached": str(self._dialogue.cached),
        }
        if shortened := sum(window.shortened for window in self._windows):
            notes["shortened"] = f"{shortened} of {sum(len(window.entries) for window in self._windows)} blocks"
        if cut_by:
            notes["cuts"] = cut_by
        return TopicTree(
            spans, document_summary, found.category_id, "llm", self._dialogue.model, VERSION, labels or own, notes
        )

    def _spans(self, structure: Structure, answers: _Answers) -> tuple[tuple[TopicSpan, ...], int, str | None]:
        """Named topics, how many names and cuts the model did not give, and what found those cuts."""
        given = {section.start: section.name for root in structure.roots for section in root.walk()}
        most = int(self._settings.max_topic_words * LENIENCY)
        lenient = self._settings.model_copy(update={"max_topic_words": most})
        roots, cut_by = cut_long(structure.roots, self._blocks, self._embedder, lenient)
        spans = named(roots, self._blocks, self._title)
        expected = {note.start for note in answers.notes}
        mended = sum(
            span.start not in given or (span.name != given[span.start] and span.start in expected) for span in spans
        )
        return spans, mended, cut_by

    def _summarised(self, spans: Sequence[TopicSpan], answers: _Answers) -> tuple[tuple[TopicSpan, ...], str, str, int]:
        """Topics with summaries and labels, the document's summary, who wrote them, and how many the model owed."""
        said = {note.start: note for note in answers.notes}
        owed = {topic.start for window in self._windows for topic in window.wanted} | set(said)
        missing = [span for span in spans if span.start not in said or not said[span.start].summary]
        bodies = [self._blocks[span.start : span.end] for span in missing]
        picked = summarise(bodies, self._embedder) if bodies else None
        outlined = dict(zip((span.start for span in missing), picked.topics if picked else (), strict=True))
        unsaid = sum(span.start in owed and bool(outlined[span.start]) for span in missing)
        full = tuple(
            replace(
                span,
                summary=outlined[span.start] if span.start in outlined else said[span.start].summary,
                labels=said[span.start].labels if span.start in said else (),
            )
            for span in spans
        )
        whole = answers.document.summary
        if not whole:
            whole = summarise([self._blocks[span.start : span.end] for span in spans], self._embedder).document
            unsaid += 1
        by_model = len(spans) - len(missing)
        made_by = "llm" if not missing else f"llm {by_model} of {len(spans)}, {picked.method if picked else ''}"
        return full, whole, made_by, unsaid

    def _category(self, note: DocumentNote, spans: Sequence[TopicSpan]) -> tuple[Classification, bool]:
        """The category, and whether the model's was none of the list, so that the nearest one was taken."""
        if self._given is not None:
            return Classification(self._given, "given"), False
        ids = {category.casefold(): category for category, _ in self._categories}
        chosen = ids.get((note.category or "").casefold())
        if chosen is not None:
            reason = note.reason or "chosen by the model"
            return Classification(chosen, reason, None, note.confidence), chosen != note.category
        found = classify(
            self._title,
            lead_of(self._blocks),
            [span.name for span in spans if span.depth <= 2][:20],
            None,
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


def _walk(section: Section, depth: int) -> list[tuple[Section, int]]:
    return [(section, depth), *(pair for child in section.children for pair in _walk(child, depth + 1))]


def _refusal(proposal: Proposal) -> str:
    """Why a proposal can't be used, to follow "the model answered"."""
    if proposal.usable:
        return ""
    said = proposal.faults[-1] if proposal.faults else "the answer is empty"
    return f"nothing that can be used: {said.split(':')[0]}"


def _commonest(spans: Sequence[TopicSpan]) -> tuple[str, ...]:
    counted = Counter(label for span in spans for label in span.labels)
    return tuple(label for label, _ in counted.most_common(MOST_LABELS))
