"""The number formats of a workbook, and the texts of values under them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from wiki.parsing.cells import shown
from wiki.parsing.xml_tree import local_name

_GENERAL = "General"
_ASIAN_TIMES = range(32, 36)
_ASIAN_DAYS = (*range(27, 32), 36, *range(50, 59))
"""Built-in formats whose form follows the language of the program; openpyxl does not list them."""


class CellFormat:
    """How the numbers of one style are shown. ``from_1904`` counts days as old Macs did."""

    def __init__(self, code: str = _GENERAL, *, from_1904: bool = False) -> None:
        self._code = code
        self._from_1904 = from_1904
        self._general = code == _GENERAL

    def number(self, stored: str) -> str:
        """A stored number as text; what is no number stays as it is."""
        if self._general and stored.isdecimal() and len(stored) < 15 and (stored[0] != "0" or stored == "0"):
            return stored
        try:
            value = float(stored) if "." in stored or "e" in stored.lower() else int(stored)
            return self._day_text(value) if self._is_day else shown(value, "n", self._code)
        except (ValueError, OverflowError):
            return stored

    def day(self, stored: str) -> str:
        """A date stored in ISO form as text."""
        from openpyxl.utils.datetime import from_ISO8601

        try:
            return shown(from_ISO8601(stored), "d", self._code)
        except ValueError:
            return stored

    def _day_text(self, value: float) -> str:
        from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel

        epoch = MAC_EPOCH if self._from_1904 else WINDOWS_EPOCH
        try:
            return shown(from_excel(value, epoch, timedelta=self._is_duration), "d", self._code)
        except (ValueError, OverflowError):
            return shown(value, "n", _GENERAL)

    @cached_property
    def _is_day(self) -> bool:
        from openpyxl.styles.numbers import is_date_format

        return is_date_format(self._code)

    @cached_property
    def _is_duration(self) -> bool:
        from openpyxl.styles.numbers import is_timedelta_format

        return is_timedelta_format(self._code)


def cell_formats(styles: Any, *, from_1904: bool) -> list[CellFormat]:
    """The format of each cell style, from the root of the workbook's styles."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    codes: dict[int, str] = dict.fromkeys(_ASIAN_DAYS, "yyyy-mm-dd") | dict.fromkeys(_ASIAN_TIMES, "h:mm:ss")
    codes |= BUILTIN_FORMATS
    for entry in (found for found in styles.iter() if local_name(found) == "numFmt"):
        codes[int(entry.get("numFmtId"))] = str(entry.get("formatCode") or _GENERAL)
    used = next((found for found in styles if local_name(found) == "cellXfs"), ())
    numbers = [int(style.get("numFmtId") or 0) for style in used]
    made = {number: CellFormat(codes.get(number, _GENERAL), from_1904=from_1904) for number in set(numbers)}
    return [made[number] for number in numbers]
