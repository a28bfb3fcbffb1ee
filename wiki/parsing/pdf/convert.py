"""PDF -> pieces of Markdown: the text layer where there is one, OCR where there is none."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import io
from uuid import uuid4

from wiki.errors import CapabilityUnavailable, ExtractionEmpty, UnsupportedFormat
from wiki.parsing.blocks import Provenance
from wiki.parsing.ocr.engine import readers
from wiki.parsing.pdf.look import Look, look
from wiki.parsing.pdf.page_picture import page_picture
from wiki.parsing.pdf.scans import Job, Scans, jobs
from wiki.parsing.pdf.whole import drop_bullets, keep_heads, keep_single_heads, put_tops_first, settle_levels
from wiki.parsing.pdf.writer import DoclingWriter
from wiki.parsing.source import Conversion, Piece, Source


def convert_pdf(source: Source) -> Conversion:
    """Headings, paragraphs, lists and tables in reading order, with page numbers as provenance.

    Running heads and page numbers are left out. A document that only forbids copying is read.
    Pages without a usable text layer go through OCR; where that cannot be, a note stands for the page.
    Raises UnsupportedFormat when it needs a password, is damaged or has too many pages,
    ExtractionEmpty when there is nothing on its pages, CapabilityUnavailable when all of it would
    need OCR and that is not there.
    """
    data = source.read()
    found = look(data, source.name)
    _stay_below(found, source)
    fault = _ocr_fault(found, source)
    if not found.text and (fault is not None or not found.scanned):
        if isinstance(fault, CapabilityUnavailable):
            raise fault
        raise ExtractionEmpty(
            f"{source.name} has no text layer on any of its {found.pages} pages"
            + (f"; {fault}" if fault else " and nothing to read on them")
        )
    scanned = frozenset[int]() if fault is not None else found.scanned
    scans = Scans({number: page_picture(data, number) for number in scanned}, source.settings.ocr)
    try:
        pieces = docling_pieces(data, found.pages, scans, source, drawn=found.drawn)
    finally:
        scans.close()
    notes = {number: str(fault) for number in found.scanned - scanned}
    notes |= {number: error.message for number, error in scans.refused.items()}
    if not any(piece.text.strip() for piece in pieces) and scans.refused:
        raise next(iter(scans.refused.values()))
    return Conversion(pieces=with_notes(pieces, notes), document_date=found.date)


def docling_pieces(
    data: bytes,
    pages: int,
    scans: Scans,
    source: Source,
    *,
    drawn: frozenset[int] | None = None,
    every_line: bool = False,
) -> tuple[Piece, ...]:
    """The document's Markdown by docling with our stages. ``every_line`` keeps what looks like a running head."""
    from docling.datamodel.base_models import ConversionStatus, DocumentStream
    from docling.exceptions import ConversionError

    from wiki.parsing.pdf.pipeline import pdf_converter

    name = f"{uuid4().hex}.pdf"
    jobs[name] = Job(pages, data, scans, drawn, source.progress)
    try:
        result = pdf_converter().convert(DocumentStream(name=name, stream=io.BytesIO(data)), raises_on_error=True)
    except ConversionError as error:
        raise UnsupportedFormat(f"{source.name} is damaged: {str(error).splitlines()[0][:200]}") from error
    finally:
        del jobs[name]
    if result.status is not ConversionStatus.SUCCESS:
        faults = "; ".join(dict.fromkeys(item.error_message for item in result.errors))[:200]
        raise UnsupportedFormat(f"{source.name} is damaged: some pages cannot be read ({faults})")
    document = result.document
    if every_line:
        keep_heads(document)
    keep_single_heads(document)
    put_tops_first(document)
    drop_bullets(document)
    settle_levels(document)
    return DoclingWriter(document).pieces()


def with_notes(pieces: tuple[Piece, ...], notes: dict[int, str]) -> tuple[Piece, ...]:
    """The pieces with an italic note in the place of each page that was not read."""
    result: list[Piece] = []
    left = sorted(notes)
    for piece in pieces:
        page = piece.provenance.page if piece.provenance else None
        while left and page is not None and left[0] < page:
            result.append(_note(left[0], notes[left.pop(0)]))
        result.append(piece)
    return (*result, *(_note(number, notes[number]) for number in left))


def _note(page: int, reason: str) -> Piece:
    return Piece(f"*Page {page} is a scan and was not read: {reason}*\n\n", Provenance(page=page))


def _stay_below(found: Look, source: Source) -> None:
    settings = source.settings
    if found.pages > settings.max_pages:
        raise UnsupportedFormat(
            f"{source.name} has {found.pages} pages, more than the setting parsing.max_pages allows "
            f"({settings.max_pages})"
        )
    if len(found.scanned) > settings.max_ocr_pages and settings.ocr.provider != "none":
        raise UnsupportedFormat(
            f"{source.name} has {len(found.scanned)} scanned pages, more than the setting parsing.max_ocr_pages "
            f"allows ({settings.max_ocr_pages})"
        )


def _ocr_fault(found: Look, source: Source) -> CapabilityUnavailable | str | None:
    """Why its scanned pages cannot be read; None when they can, or when there are none."""
    from wiki.parsing.registry import ocr_missing

    if not found.scanned:
        return None
    if source.settings.ocr.provider == "none":
        return "OCR is turned off by the setting parsing.ocr.provider"
    missing = ocr_missing(source.settings.ocr)
    if missing:
        return CapabilityUnavailable(f"scanned pages need {missing}")
    try:
        readers(source.settings.ocr)
    except CapabilityUnavailable as error:
        return error
    return None
