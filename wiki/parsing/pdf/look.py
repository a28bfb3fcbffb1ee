"""A first look at a PDF: can it be opened, and which of its pages are scans?"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import islice
from typing import Any

from wiki.errors import UnsupportedFormat
from wiki.parsing.front_matter import iso_date

_PASSWORD = 4
_IMAGE = 3
_FULL_PAGE = 0.6
_STAMP = 200
_GARBAGE = 0.3
_MOST_SIGNS = 0.65
_LEAST_SHAPES = 2


@dataclass(frozen=True)
class Look:
    """Page numbers from 1. A page that is neither in ``text`` nor in ``scanned`` is empty."""

    pages: int
    text: frozenset[int]
    scanned: frozenset[int]
    drawn: frozenset[int]
    """Pages with lines or shapes on them, where a ruled table may be."""
    date: str | None


def look(data: bytes, name: str) -> Look:
    """Raises UnsupportedFormat when the document needs a password or is damaged."""
    import pypdfium2
    from docling.utils.locks import pypdfium2_lock

    with pypdfium2_lock:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD or "password" in str(error).lower():
                raise UnsupportedFormat(f"{name} needs a password; save it without one and try again") from error
            raise UnsupportedFormat(f"{name} is damaged: it cannot be opened as a PDF") from error
        try:
            kinds = {number: _kind(document, number - 1, name) for number in range(1, len(document) + 1)}
            drawn = frozenset(
                number for number, kind in kinds.items() if kind == "text" and _drawn(document, number - 1)
            )
            date = _date(document.get_metadata_dict().get("CreationDate", ""))
        finally:
            document.close()
    return Look(
        len(kinds),
        frozenset(number for number, kind in kinds.items() if kind == "text"),
        frozenset(number for number, kind in kinds.items() if kind == "scan"),
        drawn,
        date,
    )


def is_garbage(text: str) -> bool:
    """Whether a text layer says nothing: letters without a meaning, or names of glyphs."""
    text = text.replace("(cid:", "\ufffd\ufffd\ufffd\ufffd\ufffd")
    shown = [character for character in text if not character.isspace()]
    if not shown:
        return True
    bad = sum(character == "\ufffd" or unicodedata.category(character) in ("Co", "Cn", "Cc") for character in shown)
    words = text.split()
    lone = sum(len(word) == 1 and not word.isalnum() for word in words)
    signs = sum(not character.isalnum() and character not in "._-\u2026\u2013\u2014" for character in shown)
    if signs > _MOST_SIGNS * len(shown) and len(shown) > 10:
        return True
    return bad > _GARBAGE * len(shown) or (len(words) > 20 and lone > 0.5 * len(words))


def _kind(document: Any, index: int, name: str) -> str:
    import pypdfium2

    try:
        page = document[index]
    except pypdfium2.PdfiumError as error:
        raise UnsupportedFormat(f"{name} is damaged: page {index + 1} cannot be read") from error
    layer = page.get_textpage()
    try:
        text = layer.get_text_range()
        written = len(text.strip())
        if written > _STAMP and not is_garbage(text):
            return "text"
        width, height = page.get_size()
        whole = max(1.0, width * height)
        count, covered = 0, 0.0
        for thing in page.get_objects(max_depth=3):
            count += 1
            if thing.type == _IMAGE:
                left, bottom, right, top = thing.get_bounds()
                covered = max(covered, (right - left) * (top - bottom) / whole)
        if not count:
            return "empty"
        if not written or is_garbage(text):
            return "scan"
        invisible = covered >= _FULL_PAGE and _all_invisible(page)
        return "scan" if covered >= _FULL_PAGE and not invisible else "text"
    finally:
        layer.close()
        page.close()


def _drawn(document: Any, index: int) -> bool:
    import pypdfium2.raw as raw

    page = document[index]
    try:
        shapes = page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=8)
        return len(list(islice(shapes, _LEAST_SHAPES))) == _LEAST_SHAPES
    finally:
        page.close()


def _all_invisible(page: Any) -> bool:
    """Whether the text is an OCR layer under the picture; a short page has one too."""
    import pypdfium2.raw as raw

    texts = [thing for thing in page.get_objects(max_depth=3) if thing.type == raw.FPDF_PAGEOBJ_TEXT]
    return bool(texts) and all(
        raw.FPDFTextObj_GetTextRenderMode(thing.raw) == raw.FPDF_TEXTRENDERMODE_INVISIBLE for thing in texts
    )


def _date(stamp: str) -> str | None:
    digits = stamp.removeprefix("D:")[:8]
    return iso_date(f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}") if len(digits) == 8 and digits.isdigit() else None
