"""Plain text -> Markdown that reads as the same plain text."""

import re

_LINE_START = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-_]{3,}\s*$|={2,}\s*$|~{3,})", re.MULTILINE)
_ORDERED = re.compile(r"^(\s*\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
_INLINE = re.compile(r"([\\`*\[\]]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?]))")
_ENTITY = re.compile(r"&(?=#?\w+;)")


def escape_text(text: str) -> str:
    """Escapes what CommonMark would read as structure or emphasis; the words stay the same."""
    text = _INLINE.sub(r"\\\1", text)
    text = _ENTITY.sub("&amp;", text)
    text = _LINE_START.sub(r"\1\\\2", text)
    return _ORDERED.sub(r"\1\\\2", text)
