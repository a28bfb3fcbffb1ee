"""Vectors for passages: from the index, from rows deleted a moment ago, and only then from the model."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence

from wiki.index.lance import PassageStore
from wiki.index.rows import Passage, StoredVector
from wiki.models.protocols import Embedder

REMEMBERED = 2_000
"""Vectors of deleted rows kept in memory, about 12 KB each, so that a move seen as delete and add embeds nothing."""
Lookup = Callable[[Collection[str], str], dict[str, StoredVector]]


class VectorSource:
    """Where a batch gets its vectors. ``embedded`` counts what the model had to do in the last call."""

    def __init__(self, fallback: Lookup | None = None) -> None:
        self._recent: OrderedDict[tuple[str, str], StoredVector] = OrderedDict()
        self._fallback = fallback

    def remember(self, store: PassageStore, passage_hashes: Collection[str], model: str) -> None:
        """Keep the vectors of rows about to be deleted."""
        for digest, stored in store.known_vectors(list(passage_hashes)[:REMEMBERED], model).items():
            self._recent[digest, model] = stored
        while len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)

    def vectors(
        self, store: PassageStore, embedder: Embedder, passages: Sequence[Passage]
    ) -> tuple[dict[str, StoredVector], set[str]]:
        """The vector of each passage by its hash, and the hashes that went through the model."""
        model = embedder.fingerprint
        texts = {passage.sha256: passage.embedded_text for passage in passages}
        found = store.known_vectors(texts.keys(), model)
        for digest in texts.keys() - found.keys():
            if (recent := self._recent.get((digest, model))) is not None:
                found[digest] = recent
        if self._fallback and (missing := texts.keys() - found.keys()):
            found |= self._fallback(missing, model)
        new = [digest for digest in texts if digest not in found]
        for digest, made in zip(new, embedder.embed([texts[digest] for digest in new]) if new else [], strict=True):
            found[digest] = StoredVector(made.vector, made.tokens)
        return found, set(new)
