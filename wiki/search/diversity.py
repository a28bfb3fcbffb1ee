"""Reranking for diversity: a hit that says again what another said already gives way."""

from collections.abc import Sequence

import numpy as np

from wiki.models.protocols import Vector
from wiki.search.fusion import min_max


def most_diverse(scores: Sequence[float], vectors: Sequence[Vector], count: int, trade: float) -> list[int]:
    """Places of the ``count`` candidates that maximal marginal relevance picks, in order (Carbonell, Goldstein 1998).

    Each pick maximises ``trade`` x relevance - (1 - ``trade``) x its greatest cosine with an earlier pick. Relevance is
    the score scaled to 0..1 over the candidates, so that it weighs as much as a cosine.
    """
    if not scores:
        return []
    relevance = np.array(list(min_max({str(place): score for place, score in enumerate(scores)}).values()))
    matrix = np.stack([np.asarray(vector, np.float32) for vector in vectors])
    matrix = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    redundancy = np.zeros(len(scores))
    free = np.ones(len(scores), bool)
    picked: list[int] = []
    while len(picked) < min(count, len(scores)):
        worth = np.where(free, trade * relevance - (1.0 - trade) * redundancy, -np.inf)
        best = int(np.argmax(worth))
        picked.append(best)
        free[best] = False
        redundancy = np.maximum(redundancy, np.clip(matrix @ matrix[best], 0.0, 1.0))
    return picked
