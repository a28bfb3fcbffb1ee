"""The text values of a canvas with their place in the JSON."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?', re.DOTALL)
_UNIT = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)


@dataclass(frozen=True)
class CanvasText:
    key: str
    text: str
    offsets: tuple[int, ...]
    """Where each character of ``text`` stands in the JSON, and where the value ends."""


def canvas_texts(text: str) -> Iterator[CanvasText]:
    """The values of all ``text`` and ``file`` keys, in order; none when the JSON cannot be read."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return
    key = ""
    for match in _STRING.finditer(text):
        if match[2]:
            key = match[1]
        elif key in ("text", "file"):
            yield _decoded(key, match[1], match.start(1))
            key = ""


def in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _decoded(key: str, raw: str, start: int) -> CanvasText:
    letters: list[str] = []
    offsets: list[int] = []
    for match in _UNIT.finditer(raw):
        letters.append(json.loads(f'"{match[0]}"') if match[0][0] == "\\" else match[0])
        offsets.append(start + match.start())
    return CanvasText(key, "".join(letters), (*offsets, start + len(raw)))
