"""The topic tree of a document without any language model: headings, turns of meaning, sentences of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from wiki.errors import ExtractionEmpty
from wiki.extraction.categories import GIVEN, Classification, classify
from wiki.extraction.labels import label
from wiki.extraction.names import NameMaker, bare_number, name_key, unique_name
from wiki.extraction.prose import paragraphs
from wiki.extraction.refine import prepare
from wiki.extraction.sections import MAX_DEPTH, Section, join_small, sections_of
from wiki.extraction.summaries import Summaries, summarise
from wiki.extraction.tree import TopicSpan, TopicTree
from wiki.extraction.turns import Matrix, Unit, cut, depths, fill, units_of, vectors_of
from wiki.extraction.words import shorten, size_of
from wiki.models.protocols import Embedder
from wiki.parsing.blocks import Block, ParsedDocument
from wiki.settings import ExtractionSettings

__all__ = ["outline", "prepare", "topics_of"]

VERSION = 2
"""Of the outline method; raised when the same document would give another tree."""


def outline(
    parsed: ParsedDocument,
    *,
    title: str,
    embedder: Embedder,
    categories: Sequence[tuple[str, str]],
    settings: ExtractionSettings,
    category_id: str | None = None,
    labels: tuple[str, ...] = (),
) -> TopicTree:
    """The topic tree of ``parsed``, which must come from :func:`prepare`.

    ``categories`` are the taxonomy's ``(id, description)`` pairs; a given ``category_id`` and given ``labels`` are kept
    as they are.
    Raises ``ExtractionEmpty`` when the document holds no text.
    """
    if not any(block.text.strip() for block in parsed.blocks):
        raise ExtractionEmpty("the document holds no text; nothing was added")
    spans, cut_by = topics_of(parsed.blocks, title=title, embedder=embedder, settings=settings)
    bodies = [parsed.blocks[span.start : span.end] for span in spans]
    summaries = summarise(bodies, embedder)
    found_labels = label(bodies, [span.name for span in spans], title)
    if category_id is None:
        found = classify(
            title,
            lead_of(parsed.blocks),
            [span.name for span in spans if span.depth <= 2][:20],
            summaries.vectors,
            categories=categories,
            embedder=embedder,
            threshold=settings.classify_threshold,
        )
    else:
        found = Classification(category_id, GIVEN)
    return TopicTree(
        topics=tuple(
            replace(span, summary=text, labels=own)
            for span, text, own in zip(spans, summaries.topics, found_labels.topics, strict=True)
        ),
        summary=summaries.document,
        category_id=found.category_id,
        method="outline",
        version=VERSION,
        labels=labels or found_labels.document,
        notes=_notes(found, summaries, cut_by),
    )


def topics_of(
    blocks: Sequence[Block], *, title: str, embedder: Embedder, settings: ExtractionSettings
) -> tuple[tuple[TopicSpan, ...], str | None]:
    """Named topics without summaries, and what found the cuts in long text (None when nothing had to be cut)."""
    roots = join_small(sections_of(blocks), settings, title)
    roots, cut_by = cut_long(roots, blocks, embedder, settings)
    return named(roots, blocks, title), cut_by


def cut_long(
    roots: list[Section], blocks: Sequence[Block], embedder: Embedder, settings: ExtractionSettings
) -> tuple[list[Section], str | None]:
    """Sections over the limit in several: the later parts of a section with a heading become its first children.

    Gives what found the cuts, too; None when nothing had to be cut.
    """
    long: list[tuple[Section, list[Unit]]] = []
    for root in roots:
        for section in root.walk():
            if _words_of(section, blocks) > settings.max_topic_words:
                units = units_of(blocks, section.start, section.end, settings.max_topic_words)
                if len(units) > 1:
                    long.append((section, units))
    prose = [units for _, units in long if not _is_table(units)]
    method = "rows" if long else None
    rows: Iterator[Matrix] = iter(())
    if prose:
        vectors, method = vectors_of([unit for units in prose for unit in units], embedder)
        rows = iter(np.split(vectors, np.cumsum([len(units) for units in prose])[:-1]))
    pieces: dict[int, list[Section]] = {}
    for section, units in long:
        starts = fill(units, settings) if _is_table(units) else cut(units, depths(next(rows), units), settings)
        bounds = [*starts, section.end]
        pieces[id(section)] = [Section("", low, high, 0) for low, high in pairwise(bounds)]
        if starts:
            section.end = starts[0]
    return list(_placed(roots, pieces, 1)), method


def _words_of(section: Section, blocks: Sequence[Block]) -> int:
    """Its words with those of headings that joined it."""
    inner = blocks[section.start + 1 : section.end]
    return section.words + sum(size_of(block.text) for block in inner if block.kind == "heading")


def _is_table(units: Sequence[Unit]) -> bool:
    return all(unit.is_table for unit in units[1:])


def _placed(sections: Sequence[Section], pieces: dict[int, list[Section]], depth: int) -> Iterator[Section]:
    for section in sections:
        later = pieces.get(id(section), [])
        section.children = list(_placed(section.children, pieces, depth + 1))
        if (section.name or section.children) and depth < MAX_DEPTH:
            section.children = later + section.children
            yield section
        else:
            yield section
            yield from later


def named(roots: Sequence[Section], blocks: Sequence[Block], title: str) -> tuple[TopicSpan, ...]:
    """The sections depth first, each with a name that its siblings don't have."""
    every = [section for root in roots for section in root.walk()]
    unnamed = [section for section in every if not section.name or bare_number(section.name)]
    maker = NameMaker(["".join(block.text for block in blocks[section.start : section.end]) for section in unnamed])
    alone = len(roots) == 1 and not roots[0].children
    spans: list[TopicSpan] = []

    def candidates(section: Section) -> Iterator[str]:
        if section.name:
            if bare_number(section.name):
                text = "\n".join(part for block in blocks[section.start : section.end] for part in paragraphs(block))
                yield from (f"{section.name}: {phrase}" for phrase in maker.key_names(text))
            yield section.name
            return
        if alone:
            yield shorten(title, 120)
        yield from maker.names(blocks[section.start : section.end], at_start=section.start == 0)

    def place(sections: Sequence[Section], parent: int | None, depth: int) -> None:
        taken = {name_key(section.name) for section in sections}
        used: set[str] = set()
        for section in sections:
            blocked = used if section.name else used | taken
            name = unique_name(candidates(section), lambda name, no=blocked: name_key(name) in no, title or "–")
            used.add(name_key(name))
            spans.append(TopicSpan(name, depth, section.start, section.end, parent))
            place(section.children, len(spans) - 1, depth + 1)

    place(roots, None, 1)
    return tuple(spans)


def lead_of(blocks: Sequence[Block]) -> str:
    """The first text of the document, plain."""
    lead: list[str] = []
    size = 0
    for block in blocks:
        for paragraph in paragraphs(block):
            lead.append(paragraph)
            size += len(paragraph)
        if size > 600:
            break
    return " ".join(lead)[:600]


def _notes(found: Classification, summaries: Summaries, cut_by: str | None) -> dict[str, str]:
    notes = {"category": found.reason, "summaries": summaries.method}
    if found.nearness is not None and found.confidence is not None:
        notes["category_nearness"] = f"{found.nearness:.3f}"
        notes["category_confidence"] = f"{found.confidence:.2f}"
    if cut_by is not None:
        notes["cuts"] = cut_by
    return notes
