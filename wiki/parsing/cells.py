"""The value of a spreadsheet cell as a person sees it."""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass
from functools import lru_cache

_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')


@dataclass(frozen=True)
class _Form:
    """What of a number format counts for positive numbers. ``zeros`` is how many digits are filled up to."""

    percent: bool
    zeros: int
    fixed: bool
    comma: str
    decimals: int


def shown(value: object, data_type: str, number_format: str) -> str:
    """Text of a cell: integers without ``.0``, dates as ISO, percent and fixed decimals as formatted.

    ``data_type`` is openpyxl's: ``s`` text, ``n`` number, ``b`` boolean, ``d`` date, ``e`` error.
    A blank cell is an empty text; the texts NA, NULL and None stay as they are.
    """
    if value is None:
        return ""
    if data_type == "b" or isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime.datetime):
        if value.time() == datetime.time() and not re.search(r"[hs]", number_format):
            return value.date().isoformat()
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, datetime.timedelta):
        return _duration(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, int | float):
        return _number(value, number_format)
    return str(value)


def _number(value: float, number_format: str) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    form = _form(number_format)
    if form.percent:
        return f"{value * 100:.{form.decimals}f}%"
    if form.zeros and float(value).is_integer():
        return f"{int(value):0{form.zeros}d}"
    if form.fixed:
        return f"{value:{form.comma}.{form.decimals}f}"
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.15g}"


@lru_cache(maxsize=1024)
def _form(number_format: str) -> _Form:
    pattern = _QUOTED.sub("", number_format.split(";")[0])
    decimals = re.search(r"\.([0#]+)", pattern)
    return _Form(
        percent=pattern.endswith("%"),
        zeros=len(pattern) if re.fullmatch(r"0{2,}", pattern) else 0,
        fixed=re.fullmatch(r"[^0#]*(?:#,##)?0\.0+[^0#]*", pattern) is not None,
        comma="," if "," in pattern else "",
        decimals=len(decimals.group(1)) if decimals else 0,
    )


def _duration(value: datetime.timedelta) -> str:
    seconds = int(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
