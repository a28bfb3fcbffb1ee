"""A document spread over as few calls as its size asks for, shortened only where it would need too many.

All windows are planned before the first is asked, so they can be asked at the same time: the headings, which every
window is told with its place among them, are known from the start and tell a window more than the model's account of
the ones before it could. Where a document has no headings, a topic may be cut in two at a window's edge; the last call,
which sees the topics of all, joins such parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from wiki.errors import ConfigurationError
from wiki.extraction.llm.listing import Entry, entries_of, limit_for
from wiki.extraction.llm.structure import Known
from wiki.parsing.blocks import Block

MOST_WINDOWS = 5
MOST_TOKENS = 400_000
"""Shown of one document in all: so many windows of 80,000. Models with a smaller window are asked more often."""
MOST_REPLY_TOKENS = 8_000
LEAST_REPLY_TOKENS = 600
LEAST_ROOM = 500
TOKENS_PER_TOPIC = 150
"""Of a reply."""
LEAST_ENTRY = 24
"""Tokens of text an entry should have at the least; short blocks are put together rather than shown with less."""


@dataclass(frozen=True)
class Budget:
    """How the tokens of one call are shared out."""

    room: int
    """For the numbered blocks."""
    reply: int
    most_windows: int

    @property
    def most_topics(self) -> int:
        return max(4, self.reply // TOKENS_PER_TOPIC - 2)


def budget_of(context_tokens: int, prompt_tokens: int, most_reply_tokens: int = MOST_REPLY_TOKENS) -> Budget:
    """``prompt_tokens``: of everything but the blocks. Raises ConfigurationError when no room is left for text."""
    reply = min(most_reply_tokens, max(LEAST_REPLY_TOKENS, context_tokens // 8))
    room = int((context_tokens - prompt_tokens - reply) * 0.97)
    if room < LEAST_ROOM:
        needed = int(prompt_tokens + LEAST_REPLY_TOKENS + LEAST_ROOM / 0.97) + 1
        raise ConfigurationError(
            f"llm.context_tokens = {context_tokens} leaves no room for a document's text: instructions, categories and "
            f"the reply need {needed} at least. Raise it to the size of the model's context, or set extraction.method "
            "to outline"
        )
    return Budget(room, reply, max(MOST_WINDOWS, MOST_TOKENS // context_tokens))


@dataclass(frozen=True)
class Window:
    """What one call shows: entries in a row."""

    entries: tuple[Entry, ...]
    limit: int
    """Tokens of text each entry may show."""
    wanted: tuple[Known, ...]
    """Topics of the document's own headings that are to be described."""

    @property
    def first(self) -> int:
        return self.entries[0].start

    @property
    def last(self) -> int:
        """The number of its last entry."""
        return self.entries[-1].start

    @property
    def end(self) -> int:
        """One past its last block."""
        return self.entries[-1].end

    @property
    def shortened(self) -> int:
        """How many entries are not shown whole."""
        return sum(entry.tokens > self.limit for entry in self.entries)


def plan(blocks: Sequence[Block], known: Sequence[Known], budget: Budget) -> list[Window]:
    """The windows, in order, covering every block once; at most ``budget.most_windows``."""
    largest = sorted(known, key=lambda topic: (-topic.words, topic.start))
    breaks = {topic.start for topic in largest[: budget.most_topics * budget.most_windows]}
    room = budget.room * budget.most_windows
    gather = 0
    entries = entries_of(blocks, gather, breaks)
    while len(entries) * (LEAST_ENTRY + 18) > room and gather < 1_000_000:
        gather = max(40, gather * 2)
        if gather > 5_000:
            breaks = set()
        entries = entries_of(blocks, gather, breaks)
    while True:
        limit = min(limit_for(entries, room), max(LEAST_ENTRY, budget.room // 4))
        groups = _grouped(entries, limit, known, budget.room)
        if len(groups) <= budget.most_windows:
            break
        room = int(room * 0.95)
    return [_window(group, limit, known, budget.most_topics) for group in groups]


def _grouped(entries: Sequence[Entry], limit: int, known: Sequence[Known], room: int) -> list[list[Entry]]:
    """Entries in runs of about the same size, none over ``room``, cut where a topic of a high level starts."""
    depth = {topic.start: topic.depth for topic in known}
    costs = [entry.cost(limit) for entry in entries]
    left = sum(costs)
    count = max(1, -(-left // room))
    groups: list[list[Entry]] = []
    at = 0
    while at < len(entries):
        if left <= room:
            groups.append(list(entries[at:]))
            break
        share = left / max(2, count - len(groups))
        size, stop = 0, at
        choices: list[tuple[float, int]] = []
        while stop < len(entries) and size + costs[stop] <= room:
            size += costs[stop]
            stop += 1
            if stop < len(entries) and abs(size - share) <= 0.2 * share:
                choices.append((depth.get(entries[stop].start, 7) + abs(size - share) / share, stop))
        stop = min(choices)[1] if choices else max(stop, at + 1)
        groups.append(list(entries[at:stop]))
        left -= sum(costs[at:stop])
        at = stop
    return groups


def _window(entries: Sequence[Entry], limit: int, known: Sequence[Known], most: int) -> Window:
    starts = {entry.start for entry in entries}
    here = sorted((topic for topic in known if topic.start in starts), key=lambda topic: (-topic.words, topic.start))
    return Window(tuple(entries), limit, tuple(sorted(here[:most], key=lambda topic: topic.start)))
