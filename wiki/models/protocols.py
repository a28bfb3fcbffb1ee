"""What the rest of the wiki asks of a model. One protocol each, so a test can stand in for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
TokenMatrix = NDArray[np.int8]


@dataclass(frozen=True)
class Embedding:
    """A text's vector and its compact token vectors."""

    vector: Vector
    """Shape ``(dim,)``, unit length."""
    tokens: TokenMatrix | None
    """Shape ``(n_tokens, 96)`` int8, or None when the model keeps no token vectors."""


@dataclass(frozen=True)
class QueryEmbedding:
    """A query's vector with its token vectors and their weights, for late interaction."""

    vector: Vector
    tokens: NDArray[np.float32] | None
    """Shape ``(n_tokens, 96)``, unit rows."""
    weights: NDArray[np.float32] | None
    """Shape ``(n_tokens,)``: rarity of each token."""
    trust: float = 1.0
    """How far the model knows the query's script, 0..1: ranking relies on it so far, and on words for the rest."""


class Embedder(Protocol):
    """Turns texts into vectors. Loading is lazy: the first call may take a second."""

    @property
    def fingerprint(self) -> str:
        """Names the model, its weights and its projection; stored with every row."""
        ...

    @property
    def dim(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """The most tokens of one passage, title and heading path counted."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages it was made for, as tags of BCP 47; None when it knows all or does not tell. Loads nothing."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]: ...

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Character spans ``(start, end)`` of the model's tokens in ``text``, without special tokens."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Embed passages, in the order given; batches are sorted by length inside."""
        ...

    def embed_vectors(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of ``embed`` alone, for texts that are not kept: token vectors cost time, too."""
        ...

    def embed_query(self, text: str) -> QueryEmbedding: ...


@dataclass(frozen=True)
class Candidate:
    """What a reranker sees of one hit."""

    text: str
    tokens: TokenMatrix | None


class Reranker(Protocol):
    """Scores candidates for a query. Scores lie in 0..1 and are comparable between queries."""

    @property
    def name(self) -> str: ...

    @property
    def needs_tokens(self) -> bool:
        """Whether ``Candidate.tokens`` must be read from the index."""
        ...

    def score(self, query: str, embedded: QueryEmbedding | None, candidates: Sequence[Candidate]) -> list[float]: ...


@dataclass(frozen=True)
class Reply:
    """What a chat model answered."""

    text: str
    cut: bool
    """Whether it stopped at a token limit (``finish_reason=length``), so that the text is not whole."""
    prompt_tokens: int = 0
    """0 when the server does not tell."""
    reply_tokens: int = 0


class ChatModel(Protocol):
    """A language model behind a chat endpoint. Safe to call from several threads; calls beyond its concurrency wait."""

    @property
    def name(self) -> str:
        """The model's name, kept with what it made."""
        ...

    @property
    def context_tokens(self) -> int:
        """The most tokens of one call, prompt and reply together."""
        ...

    def ask(self, system: str, user: str, *, schema: dict[str, object], max_tokens: int) -> Reply:
        """One answer, at temperature 0. ``schema`` is the JSON Schema the text should fit; whether the server holds
        to it is for the caller to check.

        Raises ExternalServiceUnavailable when the provider refuses, is too slow or fails after the retries, and
        ConfigurationError when it rejects the key, the model's name or the request.
        """
        ...
