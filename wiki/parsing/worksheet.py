"""openpyxl's row parser, with formulas where no value is stored. Imported only when a workbook is read."""

from __future__ import annotations

from typing import Any

from openpyxl.worksheet._reader import FORMULA_TAG, VALUE_TAG, WorkSheetParser


class _Parser(WorkSheetParser):
    def parse_cell(self, element: Any) -> dict[str, Any]:
        formula = element.find(FORMULA_TAG)
        if formula is None:
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
