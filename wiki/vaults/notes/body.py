"""The body of a note taken apart: blocks first, then the running text in them, comments out of the way of both."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wiki.vaults.notes.inline import InlineScanner, blanked, inside, merged
from wiki.vaults.notes.links import WrittenLink
from wiki.vaults.notes.structure import HeadingBlock, Structure, line_starts, structure_of

_MOST_READINGS = 4
"""How often the blocks are read anew because a comment hid what had looked like the begin of another block."""

_OPENING_MARKS = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^[A-Za-z0-9-]+$")
_WIKILINK = re.compile(r"!?\[\[([^\[\]\n]+)\]\]")
_MARKS = re.compile(r"[\\`*_\[\]<>&!~=]|://")


@dataclass(frozen=True)
class Section:
    """A heading of the note and where it stands."""

    start: int
    end: int
    """Behind the heading's own lines."""
    level: int
    text: str
    path: tuple[str, ...]
    line: int
    """0-based, of the body."""


@dataclass(frozen=True)
class Body:
    """What a body holds. Offsets are its characters, lines are 0-based."""

    sections: tuple[Section, ...]
    links: tuple[WrittenLink, ...]
    tags: tuple[str, ...]
    blocks: tuple[tuple[str, int], ...]
    """Ids with their lines."""
    fields: tuple[tuple[str, str], ...]
    unread: tuple[tuple[int, int], ...]
    closed: tuple[tuple[int, int], ...]
    """Code and HTML."""
    opens_with_title: bool
    """The first block is a heading of level 1."""


def read_body(text: str, first: int = 0) -> Body:
    """Read ``text`` from the line that begins at ``first``; what stands before it is plain text. Never raises."""
    starts = line_starts(text)

    def line_of(place: int) -> int:
        return bisect_right(starts, place) - 1

    plain = text.replace("\r", " ")
    masked = blanked(plain, [(0, first)]) if first else plain
    comments: list[tuple[int, int]] = []
    reading = 1
    while True:
        structure = structure_of(masked)
        scanner = InlineScanner(masked, line_of)
        hidden = _scan(scanner, structure, last=reading == _MOST_READINGS)
        comments.extend(scanner.found.comments)
        if not hidden:
            break
        masked = blanked(masked, merged(scanner.found.comments))
        reading += 1
    found, out = scanner.found, merged(comments)
    visible = blanked(masked, merged(found.comments))
    headings = [block for block in structure.headings if not inside(out, block.start)]
    unread = merged([*comments, *found.queries, *(span for span in structure.queries if not inside(out, span[0]))])
    return Body(
        sections=_sections(visible, headings, line_of),
        links=tuple(sorted(found.links, key=lambda written: (written.link.line, written.start))),
        tags=tuple(dict.fromkeys(found.tags)),
        blocks=tuple((name, line_of(place)) for name, place in found.blocks if not inside(out, place)),
        fields=tuple((key, value) for key, value, place in found.fields if not inside(out, place)),
        unread=unread,
        closed=tuple(structure.closed),
        opens_with_title=bool(headings) and headings[0].level == 1 and not visible[: headings[0].start].strip(),
    )


def _scan(scanner: InlineScanner, structure: Structure, *, last: bool) -> bool:
    """Read all running text. Stops and says so when a comment ends inside another block: blocks must be read anew."""
    place = 0
    whole = sorted([*structure.closed, *((block.start, block.end) for block in structure.headings)])
    for start, end in structure.running:
        if end <= place:
            continue
        begin = max(start, place)
        place = scanner.read(begin, end)
        if place <= end or last:
            continue
        comment = scanner.found.comments[-1][0]
        if _cuts(whole, comment) or _cuts(whole, place):
            return True
    return False


def _cuts(blocks: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether a block begins before ``place`` and ends behind it; a comment at a heading's begin cuts it as well."""
    number = bisect_right(blocks, place, key=lambda block: block[0]) - 1
    return number >= 0 and blocks[number][0] <= place < blocks[number][1]


def _sections(text: str, headings: Sequence[HeadingBlock], line_of: Callable[[int], int]) -> tuple[Section, ...]:
    stack: list[tuple[int, str]] = []
    sections: list[Section] = []
    for block in headings:
        words = heading_text(text[block.start : block.end], underlined=block.underlined)
        while stack and stack[-1][0] >= block.level:
            stack.pop()
        stack.append((block.level, words))
        path = tuple(above for _, above in stack)
        sections.append(Section(block.start, block.end, block.level, words, path, line_of(block.start)))
    return tuple(sections)


def heading_text(written: str, *, underlined: bool) -> str:
    """A heading's lines as a person reads them: without marks, ids and brackets, white space collapsed."""
    if underlined:
        inner = written.rstrip().rpartition("\n")[0]
    else:
        inner = _CLOSING_MARKS.sub("", _OPENING_MARKS.sub("", written.rstrip(), count=1))
    inner = _BLOCK_ID.sub("", inner.rstrip())
    if not _MARKS.search(inner):
        return " ".join(inner.split())
    from wiki.parsing.markdown import plain_text

    return " ".join(plain_text(_WIKILINK.sub(_shown, inner)).replace("==", "").split())


def _shown(match: re.Match[str]) -> str:
    target, bar, shown = match[1].partition("|")
    return shown if bar else " > ".join(part for part in target.removesuffix("\\").split("#") if part)
