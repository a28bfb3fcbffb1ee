"""openpyxl's row parser, with formulas where no value is stored. Imported only when a workbook is read."""

from __future__ import annotations

import io
from typing import Any
from xml.etree import ElementTree

import openpyxl
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.worksheet import _reader
from openpyxl.worksheet._reader import FORMULA_TAG, INLINE_STRING, VALUE_TAG, WorkSheetParser
from openpyxl.xml.constants import SHEET_MAIN_NS

# Where defusedxml is installed openpyxl takes its parser, which is written in Python and four times as slow. What it
# guards against, entities that multiply, expat refuses by itself since 2.4.1; external ones are never fetched.
_reader.iterparse = ElementTree.iterparse  # pyright: ignore[reportAttributeAccessIssue]

_TEXT = f"{{{SHEET_MAIN_NS}}}t"
_PHONETIC = f"{{{SHEET_MAIN_NS}}}rPh"


class _Parser(WorkSheetParser):
    def parse_cell(self, element: Any) -> dict[str, Any]:
        formula = element.find(FORMULA_TAG)
        if formula is None:
            inline = element.find(INLINE_STRING) if element.get("t") == "inlineStr" else None
            if inline is not None and inline.find(_PHONETIC) is None:
                return self._inline_cell(element, inline)
            return super().parse_cell(element)
        if element.find(VALUE_TAG) is None:
            self.data_only = False
            try:
                cell = super().parse_cell(element)
            finally:
                self.data_only = True
            text = getattr(cell["value"], "text", cell["value"])
            return {**cell, "value": text if isinstance(text, str) and text != "=" else None, "data_type": "s"}
        if formula.get("t") == "shared" and formula.text:
            # Later cells may refer to it, and have no value of their own.
            self.parse_formula(element)
        return super().parse_cell(element)

    def _inline_cell(self, element: Any, inline: Any) -> dict[str, Any]:
        """A cell with its text in it, as writers without a table of strings make them by the thousand."""
        row, column = self.row_counter, self.col_counter + 1
        if element.get("r"):
            row, column = coordinate_to_tuple(element.get("r"))
        self.col_counter = column
        text = "".join(part.text or "" for part in inline.iter(_TEXT))
        return {"row": row, "column": column, "value": text, "data_type": "s", "style_id": int(element.get("s", 0))}


def open_book(data: bytes) -> Any:
    """A workbook whose sheets are read row by row, with the values that are stored."""
    return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)


def formula_parser(stream: Any, sheet: Any, book: Any) -> WorkSheetParser:
    """A parser of a read-only sheet's XML: stored values first, the formula where there is none."""
    return _Parser(
        stream,
        sheet._shared_strings,
        data_only=True,
        epoch=book.epoch,
        date_formats=book._date_formats,
        timedelta_formats=book._timedelta_formats,
    )
