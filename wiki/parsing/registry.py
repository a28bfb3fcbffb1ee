"""Which converter reads which media type, and what each one needs."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from wiki.errors import CapabilityUnavailable
from wiki.parsing import media_types as media
from wiki.parsing.source import Convert
from wiki.parsing.speech.wheels import BASE_MODEL_WHEELS
from wiki.settings import OcrSettings, ParsingSettings, SpeechSettings

EXTRA = "pip install 'knowledge-wiki[{extra}]'"
_PROGRAMS = {
    "soffice": "LibreOffice (apt-get install --no-install-recommends libreoffice-core libreoffice-writer "
    "libreoffice-calc libreoffice-impress)",
    "tesseract": "Tesseract (apt-get install tesseract-ocr)",
}


@dataclass(frozen=True)
class Format:
    """A format the wiki reads.

    ``convert`` is ``module:function``, imported when first used. ``modules`` come with the multimodal
    extra, ``programs`` must be on the path. ``quick`` formats are plain Python and linear in the
    file's size: they need no child process. ``needs`` tells what else is
    missing under these settings.
    """

    label: str
    convert: str
    modules: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    quick: bool = False
    needs: Callable[[ParsingSettings], str | None] | None = None

    def missing(self, settings: ParsingSettings) -> str | None:
        """None when the format can be read here, else what to install or to set."""
        if any(find_spec(module) is None for module in self.modules):
            return f"reading {self.label} needs the 'multimodal' extra: {EXTRA.format(extra='multimodal')}"
        for program in self.programs:
            if shutil.which(program) is None:
                return f"reading {self.label} needs {_PROGRAMS[program]}"
        fault = self.needs(settings) if self.needs else None
        return f"reading {self.label} needs {fault}" if fault else None

    def load(self) -> Convert:
        module, _, function = self.convert.partition(":")
        return getattr(import_module(module), function)


def ocr_missing(settings: OcrSettings) -> str | None:
    """None when scans and pictures can be read with these settings, else what is missing."""
    if settings.provider == "none":
        return "OCR, which the setting parsing.ocr.provider turns off"
    from wiki.parsing.ocr import tesseract

    if settings.provider in ("tesseract", "auto") and tesseract.installed():
        return None
    if settings.provider == "tesseract" and shutil.which("tesseract") is None:
        return _PROGRAMS["tesseract"]
    if settings.provider == "tesseract" or find_spec("rapidocr") is None:
        return f"the 'multimodal' extra: {EXTRA.format(extra='multimodal')}"
    return None


def speech_missing(settings: SpeechSettings) -> str | None:
    """None when recordings can be written down with these settings, else what is missing."""
    if settings.provider == "none":
        return "speech recognition, which the setting parsing.speech.provider turns off"
    if find_spec("faster_whisper") is None:
        return f"the 'multimodal' extra: {EXTRA.format(extra='multimodal')}"
    if not settings.model and any(find_spec(wheel) is None for wheel in BASE_MODEL_WHEELS):
        return f"the 'models' extra, which holds a speech model: {EXTRA.format(extra='models')}; or set parsing.speech.model"
    return None


def _picture(label: str) -> Format:
    return Format(
        label, "wiki.parsing.picture:convert_picture", ("PIL",), needs=lambda settings: ocr_missing(settings.ocr)
    )


def _sound(label: str) -> Format:
    return Format(
        label,
        "wiki.parsing.speech.convert:convert_sound",
        ("av",),
        needs=lambda settings: speech_missing(settings.speech),
    )


def _open_document(label: str) -> Format:
    return Format(label, "wiki.parsing.open_document.convert:convert_open_document", ("lxml",))


def _legacy(label: str, module: str) -> Format:
    return Format(label, "wiki.parsing.legacy:convert_legacy", (module,), ("soffice",))


FORMATS: dict[str, Format] = {
    media.MARKDOWN: Format("Markdown", "wiki.parsing.text:convert_markdown", quick=True),
    media.TEXT: Format("plain text", "wiki.parsing.text:convert_text", quick=True),
    media.CSV: Format("CSV", "wiki.parsing.delimited:convert_delimited", quick=True),
    media.TSV: Format("TSV", "wiki.parsing.delimited:convert_delimited", quick=True),
    media.VTT: Format("WebVTT", "wiki.parsing.captions:convert_captions", quick=True),
    media.SOURCE: Format("program text", "wiki.parsing.program_text:convert_program_text", quick=True),
    media.XML: Format("XML", "wiki.parsing.program_text:convert_xml", quick=True),
    media.HTML: Format("HTML", "wiki.parsing.web_page:convert_html", ("lxml",)),
    media.EML: Format("mail", "wiki.parsing.mail:convert_mail"),
    media.MSG: Format("Outlook messages", "wiki.parsing.outlook:convert_outlook", ("oxmsg",)),
    media.PDF: Format(
        "PDF",
        "wiki.parsing.pdf.convert:convert_pdf",
        ("docling", "docling_parse", "pdfplumber", "rapid_layout", "torch"),
    ),
    media.DOCX: Format("Word documents", "wiki.parsing.word.convert:convert_word", ("lxml",)),
    media.DOC: _legacy("Word 97 documents", "lxml"),
    media.RTF: _legacy("RTF documents", "lxml"),
    media.ODT: _open_document("OpenDocument text"),
    media.XLSX: Format("Excel workbooks", "wiki.parsing.workbook:convert_workbook", ("openpyxl",)),
    media.XLS: _legacy("Excel 97 workbooks", "openpyxl"),
    media.ODS: _open_document("OpenDocument spreadsheets"),
    media.PPTX: Format("PowerPoint presentations", "wiki.parsing.slides:convert_slides", ("lxml",)),
    media.PPT: _legacy("PowerPoint 97 presentations", "lxml"),
    media.ODP: _open_document("OpenDocument presentations"),
    media.EPUB: Format("EPUB books", "wiki.parsing.book:convert_book", ("lxml",)),
    media.PNG: _picture("PNG pictures"),
    media.JPEG: _picture("JPEG pictures"),
    media.WEBP: _picture("WebP pictures"),
    media.GIF: _picture("GIF pictures"),
    media.TIFF: _picture("TIFF pictures"),
    media.BMP: _picture("BMP pictures"),
    media.SVG: Format("SVG pictures", "wiki.parsing.svg:convert_svg", quick=True),
    media.MP3: _sound("MP3 recordings"),
    media.WAV: _sound("WAV recordings"),
    media.M4A: _sound("M4A recordings"),
    media.FLAC: _sound("FLAC recordings"),
    media.OGG: _sound("Ogg recordings"),
}


def converter(media_type: str, settings: ParsingSettings) -> Convert:
    """The converter of a media type. Raises CapabilityUnavailable when what it needs is not there."""
    entry = FORMATS[media_type]
    missing = entry.missing(settings)
    if missing:
        raise CapabilityUnavailable(missing)
    try:
        return entry.load()
    except ImportError as error:
        raise CapabilityUnavailable(
            f"reading {entry.label} fails at a package that cannot be imported: {error}"
        ) from error


def capabilities(settings: ParsingSettings) -> dict[str, str | None]:
    """Every media type the wiki knows, with None when it can be read here, else what to install or set."""
    return {media_type: entry.missing(settings) for media_type, entry in FORMATS.items()}
