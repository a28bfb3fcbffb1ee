"""Excel workbooks -> a heading for each sheet and a table for each block of filled cells."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wiki.errors import UnsupportedFormat
from wiki.parsing.blocks import Provenance
from wiki.parsing.cells import shown
from wiki.parsing.escape import escape_text
from wiki.parsing.source import Conversion, Piece, Source
from wiki.parsing.tables import cell_text, render_tables

_MOST_CELLS = 5_000_000


@dataclass
class _Sheet:
    """Filled cells by row and column, and the columns that merged cells cover in each row."""

    rows: dict[int, dict[int, str]] = field(default_factory=dict[int, dict[int, str]])
    merged: list[tuple[int, int, int, int]] = field(default_factory=list[tuple[int, int, int, int]])


def convert_workbook(source: Source) -> Conversion:
    """Every sheet, hidden ones marked; cells as a person sees them, formulas as their stored values.

    Blank rows and columns part a sheet into several tables. The cost follows the filled cells, not
    the range a sheet declares. Raises UnsupportedFormat when the workbook is damaged.
    """
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(source.read()), read_only=True, data_only=True)
    except Exception as error:
        raise UnsupportedFormat(f"{source.name} is damaged: {type(error).__name__}: {error}") from error
    pieces: list[Piece] = []
    left = _MOST_CELLS
    for sheet in book.worksheets:
        read = _read(sheet, book, left)
        left -= sum(len(row) for row in read.rows.values())
        if left < 0:
            raise UnsupportedFormat(f"{source.name} has more than {_MOST_CELLS:,} filled cells; split it and try again")
        place = Provenance(sheet=sheet.title)
        texts = [text for block in _blocks(read) for text in _render(block)]
        if texts:
            hidden = "" if sheet.sheet_state == "visible" else " (hidden)"
            pieces.append(Piece(f"## {escape_text(sheet.title)}{hidden}\n\n", place))
            pieces += [Piece(text, place) for text in texts]
    properties = book.properties
    return Conversion(
        pieces=tuple(pieces),
        title=(properties.title or "").strip() or None,
        document_date=properties.created.date().isoformat() if properties.created and pieces else None,
    )


def _read(sheet: Any, book: Any, most: int) -> _Sheet:
    """Reads the sheet's XML row by row; openpyxl's own rows are padded to the declared range."""
    from openpyxl.worksheet._reader import WorkSheetParser

    result = _Sheet()
    count = 0
    with sheet._get_source() as stream:
        parser = WorkSheetParser(
            stream,
            sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        for number, cells in parser.parse():
            row: dict[int, str] = {}
            for cell in cells:
                text = shown(cell["value"], cell["data_type"], _number_format(book, cell["style_id"]))
                if text.strip():
                    row[cell["column"]] = text
            if row:
                result.rows[number] = row
                count += len(row)
            if count > most:
                break
        merged = getattr(parser, "merged_cells", None)
        result.merged = _bounds(merged.mergeCell if merged is not None else [])
    return result


def _bounds(ranges: Any) -> list[tuple[int, int, int, int]]:
    from openpyxl.utils import range_boundaries

    found = [range_boundaries(merged.ref) for merged in list(ranges)[:20_000]]
    return [(left, top, right, bottom) for left, top, right, bottom in found if left and top and right and bottom]


def _number_format(book: Any, style: int) -> str:
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    if style >= len(book._cell_styles):
        return "General"
    number = book._cell_styles[style].numFmtId
    if number < 164:
        return BUILTIN_FORMATS.get(number, "General")
    formats = book._number_formats
    return formats[number - 164] if number - 164 < len(formats) else "General"


def _blocks(sheet: _Sheet) -> Iterator[list[list[str]]]:
    """Blocks of cells, parted by blank rows, then by blank columns, then by blank rows again."""
    cover: dict[int, set[int]] = {}
    for left, top, right, bottom in sheet.merged:
        for row in range(top, min(bottom, top + 200) + 1):
            if row in sheet.rows or row == top:
                cover.setdefault(row, set()).update(range(left, min(right, left + 200) + 1))
    for rows in _runs(sorted(sheet.rows)):
        columns = {column for row in rows for column in (*sheet.rows[row], *cover.get(row, ()))}
        for run in _runs(sorted(columns)):
            first, last = run[0], run[-1]
            filled = [row for row in rows if any(first <= column <= last for column in sheet.rows[row])]
            for part in _runs(filled):
                used = sorted({c for row in part for c in sheet.rows[row] if first <= c <= last})
                if used:
                    yield [[sheet.rows[row].get(column, "") for column in range(used[0], used[-1] + 1)] for row in part]


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
    """Title rows as paragraphs, the rest as tables."""
    rows = list(block)
    while (
        rows
        and sum(1 for cell in rows[0] if cell) == 1
        and (len(rows) == 1 or sum(1 for c in rows[1] if c) != 1 or len(rows[0]) > 1)
    ):
        title = next(cell for cell in rows.pop(0) if cell)
        yield cell_text(escape_text(title)) + "\n\n"
    yield from render_tables(rows)
