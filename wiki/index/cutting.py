"""Where a long body is cut: its units, their size in tokens, and the packing of units into windows."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wiki.models.protocols import Embedder

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？؟।]+[」』”’）]*|\n")
_RULER_CHUNK = 50_000
OVERLAP_SHARE = 8
"""A forced cut repeats up to one eighth of the room."""

UnitKind = Literal["heading", "text", "code", "table"]


@dataclass(frozen=True)
class Unit:
    """A block of the body ``[start, end)`` with the blank lines that follow it."""

    start: int
    end: int
    kind: UnitKind
    level: int = 0
    heading: str = ""
    header_end: int = 0
    """For tables: where the header and its rule end."""


def split_units(body: str) -> list[Unit]:
    """The units of ``body``, in order and without a gap. Linear in its length."""
    lines = _lines(body)
    units: list[Unit] = []
    index = 0
    while index < len(lines):
        start = lines[index][0]
        text = lines[index][1]
        after = index + 1
        kind: UnitKind = "text"
        level, heading, header_end = 0, "", 0
        if fence := _FENCE.match(text):
            kind = "code"
            after = _fence_end(lines, index, fence.group(1))
        elif found := _HEADING.match(text):
            kind, level, heading = "heading", len(found.group(1)), found.group(2) or ""
        elif "|" in text and after < len(lines) and "|" in lines[after][1] and _TABLE_RULE.match(lines[after][1]):
            kind = "table"
            after += 1
            header_end = lines[after][0] if after < len(lines) else len(body)
            while after < len(lines) and "|" in lines[after][1]:
                after += 1
        elif text.strip():
            after, level = _paragraph_end(lines, index)
            if level:
                kind, heading = "heading", text.strip()
        while after < len(lines) and not lines[after][1].strip():
            after += 1
        end = lines[after][0] if after < len(lines) else len(body)
        units.append(Unit(start, end, kind, level, heading, header_end))
        index = after
    return units


def _lines(body: str) -> list[tuple[int, str]]:
    lines: list[tuple[int, str]] = []
    start = 0
    while start < len(body):
        end = body.find("\n", start)
        end = len(body) if end < 0 else end
        lines.append((start, body[start:end]))
        start = end + 1
    return lines


def _fence_end(lines: Sequence[tuple[int, str]], index: int, mark: str) -> int:
    for after in range(index + 1, len(lines)):
        text = lines[after][1].strip()
        if text.startswith(mark) and not text.strip(mark[0]):
            return after + 1
    return len(lines)


def _paragraph_end(lines: Sequence[tuple[int, str]], index: int) -> tuple[int, int]:
    """The line after the paragraph, and its level when it is an underlined heading of one line."""
    after = index + 1
    if after < len(lines) and (rule := _SETEXT.match(lines[after][1])):
        return after + 1, 1 if rule.group(1)[0] == "=" else 2
    while after < len(lines):
        text = lines[after][1]
        if not text.strip() or _HEADING.match(text) or _FENCE.match(text):
            break
        if "|" in text and after + 1 < len(lines) and "|" in lines[after + 1][1]:
            if _TABLE_RULE.match(lines[after + 1][1]):
                break
        after += 1
    return after, 0


class TokenRuler:
    """Measures parts of one body in the model's tokens, after a single pass over it."""

    def __init__(self, body: str, embedder: Embedder) -> None:
        self._embedder = embedder
        self.overhead = embedder.count_tokens([""])[0]
        """Special tokens of one text."""
        self.starts: list[int] = []
        for start, end in _chunks(body):
            self.starts.extend(start + first for first, _ in embedder.token_spans(body[start:end]))

    def size(self, start: int, end: int) -> int:
        """Tokens that begin in ``body[start:end]``."""
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)

    def reach(self, start: int, tokens: int) -> int | None:
        """Where the token after the next ``tokens`` ones begins; None when the body ends before."""
        place = bisect_left(self.starts, start) + tokens
        return self.starts[place] if place < len(self.starts) else None

    def count(self, text: str) -> int:
        return self._embedder.count_tokens([text])[0] - self.overhead


