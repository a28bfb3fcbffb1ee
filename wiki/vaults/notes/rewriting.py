"""Targets of links replaced in a note's bytes, when the notes they lead to were moved or renamed."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from wiki.documents import front_matter
from wiki.errors import InvalidInput
from wiki.vaults.model import Link
from wiki.vaults.notes.body import read_body
from wiki.vaults.notes.canvas_text import CanvasText, canvas_texts, in_json
from wiki.vaults.notes.encoding import decode_note
from wiki.vaults.notes.links import WrittenLink, encoded
from wiki.vaults.notes.parser import is_canvas
from wiki.vaults.notes.structure import line_starts
from wiki.vaults.notes.yaml_links import quoted, yaml_links

Renamed = Callable[[Link], str | None]
Edit = tuple[int, int, str]
"""What stands instead of ``[start, end)`` of the text."""


def rewrite_links(data: bytes, path: str, renamed: Renamed) -> bytes:
    """The note with the targets ``renamed`` gives; None keeps a link. Heading, block, shown text and all else stay.

    ``path`` tells a canvas from a note. A canvas names files by their whole path in the vault, with the ending. Links
    into the note itself are not asked for. Raises InvalidInput, with the line, when a target cannot be written where
    the link stands.
    """
    decoded = decode_note(data)
    find = _canvas_links if is_canvas(path) else _note_links
    edits: list[Edit] = []
    wanted: list[Link] = []
    for found, edit in find(decoded.text):
        target = renamed(found.link) if found.link.target else None
        if target is None or target == found.link.target:
            wanted.append(found.link)
            continue
        new = edit(target) if target else None
        line = found.link.line
        if new is None:
            raise InvalidInput(f"line {line}: a link cannot be written to {target!r}: rename that note", line=line)
        edits.append((found.start, found.end, new))
        wanted.append(replace(found.link, target=target))
    if not edits:
        return data
    text = _edited(decoded.text, edits)
    after = [found.link for found, _ in find(text)]
    if after != wanted:
        odd = next((link for link, now in zip(wanted, after, strict=False) if link != now), wanted[-1])
        raise InvalidInput(
            f"line {odd.line}: {odd.target!r} cannot be written there: put quotes around the text, or edit by hand",
            line=odd.line,
        )
    return decoded.encode(text)


Write = Callable[[str], str | None]
"""A target as it is to be written; None when it cannot be."""


def _note_links(text: str) -> list[tuple[WrittenLink, Write]]:
    parts = front_matter.split(text)
    readable = parts.tree().readable
    block = len(parts.opening + parts.raw + parts.closing)
    before, first = (len(parts.bom) + block, 0) if readable else (len(parts.bom), block)
    line = parts.body_line if readable else 1
    links: list[tuple[WrittenLink, Write]] = []
    for found, quote in yaml_links(parts) if readable else ():
        links.append((found, _in_quotes(quote)))
    for found in read_body(text[before:], first).links:
        link = replace(found.link, line=found.link.line + line)
        placed = replace(found, link=link, start=found.start + before, end=found.end + before)
        links.append((placed, _as_is(found)))
    return links


def _canvas_links(text: str) -> list[tuple[WrittenLink, Write]]:
    links: list[tuple[WrittenLink, Write]] = []
    starts = line_starts(text)
    for value in canvas_texts(text):
        line = bisect_right(starts, value.offsets[0])
        if value.key == "file" and value.text:
            link = Link("embed", value.text, None, None, None, line)
            links.append((WrittenLink(link, value.offsets[0], value.offsets[-1], "wiki"), in_json))
        elif value.key == "text":
            links.extend(_card_links(value, line))
    return links


def _card_links(value: CanvasText, line: int) -> Iterator[tuple[WrittenLink, Write]]:
    for found in read_body(value.text).links:
        link = replace(found.link, line=line)
        start, end = value.offsets[found.start], value.offsets[found.end]
        yield replace(found, link=link, start=start, end=end), _in_json(found)


def _as_is(found: WrittenLink) -> Write:
    return lambda target: encoded(target, found.form)


def _in_quotes(quote: str) -> Write:
    def write(target: str) -> str | None:
        written = encoded(target, "wiki")
        return None if written is None else quoted(written, quote)

    return write


def _in_json(found: WrittenLink) -> Write:
    def write(target: str) -> str | None:
        written = encoded(target, found.form)
        return None if written is None else in_json(written)

    return write


def _edited(text: str, edits: Sequence[Edit]) -> str:
    pieces: list[str] = []
    place = 0
    for start, end, new in sorted(edits):
        pieces += [text[place:start], new]
        place = end
    return "".join([*pieces, text[place:]])
