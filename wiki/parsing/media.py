"""What a file is: by its bytes first, then by its name and its declared type."""

import re
from pathlib import Path, PurePath

from wiki.errors import InvalidInput, UnsupportedFormat
from wiki.parsing.containers import OLE, ole_type, zip_type
from wiki.parsing.encoding import decode
from wiki.parsing.media_types import (
    CSV,
    DOC,
    EML,
    HTML,
    MARKDOWN,
    PDF,
    SIGNATURES,
    SOUNDS,
    SOURCE,
    SVG,
    TEXT,
    TSV,
    UNREAD,
    VTT,
    XLS,
    XML,
    by_declared,
    by_suffix,
)

_TEXTUAL = frozenset({MARKDOWN, TEXT, CSV, TSV, VTT, HTML, EML, SVG, SOURCE, XML})
"""Types a name or a sender may claim for bytes that are text."""
_BINARY_SUFFIXES = (".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".epub")
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_SVG_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!DOCTYPE\s+svg\b[^>\[]*(?:\[[^\]]*\]\s*)?>\s*)?(?:<!--.*?-->\s*)*"
    r"<(?:svg:)?svg\b",
    re.IGNORECASE | re.DOTALL,
)
_OFFICE_XML = re.compile(r"""<\?mso-application\s+progid=["'](Word\.Document|Excel\.Sheet)["']""")
_CUES_START = re.compile(r"(?:WEBVTT(?:[ \t\n]|\Z)|\s*(?:\d+[ \t]*\n)?(?:\d+:)?\d\d:\d\d[.,]\d{3} --> )")
_MAIL_HEADER = re.compile(
    r"(?:^|\n)(?:From|To|Subject|Date|Message-ID|MIME-Version|Received|Return-Path|Content-Type|Delivered-To):",
    re.IGNORECASE,
)


def detect(path: Path, name: str, declared_type: str | None = None, *, max_unpacked_mb: int = 1_000) -> str:
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
        return zip_type(path, name, max_unpacked_mb)
    if head.startswith(OLE):
        return ole_type(path, name)
    if b"%PDF-" in head[:1024]:
        return PDF
    for signature, media_type in SIGNATURES:
        if signature.match(head):
            return media_type
    for signature, what in UNREAD:
        if signature.match(head):
            raise UnsupportedFormat(f"{name} is {what}, which the wiki does not read")
    return _text_type(path, name, declared_type)


def _text_type(path: Path, name: str, declared_type: str | None) -> str:
    data = path.read_bytes()
    if not data.strip(b" \t\r\n\v\f\x00"):
        raise InvalidInput(f"{name} is empty: it holds only white space")
    suffix = PurePath(name).suffix.lower()
    claimed = by_suffix(suffix)
    text = decode(data, name)
    if not text.strip():
        raise InvalidInput(f"{name} is empty: it holds only white space")
    controls = sum(1 for character in text if character < " " and character not in "\t\n\v\f\x1b")
    if controls > 0.01 * len(text) + 2:
        if claimed in SOUNDS:
            # A recording may begin with anything; whether it is one, the decoder says.
            return claimed
        raise UnsupportedFormat(f"{name} is binary data of no known format")
    wanted = next((kind for kind in (claimed, by_declared(declared_type)) if kind in _TEXTUAL), None)
    start = text[:4096]
    office = _OFFICE_XML.search(start)
    if office and wanted not in (MARKDOWN, SOURCE):
        return DOC if office.group(1) == "Word.Document" else XLS
    if _SVG_START.match(start) and wanted in (None, SVG, XML, TEXT, HTML):
        return SVG
    if _HTML_START.match(start) and wanted not in (MARKDOWN, EML, SOURCE):
        return HTML
    if _CUES_START.match(start) and wanted in (None, VTT):
        return VTT
    if suffix in (".doc", ".mht", ".mhtml") and start.lstrip()[:200].lower().find("mime-version:") >= 0:
        return EML
    if wanted == EML and not _MAIL_HEADER.search(start):
        return TEXT
    if wanted in (SVG, XML) and not start.lstrip("\ufeff \n\t").startswith("<"):
        return TEXT
    if wanted is None and suffix in _BINARY_SUFFIXES:
        raise UnsupportedFormat(f"{name} is no {suffix[1:]} file: its bytes are something else, or damaged")
    if wanted is None and claimed is not None and claimed != DOC and claimed != XLS:
        raise UnsupportedFormat(f"{name} is text, not the {suffix[1:]} file its name says")
    if wanted == VTT and "-->" not in text:
        raise UnsupportedFormat(f"{name} has no cues: not a WebVTT or SubRip file")
    if claimed == XLS:
        # Many programs write tables as text and call them .xls.
        return TSV if "\t" in start else CSV
    if wanted is None and start.lstrip().startswith("<?xml"):
        return XML
    return wanted or TEXT
