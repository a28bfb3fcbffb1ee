"""The YAML at the top of an uploaded Markdown file."""

import datetime
import re
from typing import Any, cast

import yaml

_FENCE = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_LARGEST = 64 * 1024
_MOST_VALUES = 10_000


class _TooMany(Exception):
    pass


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The front matter and the body after it, byte for byte.

    Text that is no valid YAML mapping stays in the body. Dates become ISO strings and keys
    text, so that the result can be stored as JSON.
    """
    match = _FENCE.match(text)
    if match is None or len(match.group(1)) > _LARGEST:
        return {}, text
    try:
        loaded: object = yaml.safe_load(match.group(1))
        if not isinstance(loaded, dict):
            return {}, text
        plain = _plain(cast("dict[object, object]", loaded), [0])
    except (yaml.YAMLError, _TooMany, ValueError, RecursionError):
        return {}, text
    return cast("dict[str, Any]", plain), text[match.end() :]


def iso_date(value: object) -> str | None:
    """``YYYY-MM-DD`` from a front matter date, else None."""
    match = re.match(r"\d{4}-\d{2}-\d{2}", str(value)) if value is not None else None
    if match is None:
        return None
    try:
        return datetime.date.fromisoformat(match.group()).isoformat()
    except ValueError:
        return None


def _plain(value: object, seen: list[int]) -> object:
    seen[0] += 1
    if seen[0] > _MOST_VALUES:
        raise _TooMany
    if isinstance(value, dict):
        return {str(key): _plain(item, seen) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item, seen) for item in cast("list[object]", value)]
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    return str(value)
