"""Markdown and plain text files."""

import re

from wiki.parsing.blocks import Block
from wiki.parsing.encoding import decode
from wiki.parsing.front_matter import iso_date, split_front_matter
from wiki.parsing.source import Conversion, Piece, Source

_CHAPTER = re.compile(
    r"(?:chapter|book|part|volume|act|scene|section|appendix|kapitel|teil|chapitre|capítulo|capitolo|глава|часть)"
    r"\s+(?:[ivxlcdm]+|\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third)\b[.:]?.{0,80}",
    re.IGNORECASE,
)


def convert_markdown(source: Source) -> Conversion:
    """The body as it is; valid front matter is taken out and gives title and date."""
    front_matter, body = split_front_matter(decode(source.read(), source.name))
    title = front_matter.get("title")
    return Conversion(
        pieces=(Piece(body),),
        title=title.strip() if isinstance(title, str) and title.strip() else None,
        document_date=iso_date(front_matter.get("date")),
        front_matter=front_matter,
    )


def convert_text(source: Source) -> Conversion:
    """The text as it is: a plain text file is not Markdown, so nothing in it is structure and nothing is escaped.

    Paragraphs are parted by blank lines. A chapter line standing alone ("CHAPTER IV") is a heading of level 1.
    """
    return Conversion(blocks=split_paragraphs(decode(source.read(), source.name)))


def split_paragraphs(text: str) -> tuple[Block, ...]:
    """Paragraphs with the blank lines after them; they partition the text exactly."""
    blocks: list[Block] = []
    start: int | None = None
    position = 0
    filled = False
    for line in text.splitlines(keepends=True):
        blank = not line.strip()
        if not blank and not filled and start is not None and text[start:position].strip():
            blocks.append(_paragraph(text[start:position]))
            start = position
        if start is None:
            start = position
        filled = not blank
        position += len(line)
    if start is not None and position > start:
        blocks.append(_paragraph(text[start:position]))
    return tuple(blocks)


def _paragraph(text: str) -> Block:
    line = text.strip()
    if not line:
        return Block(text, "blank")
    if "\n" not in line and len(line) <= 100 and _CHAPTER.fullmatch(line):
        return Block(text, "heading", level=1, heading=" ".join(line.split()))
    return Block(text, "paragraph")
