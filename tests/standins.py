"""Stand-ins for the models: the only parts tests may replace."""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from wiki.models.protocols import Embedding, QueryEmbedding, Vector

_WORD = re.compile(r"\w+", re.UNICODE)
TOKEN_DIM = 96


@lru_cache(maxsize=50_000)
def _direction(word: str, dim: int) -> Vector:
    seed = int.from_bytes(hashlib.sha256(f"{dim}:{word}".encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).standard_normal(dim).astype(np.float32)
    return vector / np.linalg.norm(vector)


class WordEmbedder:
    """A deterministic bag of words: texts that share words are near. Counts what it embeds."""

    fingerprint = "stand-in:words:1"
    dim = 384
    max_tokens = 256
    languages: frozenset[str] | None = frozenset({"en"})

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(_WORD.findall(text)) for text in texts]

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in _WORD.finditer(text)]

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self.embedded.extend(texts)
        return [self._embed(text) for text in texts]

    def embed_vectors(self, texts: Sequence[str]) -> list[Vector]:
        return [embedding.vector for embedding in self.embed(texts)]

    def embed_query(self, text: str) -> QueryEmbedding:
        words = self._words(text)
        tokens = np.stack([_direction(word, TOKEN_DIM) for word in words])
        return QueryEmbedding(self._pool(words), tokens, np.ones(len(words), np.float32))

    def _embed(self, text: str) -> Embedding:
        words = self._words(text)
        tokens = np.stack([_direction(word, TOKEN_DIM) for word in words])
        return Embedding(self._pool(words), np.rint(tokens * 127).astype(np.int8))

    def _words(self, text: str) -> list[str]:
        return [word.casefold() for word in _WORD.findall(text)][:256] or ["<empty>"]

    def _pool(self, words: Sequence[str]) -> Vector:
        total = np.sum([_direction(word, self.dim) for word in words], axis=0)
        return (total / (np.linalg.norm(total) or 1.0)).astype(np.float32)
