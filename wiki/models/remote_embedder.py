"""Vectors from any OpenAI-compatible ``/embeddings``."""

import hashlib
from collections.abc import Sequence
from typing import cast

import numpy as np

from wiki.errors import ConfigurationError
from wiki.models.endpoint import Endpoint
from wiki.models.protocols import Embedding, QueryEmbedding, Vector
from wiki.models.token_estimate import SPECIAL_TOKENS, count_pieces, piece_spans

PATHS = ("embeddings", "v1/embeddings")
MAX_TOKENS = 256
BATCH_PATIENCE = 2
"""All tries for one batch of passages take at most this many times the time for one reply."""
PROBE = "probe"


class RemoteEmbedder:
    """Unit vectors of one model at an endpoint; it keeps no token vectors. Thread safe.

    Tokens are estimated, on the safe side, because the model's tokenizer isn't here. The fingerprint names model,
    dimension and prompts but not the address: the same model elsewhere gives the same vectors. Without ``dim``
    the endpoint is asked for one vector, once, when dimension or fingerprint are first needed.
    """

    max_tokens = MAX_TOKENS
    languages: frozenset[str] | None = None
    """An endpoint does not tell."""

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        dim: int | None = None,
        request_dim: bool = False,
        batch_size: int = 32,
        query_prompt: str = "",
        passage_prompt: str = "",
        timeout_seconds: float = 30,
        query_timeout_seconds: float = 10,
    ) -> None:
        self._endpoint = endpoint
        self._model = model
        self._set_dim = self._dim = dim
        self._request_dim = request_dim
        self._batch_size = batch_size
        self._query_prompt = query_prompt
        self._passage_prompt = passage_prompt
        self._timeout = timeout_seconds
        self._query_timeout = query_timeout_seconds

    @property
    def fingerprint(self) -> str:
        prompts = hashlib.sha256(f"{self._query_prompt}\0{self._passage_prompt}".encode()).hexdigest()[:8]
        return f"{self._model}:{self.dim}:{prompts}"

    @property
    def dim(self) -> int:
        """As set, else as the endpoint's first vector has it. Raises what ``embed_query`` raises."""
        if self._dim is None:
            # Without a lock: behind a dead endpoint, threads would wait for each other's time limits.
            self._dim = len(self.embed_query(PROBE).vector)
        return self._dim

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An estimate for each text, with special tokens and the passage prompt."""
        overhead = SPECIAL_TOKENS + count_pieces(self._passage_prompt)
        return [overhead + count_pieces(text) for text in texts]

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return piece_spans(text)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Raises ExternalServiceUnavailable when the endpoint fails or gives other vectors than it should, and
        ConfigurationError when it rejects key, model or request or the dimension isn't the one set.
        """
        return [Embedding(vector, None) for vector in self.embed_vectors(texts)]

    def embed_vectors(self, texts: Sequence[str]) -> list[Vector]:
        prompted = [self._passage_prompt + text for text in texts]
        vectors: list[Vector] = []
        for start in range(0, len(prompted), self._batch_size):
            payload = self._payload(prompted[start : start + self._batch_size])
            body = self._endpoint.post(payload, timeout=self._timeout, within=BATCH_PATIENCE * self._timeout)
            vectors += self._vectors(body, payload)
        return vectors

    def embed_query(self, text: str) -> QueryEmbedding:
        """As ``embed``, but given up sooner: somebody waits for it."""
        wait = self._query_timeout
        payload = self._payload([self._query_prompt + text])
        body = self._endpoint.post(payload, timeout=wait, within=wait, limit="query_timeout_seconds")
        return QueryEmbedding(self._vectors(body, payload)[0], None, None)

    def _payload(self, texts: Sequence[str]) -> dict[str, object]:
        # Most endpoints reject a whole batch for one blank text; what vector it gets is of no consequence.
        payload: dict[str, object] = {
            "model": self._model,
            "input": [text if text.strip() else "." for text in texts],
            "encoding_format": "float",
        }
        return {**payload, "dimensions": self._dim} if self._request_dim else payload

    def _vectors(self, body: object, sent: dict[str, object]) -> list[Vector]:
        """The vectors of a reply, in the order of the texts sent, when there is exactly one for each."""
        count = len(cast(list[str], sent["input"]))
        # llama.cpp answers so on /v1/embeddings; its /embeddings gives the bare list, each vector in one more list.
        data = cast(dict[str, object], body).get("data") if isinstance(body, dict) else body
        if not isinstance(data, list):
            raise self._endpoint.failed("answered without vectors", body, sent)
        items = cast(list[object], data)
        if len(items) != count:
            raise self._endpoint.failed(f"answered with {len(items)} vectors for {count} texts")
        found: dict[int, Vector] = {}
        for position, item in enumerate(items):
            fields = cast(dict[str, object], item) if isinstance(item, dict) else {}
            place = fields.get("index", position)
            if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < count or place in found:
                raise self._endpoint.failed("answered with a vector twice for one text, or for one it was not given")
            found[place] = self._vector(fields.get("embedding"))
        self._check_width({len(vector) for vector in found.values()})
        return [found[place] for place in range(count)]

    def _check_width(self, widths: set[int]) -> None:
        if len(widths) > 1:
            raise self._endpoint.failed("answered with vectors of different lengths")
        (width,) = widths
        if self._set_dim is not None and width != self._set_dim:
            raise ConfigurationError(
                f"the embedding model {self._model!r} at {self._endpoint.url} gives {width} dimensions, embedding.dim "
                f"says {self._set_dim}: correct embedding.dim or embedding.model, then run wiki rebuild",
                provider="embedding",
            )
        if self._dim is not None and width != self._dim:
            raise self._endpoint.failed(f"answered with vectors of {width} numbers, before they had {self._dim}")

    def _vector(self, given: object) -> Vector:
        numbers = cast(list[object], given) if isinstance(given, list) else []
        if len(numbers) == 1 and isinstance(numbers[0], list):
            numbers = cast(list[object], numbers[0])
        if not numbers or not all(
            isinstance(number, int | float) and not isinstance(number, bool) for number in numbers
        ):
            raise self._endpoint.failed("answered with a vector that is no list of numbers")
        try:
            wide = np.asarray(numbers, np.float64)
        except OverflowError:
            wide = np.array([np.inf])
        largest = float(np.abs(wide).max())
        if not 0 < largest < np.inf:
            raise self._endpoint.failed("answered with a vector of zeros or of numbers that are not finite")
        scaled = wide / largest
        return (scaled / np.linalg.norm(scaled)).astype(np.float32)
