"""OpenDocument spreadsheets, read row by row."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

from wiki.errors import UnsupportedFormat
from wiki.parsing.markdown_writer import MarkdownWriter
from wiki.parsing.open_document.package import OpenPackage
from wiki.parsing.open_document.styles import OpenStyles
from wiki.parsing.open_document.texts import Line, OpenTextWriter
from wiki.parsing.sheet import Sheet, too_many_cells
from wiki.parsing.source import Source, Step
from wiki.parsing.xml_tree import attribute, below, child, children, short, words

_FURTHEST = 2_000_000
_ROWS_PER_STEP = 10_000
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SHEET, _ROW, _CELL = f"{_TABLE}table", f"{_TABLE}table-row", f"{_TABLE}table-cell"
_COVERED = f"{_TABLE}covered-table-cell"
_ROWS_REPEATED, _COLUMNS_REPEATED = f"{_TABLE}number-rows-repeated", f"{_TABLE}number-columns-repeated"
_ROWS_SPANNED, _COLUMNS_SPANNED = f"{_TABLE}number-rows-spanned", f"{_TABLE}number-columns-spanned"
_PARAGRAPHS = frozenset({f"{_TEXT}p", f"{_TEXT}h"})


def read_sheets(source: Source, texts: OpenTextWriter) -> Iterator[tuple[str, bool, Sheet]]:
    """Name, whether it is hidden, and filled cells of each sheet. The cost follows the filled cells.

    Raises UnsupportedFormat above ``settings.max_cells`` and when the file is damaged.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    left = source.settings.max_cells
    hidden = _hidden_styles(source)
    sheet, row_number, told, done, open_tables = Sheet(), 0, _ROWS_PER_STEP, 0, 0
    try:
        with zipfile.ZipFile(source.path) as archive, archive.open("content.xml") as stream:
            events: Any = etree.iterparse(
                stream, events=("start", "end"), tag=(_SHEET, _ROW), huge_tree=True, resolve_entities=False
            )
            for event, element in events:
                if element.tag == _SHEET:
                    open_tables += 1 if event == "start" else -1
                    if event == "start" and open_tables == 1:
                        sheet, row_number, told = Sheet(), 0, _ROWS_PER_STEP
                    elif event == "end" and open_tables == 0:
                        done += 1
                        source.progress(Step("sheet", done))
                        yield attribute(element, "table:name"), attribute(element, "table:style-name") in hidden, sheet
                        element.clear()
                elif event == "end" and open_tables == 1:
                    left -= _add_row(sheet, element, row_number + 1, left, texts)
                    if left < 0:
                        raise too_many_cells(source.name, source.settings.max_cells)
                    row_number += _stated(element, _ROWS_REPEATED)
                    if row_number >= told:
                        source.progress(Step("row", told))
                        told += _ROWS_PER_STEP
                    element.clear()
                    before = element.getprevious()
                    if before is not None and before.tag == _ROW:
                        element.getparent().remove(before)
    except (SyntaxError, zipfile.BadZipFile, KeyError, EOFError, OSError) as error:
        raise UnsupportedFormat(f"{source.name} is damaged: its sheets cannot be read ({error})") from error


def _add_row(sheet: Sheet, row: Any, number: int, most: int, texts: OpenTextWriter) -> int:
    """Puts a row's filled cells into the sheet; how many there are. Above ``most`` nothing is put."""
    cells: dict[int, str] = {}
    repeats = min(_stated(row, _ROWS_REPEATED), _FURTHEST)
    column = 1
    for cell in row:
        if cell.tag != _CELL and cell.tag != _COVERED:
            continue
        times = _stated(cell, _COLUMNS_REPEATED)
        text = _shown(cell, texts) if cell.tag == _CELL else ""
        if text:
            if len(cells) + times > most:
                return most + 1
            cells.update(dict.fromkeys(range(column, column + times), text))
        remark = child(cell, "office:annotation")
        if remark is not None:
            by = " ".join(words(found) for found in children(remark, "dc:creator"))
            said = " ".join(words(found) for found in below(remark, "text:p"))
            sheet.comments[number, column] = f"{said} ({by})" if by.strip() else said
        wide, high = _stated(cell, _COLUMNS_SPANNED), _stated(cell, _ROWS_SPANNED)
        if text and (wide > 1 or high > 1):
            sheet.merged.append((column, number, column + wide - 1, number + high - 1))
        column += times
    if len(cells) * repeats > most:
        return most + 1
    if cells:
        sheet.rows.update(dict.fromkeys(range(number, number + repeats), cells))
    return len(cells) * repeats


def _shown(cell: Any, texts: OpenTextWriter) -> str:
    said: list[str] = []
    for paragraph in cell:
        if paragraph.tag not in _PARAGRAPHS:
            continue
        if not len(paragraph):
            said.append((paragraph.text or "").strip())
            continue
        line = texts.line(paragraph)
        said.append("".join(run.text for run in line.runs).strip())
        for frame in line.frames:
            said += list(texts.flat(frame, Line()))
    text = "\n".join(part for part in said if part)
    if text:
        return text
    kinds = ("office:string-value", "office:date-value", "office:time-value", "office:boolean-value", "office:value")
    value = next((found for key in kinds if (found := attribute(cell, key))), "") if cell.attrib else ""
    return value or attribute(cell, "table:formula").partition("of:")[2]


def _stated(element: Any, key: str) -> int:
    """A count that an attribute states, 1 where there is none."""
    stated = element.get(key)
    return max(int(stated), 1) if stated and stated.isdigit() else 1


def _hidden_styles(source: Source) -> frozenset[str]:
    """The table styles that are not displayed; they stand before the sheets."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    found: set[str] = set()
    with zipfile.ZipFile(source.path) as archive, archive.open("content.xml") as stream:
        events: Any = etree.iterparse(stream, events=("start", "end"), huge_tree=True, resolve_entities=False)
        for event, element in events:
            if event == "start" and short(element.tag) == "office:body":
                break
            if event == "end" and short(element.tag) == "style:style":
                shown = child(element, "style:table-properties")
                if shown is not None and attribute(shown, "table:display") == "false":
                    found.add(attribute(element, "style:name"))
    return frozenset(found)


def reader(package: OpenPackage) -> OpenTextWriter:
    """What reads the paragraphs within cells. Sheets show text as it is: no styles."""
    return OpenTextWriter(package, OpenStyles(), MarkdownWriter())
