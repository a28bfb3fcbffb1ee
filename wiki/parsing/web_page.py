"""Web pages -> pieces of Markdown."""

from wiki.parsing.encoding import decode_html
from wiki.parsing.html_page import page_pieces
from wiki.parsing.source import Conversion, Source


def convert_html(source: Source) -> Conversion:
    """The page's content; its bytes are decoded here, because what a page declares is often wrong."""
    pieces, title = page_pieces(decode_html(source.read(), source.name))
    return Conversion(pieces=pieces, title=title)
