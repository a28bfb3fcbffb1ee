"""Headings, paragraphs, lists, tables and code -> pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wiki.parsing.blocks import Provenance
from wiki.parsing.source import Piece
from wiki.parsing.tables import render_tables

_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def fenced(code: str, language: str = "") -> str:
    """A fenced block longer than any fence inside it."""
    longest = max((len(mark) for mark in _FENCE.findall(code)), default=2)
    fence = "`" * max(3, longest + 1)
    body = code.strip("\n")
    return f"{fence}{language}\n{body}\n{fence}\n"


class MarkdownWriter:
    """Collects blocks in reading order. ``place`` is the provenance of what is written next.

    ``depth`` says in how many list items a block lies: a paragraph of depth 1 belongs to the last item
    of depth 0. Words are inline Markdown already.
    """

    def __init__(self, place: Provenance | None = None) -> None:
        self.place = place
        self._texts: list[tuple[str, Provenance | None]] = []
        self._indents: list[int] = []
        self._tight = False

    def pieces(self) -> tuple[Piece, ...]:
        self._leave(0)
        return tuple(Piece(text, place) for text, place in self._texts)

    @property
    def empty(self) -> bool:
        return not self._texts

    def include(self, pieces: Sequence[Piece]) -> None:
        """Pieces that another writer or converter made."""
        self._leave(0)
        self._texts += [(piece.text, piece.provenance or self.place) for piece in pieces]

    def close_list(self) -> None:
        """The next item begins a new list."""
        self._leave(0)

    def heading(self, level: int, words: str) -> None:
        if words:
            self._leave(0)
            self._add(f"{'#' * min(max(level, 1), 6)} {words}\n\n")

    def paragraph(self, words: str, depth: int = 0) -> None:
        if words:
            self._block(words + "\n", depth)

    def code(self, text: str, depth: int = 0) -> None:
        if text.strip():
            self._block(fenced(text), depth)

    def formula(self, latex: str, depth: int = 0) -> None:
        if latex.strip():
            self._block(f"$$\n{latex.strip()}\n$$\n", depth)

    def quote(self, words: str, depth: int = 0) -> None:
        if words:
            self._block("".join(f"> {line}".rstrip() + "\n" for line in words.split("\n")), depth)

    def table(self, rows: Sequence[Sequence[str]], depth: int = 0) -> None:
        """Cells are inline Markdown; rows without any words are left out, and so are such columns."""
        for table in render_tables(trimmed(rows), escaped=True):
            self._block(table.rstrip("\n") + "\n", depth)

    def item(self, depth: int, marker: str, words: str) -> None:
        """A list item; ``marker`` is ``-`` or a number with its mark, ``3.``."""
        depth = min(depth, len(self._indents))
        self._leave(depth, item=True)
        lines = words.split("\n") if words else [""]
        indent = " " * (self._indents[depth - 1] if depth else 0)
        inner = len(indent) + len(marker) + 1
        self._indents = [*self._indents[:depth], inner]
        text = f"{indent}{marker} {lines[0]}".rstrip() + "\n"
        self._add(text + "".join(" " * inner + line + "\n" for line in lines[1:]))
        self._tight = True

    def _block(self, text: str, depth: int) -> None:
        depth = min(depth, len(self._indents))
        self._leave(depth)
        indent = " " * self._indents[depth - 1] if depth else ""
        self._add("".join((indent + line if line else "") + "\n" for line in text.rstrip("\n").split("\n")) + "\n")

    def _leave(self, depth: int, *, item: bool = False) -> None:
        if self._tight and not item:
            text, place = self._texts[-1]
            self._texts[-1] = (text + "\n", place)
            self._tight = False
        self._indents = self._indents[: max(depth, 0)]

    def _add(self, text: str) -> None:
        self._tight = False
        self._texts.append((text, self.place))


def trimmed(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows without the empty ones, and without columns that are empty in all of them."""
    kept = [list(row) for row in rows if any(cell.strip() for cell in row)]
    width = max((len(row) for row in kept), default=0)
    used = [column for column in range(width) if any(len(row) > column and row[column].strip() for row in kept)]
    return [[row[column] if column < len(row) else "" for column in used] for row in kept]
