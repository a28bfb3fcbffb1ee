"""The parts of a ranking, each by itself."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki.index.lance import Recall
from wiki.search.boost import category_boosts
from wiki.search.fusion import min_max, reciprocal_rank, score_sum
from wiki.search.grouping import Found, group_by_record
from wiki.search.ranking import Ranked, evidence, falling, follow, rank


def candidate(key: str, keyword: float, cosine: float, rerank: float, namespace: str = "A") -> Ranked:
    found = Found(key, key, namespace, {"keyword": f"{key}#0"}, {"keyword": keyword}, {"keyword": 1})
    return Ranked(found, f"{key}#0", 0.5, rerank, cosine)


def test_reciprocal_rank_rewards_agreement() -> None:
    fused = reciprocal_rank([["a", "b", "c"], ["b", "d"]], 60)
    assert max(fused, key=fused.__getitem__) == "b"
    assert fused["b"] == pytest.approx(1 / 62 + 1 / 61)


def test_added_scores_are_scaled_by_channel() -> None:
    assert score_sum([{"a": 30.0, "b": 10.0}, {"b": 0.9, "c": 0.1}]) == {"a": 1.0, "b": 1.0, "c": 0.0}
    assert min_max({"a": 2.0}) == {"a": 1.0} and min_max({}) == {}


def test_the_best_passage_of_a_record_counts_in_each_channel() -> None:
    def recall(passage: str, score: float) -> Recall:
        return Recall(passage, passage.split("#")[0], "d", "A", "m", score)

    found = group_by_record(
        {"keyword": [recall("x#1", 9), recall("x#0", 8), recall("y#0", 7)], "vector": [recall("x#0", 0.8)]}
    )
    assert found["x"].passages == {"keyword": "x#1", "vector": "x#0"} and found["x"].source == "both"
    assert found["y"].ranks == {"keyword": 2} and found["y"].source == "keyword"


def test_scattered_candidates_boost_nothing_and_a_lead_boosts_in_proportion() -> None:
    assert set(category_boosts(["A", "B"], [1, 1], 0.1).values()) == {0.0}
    boosts = category_boosts(["A", "A", "A", "B"], [1, 1, 1, 1], 0.1)
    assert boosts == pytest.approx({"A": 0.1 * 0.75 * 0.5, "B": 0.1 * 0.25 * 0.5})
    assert category_boosts(["A"], [0.0], 0.1) == {"A": 0.0}


@given(st.lists(st.floats(0, 1), max_size=40))
@settings(deadline=None, max_examples=100)
def test_falling_never_rises_and_keeps_the_mean(values: list[float]) -> None:
    fallen = falling(values)
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(fallen))
    assert sum(fallen) == pytest.approx(sum(values))
    ordered = sorted(values, reverse=True)
    assert falling(ordered) == pytest.approx(ordered)


def test_the_blend_orders_and_the_evidence_scores() -> None:
    ranked = rank(
        [candidate("weak", 1, 0.1, 0.1), candidate("strong", 9, 0.7, 0.9), candidate("middle", 5, 0.4, 0.5)],
        ("keyword", "vector"), 0.1, 50,
    )  # fmt: skip
    assert [item.found.record_id for item in ranked] == ["strong", "middle", "weak"]
    assert ranked[0].score > 0.9 and ranked[-1].score < 0.15
    assert ranked[0].score == pytest.approx(evidence(ranked[0]))


def test_cosines_do_not_order_a_keyword_search() -> None:
    pair = [candidate("words", 9, 0.1, 0.5), candidate("sense", 8, 0.9, 0.5)]
    assert rank(pair, ("keyword",), 0.0, 50)[0].found.record_id == "words"
    assert rank(pair, ("vector",), 0.0, 50)[0].found.record_id == "sense"


def test_what_was_not_reranked_follows_below() -> None:
    rest = follow([candidate("a", 1, 0, 0), candidate("b", 1, 0, 0)], 0.4)
    assert [item.score for item in rest] == [0.4, 0.4]
    assert follow([], 0.4) == []
