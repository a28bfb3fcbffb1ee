"""A ``.canvas`` file as a note: its texts in reading order, its files and arrows as links."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from wiki.vaults.model import Note, NoteProblem
from wiki.vaults.notes.encoding import decode_note
from wiki.vaults.notes.parser import plain_note, with_body

_DEEPEST_HEADING = 6
_MOST_GROUPS = 500
"""Groups that order what lies in them; more are listed, without effect on the order."""


@dataclass
class _Card:
    kind: str
    id: str
    x: float
    y: float
    width: float
    height: float
    text: str
    """A text card's Markdown, a group's label, the address of a file or page."""
    subpath: str = ""

    @property
    def area(self) -> float:
        return self.width * self.height

    def holds(self, other: "_Card") -> bool:
        across, down = other.x + other.width / 2, other.y + other.height / 2
        inside = self.x <= across <= self.x + self.width and self.y <= down <= self.y + self.height
        return inside and self is not other and self.area > other.area


def parse_canvas(path: str, data: bytes) -> Note:
    """The note of a canvas. Never raises: of broken JSON the text itself is the body, with a problem.

    The body is made of the cards: top to bottom, then left to right; a group is a heading above its cards, a file an
    embed, an arrow with a label a line that names both ends. Lines are those of that body.
    """
    decoded = decode_note(data)
    text = decoded.readable.removeprefix("\ufeff")
    problems = [decoded.problem] if decoded.problem else []
    line = None
    try:
        loaded: Any = json.loads(text) if text.strip() else {}
        reason = "" if isinstance(loaded, dict) else "it is not a JSON object"
    except json.JSONDecodeError as error:
        loaded, reason, line = {}, error.msg, error.lineno
    except (ValueError, RecursionError) as error:
        loaded, reason = {}, type(error).__name__
    if reason:
        remedy = "mend the JSON, or save the canvas again; its text is indexed as it is"
        problem = NoteProblem(f"the canvas cannot be read: {reason}", remedy, line)
        return plain_note(path, data, text, [*problems, problem])
    canvas = cast(dict[Any, Any], loaded)
    cards = [card for item in _objects(canvas.get("nodes")) if (card := _card(item)) is not None]
    body = "\n".join([*_lines(cards), *_arrows(canvas, cards)])
    note = plain_note(path, data, "", problems)
    return replace(with_body(note, body, 1), title=note.title)


def _objects(value: Any) -> list[dict[Any, Any]]:
    return (
        [cast(dict[Any, Any], item) for item in cast(list[Any], value) if isinstance(item, dict)]
        if isinstance(value, list)
        else []
    )


def _card(item: dict[Any, Any]) -> _Card | None:
    kind = _text(item.get("type"))
    key = {"text": "text", "file": "file", "link": "url", "group": "label"}.get(kind)
    if key is None:
        return None
    x, y, width, height = (_number(item.get(name)) for name in ("x", "y", "width", "height"))
    return _Card(kind, _text(item.get("id")), x, y, width, height, _text(item.get(key)), _text(item.get("subpath")))


def _text(value: Any) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def _lines(cards: Sequence[_Card]) -> list[str]:
    groups = sorted((card for card in cards if card.kind == "group"), key=lambda card: card.area)[:_MOST_GROUPS]
    members: dict[int, list[_Card]] = {}
    for card in cards:
        above = next((group for group in groups if group.holds(card)), None)
        members.setdefault(id(above), []).append(card)
    lines: list[str] = []
    waiting = [(card, 1) for card in reversed(_reading_order(members.get(id(None), [])))]
    while waiting:
        card, level = waiting.pop()
        lines += [_markdown(card, level), ""]
        if card.kind == "group":
            below = min(level + 1, _DEEPEST_HEADING)
            waiting += [(member, below) for member in reversed(_reading_order(members.get(id(card), [])))]
    return lines


def _reading_order(cards: Sequence[_Card]) -> list[_Card]:
    """Rows from the top, each from the left; a card that begins in the upper half of a row's first belongs to it."""
    ordered: list[_Card] = []
    row: list[_Card] = []
    for card in sorted(cards, key=lambda card: (card.y, card.x)):
        if row and card.y >= row[0].y + row[0].height / 2:
            ordered += sorted(row, key=lambda card: card.x)
            row = []
        row.append(card)
    return ordered + sorted(row, key=lambda card: card.x)


def _markdown(card: _Card, level: int) -> str:
    match card.kind:
        case "group":
            return f"{'#' * level} {_one_line(card.text)}".rstrip()
        case "file":
            return f"![[{card.text}{card.subpath}]]"
        case "link":
            return f"<{card.text}>"
        case _:
            return card.text


def _arrows(canvas: dict[Any, Any], cards: Sequence[_Card]) -> list[str]:
    by_id = {card.id: card for card in cards}
    lines: list[str] = []
    for item in _objects(canvas.get("edges")):
        label = _one_line(_text(item.get("label")))
        start, end = by_id.get(_text(item.get("fromNode"))), by_id.get(_text(item.get("toNode")))
        if label:
            lines += [f"{_name(start)} → {_name(end, label)}: {label}", ""]
    return lines


def _name(card: _Card | None, label: str | None = None) -> str:
    """A card in the line of an arrow; a file as a link, shown as the label of the arrow that leads to it."""
    if card is None:
        return "?"
    if card.kind == "file":
        shown = f"|{label}" if label and not set("[]|\n") & set(label) else ""
        return f"[[{card.text}{card.subpath}{shown}]]"
    words = card.text.split("\n", 1)[0].strip().lstrip("#> ").strip()
    return f"“{words[:60]}”"


def _one_line(text: str) -> str:
    return " ".join(text.split())
