"""One section of a note changed; every byte outside of it stays."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from wiki.documents import front_matter
from wiki.documents.yaml_tree import without_surrogates
from wiki.errors import Conflict, InvalidInput, NotFound
from wiki.vaults.notes.body import Body, Section, read_body
from wiki.vaults.notes.encoding import decode_note, line_end_of

_MOST_NAMED = 20
_MARKER = re.compile(r"[ \t]*(?:(?P<item>[-*+]|\d{1,9}[.)])[ \t]|(?P<row>\|)|(?P<quote>>))")


def append_to_section(data: bytes, heading_path: Sequence[str], text: str) -> bytes:
    """The note with ``text`` added as last block of the section's own text, before its first sub-section.

    Text that opens with a heading becomes the last sub-section instead. An empty path is the whole body: the text goes
    to its end. A blank line is put between blocks, none between items of one list, rows of one table or lines of one
    quote. Line ends become those of the file.

    Raises NotFound when no section has this path, Conflict when several have, InvalidInput when the text is empty or
    would change which section other text belongs to.
    """
    if not text.strip():
        raise InvalidInput("there is nothing to append: the text is empty", field="body")
    opened = _open(data, heading_path)
    headings = read_body(_lf(text).strip("\n")).sections
    opens_with_heading = bool(headings) and headings[0].start == 0
    stop = opened.stop if opens_with_heading or opened.section is None else opened.own_stop
    place = opened.last_line_end(stop)
    return opened.changed(place, place, text)


def replace_section(data: bytes, heading_path: Sequence[str], text: str) -> bytes:
    """The note with ``text`` instead of all below the section's heading, its sub-sections included.

    The section reaches to the next heading of the same or a higher level; the heading's own line stays, and so do the
    blank lines around the text. An empty path is the whole body, an empty text empties the section. Errors are those
    of ``append_to_section``.
    """
    opened = _open(data, heading_path)
    first = opened.start
    body = opened.parts.body
    while first < opened.stop and not body[first : opened.line_end(first)].strip():
        first = opened.line_end(first)
    if first == opened.stop:
        first = opened.last_line_end(opened.stop)
    return opened.changed(first, max(first, opened.last_line_end(opened.stop)), text)


@dataclass(frozen=True)
class _Opened:
    """A note with one of its sections found. Offsets are characters of the body."""

    data: bytes
    parts: front_matter.FrontMatter
    body: Body
    section: Section | None
    """None for the whole body."""
    start: int
    """Behind the heading."""
    own_stop: int
    """Where the first sub-section begins."""
    stop: int

    def line_end(self, place: int) -> int:
        found = self.parts.body.find("\n", place)
        return len(self.parts.body) if found < 0 else found + 1

    def last_line_end(self, stop: int) -> int:
        """Behind the last line before ``stop`` that is not blank, the heading's own at least."""
        kept = self.parts.body[self.start : stop].rstrip()
        return self.line_end(self.start + len(kept) - 1) if kept else self.start

    def changed(self, start: int, end: int, text: str) -> bytes:
        """The file with ``text`` as lines of their own instead of ``[start, end)``."""
        body = self.parts.body
        eol = line_end_of(self.parts.text)
        lines = _lf(text).strip("\n").replace("\n", eol)
        before, after = body[:start], body[end:]
        old = body[start:end]
        lead = ""
        if lines:
            lead = "" if not before or before.endswith("\n") else eol
            if start == end and self._needs_gap(before, lines):
                lead += eol
            tail = eol if after or (old or before or eol).endswith("\n") else ""
            if after.strip() and not re.match(r"[ \t]*\r?\n", after):
                tail += eol
            lines = lead + lines + tail
        self._check(before + lines + after, len(before) + len(lead), start, end, text)
        decoded = decode_note(self.data)
        whole = self.parts.bom + self.parts.opening + self.parts.raw + self.parts.closing
        if lines and self.parts.closing and not self.parts.closing.endswith("\n"):
            whole += eol
        return decoded.encode(whole + before + lines + after)

    def _needs_gap(self, before: str, lines: str) -> bool:
        last = before.rstrip().rpartition("\n")[2] if before.strip() else ""
        if not last or (self.section is not None and len(before) == self.start):
            return False
        above, below = _MARKER.match(last), _MARKER.match(lines)
        return not (above and below and above.lastgroup == below.lastgroup)

    def _check(self, new: str, text_start: int, start: int, end: int, text: str) -> None:
        """Refuse what would move other text to another section, or be swallowed by an open block above it."""
        if without_surrogates(text) != text:
            raise InvalidInput("the text holds half a character (a lone surrogate)", field="body")
        level = self.section.level if self.section else 0
        inner = read_body(_lf(text)).sections
        shallow = next((section for section in inner if section.level <= level), None)
        if shallow is not None:
            raise InvalidInput(
                f"the heading {shallow.text!r} of level {shallow.level} would end the section: use {level + 1} # or more",
                field="body",
            )
        wanted = [
            *((section.level, section.text) for section in self.body.sections if section.start < start),
            *((section.level, section.text) for section in inner),
            *((section.level, section.text) for section in self.body.sections if section.start >= end),
        ]
        after = read_body(new)
        swallowed = any(a < text_start < b for a, b in (*after.closed, *after.unread))
        if swallowed or [(section.level, section.text) for section in after.sections] != wanted:
            raise InvalidInput(
                "the text would change which section other text belongs to: close its code fences and comments, "
                "and mend an open one above it",
                field="body",
            )


def _open(data: bytes, heading_path: Sequence[str]) -> _Opened:
    parts = front_matter.split(decode_note(data).text)
    tree = parts.tree()
    if not tree.readable:
        odd = tree.problems[0]
        raise InvalidInput(f"{odd.reason} (line {odd.line}): {odd.remedy}", line=odd.line)
    body = read_body(parts.body)
    if not heading_path:
        return _Opened(data, parts, body, None, 0, len(parts.body), len(parts.body))
    wanted = tuple(map(_same_form, heading_path))
    places = [number for number, section in enumerate(body.sections) if tuple(map(_same_form, section.path)) == wanted]
    shown = " > ".join(heading_path)
    if not places:
        known = [" > ".join(section.path) for section in body.sections[:_MOST_NAMED]]
        listed = "; ".join(known) if known else "the note has no headings"
        raise NotFound(f"no section {shown!r}; there are: {listed}", heading_path=list(heading_path))
    if len(places) > 1:
        lines = [body.sections[number].line + parts.body_line for number in places]
        listed = ", ".join(map(str, lines))
        raise Conflict(f"{len(places)} sections are called {shown!r} (lines {listed}): rename all but one", lines=lines)
    section = body.sections[places[0]]
    later = body.sections[places[0] + 1 :]
    size = len(parts.body)
    own_stop = next((other.start for other in later), size)
    stop = next((other.start for other in later if other.level <= section.level), size)
    return _Opened(data, parts, body, section, section.end, own_stop, stop)


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _same_form(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
