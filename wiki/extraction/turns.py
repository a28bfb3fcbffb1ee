"""Where long text without headings turns to something else.

The method is TextTiling (M. Hearst, "TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages", Computational
Linguistics 23(1), 1997): neighbouring windows of text are compared at every gap, and a gap is a turn when the similarity
there lies deep below the peaks on both sides. Windows are compared by embeddings, or by their words (as in the paper)
where a document has too many blocks for the model.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wiki.extraction.prose import plain, title_line
from wiki.extraction.words import size_of, terms
from wiki.models.protocols import Embedder
from wiki.parsing.blocks import Block
from wiki.settings import ExtractionSettings

MOST_EMBEDDED = 128
"""Units of one document that go through the model to find its turns."""
EMBEDDED_CHARACTERS = 240
EMBEDDED_TOKENS = 64
"""Of one unit: as many as 240 characters of English have, and a fifth of what they are in Korean."""
UNIT_WORDS = 40
"""A unit gathers short blocks until it has so many."""
WINDOW = 3
"""Units on each side of a gap that are compared."""
WORD_DIMENSIONS = 256

Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class Unit:
    """Blocks that stay together: one with text or several short ones, headings before and blank ones after them."""

    start: int
    end: int
    words: int
    text: str
    is_table: bool
    turn: float
    """What speaks for a cut before this unit whatever the words say: a rule, a new sheet or slide."""


def units_of(blocks: Sequence[Block], start: int, end: int, most: int) -> list[Unit]:
    """The units of ``blocks[start:end]``, in order, without gaps. ``most``: words of a topic; a unit has no more of
    them unless one block has."""
    groups: list[list[int]] = []
    glued = False
    size = 0
    little = most // 12
    for at in range(start, end):
        block = blocks[at]
        empty = block.kind in ("blank", "rule") or not block.text.strip()
        leads = block.kind == "heading" or title_line(block) != ""
        turns = leads or _new_place(blocks[at - 1], block)
        joins = (glued and size < little) or (size < min(UNIT_WORDS, little) and not turns)
        if not groups or not (empty or joins):
            groups.append([])
            size = 0
        groups[-1].append(at)
        size += size_of(block.text)
        if not empty:
            glued = leads or block.text.rstrip().endswith((":", "："))
    return [_unit(blocks, group, groups[number - 1][-1] if number else None) for number, group in enumerate(groups)]


def _unit(blocks: Sequence[Block], group: Sequence[int], before: int | None) -> Unit:
    text = "".join(blocks[at].text for at in group)
    turn = 0.0
    if before is not None:
        previous, first = blocks[before], blocks[group[0]]
        turn += 0.3 if first.kind == "heading" or title_line(first) else 0.0
        turn += 1.0 if _new_place(previous, first) else 0.0
    is_table = all(blocks[at].kind in ("table", "blank") for at in group)
    return Unit(group[0], group[-1] + 1, size_of(text), text, is_table, turn)


def _new_place(previous: Block, block: Block) -> bool:
    """Whether a rule, another sheet or another slide lies between two neighbouring blocks."""
    if previous.kind == "rule":
        return True
    old, new = previous.provenance, block.provenance
    return old is not None and new is not None and (old.sheet, old.slide) != (new.sheet, new.slide)


def vectors_of(units: Sequence[Unit], embedder: Embedder) -> tuple[Matrix, str]:
    """One unit-length row per unit, and what made them: ``embedding`` or ``words``."""
    if len(units) > MOST_EMBEDDED:
        return word_vectors([unit.text for unit in units]), "words"
    texts = [plain(unit.text)[:EMBEDDED_CHARACTERS] or unit.text[:EMBEDDED_CHARACTERS] for unit in units]
    return np.stack(embedder.embed_vectors(clipped(texts, embedder))).astype(np.float32), "embedding"


def clipped(texts: Sequence[str], embedder: Embedder) -> list[str]:
    """The beginnings of ``texts``, about ``EMBEDDED_TOKENS`` of each, so that every script costs the model the same."""
    counts = embedder.count_tokens(texts)
    return [
        text if count <= EMBEDDED_TOKENS else text[: max(1, len(text) * EMBEDDED_TOKENS // count)]
        for text, count in zip(texts, counts, strict=True)
    ]


def word_vectors(texts: Sequence[str]) -> Matrix:
    """Word counts hashed to 256 dimensions, rows of unit length; words in most of the texts weigh little."""
    rows = np.zeros((len(texts), WORD_DIMENSIONS), np.float32)
    slots: dict[str, int] = {}
    for number, text in enumerate(texts):
        for term in terms(text):
            slot = slots.get(term)
            if slot is None:
                slot = slots[term] = zlib.crc32(term[:6].encode()) % WORD_DIMENSIONS
            rows[number, slot] += 1
    rare = np.log((1 + len(texts)) / (0.5 + (rows > 0).sum(axis=0)))
    rows = np.sqrt(rows) * np.maximum(rare, 0.05).astype(np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms == 0, 1, norms)


def depths(vectors: Matrix, units: Sequence[Unit]) -> NDArray[np.float64]:
    """Depth of the valley at each gap, ``len(units) - 1`` values from 0 up; gap ``i`` lies before unit ``i + 1``."""
    count = len(units)
    weights = np.minimum([max(unit.words, 1) for unit in units], 120).astype(np.float64)
    sums = np.vstack([np.zeros(vectors.shape[1]), np.cumsum(vectors * weights[:, None], axis=0)])
    gaps = np.arange(1, count)
    left = sums[gaps] - sums[np.maximum(0, gaps - WINDOW)]
    right = sums[np.minimum(count, gaps + WINDOW)] - sums[gaps]
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    similarity = (left * right).sum(axis=1) / np.where(norms == 0, 1, norms)
    found = np.zeros(len(gaps))
    for gap in range(len(gaps)):
        found[gap] = _rise(similarity[gap::-1]) + _rise(similarity[gap:])
    return found + np.array([unit.turn for unit in units[1:]])


def _rise(line: NDArray[np.float64]) -> float:
    """How far ``line`` climbs from its first value before it falls."""
    peak = float(line[0])
    for value in line[1:]:
        if value < peak:
            break
        peak = float(value)
    return peak - float(line[0])


def fill(units: Sequence[Unit], settings: ExtractionSettings) -> list[int]:
    """Block indices at which a new topic starts when each takes as many units as it may: for rows of one long table."""
    cuts: list[int] = []
    size = 0
    for unit in units:
        if size and size + unit.words > settings.max_topic_words:
            cuts.append(unit.start)
            size = 0
        size += unit.words
    return cuts


def cut(units: Sequence[Unit], depth: NDArray[np.float64], settings: ExtractionSettings) -> list[int]:
    """Block indices at which a new topic starts, so that no part has more than ``max_topic_words`` where that can be.

    The deepest valley is cut first, then each part that is still too long. No part is smaller than a sixth of the
    limit when another gap will do.
    """
    sizes = np.concatenate([[0], np.cumsum([unit.words for unit in units])])
    least = max(settings.min_topic_words, settings.max_topic_words // 6)
    cuts: list[int] = []
    parts = [(0, len(units))]
    while parts:
        low, high = parts.pop()
        whole = sizes[high] - sizes[low]
        if whole <= settings.max_topic_words or high - low < 2:
            continue
        gaps = np.arange(low + 1, high)
        left = sizes[gaps] - sizes[low]
        smaller = np.minimum(left, whole - left)
        balance = smaller / max(whole, 1)
        score = np.where(smaller >= least, depth[gaps - 1] + 0.2 * balance, balance - 10)
        at = int(gaps[int(score.argmax())])
        cuts.append(at)
        parts += [(low, at), (at, high)]
    return [units[at].start for at in sorted(cuts)]
