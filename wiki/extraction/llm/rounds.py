"""The calls for one document. One that fits a window takes one call. A longer one takes a call a window, all at the
same time, and one more that sees the topics of all of them, joins what a window's edge cut in two and describes the
whole; ``windows`` says why. Answers that can't be used are asked for once more.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

from wiki.extraction.llm.dialogue import Dialogue
from wiki.extraction.llm.listing import Entry, as_data
from wiki.extraction.llm.proposal import DocumentNote, Proposal, TopicNote, read_document, read_tree
from wiki.extraction.llm.questions import Whole, document_question, headings_of, overhead, tree_question
from wiki.extraction.llm.structure import Builder, Known
from wiki.extraction.llm.tokens import count_tokens
from wiki.extraction.llm.windows import LEAST_ENTRY, Budget, Window, budget_of, plan
from wiki.extraction.sections import Section
from wiki.parsing.blocks import Block
from wiki.parsing.source import Progress, Step
from wiki.settings import ExtractionSettings

MOST_AT_ONCE = 8
"""Calls for one document at the same time; the model's own limit counts as well."""
UNIT = "window"


@dataclass(frozen=True)
class Answers:
    """What was proposed for one document."""

    topics: tuple[TopicNote, ...] = ()
    joined: tuple[int, ...] = ()
    document: DocumentNote = field(default_factory=DocumentNote)
    repairs: int = 0
    wanted: frozenset[int] = frozenset()
    """Starts of the topics the model had to describe."""
    shown: int = 0
    """Entries of the listings, of which so many were shown in part:"""
    shortened: int = 0
    refused: str = ""
    """Why the answers can't be used, to follow "the model answered"; empty when they can."""


class Rounds:
    """Asks about one document."""

    def __init__(
        self,
        blocks: Sequence[Block],
        known: Sequence[Known],
        builder: Builder,
        settings: ExtractionSettings,
        dialogue: Dialogue,
        choice: Whole,
        *,
        asks_category: bool,
    ) -> None:
        self._blocks = blocks
        self._known = known
        self._builder = builder
        self._settings = settings
        self._dialogue = dialogue
        self._choice = choice
        # When the category is given, an answer kept from when it wasn't will do as well.
        self._wholes = [choice] if asks_category else [Whole((), ""), choice]

    def ask(self, reply_tokens: int, progress: Progress) -> Answers:
        """Everything the model has to say. Raises what it raises, ConfigurationError when its context is too small."""
        budget = budget_of(self._dialogue.context_tokens, overhead(self._choice), reply_tokens)
        windows = plan(self._blocks, self._known, budget)
        total = len(windows) + (len(windows) > 1)
        progress(Step(UNIT, 0, total))
        found = self._ask_windows(windows, budget, progress, total)
        last = found[0] if len(found) == 1 else None
        for number, proposal in enumerate(found, start=1):
            if not proposal.usable:
                part = "" if last else f" (part {number} of {len(found)})"
                return Answers(refused=_refusal(proposal) + part)
        topics = tuple(note for proposal in found for note in proposal.topics)
        joined = tuple(start for proposal in found for start in proposal.joined)
        repairs = sum(proposal.repairs for proposal in found)
        if last is None:
            last = self._ask_whole(windows, topics, joined, budget)
            progress(Step(UNIT, total, total))
            joined += last.joined
            repairs += last.repairs
        return Answers(
            topics,
            joined,
            last.document,
            repairs,
            frozenset(topic.start for window in windows for topic in window.wanted),
            sum(len(window.entries) for window in windows),
            sum(window.shortened for window in windows),
            _refusal(last),
        )

    def _ask_windows(self, windows: Sequence[Window], budget: Budget, progress: Progress, total: int) -> list[Proposal]:
        headings = headings_of(self._known) if len(windows) > 1 else ""
        with ThreadPoolExecutor(min(MOST_AT_ONCE, len(windows)), thread_name_prefix="extraction") as pool:
            waiting = [
                pool.submit(self._ask_window, window, (number, len(windows)), headings, budget)
                for number, window in enumerate(windows, start=1)
            ]
            try:
                for count, future in enumerate(as_completed(waiting), start=1):
                    future.result()
                    progress(Step(UNIT, count, total))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return [future.result() for future in waiting]

    def _ask_window(self, window: Window, position: tuple[int, int], headings: str, budget: Budget) -> Proposal:
        alone = position[1] == 1
        questions = [
            tree_question(window, position, self._known, headings, budget, self._settings, whole)
            for whole in (self._wholes if alone else [None])
        ]
        starts = [entry.start for entry in window.entries]
        wanted = [topic.start for topic in window.wanted]

        def read(text: str, cut: bool) -> Proposal:
            return read_tree(text, cut, starts=starts, wanted=wanted, most_topics=budget.most_topics)

        return self._dialogue.ask(questions[0], read, questions[1:])

    def _ask_whole(
        self, windows: Sequence[Window], topics: Sequence[TopicNote], joined: Sequence[int], budget: Budget
    ) -> Proposal:
        structure = self._builder.build(topics, joined)
        every = [pair for root in structure.roots for pair in _walk(root, 1)]
        told = [pair for pair in every if pair[0].start in structure.notes or pair[1] == 1]
        most = max(10, budget.room // (LEAST_ENTRY + 18))
        told = sorted(sorted(told, key=lambda pair: -pair[0].words)[:most], key=lambda pair: pair[0].start)
        cut_at = {window.first for window in windows[1:]} - {topic.start for topic in self._known}
        edges = [section.start for section, _ in told if section.start in cut_at]
        entries: list[Entry] = []
        about: dict[int, str] = {}
        for section, depth in told:
            note = structure.notes.get(section.start)
            text = as_data(f"{section.name}: {note.summary if note else ''}".strip(": "))
            entries.append(Entry(section.start, section.end, text, count_tokens(text)))
            edge = ", edge" if section.start in cut_at else ""
            about[section.start] = f"level {depth}, {section.words} words{edge}"

        def read(text: str, cut: bool) -> Proposal:
            return read_document(text, cut, edges=edges)

        questions = [document_question(entries, about, edges, budget, whole) for whole in self._wholes]
        return self._dialogue.ask(questions[0], read, questions[1:])


def _walk(section: Section, depth: int) -> list[tuple[Section, int]]:
    return [(section, depth), *(pair for child in section.children for pair in _walk(child, depth + 1))]


def _refusal(proposal: Proposal) -> str:
    if proposal.usable:
        return ""
    said = proposal.faults[-1] if proposal.faults else "the answer is empty"
    return f"nothing that can be used: {said.split(':')[0]}"
