"""Filled cells of one sheet -> tables, however the workbook was stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wiki.errors import UnsupportedFormat
from wiki.parsing.blocks import Block, Provenance
from wiki.parsing.encoding import normalise
from wiki.parsing.escape import escape_text
from wiki.parsing.markdown import plain_text
from wiki.parsing.tables import cell_text, render_tables

_MOST_COVERED = 200


@dataclass
class Sheet:
    """Filled cells by row and column, and merged ranges as (left, top, right, bottom), all counted from 1.

    ``comments`` are what readers noted at cells, by the cell's place.
    """

    rows: dict[int, dict[int, str]] = field(default_factory=dict[int, dict[int, str]])
    merged: list[tuple[int, int, int, int]] = field(default_factory=list[tuple[int, int, int, int]])
    comments: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])

    def texts(self) -> Iterator[str]:
        """Tables parted by blank rows and columns, title rows as paragraphs, then the comments."""
        for block in self._blocks():
            yield from _render(block)
        for (row, column), words in sorted(self.comments.items()):
            said = escape_text(" ".join(words.split()))
            if said:
                yield f"Comment on {letters(column)}{row}: {said}\n\n"

    def _blocks(self) -> Iterator[list[list[str]]]:
        """Blocks of cells, parted by blank rows, then by blank columns, then by blank rows again."""
        cover: dict[int, set[int]] = {}
        for left, top, right, bottom in self.merged:
            for row in range(top, min(bottom, top + _MOST_COVERED) + 1):
                if row in self.rows or row == top:
                    cover.setdefault(row, set()).update(range(left, min(right, left + _MOST_COVERED) + 1))
        for rows in _runs(sorted(self.rows)):
            columns = {column for row in rows for column in (*self.rows[row], *cover.get(row, ()))}
            for run in _runs(sorted(columns)):
                first, last = run[0], run[-1]
                filled = [row for row in rows if any(first <= column <= last for column in self.rows[row])]
                for part in _runs(filled):
                    used = sorted({c for row in part for c in self.rows[row] if first <= c <= last})
                    if used:
                        yield [[self.rows[row].get(c, "") for c in range(used[0], used[-1] + 1)] for row in part]


def sheet_blocks(title: str, hidden: bool, texts: Iterable[str]) -> list[Block]:
    """A sheet as blocks under a heading with its name; none for an empty sheet. Long tables need no second
    reading as Markdown this way."""
    place = Provenance(sheet=title)
    blocks = [
        Block(normalise(text), "table" if text.startswith("| ") else "paragraph", provenance=place) for text in texts
    ]
    if not blocks:
        return []
    words = escape_text(" ".join(normalise(title).split())) + (" (hidden)" if hidden else "")
    return [Block(f"## {words}\n\n", "heading", 2, plain_text(words), place), *blocks]


def too_many_cells(name: str, most: int) -> UnsupportedFormat:
    """The refusal of a workbook with more filled cells than ``most``."""
    return UnsupportedFormat(
        f"{name} has more than {most:,} filled cells; split it, or raise the setting parsing.max_cells"
    )


def letters(column: int) -> str:
    """The letters of a column: 1 is A, 27 is AA."""
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _runs(numbers: list[int]) -> Iterator[list[int]]:
    """Consecutive numbers; a gap begins a new run."""
    run: list[int] = []
    for number in numbers:
        if run and number > run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _render(block: list[list[str]]) -> Iterator[str]:
    rows = block
    first = 0
    while first < len(rows) and _is_title(rows, first):
        yield cell_text(escape_text(next(cell for cell in rows[first] if cell)), escaped=True) + "\n\n"
        first += 1
    yield from render_tables(rows[first:])


def _is_title(rows: list[list[str]], at: int) -> bool:
    if sum(1 for cell in rows[at] if cell) != 1:
        return False
    return at + 1 == len(rows) or len(rows[at]) > 1 or sum(1 for cell in rows[at + 1] if cell) != 1
