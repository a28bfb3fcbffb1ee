"""Extractive summaries: the sentences of a text that lie nearest to its middle, in their own words and order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wiki.extraction.prose import is_whole, sentences
from wiki.extraction.turns import Matrix, word_vectors
from wiki.extraction.words import count_words
from wiki.models.protocols import Embedder
from wiki.parsing.blocks import Block

LONGEST_SUMMARY = 500
"""Characters."""
MOST_EMBEDDED = 160
"""Sentences of one document that go through the model for its topics' summaries."""
MOST_FOR_DOCUMENT = 40
"""Sentences more for the summary of the whole."""
MOST_PER_TOPIC = 6
LEAST_PER_TOPIC = 4
LEAST_WORDS = 120
"""A shorter topic is summarised without the model."""
MOST_READ = 60
"""Sentences of one topic that are looked at."""


@dataclass(frozen=True)
class Summaries:
    """A summary per topic (empty where nothing fits), one of the whole, and what chose: the vectors' source."""

    topics: tuple[str, ...]
    document: str
    method: str
    vectors: Matrix | None
    """The vectors of the document's most telling sentences; None when there was nothing to choose from."""


@dataclass(frozen=True)
class _Pool:
    """The sentences of one topic that may stand in its summary, in text order."""

    sentences: tuple[str, ...]
    words: int

    @property
    def wanted(self) -> int:
        return 1 if self.words < 80 else 2 if self.words < 250 else 3

    @property
    def is_plain(self) -> bool:
        """Whether the words are enough to choose by: little is left out, whatever is chosen."""
        return len(self.sentences) <= self.wanted or self.words < LEAST_WORDS


def summarise(bodies: Sequence[Sequence[Block]], embedder: Embedder) -> Summaries:
    """Summaries of one to three sentences per topic and one to five for the document, at most about 500 characters.

    ``bodies`` holds each topic's blocks. Code, tables and headings are never sentences. At most 200 sentences go
    through the model, however long the document; the topics beyond that are judged by their words alone, and so is a
    document in which no topic is longer than its summary.
    """
    pools = [_pool(blocks) for blocks in bodies]
    judged = _share(pools)
    texts = [sentence for number in judged for sentence in _preselected(pools[number], judged[number])]
    known = _embedded(texts, embedder)
    picked: list[list[str]] = []
    for number, pool in enumerate(pools):
        offered = _preselected(pool, judged[number]) if number in judged else pool.sentences
        vectors = np.stack([known[text] for text in offered]) if number in judged else word_vectors(offered)
        picked.append(_nearest(offered, vectors, pool.wanted))
    document, vectors = _whole(picked, known, embedder)
    unjudged = sum(not pool.is_plain for number, pool in enumerate(pools) if number not in judged)
    return Summaries(
        topics=tuple(_joined(sentences) for sentences in picked),
        document=document,
        method="embedding" if not unjudged else "words" if not judged else "embedding, words",
        vectors=vectors,
    )


def _pool(blocks: Sequence[Block]) -> _Pool:
    found: dict[str, None] = {}
    for block in blocks:
        for sentence in sentences(block):
            found[sentence] = None
        if len(found) >= MOST_READ:
            break
    chosen = tuple(filter(is_whole, found))[:MOST_READ] or tuple(found)[:MOST_READ]
    return _Pool(chosen, sum(count_words(sentence) for sentence in chosen))


def _share(pools: Sequence[_Pool]) -> dict[int, int]:
    """How many sentences of which topics the model sees: as many topics as it can, the longest first."""
    choosing = sorted((at for at, pool in enumerate(pools) if not pool.is_plain), key=lambda at: (-pools[at].words, at))
    choosing = choosing[: MOST_EMBEDDED // LEAST_PER_TOPIC]
    each = min(MOST_PER_TOPIC, MOST_EMBEDDED // max(1, len(choosing)))
    return {at: min(each, len(pools[at].sentences)) for at in choosing}


def _preselected(pool: _Pool, count: int) -> tuple[str, ...]:
    """The ``count`` sentences nearest to the topic's word centroid, early ones first among equals, in text order."""
    if len(pool.sentences) <= count:
        return pool.sentences
    scores = _scores(word_vectors(pool.sentences))
    best = sorted(np.argsort(-scores, kind="stable")[:count].tolist())
    return tuple(pool.sentences[at] for at in best)


def _scores(vectors: Matrix) -> Matrix:
    """Cosine to the centroid, and a little for standing early."""
    middle = vectors.mean(axis=0)
    norm = float(np.linalg.norm(middle)) or 1.0
    early = 0.1 * np.exp(-np.arange(len(vectors)) / 4)
    return (vectors @ (middle / norm) + early).astype(np.float32)


def _embedded(texts: Sequence[str], embedder: Embedder) -> dict[str, Matrix]:
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return {}
    return dict(zip(distinct, embedder.embed_vectors(distinct), strict=True))


def _nearest(offered: Sequence[str], vectors: Matrix, wanted: int) -> list[str]:
    """Up to ``wanted`` sentences within the length limit, each adding something to those before, in text order."""
    if not offered:
        return []
    scores = _scores(vectors)
    chosen: list[int] = []
    length = 0
    while len(chosen) < wanted:
        left = [at for at in range(len(offered)) if at not in chosen and length + len(offered[at]) <= LONGEST_SUMMARY]
        if not left:
            break
        repeats = (vectors[left] @ vectors[chosen].T).max(axis=1) if chosen else np.zeros(len(left))
        at = left[int(np.argmax(scores[left] - 0.4 * repeats))]
        chosen.append(at)
        length += len(offered[at]) + 1
    return [offered[at] for at in sorted(chosen)]


def _whole(picked: Sequence[Sequence[str]], known: dict[str, Matrix], embedder: Embedder) -> tuple[str, Matrix | None]:
    """The document's summary out of its topics' sentences, spread evenly where there are too many."""
    offered = list(dict.fromkeys(sentence for sentences in picked for sentence in sentences))
    if len(offered) > MOST_FOR_DOCUMENT:
        offered = [offered[int(at)] for at in np.linspace(0, len(offered) - 1, MOST_FOR_DOCUMENT)]
        offered = list(dict.fromkeys(offered))
    if not offered:
        return "", None
    wanted = min(5, 1 + sum(bool(sentences) for sentences in picked) // 2)
    if len(offered) <= wanted and sum(map(len, offered)) < LONGEST_SUMMARY:
        return _joined(offered), None
    if not known:
        return _joined(_nearest(offered, word_vectors(offered), wanted)), None
    known = known | _embedded([text for text in offered if text not in known], embedder)
    vectors = np.stack([known[text] for text in offered]).astype(np.float32)
    return _joined(_nearest(offered, vectors, wanted)), vectors


def _joined(chosen: Sequence[str]) -> str:
    """The sentences in a row; an ellipsis behind those that are no whole sentence, such as list items."""
    text = ""
    for sentence in chosen:
        if text:
            text += ("" if text[-1] in "。！？｡" else " ") if is_whole(text) else " … "
        text += sentence
    return text
