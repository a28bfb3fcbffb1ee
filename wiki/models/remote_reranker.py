"""Scores from a rerank endpoint in the shapes of Cohere, Jina, text-embeddings-inference (TEI) and vLLM."""

import logging
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from wiki.errors import ConfigurationError
from wiki.models.endpoint import Endpoint
from wiki.models.protocols import Candidate, QueryEmbedding

RerankShape = Literal["cohere", "jina", "tei", "vllm"]
PATHS: Mapping[RerankShape, tuple[str, ...]] = {
    "cohere": ("v2/rerank", "rerank"),
    "jina": ("rerank", "v1/rerank"),
    "tei": ("rerank",),
    "vllm": ("rerank", "v1/rerank"),
}
PUBLIC_URLS: Mapping[RerankShape, str] = {"cohere": "https://api.cohere.com", "jina": "https://api.jina.ai/v1"}
BATCH_SIZES: Mapping[RerankShape, int] = {"cohere": 1_000, "jina": 1_000, "tei": 32, "vllm": 1_000}
"""Cohere advises at most 1,000; TEI refuses more than 32 unless it was started otherwise."""
ROUNDING = 1e-3
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Score:
    index: int
    value: float


class RemoteReranker:
    """A ``Reranker`` at an endpoint. Thread safe.

    ``scores`` says what the endpoint gives: ``unit`` are 0 to 1 as they are, ``logit`` any numbers, brought to 0..1
    by a sigmoid. Cohere and TEI give the first by contract, Jina and vLLM nearly always; llama.cpp and some models
    give logits. With ``auto`` the first score that can't be ``unit`` makes all that follow ``logit``, so that scores
    of later queries stay comparable.
    """

    needs_tokens = False

    def __init__(
        self,
        endpoint: Endpoint,
        shape: RerankShape,
        model: str,
        *,
        scores: Literal["auto", "unit", "logit"] = "auto",
        batch_size: int = 0,
        timeout_seconds: float = 10,
    ) -> None:
        self._endpoint = endpoint
        self._shape: RerankShape = shape
        self._model = model
        self._scores = scores
        self._batch_size = batch_size or BATCH_SIZES[shape]
        self._timeout = timeout_seconds

    @property
    def name(self) -> str:
        return f"{self._shape}:{self._model}" if self._model else self._shape

    def score(self, query: str, embedded: QueryEmbedding | None, candidates: Sequence[Candidate]) -> list[float]:  # noqa: ARG002
        """Raises ExternalServiceUnavailable when the endpoint fails or doesn't score each candidate exactly once, and
        ConfigurationError when it rejects key, model or request, or breaks ``rerank.scores = unit``.
        """
        end = time.monotonic() + self._timeout
        values: list[float] = []
        for start in range(0, len(candidates), self._batch_size):
            texts = [candidate.text for candidate in candidates[start : start + self._batch_size]]
            left = max(0.001, end - time.monotonic())
            payload = self._payload(query, texts)
            body = self._endpoint.post(payload, timeout=left, within=left)
            values += self._values(body, payload, len(texts))
        return self._to_unit(values)

    def _payload(self, query: str, texts: list[str]) -> dict[str, object]:
        if self._shape == "tei":
            return {"query": query, "texts": texts, "raw_scores": False, "truncate": True}
        payload: dict[str, object] = {"model": self._model, "query": query, "documents": texts, "top_n": len(texts)}
        return {**payload, "return_documents": False} if self._shape == "jina" else payload

    def _values(self, body: object, sent: dict[str, object], count: int) -> list[float]:
        """One number per text, in order."""
        results = cast(dict[str, object], body).get("results") if isinstance(body, dict) else body
        if not isinstance(results, list):
            raise self._endpoint.failed("answered without scores", body, sent)
        found: dict[int, float] = {}
        for item in cast(list[object], results):
            score = _score(item)
            if score is None:
                raise self._endpoint.failed("answered with a score that is no finite number with an index")
            if not 0 <= score.index < count or score.index in found:
                raise self._endpoint.failed("scored a text twice, or one it was not given")
            found[score.index] = score.value
        if len(found) != count:
            raise self._endpoint.failed(f"scored {len(found)} of {count} texts")
        return [found[index] for index in range(count)]

    def _to_unit(self, values: Sequence[float]) -> list[float]:
        outside = next((value for value in values if not -ROUNDING <= value <= 1 + ROUNDING), None)
        if outside is not None and self._scores == "unit":
            raise ConfigurationError(
                f"the reranker at {self._endpoint.url} gave the score {outside:g}, rerank.scores = unit allows 0 to 1: "
                f"set it to auto or logit",
                provider="rerank",
            )
        if outside is not None and self._scores == "auto":
            self._scores = "logit"
            _log.warning(
                "the reranker at %s gave the score %g: from now on its scores are taken for logits. Set rerank.scores "
                "to logit to have that from the start",
                self._endpoint.url,
                outside,
            )
        return [_sigmoid(value) if self._scores == "logit" else min(1.0, max(0.0, value)) for value in values]


def _score(item: object) -> _Score | None:
    """``{index, relevance_score}`` or ``{index, score}``."""
    fields = cast(dict[str, object], item) if isinstance(item, dict) else {}
    index, value = fields.get("index"), fields.get("relevance_score", fields.get("score"))
    if not isinstance(index, int) or isinstance(index, bool):
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return _Score(index, float(value)) if abs(value) <= sys.float_info.max else None


def _sigmoid(value: float) -> float:
    small = math.exp(-abs(value))
    return 1.0 / (1.0 + small) if value >= 0 else small / (1.0 + small)
