"""What a model proposes, read out of its reply: only what can be used, with what was wrong in words for the model."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from wiki.extraction.llm.wording import LONGEST_DOCUMENT_SUMMARY, Wording
from wiki.models.json_reply import read_json

MOST_FAULTS = 8
_DIGITS = re.compile(r"\D{0,12}?(\d{1,9})(?!\d)")
_TOPICS = re.compile(r'"topics"\s*:\s*\[')
_LIST = re.compile(r"\[(?=\s*\{)")


@dataclass(frozen=True)
class TopicNote:
    """What the model says of the topic that starts at block ``start``. Parts it left out are empty."""

    start: int
    level: int | None
    name: str
    summary: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class DocumentNote:
    """What the model says of the whole document."""

    summary: str = ""
    labels: tuple[str, ...] = ()
    category: str | None = None
    """As it wrote it; not checked against the list."""
    confidence: float | None = None
    reason: str = ""

    @property
    def says_something(self) -> bool:
        return bool(self.summary or self.labels or self.category)


@dataclass(frozen=True)
class Proposal:
    """A reply that was read. ``repairs`` counts what was mended in it, ``faults`` says what was badly wrong."""

    topics: tuple[TopicNote, ...] = ()
    joined: tuple[int, ...] = ()
    document: DocumentNote = DocumentNote()
    usable: bool = False
    faults: tuple[str, ...] = ()
    repairs: int = 0


def read_tree(text: str, cut: bool, *, starts: Sequence[int], wanted: Sequence[int], most_topics: int) -> Proposal:
    """A window's reply. ``starts``: the numbers shown, ascending; ``wanted``: those of the topics it has to describe.

    Usable when it starts a topic at one number at least, or rightly finds none where none is wanted.
    """
    reading = _Reading(starts)
    fields = read_json(text)
    if fields is None or not isinstance(fields.get("topics"), list):
        rescued = list(_rescued(text))
        reading.fault("the answer was no JSON object with a list `topics`", always=not cut)
        whole = fields if fields is not None and "topics" in fields else {}
        fields = {**whole, "topics": rescued} if rescued else {}
    if cut:
        reading.fault("the answer was cut off at the length limit: be shorter, with summaries of one sentence")
    listed = fields.get("topics")
    if not isinstance(listed, list):
        return Proposal(faults=reading.faults, repairs=reading.repairs)
    topics = tuple(reading.topics(cast(list[object], listed), most_topics))
    joined = tuple(reading.joined(fields.get("joined")))
    missing = set(wanted) - {topic.start for topic in topics}
    if len(missing) > max(1, len(wanted) // 2) and topics:
        shown = ", ".join(str(start) for start in sorted(missing)[:12])
        reading.fault(f"topics that the document marks were left out, e.g. {shown}")
    if not topics and (wanted or listed):
        reading.fault("the answer starts no topic at a block that was shown")
    usable = bool(topics) or (not wanted and not listed)
    note = reading.document(fields.get("document"))
    return Proposal(topics, joined, note, usable, reading.faults, reading.repairs)


def read_document(text: str, cut: bool, *, edges: Sequence[int]) -> Proposal:
    """The last reply to a document of several windows. Usable when it says anything of the whole."""
    reading = _Reading(edges)
    fields = read_json(text)
    if fields is None:
        reading.fault("the answer was no JSON object")
        fields = {}
    if cut:
        reading.fault("the answer was cut off at the length limit: be shorter")
    note = reading.document(fields.get("document") if "document" in fields else fields)
    if fields and not note.says_something:
        reading.fault("`document` says nothing: it needs `summary` and the other fields")
    joined = tuple(reading.joined(fields.get("joined")))
    return Proposal((), joined, note, note.says_something, reading.faults, reading.repairs)


class _Reading:
    """One reply while it is read."""

    def __init__(self, starts: Sequence[int]) -> None:
        self._starts = starts
        self._wording = Wording()
        self._faults: list[str] = []
        self._mended = 0

    @property
    def faults(self) -> tuple[str, ...]:
        return tuple(self._faults[:MOST_FAULTS])

    @property
    def repairs(self) -> int:
        return self._mended + self._wording.repairs

    def fault(self, said: str, *, always: bool = True) -> None:
        """Something the model should be told of."""
        self._mended += 1
        if always:
            self._faults.append(said)

    def topics(self, listed: Sequence[object], most: int) -> Iterator[TopicNote]:
        """Each usable topic, by start, each start once: the first that claims it."""
        found: dict[int, TopicNote] = {}
        wrong = {"type": 0, "range": 0, "twice": 0}
        before = -1
        for item in listed:
            fields = cast(dict[str, object], item) if isinstance(item, dict) else {}
            number = _number(fields.get("start"))
            if number is None:
                wrong["type"] += 1
                continue
            start = self._nearest(number)
            if start is None:
                wrong["range"] += 1
                continue
            self._mended += (start != number) + (number < before) + (not isinstance(fields.get("start"), int))
            before = number
            if start in found:
                wrong["twice"] += 1
                continue
            found[start] = self._topic(start, fields)
        self._told(wrong, len(listed))
        if len(found) > most + 2:
            self.fault(f"{len(found)} topics are too many: at most {most} were asked for")
        yield from sorted(found.values(), key=lambda topic: topic.start)

    def _told(self, wrong: dict[str, int], count: int) -> None:
        self._mended += sum(wrong.values())
        if wrong["type"]:
            self._faults.append("some topics have no block number as `start`")
        if wrong["range"]:
            low, high = self._starts[0], self._starts[-1]
            self._faults.append(f"some topics start at numbers that were not shown: use {low} to {high} only")
        if wrong["twice"] * 4 > count:
            self._faults.append("several topics overlap: each start may be used once")

    def _topic(self, start: int, fields: dict[str, object]) -> TopicNote:
        level = _number(fields.get("level"))
        if level is None or not 1 <= level <= 6:
            self._mended += 1
            level = None if level is None else min(6, max(1, level))
        return TopicNote(
            start,
            level,
            self._wording.name(fields.get("name")),
            self._wording.summary(fields.get("summary")),
            self._wording.labels(fields.get("labels")),
        )

    def joined(self, value: object) -> Iterator[int]:
        """The starts to be joined to what is before them."""
        for item in cast(list[object], value) if isinstance(value, list) else ():
            number = _number(item)
            if number is None or number not in self._starts:
                self._mended += 1
            else:
                yield number

    def document(self, value: object) -> DocumentNote:
        if not isinstance(value, dict):
            self._mended += value is not None
            return DocumentNote()
        fields = cast(dict[str, object], value)
        category, confidence = fields.get("category"), fields.get("confidence")
        sure = _share(confidence)
        self._mended += confidence is not None and sure is None
        return DocumentNote(
            self._wording.summary(fields.get("summary"), LONGEST_DOCUMENT_SUMMARY),
            self._wording.labels(fields.get("labels")),
            category.strip() if isinstance(category, str) else None,
            sure,
            self._wording.reason(fields.get("reason")),
        )

    def _nearest(self, number: int) -> int | None:
        """The number shown that is nearest to one within the window; None for one outside it."""
        if not self._starts or not self._starts[0] <= number <= self._starts[-1]:
            return None
        at = bisect_left(self._starts, number)
        if self._starts[at] == number:
            return number
        before, after = self._starts[at - 1], self._starts[at]
        return before if number - before < after - number else after


def _number(value: object) -> int | None:
    """A whole number, also of ``12.0``, ``"12"``, ``"[12]"`` and ``"12-20"``."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    found = _DIGITS.match(value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def _share(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        return None
    return float(value)


def _rescued(text: str) -> Iterator[object]:
    """The whole items of a list ``topics`` whose end is missing, or of a list without a name."""
    opened = _TOPICS.search(text) or _LIST.search(text)
    decoder = json.JSONDecoder()
    at = opened.end() if opened else len(text)
    while at < len(text):
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield item
        at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n,"))
