"""A note as what is cut into passages."""

import re
from collections.abc import Iterator
from dataclasses import replace

from wiki.index.cutting import Unit, split_units
from wiki.index.passages import TopicText
from wiki.vaults.model import Heading, Note
from wiki.vaults.notes.parser import read_text
from wiki.vaults.notes.structure import line_starts

_MARKED = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")


def note_text(note: Note) -> TopicText:
    """The note for ``cut_many``: its title, its body, what of that is read, and its blocks under the note's headings.

    A note without a word to read is called by its aliases and tags as well, so that its one passage is found by them.
    """
    read = read_text(note)
    name = note.title if read.strip() else "\n".join(dict.fromkeys((note.title, *note.aliases, *note.tags)))
    units = tuple(_units(read.replace("\r", " "), note.headings, note.body_line))
    return TopicText(name, note.body, note.body_line, read if note.unread else None, units)


def _units(read: str, headings: tuple[Heading, ...], body_line: int) -> Iterator[Unit]:
    """The blocks of ``read`` without a gap; only the note's own headings count as headings."""
    starts = [*line_starts(read), len(read)]
    lines = [heading.line - body_line for heading in headings]
    yield from _blocks(read, 0, starts[lines[0]] if lines else len(read))
    for number, heading in enumerate(headings):
        stop = starts[lines[number + 1]] if number + 1 < len(lines) else len(read)
        line = _line_behind(read, starts, lines[number])
        while starts[line] < stop and not read[starts[line] : starts[line + 1]].strip():
            line += 1
        end = min(starts[line], stop)
        yield Unit(starts[lines[number]], end, "heading", heading.level, heading.text)
        yield from _blocks(read, end, stop)


def _line_behind(read: str, starts: list[int], line: int) -> int:
    """The line behind a heading that begins on ``line``."""
    if not _MARKED.match(read, starts[line], starts[line + 1]):
        line += 1
        while line < len(starts) - 2 and not _UNDERLINE.fullmatch(read[starts[line] : starts[line + 1]].rstrip("\n")):
            line += 1
    return min(line + 1, len(starts) - 1)


def _blocks(read: str, start: int, end: int) -> Iterator[Unit]:
    for unit in split_units(read[start:end]):
        kind = "text" if unit.kind == "heading" else unit.kind
        header_end = unit.header_end + start if unit.header_end else 0
        yield replace(unit, start=unit.start + start, end=unit.end + start, kind=kind, header_end=header_end)
