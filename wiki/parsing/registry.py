"""Which converter reads which media type, and what each one needs."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from wiki.errors import CapabilityUnavailable
from wiki.parsing import media
from wiki.parsing.source import Convert

EXTRA = "pip install 'knowledge-wiki[multimodal]'"


@dataclass(frozen=True)
class Format:
    """A format the wiki reads.

    ``load`` imports the converter when it is first used. ``modules`` must be installed for it.
    ``quick`` formats are plain Python and linear in the file's size: they need no child process.
    """

    label: str
    load: Callable[[], Convert]
    modules: tuple[str, ...] = ()
    quick: bool = False

    def missing(self) -> str | None:
        """None when the format can be read here, else what to install."""
        absent = [module for module in self.modules if find_spec(module) is None]
        if not absent:
            return None
        return f"reading {self.label} needs the 'multimodal' extra: {EXTRA}"


def _markdown() -> Convert:
    from wiki.parsing.text import convert_markdown

    return convert_markdown


def _text() -> Convert:
    from wiki.parsing.text import convert_text

    return convert_text


def _delimited() -> Convert:
    from wiki.parsing.delimited import convert_delimited

    return convert_delimited


def _captions() -> Convert:
    from wiki.parsing.captions import convert_captions

    return convert_captions


def _html() -> Convert:
    from wiki.parsing.docling_convert import convert_html

    return convert_html


def _office() -> Convert:
    from wiki.parsing.docling_convert import convert_office

    return convert_office


def _workbook() -> Convert:
    from wiki.parsing.workbook import convert_workbook

    return convert_workbook


def _mail() -> Convert:
    from wiki.parsing.mail import convert_mail

    return convert_mail


def _pdf() -> Convert:
    from wiki.parsing.pdf.convert import convert_pdf

    return convert_pdf


FORMATS: dict[str, Format] = {
    media.MARKDOWN: Format("Markdown", _markdown, quick=True),
    media.TEXT: Format("plain text", _text, quick=True),
    media.CSV: Format("CSV", _delimited, quick=True),
    media.TSV: Format("TSV", _delimited, quick=True),
    media.VTT: Format("WebVTT", _captions, quick=True),
    media.HTML: Format("HTML", _html, ("docling", "bs4", "torch")),
    media.DOCX: Format("Word documents", _office, ("docling", "docx", "torch")),
    media.PPTX: Format("PowerPoint presentations", _office, ("docling", "pptx", "torch")),
    media.ODT: Format("OpenDocument text", _office, ("docling", "odfdo", "torch")),
    media.XLSX: Format("Excel workbooks", _workbook, ("openpyxl",)),
    media.EML: Format("mail", _mail),
    media.PDF: Format("PDF", _pdf, ("docling", "docling_parse", "pdfplumber", "rapid_layout", "torch")),
}


def converter(media_type: str) -> Convert:
    """The converter of a media type. Raises CapabilityUnavailable when what it needs is not installed."""
    entry = FORMATS[media_type]
    missing = entry.missing()
    if missing:
        raise CapabilityUnavailable(missing)
    return entry.load()


def capabilities() -> dict[str, str | None]:
    """Every media type the wiki knows, with None when it can be read here, else what to install."""
    return {media_type: entry.missing() for media_type, entry in FORMATS.items()}
