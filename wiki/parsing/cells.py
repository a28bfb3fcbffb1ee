"""The value of a spreadsheet cell as a person sees it."""

import datetime
import math
import re

_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')


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
    pattern = _QUOTED.sub("", number_format.split(";")[0])
    if pattern.endswith("%"):
        return f"{value * 100:.{_decimals(pattern)}f}%"
    if re.fullmatch(r"0{2,}", pattern) and float(value).is_integer():
        return f"{int(value):0{len(pattern)}d}"
    if re.fullmatch(r"[^0#]*(?:#,##)?0\.0+[^0#]*", pattern):
        comma = "," if "," in pattern else ""
        return f"{value:{comma}.{_decimals(pattern)}f}"
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.15g}"


def _decimals(pattern: str) -> int:
    match = re.search(r"\.([0#]+)", pattern)
    return len(match.group(1)) if match else 0


def _duration(value: datetime.timedelta) -> str:
    seconds = int(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
