"""The category boost: where the candidates crowd, its hits rise a little."""

from collections.abc import Sequence


def category_boosts(categories: Sequence[str], masses: Sequence[float], strength: float) -> dict[str, float]:
    """What each category adds to its hits' scores: ``strength`` x its share of the mass x dominance.

    ``categories`` and ``masses`` (weights >= 0) belong to the candidates. Dominance is the lead of the greatest share
    over the next one, so that scattered candidates boost nothing.
    """
    total = sum(masses)
    if total <= 0:
        return dict.fromkeys(categories, 0.0)
    shares: dict[str, float] = dict.fromkeys(categories, 0.0)
    for category, mass in zip(categories, masses, strict=True):
        shares[category] += mass / total
    first, second = [*sorted(shares.values(), reverse=True), 0.0][:2]
    return {category: strength * share * (first - second) for category, share in shares.items()}
