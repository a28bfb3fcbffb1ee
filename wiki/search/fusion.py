"""Fusing the channels' rankings."""

from collections.abc import Mapping, Sequence


def reciprocal_rank(rankings: Sequence[Sequence[str]], k: int) -> dict[str, float]:
    """Reciprocal rank fusion: the sum of 1 / (k + rank) over the rankings (Cormack, Clarke, Büttcher 2009)."""
    fused: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + 1.0 / (k + rank)
    return fused


def score_sum(channels: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The sum of each channel's scores scaled to 0..1; what a channel did not find gets 0 from it."""
    fused: dict[str, float] = {}
    for channel in channels:
        for key, score in min_max(channel).items():
            fused[key] = fused.get(key, 0.0) + score
    return fused


def min_max(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores scaled so that the least is 0 and the greatest 1; all 1 when they are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    span = high - low
    return {key: (score - low) / span if span > 0 else 1.0 for key, score in scores.items()}
