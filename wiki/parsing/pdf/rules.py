"""What a line of type is, by its size, weight, place and first characters."""

import re

from wiki.parsing.pdf.geometry import Line

_ITEM = re.compile(r"^(?:[•●▪◦‣∙○■□–*∞\uf0a7\uf0b7\uf0d8\uf0fc]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+\S")
_BULLET = re.compile(r"^\s*[•●▪◦‣∙○■□*∞\uf0a7\uf0b7\uf0d8\uf0fc]\s+")
_NUMBERED = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[A-Z]\.|[IVX]{1,5}\.|chapter\s+\w+|appendix\s+\w+)\s+\S", re.IGNORECASE
)
_LETTERS = re.compile(r"[^\W\d_]{2}")
_PAGE_NUMBER = re.compile(
    r"^(?:(?:page|seite|p\.)\s*)?[-–]?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*[-–]?(?:\s*(?:/|of|von)\s*\d{1,4})?$", re.IGNORECASE
)
_TWO_SENTENCES = re.compile(r"[^\W\d]{2}[.;!?] +\S")
_LONGEST = 140
_EDGE = 0.065


def is_heading(line: Line, body: float, *, mostly_bold: bool) -> bool:
    """Larger than the text around it, or bold where the text is not; no sentence, no long line."""
    text = line.text
    if len(text) > _LONGEST or not _LETTERS.search(text) or text.endswith((".", ";", ",", ":", "-")):
        return False
    if text[0].islower() or _TWO_SENTENCES.search(text):
        return False
    if line.height >= (1.1 if line.bold and not mostly_bold else 1.22) * body:
        return True
    if not line.bold or mostly_bold or line.height < 0.9 * body:
        return False
    return bool(_NUMBERED.match(text)) or len(text.split()) <= 12


def is_running(line: Line, body: float, page_height: float) -> bool:
    """A running head or page number: small type at the very top or bottom of the page."""
    edge = line.box.bottom < _EDGE * page_height or line.box.top > (1 - _EDGE) * page_height
    return (edge and line.height <= 1.05 * body) or (
        is_page_number(line.text) and (line.box.bottom < 0.1 * page_height or line.box.top > 0.9 * page_height)
    )


def without_bullet(text: str) -> str:
    """The words of a list item without a bullet glyph in front."""
    return _BULLET.sub("", text)


def is_page_number(text: str) -> bool:
    """A number alone, roman or arabic, or "Page 3 of 9"."""
    return bool(_PAGE_NUMBER.match(text.strip()))


def starts_item(text: str) -> bool:
    """Whether a line begins a list item: a bullet, a number or a letter with a point or bracket."""
    return bool(_ITEM.match(text))
