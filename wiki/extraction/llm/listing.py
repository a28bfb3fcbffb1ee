"""A document as numbered blocks for a model to read. What is shown may be shortened; the document itself never is."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wiki.extraction.llm.tokens import count_tokens
from wiki.extraction.words import count_words
from wiki.parsing.blocks import Block

PREFIX_TOKENS = 18
"""Of an entry: its number and what is said of it."""

_RUN = re.compile(r"[A-Za-z0-9+/=_-]{40,}")
_SPACES = re.compile(r"[ \t]{3,}")
_NUMBER = re.compile(r"^\s*\[(?=\d)")
_TEMPLATE_MARK = re.compile(r"<\||\|>|\[(?=/?INST\])")


@dataclass(frozen=True)
class Entry:
    """Blocks ``[start, end)`` under one number."""

    start: int
    end: int
    text: str
    """All of it, made safe to stand between the delimiters."""
    tokens: int
    """Of the text, whole."""

    def cost(self, limit: int) -> int:
        """Tokens when shown with at most ``limit`` tokens of text."""
        return PREFIX_TOKENS + min(self.tokens, limit)

    def shown(self, note: str, limit: int) -> str:
        """One entry of the listing: number, note, and the text, left out in the middle as far as the limit asks."""
        mark = f"[{self.start} | {note}]" if note else f"[{self.start}]"
        return f"{mark} {shortened(self.text, self.tokens, limit)}"


def entries_of(blocks: Sequence[Block], gather: int, breaks: AbstractSet[int]) -> list[Entry]:
    """The document as entries that cover every block once, in order.

    Blank blocks and rules go with what is before them. ``gather`` 0 gives each block an entry; else short ones are put
    together until they have so many words, but never over a start in ``breaks``.
    """
    starts: list[int] = []
    size = 0
    filled = False
    for at, block in enumerate(blocks):
        empty = block.kind in ("blank", "rule") or not block.text.strip()
        fresh = not starts or (at in breaks and filled) or (not empty and filled and size >= gather)
        if fresh:
            starts.append(at)
            size, filled = 0, False
        if not empty:
            filled = True
            size += max(1, count_words(block.text)) if gather else 0
    bounds = [*starts, len(blocks)]
    return [_entry(blocks, low, high) for low, high in pairwise(bounds)]


def _entry(blocks: Sequence[Block], start: int, end: int) -> Entry:
    text = as_data("".join(block.text for block in blocks[start:end]))
    return Entry(start, end, text, count_tokens(text))


def as_data(text: str) -> str:
    """``text`` so that nothing in it can pass for a delimiter, an entry's number or a chat template's mark."""
    text = _RUN.sub(_without_noise, text)
    lines = [_SPACES.sub("  ", _without_controls(line)).rstrip() for line in text.splitlines()]
    safe = "\n  ".join(_NUMBER.sub("(", line) for line in lines if line.strip())
    safe = safe.replace("<<<", "‹‹‹").replace(">>>", "›››")
    return _TEMPLATE_MARK.sub(lambda found: " ".join(found.group()) if len(found.group()) > 1 else "(", safe).strip()


def _without_noise(run: re.Match[str]) -> str:
    """The ends of a digest or of encoded data: many tokens that say nothing."""
    text = run.group()
    return f"{text[:24]}…{text[-6:]}" if any(char.isdigit() for char in text) else text


def _without_controls(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(char for char in line if char == "\t" or unicodedata.category(char) not in ("Cc", "Cs"))


def shortened(text: str, tokens: int, limit: int) -> str:
    """``text`` in about ``limit`` tokens: two thirds from its start, one from its end."""
    if tokens <= limit:
        return text
    room = max(2, len(text) * limit // max(1, tokens) - 3)
    head = room * 2 // 3
    return f"{text[:head].rstrip()} … {text[len(text) - (room - head) :].lstrip()}"


def limit_for(entries: Sequence[Entry], room: int) -> int:
    """The most tokens of text each entry may show so that all fit into ``room``; at least 1."""
    tokens = np.array([entry.tokens for entry in entries], np.int64)
    low, high = 1, max(1, int(tokens.max(initial=1)))
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(tokens, middle).sum()) + PREFIX_TOKENS * len(tokens) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def noted(entries: Sequence[Entry], notes: Mapping[int, str], limit: int) -> str:
    """The listing, an entry a line (further lines of its text are indented)."""
    return "\n".join(entry.shown(notes.get(entry.start, ""), limit) for entry in entries)
