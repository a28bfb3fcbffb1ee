"""Compact token vectors: a fixed linear map of the bundled model's hidden states, and the rarity of its word pieces.

``token_projection.npz`` is made by ``bench/fit_token_projection.py``. Late interaction over such vectors follows
Khattab and Zaharia 2020 (ColBERT), without its training.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PROJECTION_FILE = Path(__file__).with_name("token_projection.npz")


@dataclass(frozen=True)
class TokenProjection:
    matrix: NDArray[np.float32]
    """Shape ``(384, 96)``."""
    idf: NDArray[np.float32]
    """Shape ``(vocabulary,)``: log((N + 1) / (df + .5)) of each word piece in broad text."""
    digest: str
    """SHA-256 of the file."""

    def project(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """Unit vectors ``(n_tokens, 96)`` of hidden states ``(n_tokens, 384)``."""
        return unit_rows(unit_rows(states) @ self.matrix)

    def rarity(self, ids: Sequence[int]) -> NDArray[np.float32]:
        return self.idf[np.asarray(ids, np.int64)]


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


@cache
def load_projection() -> TokenProjection:
    with np.load(PROJECTION_FILE) as file:
        matrix, idf = file["matrix"].astype(np.float32), file["idf"].astype(np.float32)
    return TokenProjection(matrix, idf, hashlib.sha256(PROJECTION_FILE.read_bytes()).hexdigest())
