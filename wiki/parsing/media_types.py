"""The media types the wiki knows: their names, file extensions, other names and first bytes."""

import re

MARKDOWN = "text/markdown"
TEXT = "text/plain"
CSV = "text/csv"
TSV = "text/tab-separated-values"
VTT = "text/vtt"
SOURCE = "text/x-source"
"""Program code, JSON, YAML and other text whose line breaks count."""
XML = "application/xml"
HTML = "text/html"
EML = "message/rfc822"
MSG = "application/vnd.ms-outlook"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
EPUB = "application/epub+zip"
DOC = "application/msword"
XLS = "application/vnd.ms-excel"
PPT = "application/vnd.ms-powerpoint"
RTF = "application/rtf"
PNG = "image/png"
JPEG = "image/jpeg"
WEBP = "image/webp"
GIF = "image/gif"
TIFF = "image/tiff"
BMP = "image/bmp"
SVG = "image/svg+xml"
MP3 = "audio/mpeg"
WAV = "audio/wav"
M4A = "audio/mp4"
FLAC = "audio/flac"
OGG = "audio/ogg"

PICTURES = frozenset({PNG, JPEG, WEBP, GIF, TIFF, BMP})
SOUNDS = frozenset({MP3, WAV, M4A, FLAC, OGG})

EXTENSIONS: dict[str, tuple[str, ...]] = {
    MARKDOWN: (".md", ".markdown", ".mdown"),
    TEXT: (".txt", ".text", ".log"),
    CSV: (".csv",),
    TSV: (".tsv", ".tab"),
    VTT: (".vtt", ".srt"),
    HTML: (".html", ".htm", ".xhtml"),
    EML: (".eml", ".mht", ".mhtml"),
    MSG: (".msg",),
    PDF: (".pdf",),
    DOCX: (".docx", ".docm", ".dotx"),
    DOC: (".doc", ".dot"),
    RTF: (".rtf",),
    ODT: (".odt", ".ott"),
    XLSX: (".xlsx", ".xlsm", ".xltx"),
    XLS: (".xls", ".xlt"),
    ODS: (".ods", ".ots"),
    PPTX: (".pptx", ".pptm", ".ppsx", ".potx"),
    PPT: (".ppt", ".pps"),
    ODP: (".odp", ".otp"),
    EPUB: (".epub",),
    PNG: (".png",),
    JPEG: (".jpg", ".jpeg"),
    WEBP: (".webp",),
    GIF: (".gif",),
    TIFF: (".tif", ".tiff"),
    BMP: (".bmp",),
    SVG: (".svg",),
    MP3: (".mp3",),
    WAV: (".wav",),
    M4A: (".m4a", ".mp4", ".aac"),
    FLAC: (".flac",),
    OGG: (".ogg", ".oga", ".opus"),
    XML: (".xml",),
    SOURCE: tuple(
        ".json .jsonl .ndjson .geojson .yaml .yml .toml .ini .cfg .conf .py .ipynb .js .mjs .ts .tsx .jsx .java .c .h "
        ".cc .cpp .hpp .cs .go .rs .rb .php .swift .kt .scala .r .jl .lua .pl .sh .bash .zsh .ps1 .bat .sql .css .scss "
        ".vue .tex .bib .diff .patch .proto .graphql .tf .gradle .m .f90 .hs .ml .ex .erl .clj".split()
    ),
}
_DECLARED: dict[str, tuple[str, ...]] = {
    MARKDOWN: ("text/x-markdown",),
    CSV: ("application/csv", "text/comma-separated-values"),
    TSV: ("text/tsv",),
    VTT: ("application/x-subrip", "text/srt"),
    HTML: ("application/xhtml+xml",),
    EML: ("multipart/related",),
    XML: ("text/xml",),
    SOURCE: (
        "application/json",
        "application/x-ndjson",
        "application/yaml",
        "application/x-yaml",
        "text/yaml",
        "application/toml",
        "text/x-python",
        "text/x-script.python",
        "application/javascript",
        "text/javascript",
        "text/css",
        "application/sql",
        "application/x-sh",
        "text/x-c",
        "text/x-java-source",
    ),
}


def _starts(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.DOTALL)


SIGNATURES: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (_starts(rb"\x89PNG\r\n\x1a\n"), PNG),
    (_starts(rb"\xff\xd8\xff"), JPEG),
    (_starts(rb"GIF8[79]a"), GIF),
    (_starts(rb"II\*\x00|MM\x00\*"), TIFF),
    (_starts(rb"BM.{4}\x00\x00\x00\x00"), BMP),
    (_starts(rb"RIFF.{4}WEBP"), WEBP),
    (_starts(rb"RIFF.{4}WAVE|RF64.{4}WAVE"), WAV),
    (_starts(rb"fLaC"), FLAC),
    (_starts(rb"OggS"), OGG),
    (_starts(rb"ID3"), MP3),
    (_starts(rb".{4}ftyp(?!heic|heix|mif1|msf1|avif)"), M4A),
    (_starts(rb"\xff[\xf0\xf1\xf8\xf9]"), M4A),
    (_starts(rb"\xff[\xe2-\xe7\xf2-\xf7\xfa-\xfd]"), MP3),
    (_starts(rb"\s*\{\\rtf"), RTF),
    (_starts(rb"\xdb\xa5-\x00|\x9b\xa5!\x00"), DOC),
    (_starts(rb"\x09[\x00\x02\x04\x08][\x04\x06\x08]\x00[\x00-\x07]\x00[\x00-\x41]\x00"), XLS),
)
"""First bytes that say what a file is. An ADTS stream (``FF F1``) is the sound of an M4A without its box."""

UNREAD: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (_starts(rb".{4}ftyp"), "a HEIF picture"),
    (_starts(rb"\x1f\x8b"), "a gzip archive"),
    (_starts(rb"7z\xbc\xaf\x27\x1c"), "a 7z archive"),
    (_starts(rb"Rar!\x1a\x07"), "a RAR archive"),
    (_starts(rb"BZh[1-9]1AY"), "a bzip2 archive"),
    (_starts(rb"\xfd7zXZ\x00"), "an xz archive"),
    (_starts(rb"\x7fELF|MZ.{58}"), "a program"),
    (_starts(rb"SQLite format 3\x00"), "a SQLite database"),
    (_starts(rb"RIFF.{4}AVI "), "a video"),
    (_starts(rb"\x1aE\xdf\xa3"), "a Matroska or WebM video"),
    (_starts(rb"PAR1"), "a Parquet table"),
)

_BY_SUFFIX = {suffix: kind for kind, suffixes in EXTENSIONS.items() for suffix in suffixes}
_BY_DECLARED = {
    **{kind: kind for kind in EXTENSIONS},
    **{name: kind for kind, names in _DECLARED.items() for name in names},
}


def by_suffix(suffix: str) -> str | None:
    """The media type a file extension (``.md``) stands for."""
    return _BY_SUFFIX.get(suffix.lower())


def by_declared(declared: str | None) -> str | None:
    """The canonical name of a declared media type; None for ``text/plain``, which senders say of any text."""
    name = (declared or "").partition(";")[0].strip().lower()
    return None if name == TEXT else _BY_DECLARED.get(name)
