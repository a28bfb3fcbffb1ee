"""The running text of a note: links, tags, block ids, properties, and what is not to be read."""

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from wiki.vaults.notes.links import WrittenLink, markdown_link, wikilink

_TAG_END = (
    "\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    r"""'!"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s"""
)
_TOKEN = re.compile(
    rf"""
    (?P<escape>\\[!-/:-@\[-`{{-~])
    |(?P<ticks>`+)
    |(?P<comment>%%)
    |(?P<html><!--|</?[A-Za-z][^<>\n]*>|<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*>)
    |(?P<url>://[^\s<>\]]*)
    |(?P<definition>^[ ]{{0,3}}\[(?=[^\[\]\n^\s])[^\[\]\n]{{1,999}}\]:[ \t]*
        (?:<(?P<defined_angle>[^<>\n]+)>|(?P<defined_bare>[^\s<>\[]\S*)))
    |(?P<wiki>!?\[\[(?P<inner>[^\[\]\n]+)\]\])
    |(?P<field>[\[(](?=[^\[\]()\n:|]{{1,80}}::))
    |(?P<open>!?\[)
    |(?P<destination>\]\([ \t]*
        (?:<(?P<angle>[^<>\n]*)>|(?P<bare>(?:[^\s()<>\\]|\\.|\((?:[^\s()\\]|\\.)*\))*))
        (?:[ \t\n]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\))
    |(?P<close>\])
    |(?<![^\s(\[{{"'“‘*_~|>,;、。，；：（「『])\#(?P<tag>[^{_TAG_END}]+)
    """,
    re.VERBOSE | re.MULTILINE,
)
_LINE_FIELD = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[.\][ \t]+)?[*_~]{0,3}"
    r"(?P<key>[^\s:\[\]()`|#*~<>][^\n:\[\]()`|#*~<>]{0,79}?)[*_~]{0,3}[ \t]*::(?:[ \t]+(?P<value>[^\n]*))?$",
    re.MULTILINE,
)
_BLOCK_ID = re.compile(r"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
_INLINE_QUERY = re.compile(r"\$=|=\s+\S|=\s*(?:this|dv)\b|=\s*\[\[")
_BRACKET = re.compile(r"[\[\]()]|\n")
MOST_FIELDS = 10_000
_LONGEST_FIELD = 1_000


@dataclass
class Found:
    """What the running text holds, in order; offsets are characters of the text."""

    links: list[WrittenLink] = field(default_factory=list[WrittenLink])
    tags: list[str] = field(default_factory=list[str])
    blocks: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    fields: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    """Key, value, and where the property begins."""
    queries: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    comments: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


class InlineScanner:
    """Reads stretches of one text, in order. ``line_of`` gives the line of an offset."""

    def __init__(self, text: str, line_of: Callable[[int], int]) -> None:
        self._text = text
        self._line_of = line_of
        self._comment_ends = "%%" in text
        self._has_fields = "::" in text
        self._has_block_ids = "^" in text
        self._bracket_fields = 0
        self.found = Found()

    def read(self, start: int, end: int) -> int:
        """Read ``[start, end)``, one block; returns ``end``, or where a comment that began in it ends behind it."""
        text = self._text
        if self._has_fields and text.find("::", start, end) >= 0:
            self._line_fields(start, end)
        if self._has_block_ids and text.find("^", start, end) >= 0:
            self.found.blocks.extend((match[1], match.start()) for match in _BLOCK_ID.finditer(text, start, end))
        ticks: _Ticks | None = None
        brackets: list[tuple[int, bool]] = []
        place = start
        while match := _TOKEN.search(text, place, end):
            place = match.end()
            kind = match.lastgroup
            if kind == "ticks":
                ticks = ticks or _Ticks(text, start, end)
                place = self._code(match, ticks)
            elif kind == "comment":
                place = self._comment(match.start())
                if place > end:
                    return place
            elif kind == "html":
                if match[0] == "<!--":
                    closed = text.find("-->", place, end)
                    place = place if closed < 0 else closed + 3
            elif kind == "wiki":
                self._add(wikilink(match["inner"], match.start("inner"), self._line(match), embed=match[0][0] == "!"))
            elif kind == "definition":
                self._definition(match)
            elif kind in ("open", "field"):
                if kind == "field":
                    self._bracket_field(match.start(), end)
                if match[0] != "(":
                    brackets.append((match.end(), match[0] == "!["))
            elif kind == "close":
                if brackets:
                    brackets.pop()
            elif kind == "destination":
                if brackets:
                    self._destination(match, *brackets.pop())
            elif kind == "tag":
                self._tag(match["tag"])
        return end

    def _line(self, match: re.Match[str]) -> int:
        return self._line_of(match.start())

    def _add(self, written: WrittenLink | None) -> None:
        if written is not None:
            self.found.links.append(written)

    def _code(self, match: re.Match[str], ticks: "_Ticks") -> int:
        closed = ticks.closing(match.end(), len(match[0]))
        if closed is None:
            return match.end()
        inner = self._text[match.end() : closed].strip()
        if _INLINE_QUERY.match(inner):
            self.found.queries.append((match.start(), closed + len(match[0])))
        return closed + len(match[0])

    def _comment(self, start: int) -> int:
        closed = self._text.find("%%", start + 2) if self._comment_ends else -1
        if closed < 0:
            self._comment_ends = False
            return start + 2
        self.found.comments.append((start, closed + 2))
        return closed + 2

    def _definition(self, match: re.Match[str]) -> None:
        form = "angle" if match["defined_angle"] else "bare"
        group = f"defined_{form}"
        line = self._line(match)
        self._add(markdown_link(match[group], match.start(group), line, form=form, shown=None, embed=False))

    def _destination(self, match: re.Match[str], opened: int, embed: bool) -> None:
        form = "bare" if match["angle"] is None else "angle"
        shown = self._text[opened : match.start()].strip()
        line = self._line_of(opened)
        self._add(markdown_link(match[form], match.start(form), line, form=form, shown=shown, embed=embed))

    def _tag(self, written: str) -> None:
        tag = clean_tag(written)
        if tag and not tag.isdigit():
            self.found.tags.append(tag)

    def _line_fields(self, start: int, end: int) -> None:
        for match in _LINE_FIELD.finditer(self._text, start, end):
            self._field(match["key"], match["value"] or "", match.start("key"))

    def _bracket_field(self, start: int, end: int) -> None:
        self._bracket_fields += 1
        if self._bracket_fields > MOST_FIELDS:
            return
        key_end = self._text.index("::", start)
        opening = self._text[start]
        closing = "]" if opening == "[" else ")"
        depth = 1
        for match in _BRACKET.finditer(self._text, key_end, min(end, key_end + _LONGEST_FIELD)):
            depth += (match[0] == opening) - (match[0] == closing)
            if match[0] == "\n":
                return
            if depth == 0:
                self._field(self._text[start + 1 : key_end], self._text[key_end + 2 : match.start()], start)
                return

    def _field(self, key: str, value: str, start: int) -> None:
        name = key.strip(" \t_")
        if name and len(self.found.fields) < MOST_FIELDS:
            self.found.fields.append((name, value.strip(), start))


class _Ticks:
    """Where runs of backticks of each length begin in one block."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._runs: dict[int, list[int]] = {}
        for match in re.finditer("`+", text[start:end]):
            self._runs.setdefault(len(match[0]), []).append(start + match.start())

    def closing(self, after: int, length: int) -> int | None:
        runs = self._runs.get(length, [])
        place = bisect_left(runs, after)
        return runs[place] if place < len(runs) else None


def clean_tag(written: str) -> str:
    """A tag as the index knows it: lower case, without ``#``, no empty level."""
    return "/".join(level for level in written.strip().lstrip("#").lower().split("/") if level.strip())


def merged(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The spans in order, overlapping ones joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return tuple(joined)


def blanked(text: str, spans: tuple[tuple[int, int], ...] | list[tuple[int, int]]) -> str:
    """``text`` with spaces instead of what lies in the spans; line ends stay, so that offsets and lines do."""
    return "".join(_parts(text, spans))


def _parts(text: str, spans: tuple[tuple[int, int], ...] | list[tuple[int, int]]) -> Iterator[str]:
    place = 0
    for start, end in spans:
        yield text[place:start]
        yield re.sub(r"[^\r\n]", " ", text[start:end])
        place = end
    yield text[place:]


def inside(spans: tuple[tuple[int, int], ...], place: int) -> bool:
    """Whether ``place`` lies in one of these spans, which are in order."""
    number = bisect_right(spans, (place, sys.maxsize)) - 1
    return number >= 0 and spans[number][0] <= place < spans[number][1]
