"""A sheet's XML -> rows of cell texts, read as a stream: the cost follows the filled cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO, Protocol
from xml.parsers import expat

from wiki.parsing.cell_formats import CellFormat
from wiki.parsing.shared_strings import LocalNames, unescaped
from wiki.parsing.sheet import letters

CHUNK_BYTES = 256 * 1024
_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{0,7})")
_MOST_MERGED = 20_000

Row = tuple[int, dict[int, str]]
"""A row's number and the texts of its filled cells by column, both counted from 1."""


class _Columns(dict[str, int]):
    """Letters of a column -> its number."""

    def __missing__(self, letters: str) -> int:
        found = _REFERENCE.fullmatch(letters.upper())
        if found is None:
            raise ValueError(f"a cell stands at {letters!r}, which is no place in a sheet")
        number = 0
        for letter in found[1]:
            number = number * 26 + ord(letter) - ord("A") + 1
        self[letters] = number
        return number


class Translator(Protocol):
    """Rewrites a shared formula for another cell."""

    def translate_formula(self, dest: str) -> str: ...


class SheetReader:
    """Reads one sheet's XML. ``merged`` is known once all rows were read.

    Expat refuses entities that multiply and fetches none from outside. Raises ExpatError when the XML is
    not well formed, ValueError and IndexError where a cell cannot be what it says.
    """

    def __init__(self, strings: Sequence[str], formats: Sequence[CellFormat]) -> None:
        self.merged: list[tuple[int, int, int, int]] = []
        self._strings = strings
        self._formats = formats
        self._general = CellFormat()
        self._names = LocalNames()
        self._columns = _Columns()
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._outside
        self._formulas: dict[str, Translator] = {}
        self._rows: list[Row] = []
        self._row, self._column = 0, 0
        self._cells: dict[int, str] = {}
        self._cell: dict[str, str] = {}
        self._value: str | None = None
        self._formula: dict[str, str] | None = None
        self._typed = ""
        self._inline: list[str] = []
        self._phonetic = False
        self._words: list[str] = []

    def rows(self, stream: IO[bytes]) -> Iterator[Row]:
        """The rows with filled cells, in the order of the file."""
        while data := stream.read(CHUNK_BYTES):
            self._parser.Parse(data, False)
            yield from self._rows
            self._rows.clear()
        self._parser.Parse(b"", True)

    def _outside(self, tag: str, attributes: dict[str, str]) -> None:
        name = self._names[tag]
        if name == "sheetData":
            self._parser.StartElementHandler = self._start
            self._parser.EndElementHandler = self._end
            self._parser.CharacterDataHandler = self._words.append
        elif name == "mergeCell" and len(self.merged) < _MOST_MERGED:
            corners = [self._place(corner) for corner in attributes.get("ref", "").replace("$", "").split(":")]
            if all(corners):
                (left, top), (right, bottom) = corners[0] or (0, 0), corners[-1] or (0, 0)
                self.merged.append((left, top, right, bottom))

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = self._names[tag]
        self._words.clear()
        if name == "c":
            self._cell = attributes
            self._value = self._formula = None
            place = attributes.get("r")
            self._column = self._columns[place.rstrip("0123456789")] if place else self._column + 1
        elif name == "row":
            stated = attributes.get("r")
            self._row = int(float(stated)) if stated else self._row + 1
            self._column = 0
            self._cells = {}
        elif name == "f":
            self._formula = attributes
        elif name == "is":
            self._inline = []
        elif name == "rPh":
            self._phonetic = True

    def _end(self, tag: str) -> None:
        name = self._names[tag]
        if name == "v":
            self._value = "".join(self._words)
        elif name == "c":
            self._finish_cell()
        elif name == "t":
            if not self._phonetic:
                self._inline.append("".join(self._words))
        elif name == "is":
            self._value = "".join(self._inline)
        elif name == "row":
            if self._cells:
                self._rows.append((self._row, self._cells))
        elif name == "f":
            self._typed = "".join(self._words)
            self._share_formula()
        elif name == "rPh":
            self._phonetic = False
        elif name == "sheetData":
            self._parser.StartElementHandler = self._outside
            self._parser.EndElementHandler = self._parser.CharacterDataHandler = None

    def _finish_cell(self) -> None:
        value, cell = self._value, self._cell
        kind = cell.get("t", "n")
        if not value:
            if self._formula is None or kind in ("str", "inlineStr"):
                return
            text = self._formula_text()
        elif kind == "n":
            style = int(cell.get("s", 0))
            text = (self._formats[style] if style < len(self._formats) else self._general).number(value)
        elif kind == "s":
            text = self._strings[int(value)]
        elif kind in ("inlineStr", "str"):
            text = unescaped(value)
        elif kind == "b":
            text = "TRUE" if value.strip() not in ("0", "false") else "FALSE"
        elif kind == "d":
            style = int(cell.get("s", 0))
            text = (self._formats[style] if style < len(self._formats) else self._general).day(value)
        else:
            text = value
        if text and not text.isspace():
            self._cells[self._column] = text

    def _share_formula(self) -> None:
        """Later cells may refer to it, and have no value of their own."""
        formula = self._formula or {}
        if self._typed and formula.get("t") == "shared" and formula.get("si") not in self._formulas:
            from openpyxl.formula.translate import Translator

            self._formulas[formula.get("si", "")] = Translator(f"={self._typed}", self._coordinate())

    def _formula_text(self) -> str:
        formula = self._formula or {}
        shared = self._formulas.get(formula.get("si", "")) if formula.get("t") == "shared" else None
        if self._typed or shared is None:
            return unescaped(f"={self._typed}") if self._typed else ""
        return shared.translate_formula(self._coordinate())

    def _coordinate(self) -> str:
        return self._cell.get("r") or f"{letters(self._column)}{self._row}"

    def _place(self, reference: str) -> tuple[int, int] | None:
        found = _REFERENCE.fullmatch(reference.upper())
        return (self._columns[found[1]], int(found[2])) if found and found[2] else None
