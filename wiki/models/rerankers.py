"""Rerankers: late interaction over stored token vectors, and cross-encoders."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wiki.errors import CapabilityUnavailable, ConfigurationError, ExternalServiceUnavailable
from wiki.models.protocols import Candidate, QueryEmbedding

MIDDLE, STEEPNESS = 0.6, 12.0


class LateInteraction:
    """MaxSim over the embedding model's own token vectors, kept in the index as int8.

    For each query token the best dot product with a passage token, averaged with the tokens' rarity as weight
    (Khattab and Zaharia 2020, without their training). No second model runs, so this is not a cross-encoder. A model
    that keeps no token vectors counts as one token a text: its pooled vector.
    """

    name = "late-interaction"
    needs_tokens = True

    def score(self, query: str, embedded: QueryEmbedding | None, candidates: Sequence[Candidate]) -> list[float]:  # noqa: ARG002
        if embedded is None:
            raise ConfigurationError(
                "late interaction needs the embedded query: set rerank.provider or embedding.provider"
            )
        if embedded.tokens is None or embedded.weights is None:
            rows, weights = embedded.vector[None, :], np.ones(1, np.float32)
        else:
            rows, weights = embedded.tokens, embedded.weights
        return calibrated(max_sim(rows, weights, [candidate.tokens for candidate in candidates])).tolist()


def calibrated(similarity: NDArray[np.float32]) -> NDArray[np.float32]:
    """MaxSim as a score from 0 to 1, by a logistic curve.

    Fixed on Cranfield: made-up words reach .47 at best (score .17), passages that answer lie around .7 (.77) and those
    that say the query .9 and above (.97).
    """
    return (1.0 / (1.0 + np.exp((MIDDLE - similarity) * STEEPNESS))).astype(np.float32)


def max_sim(
    query: NDArray[np.float32], weights: NDArray[np.float32], passages: Sequence[NDArray[np.int8] | None]
) -> NDArray[np.float32]:
    """Weighted mean over query tokens of the best cosine with a passage token, shape ``(len(passages),)``, 0..1.

    ``query`` has shape ``(n_tokens, dim)``, each passage ``(n, dim)`` int8 (x127). An empty passage scores 0.
    """
    scores = np.zeros(len(passages), np.float32)
    filled = [(place, rows) for place, rows in enumerate(passages) if rows is not None and len(rows)]
    total = float(weights.sum())
    if not filled or total <= 0:
        return scores
    stacked = np.concatenate([rows for _, rows in filled]).astype(np.float32)
    starts = np.cumsum([0, *(len(rows) for _, rows in filled[:-1])])
    best = np.maximum.reduceat(stacked @ query.T, starts, axis=0) / 127.0
    scores[[place for place, _ in filled]] = np.clip(best @ weights / total, 0.0, 1.0)
    return scores


class CrossEncoderReranker:
    """A sentence-transformers cross-encoder by name or path; a sigmoid brings its scores to 0..1. Loads lazily."""

    needs_tokens = False

    def __init__(self, model: str, *, batch_size: int = 32) -> None:
        self._name = model
        self._batch_size = batch_size
        self._lock = threading.Lock()
        self._model: Any = None

    @property
    def name(self) -> str:
        return f"cross-encoder:{self._name}"

    def score(self, query: str, embedded: QueryEmbedding | None, candidates: Sequence[Candidate]) -> list[float]:  # noqa: ARG002
        if not candidates:
            return []
        model = self._loaded()
        try:
            import torch

            scores = model.predict(
                [(query, candidate.text) for candidate in candidates],
                batch_size=self._batch_size,
                activation_fn=torch.nn.Sigmoid(),
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        except Exception as error:
            raise ExternalServiceUnavailable(
                f"the cross-encoder {self._name!r} failed: {error}. See rerank.model", provider="rerank"
            ) from error
        return [float(score) for score in np.asarray(scores).reshape(len(candidates), -1)[:, 0]]

    def _loaded(self) -> Any:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = self._load()
        return self._model

    def _load(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder
        except ImportError as error:
            raise CapabilityUnavailable(
                f"rerank.provider = cross-encoder needs {error.name}: run pip install 'knowledge-wiki[models]'",
                missing=error.name,
            ) from error
        try:
            return CrossEncoder(self._name, device="cpu")
        except Exception as error:
            raise ExternalServiceUnavailable(
                f"the cross-encoder {self._name!r} could not be loaded: {error}. Set rerank.model to a local path or to "
                f"a name this machine can download",
                provider="rerank",
            ) from error
