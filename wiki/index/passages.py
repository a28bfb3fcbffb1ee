"""Cuts a topic's body into passages that fit the embedding model."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from wiki.index.cutting import Room, TokenRuler, Unit, pack, shorten_context, split_units, trim
from wiki.index.rows import Passage
from wiki.models.protocols import Embedder

SMALLEST_WINDOW = 8
CONTEXT_SHARE = 3
"""Name and heading path take at most a third of the window."""
CHARACTERS_PER_TOKEN = 16
"""Longest passage, in characters per token of the window: to some models a word without end is one token."""


@dataclass(frozen=True)
class TopicText:
    """What is cut: a topic's name, its body, and the 1-based line of the file on which the body starts."""

    name: str
    body: str
    body_line: int = 1
    read: str | None = None
    """The body with spaces where it is neither embedded nor searched, as long as the body; None to read all of it."""
    units: tuple[Unit, ...] | None = None
    """The blocks of what is read, when its parser knows them better than ``split_units``."""

    @property
    def read_body(self) -> str:
        return self.body if self.read is None else self.read


def cut_passages(name: str, body: str, body_line: int, embedder: Embedder) -> tuple[Passage, ...]:
    """The passages of one topic; see ``cut_many``."""
    return cut_many([TopicText(name, body, body_line)], embedder)[0]


def cut_many(topics: Sequence[TopicText], embedder: Embedder) -> list[tuple[Passage, ...]]:
    """The passages of each topic, in order. Tokens are counted for all topics at once.

    A passage's ``embedded_text`` (name, headings above it, text) holds at most ``embedder.max_tokens`` tokens. A
    body that fits stays whole. A longer one is cut before headings and between blocks; only a block that alone is
    too long is cut inside (at lines or sentences, then words), with an overlap, or, for a table, with its header
    repeated. Every character of the body that is not blank lies in some passage. An empty body gives one passage
    that holds the name alone.
    """
    whole = [_whole(topic) for topic in topics]
    counts = embedder.count_tokens([passage.embedded_text for passage in whole])
    return [
        (passage,)
        if count <= embedder.max_tokens and len(passage.text) <= _characters(embedder)
        else _cut(topic, embedder)
        for topic, passage, count in zip(topics, whole, counts, strict=True)
    ]


def _whole(topic: TopicText) -> Passage:
    start, end = trim(topic.body, 0, len(topic.body))
    text, read = topic.body[start:end], _read(topic, start, end)
    first = topic.body_line + topic.body.count("\n", 0, start)
    last, shown = first + text.count("\n"), _shown(topic, start, end)
    return _passage(0, (), text, read, _context(topic.name, (), read), first, last, shown)


def _cut(topic: TopicText, embedder: Embedder) -> tuple[Passage, ...]:
    ruler = TokenRuler(topic.read_body, embedder)
    units = split_units(topic.body) if topic.units is None else topic.units
    window = limit = embedder.max_tokens
    while True:
        passages = _pack(topic, units, ruler, embedder, window)
        worst = max(embedder.count_tokens([passage.embedded_text for passage in passages]))
        if worst <= limit or window <= SMALLEST_WINDOW:
            return passages
        window = max(SMALLEST_WINDOW, min(window - 1, window * limit // worst))


def _pack(
    topic: TopicText, units: Sequence[Unit], ruler: TokenRuler, embedder: Embedder, window: int
) -> tuple[Passage, ...]:
    @cache
    def context(path: tuple[str, ...]) -> tuple[str, ...]:
        return shorten_context(_context(topic.name, path, ""), max(1, window // CONTEXT_SHARE), embedder)

    @cache
    def room(path: tuple[str, ...]) -> Room:
        taken = ruler.overhead + ruler.count("\n".join(context(path)))
        return Room(max(1, window - taken), _characters(embedder))

    passages: list[Passage] = []
    place, line = 0, topic.body_line
    for cut in pack(topic.read_body, units, ruler, room):
        start, end = trim(topic.body, cut.start, cut.end)
        if start == end:
            continue
        line += topic.body.count("\n", place, start) if start >= place else -topic.body.count("\n", start, place)
        place = start
        text, read = cut.prefix + topic.body[start:end], cut.prefix + _read(topic, start, end)
        last = line + topic.body.count("\n", start, end)
        shown = cut.prefix + _shown(topic, start, end)
        passages.append(_passage(len(passages), cut.path, text, read, context(cut.path), line, last, shown))
    return tuple(passages) or (_passage(0, (), "", "", context(()), topic.body_line, topic.body_line, ""),)


def _read(topic: TopicText, start: int, end: int) -> str:
    """What of the body's ``[start, end)`` is read, without blank lines at either end."""
    if topic.read is None:
        return topic.body[start:end]
    start, end = trim(topic.read, start, end)
    return topic.read[start:end]


def _shown(topic: TopicText, start: int, end: int) -> str:
    text = topic.body[start:end]
    return text if topic.read is None else without_unread(text, topic.read[start:end]).strip("\n")


def without_unread(text: str, read: str) -> str:
    """``text`` without the parts that are spaces in ``read``, which is as long, and without the gaps they leave."""
    if text == read:
        return text
    kept: list[str] = []
    gap = ""
    last = "\n"
    left_out = False
    for character, other in zip(text, read, strict=True):
        if character != other:
            left_out, gap = True, ""
        elif left_out and character.isspace():
            gap += character
        else:
            if left_out:
                kept.append(gap.lstrip(last) if last.isspace() else gap)
                left_out, gap = False, ""
            kept.append(character)
            last = character
    return "".join(kept)


def _context(name: str, path: Sequence[str], text: str) -> tuple[str, ...]:
    """What stands above ``text`` when it is embedded: the name once, though a heading may say it too."""
    parts = (name, *path) if name else tuple(path)
    if len(parts) > 1 and _same(parts[1], name):
        parts = parts[1:]
    return parts[1:] if len(parts) == 1 and _opens_with(text, name) else parts


def _opens_with(text: str, name: str) -> bool:
    line = text.split("\n", 1)[0].lstrip()
    return line.startswith("#") and _same(line.strip("# \t"), name)


def _same(heading: str, name: str) -> bool:
    return heading.strip().casefold() == name.strip().casefold()


def _passage(
    ordinal: int,
    path: tuple[str, ...],
    text: str,
    read: str,
    context: Sequence[str],
    first: int,
    last: int,
    shown: str,
) -> Passage:
    embedded = "\n".join([*context, read] if read else context)
    digest = hashlib.sha256(embedded.encode("utf-8", "surrogatepass")).hexdigest()
    return Passage(ordinal, path, text, read, embedded, digest, first, last, shown)


def _characters(embedder: Embedder) -> int:
    return embedder.max_tokens * CHARACTERS_PER_TOKEN
