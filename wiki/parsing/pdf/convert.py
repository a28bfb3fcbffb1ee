"""PDF with a text layer -> pieces of Markdown."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import io

from wiki.errors import ExtractionEmpty, UnsupportedFormat
from wiki.parsing.docling_writer import DoclingWriter
from wiki.parsing.pdf.whole import drop_bullets, keep_single_heads, put_tops_first, settle_levels
from wiki.parsing.source import Conversion, Source

_BODY = frozenset({"body"})
_PASSWORD = 4


def convert_pdf(source: Source) -> Conversion:
    """Headings, paragraphs, lists and tables in reading order, with page numbers as provenance.

    Running heads and page numbers are left out. A document that only forbids copying is read.
    Raises UnsupportedFormat when it needs a password or is damaged, ExtractionEmpty when no page
    has a text layer.
    """
    data = source.read()
    title, date = inspect(data, source.name)
    from docling.datamodel.base_models import ConversionStatus, DocumentStream
    from docling.exceptions import ConversionError

    from wiki.parsing.pdf.pipeline import pdf_converter

    try:
        result = pdf_converter().convert(
            DocumentStream(name="document.pdf", stream=io.BytesIO(data)), raises_on_error=True
        )
    except ConversionError as error:
        raise UnsupportedFormat(f"{source.name} is damaged: {str(error).splitlines()[0][:200]}") from error
    if result.status is not ConversionStatus.SUCCESS:
        faults = "; ".join(dict.fromkeys(item.error_message for item in result.errors))[:200]
        raise UnsupportedFormat(f"{source.name} is damaged: some pages cannot be read ({faults})")
    keep_single_heads(result.document)
    put_tops_first(result.document)
    drop_bullets(result.document)
    settle_levels(result.document)
    pieces = DoclingWriter(result.document, place="page", layers=_BODY).pieces()
    return Conversion(pieces=pieces, title=title, document_date=date)


def inspect(data: bytes, name: str) -> tuple[str | None, str | None]:
    """Title and date from the document's own metadata, after a look at whether it can be read at all."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD or "password" in str(error).lower():
            raise UnsupportedFormat(f"{name} needs a password; save it without one and try again") from error
        raise UnsupportedFormat(f"{name} is damaged: it cannot be opened as a PDF") from error
    try:
        if not any(_has_text(page) for page in document):
            raise ExtractionEmpty(f"{name} has no text layer on any of its {len(document)} pages; it may be a scan")
        metadata = document.get_metadata_dict()
    finally:
        document.close()
    return None, _date(metadata.get("CreationDate", ""))


def _has_text(page: object) -> bool:
    text = page.get_textpage()  # type: ignore[attr-defined]  # pyright: ignore
    try:
        return bool(text.get_text_range().strip())
    finally:
        text.close()
        page.close()  # type: ignore[attr-defined]  # pyright: ignore


def _date(stamp: str) -> str | None:
    from wiki.parsing.front_matter import iso_date

    digits = stamp.removeprefix("D:")[:8]
    return iso_date(f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}") if len(digits) == 8 and digits.isdigit() else None
