"""CSV and TSV -> Markdown tables."""

import csv
import io
from collections import Counter

from wiki.parsing.blocks import Block
from wiki.parsing.encoding import decode
from wiki.parsing.escape import escape_text
from wiki.parsing.source import Conversion, Source
from wiki.parsing.tables import render_tables

_DELIMITERS = (",", ";", "\t", "|")
_SNIFF_RECORDS = 200


def convert_delimited(source: Source) -> Conversion:
    """One table, cut into several of 50 rows that repeat the header; cells exactly as written.

    A single filled cell above the header is taken as a title line and stands above the table.
    """
    text = decode(source.read(), source.name)
    rows = read_records(text, preferred="\t" if source.media_type == "text/tab-separated-values" else ",")
    titles: list[str] = []
    while len(rows) > 1 and _is_title(rows[0], rows[1]):
        titles.append(next(cell for cell in rows.pop(0) if cell.strip()).strip())
    # The tables are blocks as they come: reading 300,000 rows as Markdown once more takes most of a minute and a gigabyte.
    blocks = [Block(f"{escape_text(' '.join(line.split()))}\n\n", "paragraph") for line in titles]
    blocks += [Block(table, "table") for table in render_tables(rows)]
    return Conversion(blocks=tuple(blocks), title=titles[0] if titles else None)


def read_records(text: str, *, preferred: str = ",") -> list[list[str]]:
    """Records of a delimited text without empty ones; empty columns at the right end are dropped."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    delimiter = sniff_delimiter(text, preferred=preferred)
    rows = [
        row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(c.strip() for c in row)
    ]
    width = max((max((i + 1 for i, cell in enumerate(row) if cell.strip()), default=0) for row in rows), default=0)
    return [row[:width] for row in rows]


def sniff_delimiter(text: str, *, preferred: str = ",") -> str:
    """The delimiter under which most whole records have the same number of fields, two or more."""
    best, best_score = preferred, 0.0
    for delimiter in (preferred, *(d for d in _DELIMITERS if d != preferred)):
        widths: list[int] = []
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if any(cell.strip() for cell in row):
                widths.append(len(row))
            if len(widths) == _SNIFF_RECORDS:
                break
        wide = Counter(width for width in widths if width > 1)
        if not wide:
            continue
        width, count = max(wide.items(), key=lambda item: (item[1], item[0]))
        score = count / len(widths) + min(width, 20) / 1000
        if score > best_score + 0.05:
            best, best_score = delimiter, score
    return best


def _is_title(row: list[str], following: list[str]) -> bool:
    filled = [cell for cell in row if cell.strip()]
    return len(filled) == 1 and sum(1 for cell in following if cell.strip()) > 1
