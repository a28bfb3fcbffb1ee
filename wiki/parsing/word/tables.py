"""The rows and cells of a Word table, each cell at its place in the grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wiki.parsing.xml_tree import attribute, child, children, name

_WRAPPERS = frozenset({"w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"})


@dataclass(frozen=True)
class Cell:
    """``element`` is None where another cell reaches over this place."""

    column: int
    element: Any


def grid(table: Any) -> Iterator[list[Cell]]:
    """The rows of a table; merged cells stand once, where they begin."""
    open_columns: set[int] = set()
    for row in _inside(table, "w:tr"):
        properties = child(row, "w:trPr")
        if properties is not None and child(properties, "w:del") is not None:
            continue
        column = _number(child(properties, "w:gridBefore") if properties is not None else None, 0)
        cells: list[Cell] = []
        for element in _inside(row, "w:tc"):
            about = child(element, "w:tcPr")
            span = _number(child(about, "w:gridSpan") if about is not None else None, 1)
            down = child(about, "w:vMerge") if about is not None else None
            across = child(about, "w:hMerge") if about is not None else None
            goes_on = down is not None and attribute(down, "w:val", "continue") == "continue" and column in open_columns
            covered = goes_on or (across is not None and attribute(across, "w:val", "continue") == "continue")
            if down is None:
                open_columns.discard(column)
            else:
                open_columns.add(column)
            cells.append(Cell(column, None if covered else element))
            column += span
        yield cells


def _inside(element: Any, wanted: str) -> Iterator[Any]:
    """The rows of a table or the cells of a row, also where a control or a tracked change wraps them."""
    for found in children(element):
        kind = name(found)
        if kind == wanted:
            yield found
        elif kind in _WRAPPERS:
            yield from _inside(found, wanted)


def _number(element: Any, default: int) -> int:
    stated = attribute(element, "w:val") if element is not None else ""
    return min(int(stated), 1000) if stated.isdigit() else default
