"""Excel workbooks -> a heading for each sheet and a table for each block of filled cells."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from xml.parsers.expat import ExpatError

from wiki.errors import UnsupportedFormat
from wiki.parsing.blocks import Block
from wiki.parsing.cell_formats import CellFormat, cell_formats
from wiki.parsing.escape import escape_text
from wiki.parsing.ooxml import Package
from wiki.parsing.shared_strings import read_strings
from wiki.parsing.sheet import Sheet, sheet_blocks, too_many_cells
from wiki.parsing.sheet_notes import cell_comments, drawn_texts
from wiki.parsing.sheet_xml import SheetReader
from wiki.parsing.source import Conversion, Source, Step
from wiki.parsing.xml_tree import attribute, local_name

_ROWS_PER_STEP = 10_000
_FAULTS = (ExpatError, ValueError, IndexError, OverflowError, zipfile.BadZipFile, zlib.error, EOFError)


@dataclass(frozen=True)
class _Part:
    """A sheet as the workbook lists it; one of charts has no cells."""

    title: str
    hidden: bool
    name: str
    cells: bool


def convert_workbook(source: Source) -> Conversion:
    """Every sheet, hidden ones marked; cells as a person sees them, formulas as their stored values
    (as formulas where none is stored), comments below their sheet.

    Blank rows and columns part a sheet into several tables. The cost follows the filled cells, not
    the range a sheet declares. Raises UnsupportedFormat when the workbook is damaged, and above
    ``settings.max_cells``.
    """
    with Package(source.path, source.name) as package:
        blocks = _sheets(source, package)
        title, made = package.properties()
    day = made if made and re.fullmatch(r"\d{4}-\d\d-\d\d", made) else None
    return Conversion(blocks=tuple(blocks), title=title, document_date=day)


def _sheets(source: Source, package: Package) -> list[Block]:
    main = package.main()
    parts = list(_parts(package, main))
    strings = _strings(source, package, main)
    formats = _formats(package, main)
    blocks: list[Block] = []
    left = source.settings.max_cells
    for number, part in enumerate(parts, 1):
        sheet = _read(source, package, part, SheetReader(strings, formats), left) if part.cells else Sheet()
        left -= sum(len(row) for row in sheet.rows.values())
        sheet.comments = cell_comments(package, part.name)
        drawn = (escape_text(words) + "\n\n" for words in drawn_texts(package, part.name))
        blocks += sheet_blocks(part.title, part.hidden, (text for texts in (sheet.texts(), drawn) for text in texts))
        source.progress(Step("sheet", number, len(parts)))
    return blocks


def _parts(package: Package, main: str) -> Iterator[_Part]:
    relations = package.relations(main)
    for entry in (found for found in package.tree(main).iter() if local_name(found) == "sheet"):
        relation = relations.get(attribute(entry, "r:id"))
        if relation is not None and not relation.external and package.has(relation.target):
            hidden = str(entry.get("state") or "visible").lower() != "visible"
            yield _Part(str(entry.get("name") or ""), hidden, relation.target, relation.kind != "chartsheet")


def _strings(source: Source, package: Package, main: str) -> list[str]:
    for part in package.related(main, "sharedStrings"):
        try:
            with package.open(part) as stream:
                return read_strings(stream)
        except _FAULTS as error:
            raise _damaged(source, "its table of strings", error) from error
    return []


def _formats(package: Package, main: str) -> list[CellFormat]:
    settings = (found for found in package.tree(main) if local_name(found) == "workbookPr")
    from_1904 = any(str(found.get("date1904")).lower() in ("1", "true", "on") for found in settings)
    styles = next(package.related(main, "styles"), None)
    return cell_formats(package.tree(styles), from_1904=from_1904) if styles else []


def _read(source: Source, package: Package, part: _Part, reader: SheetReader, most: int) -> Sheet:
    sheet = Sheet()
    count, told = 0, _ROWS_PER_STEP
    try:
        with package.open(part.name) as stream:
            for number, cells in reader.rows(stream):
                sheet.rows.setdefault(number, cells).update(cells)
                count += len(cells)
                if count > most:
                    raise too_many_cells(source.name, source.settings.max_cells)
                if len(sheet.rows) >= told:
                    source.progress(Step("row", told))
                    told += _ROWS_PER_STEP
    except _FAULTS as error:
        raise _damaged(source, f"its sheet {part.title!r}", error) from error
    sheet.merged = reader.merged
    return sheet


def _damaged(source: Source, what: str, error: Exception) -> UnsupportedFormat:
    return UnsupportedFormat(f"{source.name} is damaged: {what} cannot be read ({type(error).__name__}: {error})")
