"""Excel workbooks -> a heading for each sheet and a table for each block of filled cells."""

from __future__ import annotations

from typing import Any

from wiki.errors import UnsupportedFormat
from wiki.parsing.blocks import Block
from wiki.parsing.cells import shown
from wiki.parsing.escape import escape_text
from wiki.parsing.ooxml import Package
from wiki.parsing.sheet import Sheet, sheet_blocks, too_many_cells
from wiki.parsing.sheet_notes import cell_comments, drawn_texts
from wiki.parsing.source import Conversion, Source, Step

_ROWS_PER_STEP = 10_000


def convert_workbook(source: Source) -> Conversion:
    """Every sheet, hidden ones marked; cells as a person sees them, formulas as their stored values
    (as formulas where none is stored), comments below their sheet.

    Blank rows and columns part a sheet into several tables. The cost follows the filled cells, not
    the range a sheet declares. Raises UnsupportedFormat when the workbook is damaged.
    """
    from wiki.parsing.worksheet import open_book

    try:
        book = open_book(source.read())
    except Exception as error:
        raise UnsupportedFormat(f"{source.name} is damaged: {type(error).__name__}: {error}") from error
    with Package(source.path, source.name) as package:
        blocks = _sheets(source, book, package)
    properties = book.properties
    return Conversion(
        blocks=tuple(blocks),
        title=(properties.title or "").strip() or None,
        document_date=properties.created.date().isoformat() if properties.created and blocks else None,
    )


def _sheets(source: Source, book: Any, package: Package) -> list[Block]:
    blocks: list[Block] = []
    most = source.settings.max_cells
    left = most
    for number, sheet in enumerate(book.worksheets, 1):
        read = _read(sheet, book, left, source)
        left -= sum(len(row) for row in read.rows.values())
        if left < 0:
            raise too_many_cells(source.name, most)
        part = str(sheet._worksheet_path).lstrip("/")
        read.comments = cell_comments(package, part)
        texts = [*read.texts(), *(escape_text(words) + "\n\n" for words in drawn_texts(package, part))]
        blocks += sheet_blocks(sheet.title, sheet.sheet_state != "visible", texts)
        source.progress(Step("sheet", number, len(book.worksheets)))
    return blocks


def _read(sheet: Any, book: Any, most: int, source: Source) -> Sheet:
    """Reads the sheet's XML row by row; openpyxl's own rows are padded to the declared range."""
    from wiki.parsing.worksheet import formula_parser

    result = Sheet()
    count = 0
    formats: dict[int, str] = {}
    with sheet._get_source() as stream:
        parser = formula_parser(stream, sheet, book)
        for number, cells in parser.parse():
            row: dict[int, str] = {}
            for cell in cells:
                style = cell["style_id"]
                if style not in formats:
                    formats[style] = _number_format(book, style)
                text = shown(cell["value"], cell["data_type"], formats[style])
                if text.strip():
                    row[cell["column"]] = text
            if row:
                result.rows[number] = row
                count += len(row)
            if count > most:
                break
            if number % _ROWS_PER_STEP == 0:
                source.progress(Step("row", number))
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
