"""HTML, Word and slides through docling's own readers."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from wiki.errors import UnsupportedFormat
from wiki.parsing import media_types as media
from wiki.parsing.docling_writer import DoclingWriter, PlaceKind
from wiki.parsing.encoding import decode_html
from wiki.parsing.html_page import clean_page
from wiki.parsing.open_document.convert import convert_open_document
from wiki.parsing.source import Conversion, Source

if TYPE_CHECKING:
    from docling.document_converter import DocumentConverter
    from docling_core.types.doc.document import DoclingDocument

_SUFFIX = {media.HTML: ".html", media.DOCX: ".docx", media.PPTX: ".pptx"}
_NUMBER = re.compile(r"^\s*\d+(?:\.\d+)*\s+")
_BODY = frozenset({"body"})
_BODY_AND_NOTES = frozenset({"body", "notes"})


def convert_html(source: Source) -> Conversion:
    """The page's content; its bytes are decoded here, because what a page declares is often wrong."""
    page, title = clean_page(decode_html(source.read(), source.name))
    document = convert(source, page.encode("utf-8"))
    return replace(_conversion(document, place=None, layers=_BODY), title=title)


def convert_office(source: Source) -> Conversion:
    """Word, PowerPoint and OpenDocument text: notes and comments are kept and marked; slides are provenance."""
    if source.media_type in (media.ODT, media.ODS, media.ODP):
        return convert_open_document(source)
    data = source.read()
    document = convert(source, data)
    if source.media_type == media.DOCX:
        drop_heading_numbers(document, data)
    place: PlaceKind = "slide" if source.media_type == media.PPTX else None
    return _conversion(document, place=place, layers=_BODY_AND_NOTES)


def drop_heading_numbers(document: DoclingDocument, data: bytes) -> None:
    """Headings as their author wrote them: docling puts the automatic number in front of the text,
    counted by its own rules, which a search for the heading's words should not depend on."""
    import docx
    from docling_core.types.doc.document import SectionHeaderItem

    written = {" ".join(paragraph.text.split()) for paragraph in docx.Document(io.BytesIO(data)).paragraphs}
    for item in document.texts:
        if isinstance(item, SectionHeaderItem) and " ".join(item.text.split()) not in written:
            bare = _NUMBER.sub("", item.text)
            if " ".join(bare.split()) in written:
                item.text = bare


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

    return DocumentConverter(allowed_formats=[InputFormat.HTML, InputFormat.DOCX, InputFormat.PPTX])


def _conversion(document: DoclingDocument, *, place: PlaceKind, layers: frozenset[str]) -> Conversion:
    return Conversion(pieces=DoclingWriter(document, place=place, layers=layers).pieces())


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200]
