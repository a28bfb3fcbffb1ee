"""HTML through docling's reader; Word, slides and OpenDocument through our own."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from wiki.errors import UnsupportedFormat
from wiki.parsing import media_types as media
from wiki.parsing.docling_writer import DoclingWriter, PlaceKind
from wiki.parsing.encoding import decode_html
from wiki.parsing.html_page import clean_page
from wiki.parsing.open_document.convert import convert_open_document
from wiki.parsing.slides import convert_slides
from wiki.parsing.source import Conversion, Source
from wiki.parsing.word.convert import convert_word

if TYPE_CHECKING:
    from docling.document_converter import DocumentConverter
    from docling_core.types.doc.document import DoclingDocument

_SUFFIX = {media.HTML: ".html"}
_BODY = frozenset({"body"})


def convert_html(source: Source) -> Conversion:
    """The page's content; its bytes are decoded here, because what a page declares is often wrong."""
    page, title = clean_page(decode_html(source.read(), source.name))
    document = convert(source, page.encode("utf-8"))
    return replace(_conversion(document, place=None, layers=_BODY), title=title)


def convert_office(source: Source) -> Conversion:
    """Word, PowerPoint and OpenDocument: notes and comments are kept and marked; slides are provenance."""
    if source.media_type in (media.ODT, media.ODS, media.ODP):
        return convert_open_document(source)
    if source.media_type == media.DOCX:
        return convert_word(source)
    return convert_slides(source)


def convert(source: Source, data: bytes) -> DoclingDocument:
    """docling's document for a declarative format. Raises UnsupportedFormat when docling cannot read it."""
    from docling.datamodel.base_models import DocumentStream
    from docling.exceptions import ConversionError

    stream = DocumentStream(name="document" + _SUFFIX[source.media_type], stream=io.BytesIO(data))
    try:
        return _converter().convert(stream).document
    except ConversionError as error:
        raise UnsupportedFormat(f"{source.name} is damaged or not what it says it is: {_first_line(error)}") from error


@cache
def _converter() -> DocumentConverter:
    from docling.datamodel.base_models import InputFormat
    from docling.document_converter import DocumentConverter

    return DocumentConverter(allowed_formats=[InputFormat.HTML])


def _conversion(document: DoclingDocument, *, place: PlaceKind, layers: frozenset[str]) -> Conversion:
    return Conversion(pieces=DoclingWriter(document, place=place, layers=layers).pieces())


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200]
