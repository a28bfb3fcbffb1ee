"""The order of the candidates and their absolute scores."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

from wiki.search.boost import category_boosts
from wiki.search.fusion import min_max
from wiki.search.grouping import Found

KEYWORD_WEIGHT = 1.0
VECTOR_WEIGHT = 1.5
RERANK_WEIGHT = 1.0
"""Weights of the min-max scaled parts of the blend: chosen on Cranfield, confirmed on CISI (``docs/benchmarks.md``)."""
COSINE_MIDDLE, COSINE_STEEPNESS = 0.33, 12.0
"""A cosine as evidence, by a logistic curve: made-up words reach .23 (.23), answers lie around .57 (.95)."""

KEYWORD_SCALE = 8.0
"""BM25 as evidence where the model knows nothing: a score of 8 counts .63, one of 16 .86."""


@dataclass(frozen=True)
class Ranked:
    """A candidate with every part of its score."""

    found: Found
    passage_id: str
    """The passage that stands for it."""
    fused: float
    rerank: float | None = None
    """The reranker's score, 0..1; None beyond the first ``rerank_n``."""
    cosine: float | None = None
    """Of its best passage with the query."""
    blend: float = 0.0
    """Weighted mean of keyword, vector and rerank score, each scaled to 0..1 over the reranked candidates."""
    boost: float = 0.0
    evidence: float = 0.0
    """How sure it is that it answers, 0..1, before the ranking smooths it."""
    score: float = 0.0
    """Absolute, 0..1; never rises along the ranking."""


def blend(candidates: Sequence[Ranked], channels: Collection[str], trust: float = 1.0) -> list[Ranked]:
    """Candidates with ``blend`` set, in their given order. Only ``channels`` that found one of them count.

    ``trust``, 0..1, is how far the model knows the query's script: its parts weigh so much less.
    """
    parts: list[tuple[float, Mapping[str, float]]] = []
    for weight, scores in (
        (KEYWORD_WEIGHT, {item.found.key: item.found.scores.get("keyword", 0.0) for item in candidates}),
        (
            trust * VECTOR_WEIGHT,
            {item.found.key: item.cosine or 0.0 for item in candidates if "vector" in channels},
        ),
        (trust * RERANK_WEIGHT, {item.found.key: item.rerank for item in candidates if item.rerank is not None}),
    ):
        if weight > 0 and any(scores.values()):
            parts.append((weight, min_max(scores)))
    total = sum(weight for weight, _ in parts) or 1.0
    return [
        replace(item, blend=sum(weight * scaled.get(item.found.key, 0.0) for weight, scaled in parts) / total)
        for item in candidates
    ]


def rank(
    candidates: Sequence[Ranked], channels: Collection[str], strength: float, mass_top_m: int, trust: float = 1.0
) -> list[Ranked]:
    """Reranked candidates by blend and category boost, best first, with absolute scores."""
    blended = blend(candidates, channels, trust)
    top = sorted(blended, key=lambda item: -item.blend)[:mass_top_m]
    boosts = category_boosts([item.found.namespace for item in top], [item.blend for item in top], strength)
    boost = {item.found.key: boosts.get(item.found.namespace, 0.0) for item in blended}
    order = sorted(
        blended,
        key=lambda item: (-(item.blend + boost[item.found.key]), -item.fused, item.found.key),
    )
    judged = [evidence(item, trust) for item in order]
    return [
        replace(item, boost=boost[item.found.key], evidence=sure, score=score)
        for item, sure, score in zip(order, judged, falling(judged), strict=True)
    ]


def follow(rest: Sequence[Ranked], floor: float) -> list[Ranked]:
    """Candidates beyond the reranked ones, in fused order, scored below ``floor`` in proportion to their fusion."""
    top = max((item.fused for item in rest), default=1.0) or 1.0
    return [replace(item, score=floor * item.fused / top) for item in rest]


def evidence(item: Ranked, trust: float = 1.0) -> float:
    """How sure it is that a candidate answers, 0..1.

    The mean of the reranker's score and the calibrated cosine, as far as the model knows the script; for the rest, BM25
    on a saturating curve.
    """
    words = 1.0 - exp(-item.found.scores.get("keyword", 0.0) / KEYWORD_SCALE)
    model = item.rerank or 0.0
    if item.cosine is not None:
        model = (model + 1.0 / (1.0 + exp((COSINE_MIDDLE - item.cosine) * COSINE_STEEPNESS))) / 2
    return trust * model + (1.0 - trust) * words


def falling(values: Sequence[float]) -> list[float]:
    """The closest sequence that never rises (isotonic regression, pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, size = value, 1
        while pools and pools[-1][0] < mean:
            above, count = pools.pop()
            mean = (above * count + mean * size) / (count + size)
            size += count
        pools.append((mean, size))
    return [mean for mean, size in pools for _ in range(size)]
