"""The keyword channel alone, before any model ranks: does the analyser serve every script and does it stem?

Fast, so it covers every collection. The ``keyword`` method of users, which reranks, is measured in ``test_floors.py``.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from wiki.evaluation import Workbench, measure, read_collection
from wiki.models.protocols import Embedding, QueryEmbedding
from wiki.models.rerankers import LateInteraction
from wiki.search.filters import filter_condition
from wiki.settings import SearchSettings
from wiki.views import SearchFilters

pytestmark = [pytest.mark.evaluation, pytest.mark.timeout(600)]
FLOORS = {
    "scifact": 0.67,
    "cranfield": 0.355,
    "npl": 0.42,
    "cisi": 0.36,
    "xquad-zh": 0.95,
    "xquad-th": 0.92,
    "xquad-en": 0.95,
    "xquad-ru": 0.84,
    "xquad-ar": 0.86,
    "xquad-hi": 0.94,
    "jaquad": 0.88,
}
MOST_QUERIES = 300


class NoVectors:
    """Counts tokens by length and gives every text the same vector: only words are measured here."""

    fingerprint = "none"
    dim = 2
    max_tokens = 256
    languages = None
    _vector = np.array([1, 0], np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) // 4 for text in texts]

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(start, min(start + 4, len(text))) for start in range(0, len(text), 4)]

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(self._vector, None) for _ in texts]

    def embed_query(self, _text: str) -> QueryEmbedding:
        return QueryEmbedding(self._vector, None, None)


@pytest.mark.parametrize("name", FLOORS)
def test_keyword_recall_reaches_its_floor(name: str, shared: Path, tmp_path: Path) -> None:
    folder, _, language = name.partition("-")
    collection = read_collection(shared / "eval" / folder)
    collection = (collection.only(language) if language else collection).first(MOST_QUERIES)
    bench = Workbench(collection, tmp_path, NoVectors(), LateInteraction(), SearchSettings())
    where = filter_condition(SearchFilters())
    figures = []
    for query in collection.queries:
        recalls = bench.store.keyword(query.text[:2_000], 200, where)
        ranking = list(dict.fromkeys(bench.document_id(recall.record_id) for recall in recalls))
        figures.append(measure(ranking, collection.grades[query.id])[0])
    assert np.mean(figures) >= FLOORS[name]
