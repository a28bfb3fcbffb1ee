"""Header lines of a mail -> their words, whatever charset they were written in."""

import base64
import binascii
import quopri
import re
from email.message import Message

from wiki.errors import WikiError
from wiki.parsing.encoding import decode, normalise

_WORD = re.compile(r"=\?([^?\s]+)\?([bBqQ])\?([^?]*)\?=")
_BETWEEN = re.compile(r"(?<=\?=)\s+(?==\?)")
_CODECS = {
    "iso-8859-1": "cp1252",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "iso-8859-8-i": "iso8859_8",
    "iso-2022-jp": "iso2022_jp_ext",
    "unicode-1-1-utf-7": "utf-7",
    "x-mac-roman": "mac_roman",
}
_MANY_BYTES = ("cp932", "gb18030", "big5", "euc", "cp949", "iso2022", "utf")


def header(message: Message, name: str) -> str:
    """The first header of that name on one line, encoded words decoded; empty when there is none."""
    raw = next((str(value) for key, value in message.raw_items() if key.casefold() == name.casefold()), "")
    return header_words(raw)


def header_words(raw: str) -> str:
    """A header's text: raw bytes beyond ASCII detected, RFC 2047 words decoded, folds undone."""
    data = raw.encode("utf-8", "surrogateescape")
    try:
        text = raw if raw.isascii() else decode(data, "header")
    except WikiError:
        text = data.decode("utf-8", "replace")
    text = _BETWEEN.sub("", " ".join(text.split()))
    return " ".join(normalise(_decoded(text)).split())


def charset_text(data: bytes, charset: str | None, name: str) -> str:
    """Bytes of a mail part as text: by the declared charset when it fits, else by what the bytes look like.

    Raises UnsupportedFormat when nothing fits.
    """
    codec = _CODECS.get((charset or "").lower(), (charset or "").lower())
    if b"\x1b$" in data and codec in ("", "ascii", "us-ascii", "cp1252"):
        codec = "iso2022_jp_ext"
    if codec and not (not data.isascii() and not codec.startswith(_MANY_BYTES) and _fits(data, "utf-8")):
        if _fits(data, codec):
            return normalise(data.decode(codec))
    return decode(data, name)


def _fits(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except (UnicodeError, LookupError, ValueError):
        return False
    return True


def _decoded(text: str) -> str:
    """Encoded words as text; neighbours of one charset are joined first, as senders cut inside a character."""
    parts: list[str] = []
    held, held_codec, at = b"", "", 0
    for match in _WORD.finditer(text):
        charset = match.group(1).partition("*")[0].lower()
        if held and (match.start() != at or charset != held_codec):
            parts.append(_word(held, held_codec))
            held = b""
        parts.append(text[at : match.start()])
        held, held_codec, at = held + _bytes(match.group(2), match.group(3)), charset, match.end()
    if held:
        parts.append(_word(held, held_codec))
    return "".join(parts) + text[at:]


def _bytes(kind: str, written: str) -> bytes:
    if kind in "qQ":
        return quopri.decodestring(written.replace("_", " ").encode("utf-8"), header=False)
    try:
        return base64.b64decode(written + "=" * (-len(written) % 4)) or written.encode("utf-8")
    except (binascii.Error, ValueError):
        return written.encode("utf-8")


def _word(data: bytes, charset: str) -> str:
    try:
        return charset_text(data, charset, "header")
    except WikiError:
        return data.decode("utf-8", "replace")
