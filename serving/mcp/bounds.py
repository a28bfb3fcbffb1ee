"""No answer is longer than an agent can take in: long texts come in pieces, long lists end early and say so."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from wiki.errors import InvalidInput

USUAL_CHARS = 8_000
MOST_CHARS = 20_000
"""Characters of text in one answer."""
MOST_SIDE_CHARS = 2_000
"""Of each list beside the text, as JSON."""
Item = TypeVar("Item")


@dataclass(frozen=True)
class Piece:
    """A part of a text. Pieces read one after the other, each from ``next_offset``, make up the whole text."""

    content: str
    offset: int
    next_offset: int | None
    """None at the end."""
    total_chars: int


def piece(text: str, offset: int, most: int) -> Piece:
    """At most ``most`` characters from ``offset`` on, ending with a line where one ends late enough.

    Raises InvalidInput when ``offset`` is behind the end.
    """
    if offset > len(text):
        raise InvalidInput(f"offset {offset} is behind the end; the text has {len(text)} characters", field="offset")
    end = min(len(text), offset + most)
    if end < len(text):
        line_end = text.rfind("\n", offset + most * 4 // 5, end)
        end = line_end + 1 if line_end >= 0 else end
    return Piece(text[offset:end], offset, end if end < len(text) else None, len(text))


def shortened(text: str, most: int = 300) -> str:
    """The text, with an ellipsis when it is cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def fitting(items: Iterable[Item], most: int = MOST_SIDE_CHARS) -> Iterator[Item]:
    """The first items, as long as their JSON has at most ``most`` characters together."""
    for item in items:
        most -= size(item)
        if most < 0:
            return
        yield item


def size(value: Any) -> int:
    """Characters of the value as JSON."""
    return len(json.dumps(value, ensure_ascii=False, default=str))
