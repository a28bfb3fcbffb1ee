"""Any sentence-transformers model, by name or path."""

import hashlib
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wiki.errors import CapabilityUnavailable, ConfigurationError, ExternalServiceUnavailable
from wiki.models.protocols import Embedding, QueryEmbedding, Vector

MAX_TOKENS = 256
_E5 = re.compile(r"(?:^|[-_/])e5(?:[-_]|$)", re.IGNORECASE)
_ENGLISH = re.compile(r"^all-|(?:^|[-_.])(?:en|english)(?:[-_.]|$)", re.IGNORECASE)
"""Names of models for English: ``bge-small-en-v1.5``, and the ``all-...`` family of sentence-transformers."""


@dataclass(frozen=True)
class _Loaded:
    model: Any
    tokenizer: Any
    fingerprint: str
    dim: int
    max_tokens: int
    query_prompt: str
    passage_prompt: str


class SentenceTransformerEmbedder:
    """Vectors of one sentence-transformers model; it keeps no token vectors. Loads at the first call, thread safe.

    Prompts: the given ones, else the model's own, else ``query: `` and ``passage: `` for the e5 family. They are
    part of the fingerprint.
    """

    def __init__(
        self,
        model: str,
        *,
        dim: int | None = None,
        batch_size: int = 32,
        threads: int = 0,
        query_prompt: str = "",
        passage_prompt: str = "",
    ) -> None:
        self._name = model
        self._expected_dim = dim
        self._batch_size = batch_size
        self._threads = threads
        self._given = (query_prompt, passage_prompt)
        self._lock = threading.Lock()
        self._state: _Loaded | None = None

    @property
    def fingerprint(self) -> str:
        return self._loaded.fingerprint

    @property
    def dim(self) -> int:
        return self._loaded.dim

    @property
    def max_tokens(self) -> int:
        return self._loaded.max_tokens

    @property
    def languages(self) -> frozenset[str] | None:
        """English when the model's name says so; else it does not tell."""
        return frozenset({"en"}) if _ENGLISH.search(Path(self._name).name) else None

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text with special tokens and the passage prompt."""
        loaded = self._loaded
        return [len(item) for item in loaded.tokenizer.encode_batch([loaded.passage_prompt + text for text in texts])]

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return list(self._loaded.tokenizer.encode(text, add_special_tokens=False).offsets)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        vectors = self._encode(texts, self._loaded.passage_prompt)
        return [Embedding(vector, None) for vector in vectors]

    def embed_vectors(self, texts: Sequence[str]) -> list[Vector]:
        return self._encode(texts, self._loaded.passage_prompt)

    def embed_query(self, text: str) -> QueryEmbedding:
        return QueryEmbedding(self._encode([text], self._loaded.query_prompt)[0], None, None)

    def _encode(self, texts: Sequence[str], prompt: str) -> list[Any]:
        if not texts:
            return []
        try:
            vectors = self._loaded.model.encode(
                [prompt + text for text in texts],
                prompt="",
                batch_size=self._batch_size,
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        except Exception as error:
            raise ExternalServiceUnavailable(
                f"the embedding model {self._name!r} failed: {error}. See embedding.model", provider="embedding"
            ) from error
        return list(np.asarray(vectors, np.float32))

    @property
    def _loaded(self) -> _Loaded:
        if self._state is None:
            with self._lock:
                if self._state is None:
                    self._state = self._load()
        return self._state

    def _load(self) -> _Loaded:
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from tokenizers import Tokenizer
        except ImportError as error:
            raise CapabilityUnavailable(
                f"embedding.provider = sentence-transformers needs {error.name}: run pip install 'knowledge-wiki[models]'",
                missing=error.name,
            ) from error
        if self._threads:
            torch.set_num_threads(self._threads)
        try:
            model = SentenceTransformer(self._name, device="cpu")
            dim = int(model.get_embedding_dimension() or 0)
            backend = getattr(model.tokenizer, "backend_tokenizer", model.tokenizer)
            fingerprint = _digest(model)
        except Exception as error:
            raise ExternalServiceUnavailable(
                f"the embedding model {self._name!r} could not be loaded: {error}. Set embedding.model to a local path "
                f"or to a name this machine can download",
                provider="embedding",
            ) from error
        if self._expected_dim is not None and dim != self._expected_dim:
            raise ConfigurationError(
                f"the embedding model {self._name!r} gives {dim} dimensions, embedding.dim says {self._expected_dim}"
            )
        if not hasattr(backend, "to_str"):
            raise ConfigurationError(
                f"the embedding model {self._name!r} has no fast tokenizer: choose another embedding.model"
            )
        tokenizer = Tokenizer.from_str(backend.to_str())
        tokenizer.no_padding()
        tokenizer.no_truncation()
        query, passage = self._prompts(model)
        window = min(MAX_TOKENS, int(model.max_seq_length or MAX_TOKENS))
        prompts = hashlib.sha256(f"{query}\0{passage}".encode()).hexdigest()[:8]
        name = Path(self._name).name
        return _Loaded(model, tokenizer, f"{name}:{fingerprint}:{prompts}", dim, window, query, passage)

    def _prompts(self, model: Any) -> tuple[str, str]:
        own: dict[str, str] = dict(model.prompts or {})
        e5 = bool(_E5.search(self._name)) and "instruct" not in self._name.lower()
        query = self._given[0] or own.get("query") or ("query: " if e5 else "")
        passage = self._given[1] or own.get("passage") or own.get("document") or ("passage: " if e5 else "")
        return query, passage


def _digest(model: Any) -> str:
    """12 hex digits over every weight of the model."""
    import torch

    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:12]
