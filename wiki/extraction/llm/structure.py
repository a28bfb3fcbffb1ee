"""Sections out of the document's own headings and a model's proposals. Whatever is proposed, they partition it."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from wiki.extraction.llm.proposal import TopicNote
from wiki.extraction.names import bare_number
from wiki.extraction.sections import LONGEST_NAME, MAX_DEPTH, Section, join_small, sections_of
from wiki.extraction.words import count_words
from wiki.parsing.blocks import Block
from wiki.settings import ExtractionSettings


@dataclass(frozen=True)
class Known:
    """A topic that the document's own headings give: blocks ``[start, end)``, without its children's."""

    start: int
    end: int
    depth: int
    name: str
    """From the heading; empty for text without one."""
    words: int

    @property
    def needs_name(self) -> bool:
        return not self.name or bare_number(self.name)


@dataclass(frozen=True)
class Structure:
    """Top-level sections, names filled in where there are any, and how much of what was proposed had to be mended."""

    roots: list[Section]
    notes: dict[int, TopicNote]
    """By the start of the topic they are about."""
    repairs: int


def known_topics(blocks: Sequence[Block], settings: ExtractionSettings, title: str) -> list[Known]:
    """The topics of the headings in reading order, small ones joined. They cover every block once."""
    found: list[Known] = []

    def add(sections: Sequence[Section], depth: int) -> None:
        for section in sections:
            found.append(Known(section.start, section.end, depth, section.name, section.words))
            add(section.children, depth + 1)

    add(join_small(sections_of(blocks), settings, title), 1)
    return found


class Builder:
    """Puts one document's sections together."""

    def __init__(self, blocks: Sequence[Block], known: Sequence[Known], settings: ExtractionSettings) -> None:
        self._known = known
        self._starts = [topic.start for topic in known]
        self._own = set(self._starts)
        self._settings = settings
        self._count = len(blocks)
        self._blocks = blocks
        words = (0 if block.kind == "heading" else count_words(block.text) for block in blocks)
        self._words = [0, *accumulate(words)]
        self._repairs = 0

    def build(self, notes: Sequence[TopicNote], joined: Sequence[int]) -> Structure:
        """Sections for ``notes``, each start once and in order. ``joined`` starts go to the topic before them, where
        that is their neighbour or parent and the two are not too long together."""
        self._repairs = 0
        said = self._settled(notes)
        chosen = self._chosen(list(said))
        levels = {start: self._level(start, said) for start in chosen}
        gone = self._gone(chosen, levels, joined)
        bounds = [start for start in chosen if start not in gone]
        return Structure(self._nested(bounds, levels, said, gone), said, self._repairs)

    def _settled(self, notes: Sequence[TopicNote]) -> dict[int, TopicNote]:
        """The notes by start. One that starts right behind a heading is moved to it, if nothing is said of that yet."""
        said = {note.start: note for note in notes}
        for note in notes:
            start = note.start
            while start not in self._own and self._follows_heading(start):
                start -= 1
            if start != note.start:
                self._repairs += 1
                moved = said.pop(note.start)
                said.setdefault(start, replace(moved, start=start))
        return said

    def _follows_heading(self, start: int) -> bool:
        """Whether nothing but blank blocks lie between it and a heading before it, or it is such a blank block."""
        before = start - 1
        while before > 0 and self._blocks[before].kind == "blank":
            before -= 1
        return self._blocks[before].kind == "heading"

    def _span(self, start: int, end: int) -> int:
        return self._words[end] - self._words[start]

    def _owner(self, start: int) -> Known:
        """The topic of a heading that block ``start`` lies in."""
        return self._known[bisect_right(self._starts, start) - 1]

    def _chosen(self, proposed: Sequence[int]) -> list[int]:
        """Every known start, and those proposed ones that leave no topic too small."""
        least = self._settings.min_topic_words
        chosen: list[int] = []
        for start in sorted(self._own | set(proposed)):
            if start in self._own:
                chosen.append(start)
                continue
            after = self._owner(start).end
            if self._span(chosen[-1], start) >= least and self._span(start, after) >= least:
                chosen.append(start)
            else:
                self._repairs += 1
        return chosen

    def _level(self, start: int, said: dict[int, TopicNote]) -> int:
        owner = self._owner(start)
        if owner.start == start:
            return owner.depth
        lowest = min(MAX_DEPTH, owner.depth + 1 if owner.name else owner.depth)
        level = said[start].level or lowest
        self._repairs += level < lowest
        return max(lowest, level)

    def _gone(self, chosen: Sequence[int], levels: dict[int, int], joined: Sequence[int]) -> set[int]:
        gone: set[int] = set()
        words = {low: self._span(low, high) for low, high in zip(chosen, [*chosen[1:], self._count], strict=True)}
        for start in sorted(set(joined)):
            at = bisect_left(chosen, start)
            if at == 0 or at == len(chosen) or chosen[at] != start:
                self._repairs += 1
                continue
            before = at - 1
            while chosen[before] in gone:
                before -= 1
            target = chosen[before]
            has_children = at + 1 < len(chosen) and levels[chosen[at + 1]] > levels[start]
            if has_children or levels[target] > levels[start]:
                self._repairs += 1
            elif words[target] + words[start] > self._settings.max_topic_words:
                self._repairs += 1
            else:
                words[target] += words[start]
                gone.add(start)
        return gone

    def _nested(
        self, bounds: Sequence[int], levels: dict[int, int], said: dict[int, TopicNote], gone: set[int]
    ) -> list[Section]:
        roots: list[Section] = []
        above: list[tuple[int, Section]] = []
        for start, end in zip(bounds, [*bounds[1:], self._count], strict=True):
            level = levels[start]
            while above and above[-1][0] >= level:
                above.pop()
            absorbed = any(start < other < end for other in gone)
            section = Section(self._name(start, said.get(start), absorbed), start, end, self._span(start, end))
            (above[-1][1].children if above else roots).append(section)
            if level != len(above) + 1 and self._owner(start).start != start:
                self._repairs += 1
            above.append((level, section))
        return roots

    def _name(self, start: int, note: TopicNote | None, absorbed: bool) -> str:
        """The heading's name; the model's where there is none, or where the topic took in others."""
        owner = self._owner(start)
        heading = owner.name if owner.start == start else ""
        proposed = note.name if note else ""
        if heading and proposed and bare_number(heading):
            joint = proposed if proposed.casefold().startswith(heading.casefold()) else f"{heading}: {proposed}"
            return joint if len(joint) <= LONGEST_NAME else heading
        return proposed if proposed and (absorbed or not heading) else heading
