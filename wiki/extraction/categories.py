"""The category of a document: the taxonomy's description that lies nearest to what the document is about."""

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wiki.extraction.turns import Matrix
from wiki.models.protocols import Embedder

FALLBACK = "Others"
NEAR_TIE = 0.015
"""Two best categories closer than this are a tie; it decides nothing unless they are also near."""
NEAR_MARGIN = 0.06
"""How far over the threshold a category must lie to win a near tie."""
LEAD_CHARACTERS = 900
MOST_CACHED = 4_096

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_cache: OrderedDict[str, Matrix] = OrderedDict()
_cache_lock = threading.Lock()


@dataclass(frozen=True)
class Classification:
    """The category, how near it lies (cosine, -1..1), by how much it leads, and why in words."""

    category_id: str
    score: float | None = None
    lead: float | None = None
    reason: str = ""


def classify(
    title: str,
    lead: str,
    names: Sequence[str],
    sentence_vectors: Matrix | None,
    *,
    categories: Sequence[tuple[str, str]],
    embedder: Embedder,
    threshold: float,
) -> Classification:
    """The nearest of ``categories`` (id and description), or the fallback when none lies within ``threshold``.

    The document stands for itself twice: its title, topic names and first text, and the centroid of its most telling
    sentences; both are compared with each description and the mean counts. The fallback is ``Others``, or the last
    category of a taxonomy without it.
    """
    ids = [category for category, _ in categories]
    fallback = FALLBACK if FALLBACK in ids or not ids else ids[-1]
    choices = [(category, text) for category, text in categories if category != FALLBACK]
    if not choices:
        return Classification(fallback, reason="the taxonomy has no other category")
    described = _description_vectors(choices, embedder)
    about = f"{title}. {', '.join(names)}"[:400]
    text = f"{about}. {lead}"[:LEAD_CHARACTERS]
    own = np.mean([found.vector for found in embedder.embed([about, text])], axis=0)
    scores = described @ own
    if sentence_vectors is not None and len(sentence_vectors):
        scores = (scores + described @ sentence_vectors.mean(axis=0)) / 2
    order = np.argsort(-scores, kind="stable")
    best = float(scores[order[0]])
    ahead = best - float(scores[order[1]]) if len(order) > 1 else best
    nearest = choices[int(order[0])][0]
    if best < threshold:
        return Classification(fallback, best, ahead, f"nothing is near; the nearest is {nearest}")
    if ahead < NEAR_TIE and best < threshold + NEAR_MARGIN:
        second = choices[int(order[1])][0]
        return Classification(fallback, best, ahead, f"{nearest} and {second} tie and neither is near")
    return Classification(nearest, best, ahead, "nearest description")


def _description_vectors(choices: Sequence[tuple[str, str]], embedder: Embedder) -> Matrix:
    """One row per category. Kept by model and text, so an edit of the taxonomy embeds only what changed."""
    texts = [f"{_CAMEL.sub(' ', category).replace('_', ' ')}: {text}" for category, text in choices]
    keys = [hashlib.sha256(f"{embedder.fingerprint}\0{text}".encode()).hexdigest() for text in texts]
    with _cache_lock:
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in _cache}
    fresh: dict[str, Matrix] = {}
    if missing:
        fresh = {key: found.vector for key, found in zip(missing, embedder.embed(list(missing.values())), strict=True)}
    with _cache_lock:
        _cache.update(fresh)
        rows = np.stack([_cache[key] for key in keys]).astype(np.float32)
        for key in keys:
            _cache.move_to_end(key)
        while len(_cache) > MOST_CACHED:
            _cache.popitem(last=False)
    return rows
