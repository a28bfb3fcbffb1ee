"""Floors of retrieval quality with the embedded default, through the engine that serves users."""

import os

import pytest

from tests.eval.conftest import OpenBench
from wiki.views import Method

pytestmark = [pytest.mark.evaluation, pytest.mark.real_model, pytest.mark.timeout(1_800)]
full = pytest.mark.skipif(os.environ.get("WIKI_EVAL") != "full", reason="minutes of embedding; WIKI_EVAL=full runs it")

FLOORS: list[tuple[str, Method, float]] = [
    ("xquad-zh", "keyword", 0.95),
]
LONG: list[tuple[str, Method, float]] = [
    ("cranfield", "hybrid", 0.385),
    ("cranfield", "keyword", 0.355),
    ("cisi", "hybrid", 0.43),
    ("xquad-th", "keyword", 0.92),
    ("scifact", "hybrid", 0.70),
    ("scifact", "keyword", 0.67),
]


@pytest.mark.parametrize(("name", "method", "floor"), [*FLOORS, *(pytest.param(*item, marks=full) for item in LONG)])
def test_ndcg_at_10_reaches_its_floor(open_bench: OpenBench, name: str, method: Method, floor: float) -> None:
    bench = open_bench(name)
    bench.collection = bench.collection.first(300)
    assert bench.report([method])["methods"][method]["ndcg@10"] >= floor


@full
def test_made_up_words_score_low_and_answers_high(open_bench: OpenBench) -> None:
    bench = open_bench("cranfield")
    for query in ("zxqv blorptangle wuggish", "xyzzy plugh", "best pizza in Naples", "my cat is sick"):
        assert bench.best_score(query) < 0.3
    for query in ("heat transfer on blunt bodies", "flutter of wings", "boundary layer transition"):
        assert bench.best_score(query) > 0.7
