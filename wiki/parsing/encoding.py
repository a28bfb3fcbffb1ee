"""Bytes -> text: the encoding is found from the whole file, never from its first part."""

import codecs
import re

from charset_normalizer import from_bytes

from wiki.errors import UnsupportedFormat
from wiki.parsing.charsets import likeliest, plausibility, telling_part

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Rather a refusal than characters nobody wrote.
_LEAST_PLAUSIBLE = -0.5
_STATISTICS_BYTES = 256 * 1024
_DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
# What browsers read these declarations as.
_ALIASES = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "macintosh": "mac_roman",
    "x-mac-roman": "mac_roman",
}


def decode(data: bytes, name: str) -> str:
    """The text of a file, with ``\\n`` line ends and without byte order mark and NUL.

    Raises UnsupportedFormat when no encoding reads the bytes as text.
    """
    return normalise(data.decode(detect_encoding(data, name)))


def normalise(text: str) -> str:
    """Line ends as ``\\n``; no byte order mark, no NUL, no lone surrogate."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return text.encode("utf-8", "replace").decode("utf-8") if _has_surrogates(text) else text


def detect_encoding(data: bytes, name: str) -> str:
    """A codec that decodes all of ``data`` without error, the likeliest one."""
    for mark, codec in _MARKS:
        if data.startswith(mark) and _decodes(data, codec):
            return codec
    wide = _wide(data)
    if wide:
        return wide
    if _decodes(data, "utf-8"):
        return "utf-8"
    # The statistics of charset-normalizer decide between close candidates; long files need only a part of them.
    best = from_bytes(telling_part(data)[:_STATISTICS_BYTES]).best()
    likely = likeliest(data, best.encoding if best else None)
    if likely is not None:
        return likely
    if best is not None and _decodes(data, best.encoding):
        sample = telling_part(data)
        high = sum(byte > 0x7F for byte in sample)
        if plausibility(sample.decode(best.encoding, "ignore"), high) > _LEAST_PLAUSIBLE:
            return best.encoding
    raise UnsupportedFormat(f"{name}: no text encoding fits these bytes; save the file as UTF-8 and try again")


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: most of the bytes at odd (or even) places are zero."""
    pairs = len(data) // 2
    if pairs < 2 or len(data) % 2:
        return None
    high, low = data[1::2].count(0), data[0::2].count(0)
    if high > 0.4 * pairs and low < 0.02 * pairs and _decodes(data, "utf-16-le"):
        return "utf-16-le"
    if low > 0.4 * pairs and high < 0.02 * pairs and _decodes(data, "utf-16-be"):
        return "utf-16-be"
    return None


def _decodes(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except (UnicodeDecodeError, LookupError):
        return False
    return True


def _has_surrogates(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def decode_html(data: bytes, name: str) -> str:
    """The text of a page. Bytes that are valid UTF-8 are UTF-8; else the declared charset when it
    decodes every byte; else whatever the bytes themselves look like."""
    if not _decodes(data, "utf-8") and not data.startswith(tuple(mark for mark, _ in _MARKS)):
        declared = _DECLARED.search(data[:8192])
        codec = declared.group(1).decode("ascii").lower() if declared else ""
        codec = _ALIASES.get(codec, codec)
        if codec and not codec.startswith("utf") and _decodes(data, codec):
            return normalise(data.decode(codec))
    return decode(data, name)
