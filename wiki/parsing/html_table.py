"""The tables of a web page -> rows of cells, each cell one line of inline Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from wiki.parsing.html_inline import Styled, content_of, element_of, runs_of, spaced
from wiki.parsing.html_tree import BLOCKS, Node
from wiki.parsing.inline import Run, inline

_CELLS = frozenset({"td", "th"})
_AROUND_ROWS = frozenset({"thead", "tbody", "tfoot", "form"})
_WIDEST = 1_000
_PLAIN = Run("")


def take_apart(table: Node) -> tuple[list[Node], list[list[Node]]]:
    """What lies in a table outside its cells (captions, stray words), and the cells of each row."""
    loose: list[Node] = []
    rows: list[list[Node]] = []
    for part in _parts(table):
        if part.tag == "tr":
            rows.append(list(_cells(part)))
        elif part.tag in _CELLS:
            rows.append([part])
        elif part.tag in _AROUND_ROWS:
            inner_loose, inner_rows = take_apart(part)
            loose += inner_loose
            rows += inner_rows
        elif part.has_words():
            loose.append(part)
    return loose, rows


def _cells(row: Node) -> Iterator[Node]:
    for part in _parts(row):
        if part.tag in _AROUND_ROWS:
            yield from _cells(part)
        elif part.tag in _CELLS or part.has_words():
            yield part


def _parts(node: Node) -> Iterator[Node]:
    """The children, and the words between them as elements of their own."""
    if node.text and not node.text.isspace():
        yield Node("span", text=node.text)
    for child in node.children:
        if child.tail and not child.tail.isspace():
            yield replace(child, tail="")
            yield Node("span", text=child.tail)
        else:
            yield child


def cell_grid(rows: list[list[Node]]) -> list[list[str]]:
    """Each cell's words once, where the cell begins; the places it spans are empty."""
    grid: list[list[str]] = []
    open_until: dict[int, int] = {}
    for number, row in enumerate(rows):
        texts: list[str] = []
        for cell in row:
            while open_until.get(len(texts), 0) > number:
                texts.append("")
            wide, high = _span(cell, "colspan"), _span(cell, "rowspan")
            for column in range(len(texts), len(texts) + wide):
                open_until[column] = number + high
            texts += ["<br>".join(_cell(cell)), *[""] * (wide - 1)]
        grid.append(texts)
    return grid


def _span(cell: Node, key: str) -> int:
    stated = cell.get(key).strip()
    return min(max(int(stated), 1), _WIDEST) if re.fullmatch(r"\d{1,9}", stated) else 1


def _cell(node: Node) -> Iterator[str]:
    """What a cell holds, as lines of inline Markdown."""
    if not node.holds_block:
        yield from _lines(content_of(node))
        return
    parts: list[Styled] = [(_PLAIN, spaced(node.text))]
    for child in node.children:
        if child.tag in BLOCKS or child.holds_block:
            yield from _lines(parts)
            parts = []
            if child.tag == "table":
                loose, rows = take_apart(child)
                for part in loose:
                    yield from _cell(part)
                for row in cell_grid(rows):
                    if any(row):
                        yield ", ".join(cell for cell in row if cell)
            else:
                mark = "- " if child.tag == "li" else ""
                for at, line in enumerate(_cell(child)):
                    yield (mark if not at else "") + line
        else:
            parts += element_of(child)
        if child.tail:
            parts.append((_PLAIN, spaced(child.tail)))
    yield from _lines(parts)


def _lines(parts: list[Styled]) -> Iterator[str]:
    said = inline(runs_of(parts))
    if said:
        yield said.replace("\n", "<br>")
