"""What a file is: by its bytes first, then by its name and its declared type."""

import re
import zipfile
from pathlib import Path, PurePath

from wiki.errors import InvalidInput, UnsupportedFormat
from wiki.parsing.encoding import decode

MARKDOWN = "text/markdown"
TEXT = "text/plain"
CSV = "text/csv"
TSV = "text/tab-separated-values"
VTT = "text/vtt"
HTML = "text/html"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODT = "application/vnd.oasis.opendocument.text"
EML = "message/rfc822"

_TEXT_SUFFIXES = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdown": MARKDOWN,
    ".txt": TEXT,
    ".text": TEXT,
    ".log": TEXT,
    ".csv": CSV,
    ".tsv": TSV,
    ".tab": TSV,
    ".vtt": VTT,
    ".srt": VTT,
    ".htm": HTML,
    ".html": HTML,
    ".xhtml": HTML,
    ".eml": EML,
}
_DECLARED = {
    "text/x-markdown": MARKDOWN,
    "application/csv": CSV,
    "application/x-subrip": VTT,
    "application/xhtml+xml": HTML,
    **{kind: kind for kind in (MARKDOWN, CSV, TSV, VTT, HTML, EML)},
}
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"ID3", "an MP3 recording"),
    (b"fLaC", "a FLAC recording"),
    (b"OggS", "an Ogg recording"),
    (b"{\\rtf", "a rich text (RTF) document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "a SQLite database"),
)
_MOST_UNPACKED = 1_000_000_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("EncryptedPackage", "is encrypted; save it without a password and try again"),
    ("WordDocument", "is a Word 97 document, which this version does not read yet; save it as .docx"),
    ("PowerPoint Document", "is a PowerPoint 97 presentation, which this version does not read yet; save it as .pptx"),
    ("Workbook", "is an Excel 97 workbook, which this version does not read yet; save it as .xlsx"),
    ("Book", "is an Excel 95 workbook, which this version does not read yet; save it as .xlsx"),
    ("__properties_version1.0", "is an Outlook message, which this version does not read yet; save it as .eml"),
)
_OFFICE_PARTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_SVG_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!DOCTYPE\s+svg[^>]*>\s*)?<svg\b", re.IGNORECASE | re.DOTALL
)
_CUES_START = re.compile(r"(?:WEBVTT(?:[ \t\n]|\Z)|\s*(?:\d+[ \t]*\n)?(?:\d+:)?\d\d:\d\d[.,]\d{3} --> )")
_MAIL_HEADER = re.compile(
    r"(?:^|\n)(?:From|To|Subject|Date|Message-ID|MIME-Version|Received|Return-Path|Content-Type|Delivered-To):",
    re.IGNORECASE,
)


def detect(path: Path, name: str, declared_type: str | None = None) -> str:
    """The canonical media type of the file at ``path``.

    Bytes decide where they can (a wrong file extension is read for what the bytes are); between text
    formats the name decides, then the declared type. Raises InvalidInput for a file of zero bytes or of
    white space only, UnsupportedFormat for anything else that cannot be read, with the reason.
    """
    with path.open("rb") as file:
        head = file.read(4096)
    if not head:
        raise InvalidInput(f"{name} is empty: it has zero bytes")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_type(path, name)
    if head.startswith(_OLE):
        raise UnsupportedFormat(f"{name} {_ole_reason(path)}")
    if b"%PDF-" in head[:1024]:
        return PDF
    for signature, what in _SIGNATURES:
        if head.startswith(signature):
            raise UnsupportedFormat(f"{name} is {what}, which this version does not read")
    if head[:4] == b"RIFF" and head[8:12] in (b"WAVE", b"WEBP", b"AVI "):
        what = {b"WAVE": "a WAV recording", b"WEBP": "a WebP picture"}.get(head[8:12], "a video")
        raise UnsupportedFormat(f"{name} is {what}, which this version does not read")
    if head[4:8] == b"ftyp":
        raise UnsupportedFormat(f"{name} is a recording in an MP4 container, which this version does not read")
    if len(head) > 2 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0 and head[1] not in (0xFE, 0xFF):
        raise UnsupportedFormat(f"{name} is an MP3 recording, which this version does not read")
    return _text_type(path, name, declared_type)


def _text_type(path: Path, name: str, declared_type: str | None) -> str:
    data = path.read_bytes()
    if not data.strip(b" \t\r\n\v\f\x00"):
        raise InvalidInput(f"{name} is empty: it holds only white space")
    text = decode(data, name)
    if not text.strip():
        raise InvalidInput(f"{name} is empty: it holds only white space")
    controls = sum(1 for character in text if character < " " and character not in "\t\n\v\f\x1b")
    if controls > 0.01 * len(text) + 2:
        raise UnsupportedFormat(f"{name} is binary data of no known format")
    suffix = PurePath(name).suffix.lower()
    declared = (declared_type or "").partition(";")[0].strip().lower()
    wanted = _TEXT_SUFFIXES.get(suffix) or _DECLARED.get(declared)
    start = text[:4096]
    if _SVG_START.match(start):
        raise UnsupportedFormat(f"{name} is an SVG picture, which this version does not read yet")
    if _HTML_START.match(start) and wanted not in (MARKDOWN, EML):
        return HTML
    if _CUES_START.match(start) and wanted in (None, VTT):
        return VTT
    if wanted == EML and not _MAIL_HEADER.search(start):
        return TEXT
    if wanted is None and suffix in (".pdf", ".docx", ".pptx", ".xlsx", ".odt"):
        raise UnsupportedFormat(f"{name} is not a {suffix[1:]} file: its bytes are something else, or damaged")
    if wanted == VTT and "-->" not in text:
        raise UnsupportedFormat(f"{name} has no cues: not a WebVTT or SubRip file")
    return wanted or TEXT


def _zip_type(path: Path, name: str) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            unpacked = sum(entry.file_size for entry in archive.infolist())
            if unpacked > _MOST_UNPACKED:
                raise UnsupportedFormat(
                    f"{name} unpacks to {unpacked / 1e6:,.0f} MB; at most {_MOST_UNPACKED / 1e6:,.0f} MB are read"
                )
            if "mimetype" in names:
                return _open_document_type(archive, names, name)
            for prefix, media_type in _OFFICE_PARTS:
                if "[Content_Types].xml" in names and any(entry.startswith(prefix) for entry in names):
                    return media_type
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError, KeyError) as error:
        raise UnsupportedFormat(f"{name} is damaged: its zip container cannot be read ({error})") from error
    raise UnsupportedFormat(f"{name} is a zip archive that holds no known document")


def _open_document_type(archive: zipfile.ZipFile, names: set[str], name: str) -> str:
    kind = archive.read("mimetype")[:200].decode("ascii", "replace").strip()
    if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read("META-INF/manifest.xml")[:1_000_000]:
        raise UnsupportedFormat(f"{name} is encrypted; save it without a password and try again")
    if kind in (ODT, f"{ODT}-template"):
        return ODT
    raise UnsupportedFormat(f"{name} is of the type {kind!r}, which this version does not read")


def _ole_reason(path: Path) -> str:
    """Which stream names the container holds; they lie in its directory as UTF-16."""
    data = path.read_bytes()
    for stream, reason in _OLE_STREAMS:
        if stream.encode("utf-16-le") in data:
            return reason
    return "is an OLE container of no known kind"
