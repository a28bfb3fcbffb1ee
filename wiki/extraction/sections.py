"""Sections of a document as its headings give them, small ones joined to what they belong to."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from wiki.extraction.prose import plain
from wiki.extraction.words import shorten, size_of
from wiki.parsing.blocks import Block
from wiki.settings import ExtractionSettings

MAX_DEPTH = 6
LONGEST_NAME = 120
"""Characters of a topic name."""

MANY_SECTIONS = 12
"""Up to this many, the main sections of a document stay apart even when they are small."""
REAL_SECTION_WORDS = 3


@dataclass(slots=True)
class Section:
    """A run of blocks ``[start, end)`` under one heading, and the sections below it. Mutable while a tree is made."""

    name: str
    """From the heading; empty for text without one."""
    start: int
    end: int
    words: int
    """Words of the run, headings not counted."""
    children: list["Section"] = field(default_factory=list["Section"])

    def walk(self) -> Iterator["Section"]:
        yield self
        for child in self.children:
            yield from child.walk()


def heading_name(block: Block) -> str:
    """The heading as a topic name: no Markdown marks, at most 120 characters. Empty when it holds no letter or digit."""
    text = block.heading if block.heading is not None else plain(block.text.strip().strip("#="))
    if not any(char.isalnum() for char in text):
        return ""
    return shorten(text, LONGEST_NAME)


def sections_of(blocks: Sequence[Block]) -> list[Section]:
    """Top-level sections in order; together with their children they cover every block once.

    A heading goes below the nearest one before it of a smaller level, so skipped levels leave no gap. Text before the
    first heading is a section without a name. Below the sixth level, text stays in the section above.
    """
    roots: list[Section] = []
    open_sections: list[tuple[int, Section]] = []
    current: Section | None = None
    for at, block in enumerate(blocks):
        if block.kind == "heading":
            level = block.level or 1
            while open_sections and open_sections[-1][0] >= level:
                open_sections.pop()
            if len(open_sections) < MAX_DEPTH:
                current = Section(heading_name(block), at, at + 1, 0)
                (open_sections[-1][1].children if open_sections else roots).append(current)
                open_sections.append((level, current))
                continue
        words = size_of(block.text)
        if current is None:
            current = Section("", at, at + 1, words)
            roots.append(current)
        else:
            current.end = at + 1
            current.words += words
    return roots


def join_small(roots: list[Section], settings: ExtractionSettings, title: str = "") -> list[Section]:
    """The sections with small ones joined, from the leaves up, so that the result has no more to join.

    A section is one run of blocks, so joining goes to a neighbour in reading order: the first small sections of a
    parent join it; two or more small ones in a row further on become one topic; a heading without text joins what
    follows it and leads its name, unless it only repeats the ``title``. When all of a parent's sections are small, all
    join it. The main sections of a document (the first level with more than one) stay, however small, rather than
    leave it as a single topic.
    """
    if len(roots) > 1 and not roots[0].name and roots[0].words < settings.min_topic_words:
        lead = roots.pop(0)
        roots[0].start = lead.start
        roots[0].words += lead.words
    top = Section("", 0, 0, 0, roots)
    main = top
    while len(main.children) == 1 and main.children[0].children:
        main = main.children[0]
    _join(top, settings, main, title)
    return top.children


def _join(parent: Section, settings: ExtractionSettings, main: Section, title: str) -> None:
    is_top = parent.start == parent.end
    for child in parent.children:
        _join(child, settings, main, title)
    _join_bare_headings(parent, is_top, title)

    def small(section: Section) -> bool:
        return not section.children and section.words < settings.min_topic_words

    children = parent.children
    room = settings.max_topic_words - parent.words
    all_small = all(small(child) for child in children) and sum(child.words for child in children) <= room
    keep_apart = parent is main and sum(child.words >= REAL_SECTION_WORDS for child in children) > 1
    if not is_top and not (all_small and keep_apart):
        while children and small(children[0]) and parent.words + children[0].words <= settings.max_topic_words:
            first = children.pop(0)
            parent.end = first.end
            parent.words += first.words
    if parent is not main or len(children) > MANY_SECTIONS:
        parent.children = _join_runs(children, small, settings)


def _join_bare_headings(parent: Section, is_top: bool, title: str) -> None:
    """Headings without text join the next section, else their parent, else the topic before them."""
    kept: list[Section] = []
    waiting: list[Section] = []
    for child in parent.children:
        if child.words == 0 and not child.children:
            waiting.append(child)
            continue
        if waiting:
            child.start = waiting[0].start
            joined = f"{waiting[0].name}: {child.name}"
            telling = waiting[0].name and waiting[0].name.casefold() != title.casefold()
            if len(waiting) == 1 and telling and child.name and len(joined) <= LONGEST_NAME:
                child.name = joined
            waiting = []
        kept.append(child)
    if waiting:
        if kept:
            last = kept[-1]
            while last.children:
                last = last.children[-1]
            last.end = waiting[-1].end
        elif not is_top:
            parent.end = waiting[-1].end
        else:
            kept.append(Section(waiting[0].name, waiting[0].start, waiting[-1].end, 0))
    parent.children = kept


def _join_runs(
    children: list[Section], small: Callable[[Section], bool], settings: ExtractionSettings
) -> list[Section]:
    joined: list[Section] = []
    names: list[str] = []
    for child in children:
        before = joined[-1] if joined else None
        is_small = small(child)
        if before is not None and names and is_small and before.words + child.words <= settings.max_topic_words:
            names.append(child.name)
            before.end = child.end
            before.words += child.words
            before.name = run_name(names)
        else:
            names = [child.name] if is_small else []
            joined.append(child)
        if joined[-1].words >= settings.min_topic_words and len(names) > 1:
            names = []
    return joined


def run_name(names: Sequence[str]) -> str:
    """One name for several in a row: all of up to four, else the first and the last."""
    named = list(dict.fromkeys(name for name in names if name))
    listed = ", ".join(named)
    if len(named) <= 4 and len(listed) <= LONGEST_NAME:
        return listed
    half = LONGEST_NAME // 2 - 2
    return f"{shorten(named[0], half)} – {shorten(named[-1], half)}"
