"""Plain text -> Markdown that reads as the same plain text."""

import re

_LINE_START = re.compile(
    r"^(\s*)(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-_]{3,}\s*$|=+\s*$|~{3,}|[|:](?=[-|: ]*-[-|: ]*$)|-(?=[-|: ]*\|[-|: ]*$))",
    re.MULTILINE,
)
_ORDERED = re.compile(r"^(\s*\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
_INLINE = re.compile(r"([\\`*\[\]]|(?<!\w)_|_(?!\w)|~(?=~)|<(?=[A-Za-z/!?]))")
_ENTITY = re.compile(r"&(?=#?\w+;)")


def escape_text(text: str) -> str:
    """Escapes what CommonMark would read as structure or emphasis; the words stay the same."""
    return escape_line_starts(escape_inline(text))


def escape_inline(text: str) -> str:
    """Escapes emphasis, links, code, tags and entities only: for a part of a line."""
    return _ENTITY.sub("&amp;", _INLINE.sub(r"\\\1", text))


def escape_line_starts(markdown: str) -> str:
    """Escapes what at the start of a line would be a heading, a list, a quote, a rule or a table."""
    return _ORDERED.sub(r"\1\\\2", _LINE_START.sub(r"\1\\\2", markdown))
