"""Names for text that is no prose, by what it goes from and to: rows of a table, records, definitions, a log."""

import re
from collections.abc import Iterator, Sequence

from wiki.extraction.prose import is_fence, plain
from wiki.extraction.words import shorten
from wiki.parsing.blocks import Block

LONGEST_END = 50
"""Characters of either end of a range."""
_CELL = re.compile(r"(?<!\\)\|")
_DEFINED = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub|unsafe|override|"
    r"create|or|replace|local)\s+)*(?:def|class|func|fun|function|fn|struct|interface|trait|impl|enum|module|namespace|"
    r"sub|procedure|table|view|type|message|service|resource)\s+(?:\([^)]*\)\s*)?[\"'`]?([\w.:$-]*\w)",
    re.MULTILINE | re.IGNORECASE,
)
_SECTION = re.compile(r"^\[{1,2}([^\[\]\n]+)\]{1,2}[ \t]*$", re.MULTILINE)
_KEY = re.compile(
    r"^([ \t]*(?:-[ \t]+)?)[\"']?([A-Za-z_][\w.-]*)[\"']?[ \t]*[:=](?:[ \t]+|(?=[\"'{\[\d])|$)(.*)$", re.MULTILINE
)
_TIME = re.compile(
    r"^\W{0,2}((?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}/[A-Z][a-z]{2}/\d{4}|[A-Z][a-z]{2} +\d{1,2})"
    r"(?:[T ,:]+\d\d:\d\d)?|\d\d:\d\d(?::\d\d)?)\b"
)


def table_names(tables: Sequence[Block]) -> Iterator[str]:
    """First and last value of a column, ``Aachen – Zwolle``; with the column's name before numbers, ``id 1 – 250``."""
    rows = [line for block in tables for line in block.text.splitlines() if line.strip()]
    headed = len(rows) > 2 and not rows[1].strip("|:- \t")
    header = rows[0] if headed else ""
    rows = [row for row in rows if row.strip("|:- \t") and row != header]
    for column in range(3 if rows else 0):
        first, last = _cell(rows[0], column), _cell(rows[-1], column)
        if first and last and first != last and max(len(first), len(last)) <= LONGEST_END:
            called = _cell(header, column)[:16] if _counts(first) else ""
            yield f"{called if not _counts(called) else ''} {first} – {last}".strip()


def code_names(blocks: Sequence[Block]) -> Iterator[str]:
    """What is defined first and last; else the first value of a record's key and the last; else first and last key."""
    text = "\n".join(line for block in blocks for line in block.text.splitlines() if not is_fence(line))
    for pattern in (_DEFINED, _SECTION):
        found = pattern.findall(text)
        if found:
            yield _range(found[0], found[-1])
            break
    keys = [(len(indent), key, value.strip(" \t,;\"'[{")) for indent, key, value in _KEY.findall(text)]
    if len(keys) > 1:
        outer = min(indent for indent, _, _ in keys)
        first = next(item for item in keys if item[0] == outer)
        values = [value for indent, key, value in keys if (indent, key) == first[:2]]
        if len(values) > 1 and values[0] and values[-1] and values[0] != values[-1]:
            yield f"{first[1]} {_range(values[0], values[-1])}"
        names = [key for indent, key, _ in keys if indent == outer]
        yield _range(names[0], names[-1])


def log_names(text: str) -> Iterator[str]:
    """First and last moment of lines that begin with one."""
    lines = [line for line in text.splitlines() if line.strip()]
    times = [found[1] for found in map(_TIME.match, lines) if found]
    if len(times) > 2 and len(times) * 10 >= len(lines) * 8:
        yield _range(times[0], times[-1])


def _range(first: str, last: str) -> str:
    ends = [shorten(plain(end), LONGEST_END) for end in (first, last)]
    return ends[0] if ends[0] == ends[1] or not ends[1] else " – ".join(ends).strip(" –")


def _counts(cell: str) -> bool:
    return not any(char.isalpha() for char in cell)


def _cell(row: str, column: int) -> str:
    cells = _CELL.split(row.strip().strip("|"))
    return plain(cells[column]) if column < len(cells) else ""
