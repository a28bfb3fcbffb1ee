"""Dashes and quotation marks as they are printed: docling's parser turns them into ASCII."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

_ASCII = {
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\u2014": "-",
    "\u2015": "-",
    "\u2212": "-",
    "\u2018": "'",
    "\u2019": "'",
    "\u201a": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
}
_PLAIN = frozenset("-'\"")
_WANTED = frozenset(_ASCII) | _PLAIN | {"\x02"}


@dataclass(frozen=True)
class Sign:
    """A dash or quotation mark, and its middle in points from the top left corner."""

    character: str
    x: float
    y: float


def restore(page: Any, signs: list[Sign]) -> None:
    """Puts the printed signs back into the cells of docling's page.

    A cell is left alone when its signs do not match those printed in its place one by one.
    """
    if not any(sign.character in _ASCII for sign in signs):
        return
    for cell in (*page.parsed_page.textline_cells, *page.parsed_page.word_cells):
        places = [at for at, character in enumerate(cell.text) if character in _PLAIN or character in _ASCII]
        if not places:
            continue
        box = cell.rect.to_bounding_box().to_top_left_origin(page.size.height)
        inside = sorted(
            (sign for sign in signs if box.l - 0.5 <= sign.x <= box.r + 0.5 and box.t - 1 <= sign.y <= box.b + 1),
            key=lambda sign: sign.x,
        )
        if [_plain(sign.character) for sign in inside] != [_plain(cell.text[at]) for at in places]:
            continue
        letters = list(cell.text)
        for at, sign in zip(places, inside, strict=True):
            letters[at] = sign.character if sign.character in _ASCII else letters[at]
        cell.text = "".join(letters)


def signs(data: bytes, number: int) -> list[Sign]:
    """The dashes and quotation marks of a page; none for a page that is turned."""
    import pypdfium2
    import pypdfium2.raw as raw
    from docling.utils.locks import pypdfium2_lock

    found: list[Sign] = []
    with pypdfium2_lock:
        document = pypdfium2.PdfDocument(data)
        try:
            page: Any = document[number - 1]
            if page.get_rotation():
                return []
            left, _, _, top = page.get_cropbox()
            layer = page.get_textpage()
            edges = [ctypes.c_double() for _ in range(4)]
            for index in range(layer.count_chars()):
                character = chr(raw.FPDFText_GetUnicode(layer.raw, index))
                if character not in _WANTED:
                    continue
                raw.FPDFText_GetCharBox(layer.raw, index, *(ctypes.byref(edge) for edge in edges))
                x0, x1, y0, y1 = (edge.value for edge in edges)
                # pdfium's mark for a hyphen at a line end.
                shown = "-" if character == "\x02" else character
                found.append(Sign(shown, (x0 + x1) / 2 - left, top - (y0 + y1) / 2))
            layer.close()
            page.close()
        finally:
            document.close()
    return found


def _plain(character: str) -> str:
    return _ASCII.get(character, character)
