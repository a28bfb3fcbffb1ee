"""Which of our readers reads a web page, a Word file, slides or an OpenDocument file."""

from __future__ import annotations

from wiki.parsing import media_types as media
from wiki.parsing.encoding import decode_html
from wiki.parsing.html_page import page_pieces
from wiki.parsing.open_document.convert import convert_open_document
from wiki.parsing.slides import convert_slides
from wiki.parsing.source import Conversion, Source
from wiki.parsing.word.convert import convert_word


def convert_html(source: Source) -> Conversion:
    """The page's content; its bytes are decoded here, because what a page declares is often wrong."""
    pieces, title = page_pieces(decode_html(source.read(), source.name))
    return Conversion(pieces=pieces, title=title)


def convert_office(source: Source) -> Conversion:
    """Word, PowerPoint and OpenDocument: notes and comments are kept and marked; slides are provenance."""
    if source.media_type in (media.ODT, media.ODS, media.ODP):
        return convert_open_document(source)
    if source.media_type == media.DOCX:
        return convert_word(source)
    return convert_slides(source)