def shorten_context(parts: Sequence[str], limit: int, embedder: Embedder) -> tuple[str, ...]:
    """Name and headings cut to ``limit`` tokens: outer headings go first, then the ends of what is left."""
    spans = [embedder.token_spans(part) for part in parts]
    kept = list(parts)
    while len(kept) > 2 and sum(map(len, spans)) > limit:
        del kept[1], spans[1]
    share = max(1, limit // max(1, len(kept)))
    if sum(map(len, spans)) > limit:
        kept = [
            part[: span[share][0]].rstrip() if len(span) > share else part
            for part, span in zip(kept, spans, strict=True)
        ]
    return tuple(part for part in kept if part)


def trim(body: str, start: int, end: int) -> tuple[int, int]:
    """``[start, end)`` without blank lines at either end; the first line keeps its indentation."""
    while end > start and body[end - 1].isspace():
        end -= 1
    line = place = start
    while place < end and body[place].isspace():
        if body[place] == "\n":
            line = place + 1
        place += 1
    return line, end


@dataclass(frozen=True)
class Cut:
    """A stretch ``[start, end)`` of the body that becomes a passage."""

    start: int
    end: int
    path: tuple[str, ...]
    """Headings above it, outermost first."""
    prefix: str = ""
    """The header of a table cut before this stretch."""


@dataclass(frozen=True)
class Room:
    """How much one passage may hold beside its context."""

    tokens: int
    characters: int

    def without(self, tokens: int, characters: int) -> "Room":
        return Room(max(1, self.tokens - tokens), max(1, self.characters - characters))


RoomOf = Callable[[tuple[str, ...]], Room]


@dataclass(frozen=True)
class _Piece:
    start: int
    end: int
    path: tuple[str, ...]
    prefix: str = ""
    prefix_tokens: int = 0
    forced: bool = False
    """Cut off from what precedes it."""
    section_end: int | None = None
    """Headings only."""


def pack(body: str, units: Sequence[Unit], ruler: TokenRuler, room_of: RoomOf) -> list[Cut]:
    """Cuts that cover the body in order; ``room_of`` gives a passage's room under a heading path.

    A unit joins the open passage while it fits. A heading opens a new passage unless its whole section fits, and
    never ends one.
    """
    cuts: list[Cut] = []
    opened: _Piece | None = None
    end = text_end = 0
    head_path: tuple[str, ...] = ()
    for piece in _pieces(body, units, ruler, room_of):
        if opened is not None:
            room = room_of(opened.path).without(opened.prefix_tokens, len(opened.prefix))
            reach = piece.end
            if piece.section_end is not None and text_end == end:
                reach, head_path = piece.section_end, piece.path
            if not piece.forced and fits(ruler, opened.start, reach, room):
                end = piece.end
                text_end = text_end if piece.section_end is not None else end
                continue
            if not piece.forced and opened.start < text_end < end:
                cuts.append(Cut(opened.start, text_end, opened.path, opened.prefix))
                piece = replace(piece, start=text_end, path=head_path)
            else:
                cuts.append(Cut(opened.start, end, opened.path, opened.prefix))
        opened, end = piece, piece.end
        text_end = piece.start if piece.section_end is not None else end
    if opened is not None:
        cuts.append(Cut(opened.start, end, opened.path, opened.prefix))
    return cuts


def fits(ruler: TokenRuler, start: int, end: int, room: Room) -> bool:
    return end - start <= room.characters and ruler.size(start, end) <= room.tokens


def _pieces(body: str, units: Sequence[Unit], ruler: TokenRuler, room_of: RoomOf) -> Iterator[_Piece]:
    """Units, those that alone are too long cut into parts that fit."""
    paths = _paths(units)
    section_ends = _section_ends(units)
    head = 0
    """Where the run of headings before the unit begins: they want to stay together with it."""
    for number, unit in enumerate(units):
        room = room_of(paths[number])
        if unit.kind == "heading":
            if fits(ruler, unit.start, unit.end, room):
                yield _Piece(unit.start, unit.end, paths[number], section_end=section_ends[number])
                continue
        elif ruler.size(head, unit.start) * 2 <= room.tokens:
            room = room.without(ruler.size(head, unit.start), unit.start - head)
        if fits(ruler, unit.start, unit.end, room):
            yield _Piece(unit.start, unit.end, paths[number])
        else:
            yield from _force(body, unit, ruler, paths[number], room)
        head = unit.end


def _force(body: str, unit: Unit, ruler: TokenRuler, path: tuple[str, ...], room: Room) -> Iterator[_Piece]:
    header, header_tokens = "", 0
    if unit.kind == "table":
        header_tokens = ruler.size(unit.start, unit.header_end)
        if header_tokens * 2 <= room.tokens and (unit.header_end - unit.start) * 2 <= room.characters:
            header = body[unit.start : unit.header_end]
            header += "" if header.endswith("\n") else "\n"
    rest = room.without(header_tokens, len(header)) if header else room
    places = _places(body, unit, ruler, rest)
    overlap = 0 if unit.kind == "table" else room.tokens // OVERLAP_SHARE
    begin, place, first = unit.start, 0, True
    while place < len(places):
        far = place
        while far + 1 < len(places) and fits(ruler, begin, places[far + 1], room if first else rest):
            far += 1
        if first:
            yield _Piece(begin, places[far], path)
        else:
            yield _Piece(begin, places[far], path, header, header_tokens if header else 0, forced=True)
        first, place, begin = False, far + 1, places[far]
        if place < len(places):
            back = far
            while back > 0 and _overlaps(ruler, places, back - 1, far, overlap, rest, places[place]):
                back -= 1
            begin = places[back]


def _overlaps(ruler: TokenRuler, places: Sequence[int], back: int, far: int, limit: int, room: Room, end: int) -> bool:
    return ruler.size(places[back], places[far]) <= limit and fits(ruler, places[back], end, room)


def _places(body: str, unit: Unit, ruler: TokenRuler, room: Room) -> list[int]:
    """Where the unit may be cut, its end included; no stretch between two places is longer than the room."""
    ends = [unit.start]
    for end in _natural_ends(body, unit):
        while not fits(ruler, ends[-1], end, room):
            ends.append(_word_end(body, ends[-1], end, ruler, room))
        if end > ends[-1]:
            ends.append(end)
    return ends[1:]


def _natural_ends(body: str, unit: Unit) -> Iterator[int]:
    if unit.kind == "table":
        yield unit.header_end
    if unit.kind in ("code", "table"):
        place = body.find("\n", max(unit.start, unit.header_end), unit.end)
        while place >= 0:
            yield place + 1
            place = body.find("\n", place + 1, unit.end)
    else:
        for match in _SENTENCE_END.finditer(body, unit.start, unit.end):
            yield match.end()
    yield unit.end


def _word_end(body: str, start: int, end: int, ruler: TokenRuler, room: Room) -> int:
    """The last place in ``(start, end)`` where the room holds and a word ends; inside a word when it must be."""
    reach = ruler.reach(start, room.tokens)
    far = min(end, start + room.characters, end if reach is None else reach)
    space = max(body.rfind(mark, start, far) for mark in (" ", "\n", "\t"))
    return space + 1 if space > start + (far - start) // 2 else max(far, start + 1)


def _paths(units: Sequence[Unit]) -> list[tuple[str, ...]]:
    """The headings above each unit."""
    stack: list[tuple[int, str]] = []
    paths: list[tuple[str, ...]] = []
    above: tuple[str, ...] = ()
    for unit in units:
        if unit.kind == "heading":
            while stack and stack[-1][0] >= unit.level:
                stack.pop()
            paths.append(tuple(text for _, text in stack))
            stack.append((unit.level, unit.heading))
            above = tuple(text for _, text in stack)
        else:
            paths.append(above)
    return paths


def _section_ends(units: Sequence[Unit]) -> list[int]:
    """For each unit that is a heading, where its section ends: the next heading of the same or a higher level."""
    ends = [unit.end for unit in units]
    open_: list[int] = []
    for number, unit in enumerate(units):
        if unit.kind == "heading":
            while open_ and units[open_[-1]].level >= unit.level:
                ends[open_.pop()] = unit.start
            open_.append(number)
    for number in open_:
        ends[number] = units[-1].end
    return ends


def _chunks(body: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(body):
        end = min(len(body), start + _RULER_CHUNK)
        if end < len(body):
            line = body.rfind("\n", start, end)
            space = line if line > start else body.rfind(" ", start, end)
            end = space + 1 if space > start else end
        yield start, end
        start = end
