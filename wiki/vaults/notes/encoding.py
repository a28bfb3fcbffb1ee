"""A note's bytes as text that encodes back to the same bytes."""

import codecs
import re
from dataclasses import dataclass

from wiki.documents.yaml_tree import without_surrogates
from wiki.errors import InvalidInput, UnsupportedFormat
from wiki.vaults.model import NoteProblem

_WHOLE_CODECS = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_USUAL = "utf-8"
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DAMAGED = re.compile("[\udc80-\udcff]")
_WIDE = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]")
_LAST_RESORT = "latin-1"
"""Reads every byte and gives it back."""


@dataclass(frozen=True)
class NoteText:
    """The characters of a file, a byte order mark included, with the codec that makes its bytes of them."""

    text: str
    """Bytes that belong to no character are lone surrogates."""
    codec: str
    problem: NoteProblem | None = None

    @property
    def readable(self) -> str:
        """The text with U+FFFD for bytes that belong to no character; as long as ``text``."""
        return without_surrogates(self.text)

    def encode(self, text: str) -> bytes:
        """``text`` in the file's encoding. Raises InvalidInput when the encoding has no sign for one of its characters."""
        try:
            return text.encode(self.codec, "surrogateescape" if self.codec == _USUAL else "strict")
        except UnicodeEncodeError as error:
            letter = text[error.start]
            raise InvalidInput(
                f"the note is written in {self.codec}, which has no {letter!r}: save the note as UTF-8 first"
            ) from None


def decode_note(data: bytes) -> NoteText:
    """The text of a note. Never raises; bytes that are not UTF-8 are a problem.

    A note that is UTF-8 for the most part stays so; another is read in the likeliest encoding.
    """
    try:
        return NoteText(data.decode(), _USUAL)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place = f"byte {error.start} is not UTF-8"
    text = data.decode(errors="surrogateescape")
    if not data.startswith(_MARKS) and len(_WIDE.findall(text)) > len(_DAMAGED.findall(text)):
        return NoteText(text, _USUAL, NoteProblem(place, "mend the characters shown as \ufffd and save the note", line))
    codec = _likeliest(data)
    problem = NoteProblem(f"{place}: the note is read as {codec}", "save the note as UTF-8", line)
    return NoteText(data.decode(codec), codec, problem)


def _likeliest(data: bytes) -> str:
    from wiki.parsing.charsets import CODECS
    from wiki.parsing.encoding import detect_encoding

    try:
        codec = detect_encoding(data, "note")
    except UnsupportedFormat:
        return _LAST_RESORT
    known = {codecs.lookup(name).name for name in (*CODECS, *_WHOLE_CODECS)}
    if codecs.lookup(codec).name not in known:
        return _LAST_RESORT
    try:
        return codec if data.decode(codec).encode(codec) == data else _LAST_RESORT
    except UnicodeError:
        return _LAST_RESORT


def line_end_of(text: str) -> str:
    """The line end most of the text's lines have."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
