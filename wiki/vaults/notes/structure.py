"""The blocks of a note by CommonMark: where its headings, its running text and its code lie."""

import re
from dataclasses import dataclass, field
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_QUERY_FENCES = {"dataview", "dataviewjs"}
_TABLE_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")


@dataclass(frozen=True)
class HeadingBlock:
    """A heading of the note itself, not one in a list or a quote; ``[start, end)`` with its line end."""

    start: int
    end: int
    level: int
    underlined: bool


@dataclass
class Structure:
    """Blocks as ``[start, end)`` offsets, each from the start of a line to the start of another, in order."""

    headings: list[HeadingBlock] = field(default_factory=list[HeadingBlock])
    running: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Paragraphs, headings and rows: where links and tags can stand."""
    closed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Code and HTML: nothing in it is read as Markdown."""
    queries: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


def line_starts(text: str) -> list[int]:
    """Where each line begins."""
    return [0, *(match.end() for match in re.finditer("\n", text))]


def structure_of(text: str) -> Structure:
    """The blocks of ``text``. Takes time linear in its length."""
    starts = [*line_starts(text), len(text)]
    found = Structure()
    tokens = _parser().parse(text.replace("\r", " "), {})
    for token in tokens:
        if token.map is None:
            continue
        first, last = token.map[0], min(token.map[1], len(starts) - 1)
        start, end = starts[first], starts[last]
        if token.type == "inline":
            found.running.append((start, end))
        elif token.type in ("fence", "code_block", "html_block"):
            found.closed.append((start, end))
            if token.type == "fence" and _language(token) in _QUERY_FENCES:
                found.queries.append((start, end))
        elif token.type == "heading_open" and token.level == 0:
            underlined = not token.markup.startswith("#")
            if not (underlined and _is_table(text[start:end])):
                found.headings.append(HeadingBlock(start, end, int(token.tag[1]), underlined))
    return found


def _language(token: Token) -> str:
    words = token.info.split()
    return words[0].lower() if words else ""


def _is_table(text: str) -> bool:
    """Whether what looks like an underlined heading is a table with a rule ``---`` below it."""
    lines = text.split("\n")
    return any(
        "|" in lines[number - 1] and "|" in lines[number] and _TABLE_RULE.fullmatch(lines[number].rstrip("\r"))
        for number in range(1, len(lines))
    )


@cache
def _parser() -> MarkdownIt:
    # Without tables, whose rows are running text here, the time stays in seconds for the longest notes; without
    # references, their lines stay visible.
    parser = MarkdownIt("commonmark").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
