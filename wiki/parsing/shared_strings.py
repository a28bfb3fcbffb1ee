"""A workbook's table of strings, and how Office writes characters that XML cannot hold."""

from __future__ import annotations

import re
from typing import IO
from xml.parsers import expat

CHUNK_BYTES = 256 * 1024
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_UNSEEN = frozenset(range(32)) - {9, 10, 13}


class LocalNames(dict[str, str]):
    """Tags as written -> their names without the prefix, which any writer may choose."""

    def __missing__(self, tag: str) -> str:
        name = self[tag] = tag.rpartition(":")[2]
        return name


def read_strings(stream: IO[bytes]) -> list[str]:
    """The strings in order, rich ones without their styles, without the phonetic guides of Asian scripts."""
    strings: list[str] = []
    parts: list[str] = []
    words: list[str] = []
    names = LocalNames()
    phonetic = False

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal phonetic
        words.clear()
        if names[tag] == "si":
            parts.clear()
        elif names[tag] == "rPh":
            phonetic = True

    def end(tag: str) -> None:
        nonlocal phonetic
        name = names[tag]
        if name == "t" and not phonetic:
            parts.append("".join(words))
        elif name == "si":
            strings.append(unescaped("".join(parts)))
        elif name == "rPh":
            phonetic = False

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, words.append
    while data := stream.read(CHUNK_BYTES):
        parser.Parse(data, False)
    parser.Parse(b"", True)
    return strings


def unescaped(text: str) -> str:
    """``_x000D_`` as the character it stands for, a control character as nothing; ``_x005F_`` is an underscore."""
    if "_x" not in text:
        return text
    plain = _ESCAPED.sub(_character, text)
    # Characters beyond the first 65,536 are written as two.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return "" if code in _UNSEEN else chr(code)
