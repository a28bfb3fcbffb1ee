"""Search end to end over a real store: what is found, in which order, and what is refused."""

import pytest

from tests.search.conftest import Shelf
from tests.standins import WordEmbedder
from wiki.errors import ConfigurationError, IndexModelMismatch, InvalidInput
from wiki.models.factory import make_reranker
from wiki.models.protocols import Candidate, QueryEmbedding
from wiki.settings import RerankSettings
from wiki.views import Method, SearchFilters, SearchQuery

METHODS: tuple[Method, ...] = ("keyword", "vector", "hybrid")


def ids(shelf: Shelf, query: str, **values: object) -> list[str]:
    return [hit.topic_id for hit in shelf.engine().search(SearchQuery(query, **values)).hits]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_topic_that_says_it(stocked: Shelf, method: Method) -> None:
    result = stocked.engine().search(SearchQuery("rent and power in March", method=method))
    hit = result.hits[0]
    assert (hit.topic_id, hit.category_id, hit.topic_path) == ("d_a_1", "Finance", "Report > Costs")
    assert hit.document.title == "Report" and hit.retrieval_method == method
    assert hit.source == ("both" if method == "hybrid" else method)
    assert (hit.lines, hit.pages, hit.content, hit.explain) == ((5, 5), (3,), None, None)
    assert [hit.snippet.text[start:end] for start, end in hit.snippet.matches] == [
        "Rent",
        "and",
        "power",
        "in",
        "March",
    ]
    assert set(result.timings) == {"embed", "recall", "fuse", "rerank", "join"} and result.took_ms > 0


@pytest.mark.parametrize("method", METHODS)
def test_scores_lie_in_0_to_1_and_never_rise(stocked: Shelf, method: Method) -> None:
    scores = [hit.score for hit in stocked.engine().search(SearchQuery("river sea", method=method, top_k=100)).hits]
    assert scores == sorted(scores, reverse=True)
    assert 0 <= scores[-1] and scores[0] <= 1


def test_a_hundred_hits_are_given_though_fifty_are_reranked(stocked: Shelf) -> None:
    assert len(ids(stocked, "river", top_k=100)) == len(set(ids(stocked, "river", top_k=100))) == 100


def test_a_topic_of_many_passages_is_one_hit_and_others_still_fill_the_page(shelf: Shelf) -> None:
    long = "\n\n".join(f"Glacier {' '.join(f'w{part}x{word}' for word in range(120))}" for part in range(40))
    shelf.put_many(
        [("d_l_1", "Long", long, "Science", {})]
        + [(f"d_s{number}_1", f"Short {number}", f"glacier {'pad ' * 200}", "Science", {}) for number in range(30)]
    )
    found = [hit.topic_id for hit in shelf.engine(recall_n=10).search(SearchQuery("glacier", top_k=25)).hits]
    assert found.count("d_l_1") == 1 and len(found) == 25


def test_the_next_page_follows_the_first(stocked: Shelf) -> None:
    both = ids(stocked, "river sea", top_k=40)
    assert both == ids(stocked, "river sea", top_k=20) + ids(stocked, "river sea", top_k=20, offset=20)


def test_total_counts_the_matching_topics_not_the_page(stocked: Shelf) -> None:
    engine = stocked.engine()
    query = SearchQuery("whales", method="keyword")
    assert engine.search(query).total == 1
    assert engine.search(SearchQuery("river", method="keyword", top_k=5)).total == 130


def test_a_topic_the_catalog_no_longer_knows_is_left_out_and_the_page_filled(shelf: Shelf) -> None:
    for number in range(15):
        shelf.put(f"d_{number}_1", f"Lake {number}", "A lake in the hills.")
    first = ids(shelf, "lake", top_k=10)
    for gone in first[:4]:
        del shelf.records[gone]
    left = shelf.engine().search(SearchQuery("lake", top_k=10))
    assert [hit.topic_id for hit in left.hits][:6] == first[4:]
    assert len(left.hits) == 10 and left.total == 11


def test_filters_are_pushed_down(stocked: Shelf) -> None:
    def found(query: str = "the", **values: object) -> set[str]:
        return set(ids(stocked, query, top_k=100, filters=SearchFilters(**values)))

    assert found(category_id=("Finance",)) == {"d_a_1", "d_a_2"}
    assert found(doc_id=("d_b",)) == {"d_b_1"}
    assert found(label=("money", "other")) == {"d_a_1"}
    assert found(language=("en",)) == {"d_a_1"}
    assert found(fields={"team": "red"}) == {"d_a_2"}
    assert found(document_date_after="2024-01-01", document_date_before="2025-01-01") == {"d_b_1"}
    assert found(created_after="2026-12-24", created_before="2026-12-24T13:00:00+01:00") == set()
    assert found(created_after="2026-12-24", created_before="2026-12-24T13:00:01+01:00") == {"d_c_1"}
    assert found(updated_after="2027-01-01") == found(record_type=("note",)) == found(category_id=("It's",)) == set()


def test_facets_count_what_was_recalled(stocked: Shelf) -> None:
    result = stocked.engine().search(SearchQuery("costs", method="keyword", facets=True, top_k=1))
    assert result.facets == {"category": {"Finance": 2}, "record_type": {"topic": 2}, "label": {"money": 1}}


def test_content_comes_when_asked_for(stocked: Shelf) -> None:
    (hit, *_) = stocked.engine().search(SearchQuery("whales", include_content=True)).hits
    assert hit.content == "Whales sing at night under the ice."


def test_explain_shows_every_part(stocked: Shelf) -> None:
    (hit, *_) = stocked.engine().search(SearchQuery("whales sing", explain=True)).hits
    assert hit.explain is not None
    assert hit.explain["ranks"] == {"keyword": 1, "vector": 1}
    assert set(hit.explain["channel_scores"]) == {"keyword", "vector"}
    assert {"fused", "rerank", "blend", "boost"} <= set(hit.explain)


def test_a_threshold_keeps_only_what_is_sure(stocked: Shelf) -> None:
    query = SearchQuery("whales sing at night", top_k=50)
    scores = [hit.score for hit in stocked.engine().search(query).hits]
    cut = (scores[0] + scores[1]) / 2
    kept = stocked.engine().search(SearchQuery("whales sing at night", top_k=50, score_threshold=cut))
    assert [hit.topic_id for hit in kept.hits] == ["d_b_1"] and kept.total == 1


def test_adding_scores_is_the_other_fusion(stocked: Shelf) -> None:
    assert ids(stocked, "rent power", fusion="score")[0] == "d_a_1"


def test_the_crowded_category_rises(shelf: Shelf) -> None:
    for number in range(12):
        shelf.put(f"d_{number}_1", f"Tide {number}", "tide water moon", "Science")
    shelf.put("d_x_1", "Tide x", "tide water moon", "Travel")
    query = SearchQuery("tide water moon", top_k=20, explain=True)
    boosts = {hit.topic_id: hit.explain["boost"] for hit in shelf.engine().search(query).hits if hit.explain}
    assert boosts["d_0_1"] > 5 * boosts["d_x_1"] > 0
    none = {hit.explain["boost"] for hit in shelf.engine(**{"lambda": 0}).search(query).hits if hit.explain}
    assert none == {0.0}


@pytest.mark.parametrize("query", ["", " \n\t "])
def test_an_empty_query_is_refused(stocked: Shelf, query: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        stocked.engine().search(SearchQuery(query))


def test_numbers_out_of_range_are_refused(stocked: Shelf) -> None:
    engine = stocked.engine()
    with pytest.raises(InvalidInput, match="2,001 characters"):
        engine.search(SearchQuery("x" * 2_001))
    for values in ({"top_k": 0}, {"top_k": 101}, {"offset": -1}, {"score_threshold": 1.5}):
        with pytest.raises(InvalidInput, match=next(iter(values))):
            engine.search(SearchQuery("x", **values))
    for filters in (SearchFilters(record_type=("page",)), SearchFilters(created_after="soon")):
        with pytest.raises(InvalidInput, match="filters"):
            engine.search(SearchQuery("x", filters=filters))


def test_an_empty_library_has_no_hits(shelf: Shelf) -> None:
    result = shelf.engine().search(SearchQuery("anything", facets=True))
    assert (result.hits, result.total) == ((), 0)


@pytest.mark.parametrize("method", METHODS)
def test_an_index_of_another_model_is_an_error_with_a_remedy(stocked: Shelf, method: Method) -> None:
    class Other(WordEmbedder):
        fingerprint = "another"

    engine = Shelf(stocked.path, Other()).engine()
    with pytest.raises(IndexModelMismatch, match="wiki rebuild"):
        engine.search(SearchQuery("river", method=method))


def test_an_index_of_another_dimension_is_an_error_with_a_remedy(stocked: Shelf) -> None:
    class Wide(WordEmbedder):
        dim = 512

    with pytest.raises(IndexModelMismatch, match="wiki rebuild"):
        Shelf(stocked.path, Wide()).engine().search(SearchQuery("river"))


@pytest.mark.parametrize("method", METHODS)
def test_without_a_reranker_every_method_is_a_configuration_error(stocked: Shelf, method: Method) -> None:
    engine = stocked.engine(lambda: make_reranker(RerankSettings(provider="none")))
    with pytest.raises(ConfigurationError, match=r"rerank\.provider"):
        engine.search(SearchQuery("river", method=method))


def test_a_reranker_that_reads_texts_gets_name_and_text(stocked: Shelf) -> None:
    seen: list[str] = []

    class Reader:
        name = "reader"
        needs_tokens = False

        def score(self, _query: str, _embedded: object, candidates: list[Candidate]) -> list[float]:
            seen.extend(candidate.text for candidate in candidates)
            return [0.5 for _ in candidates]

    stocked.engine(Reader).search(SearchQuery("whales", method="keyword"))
    assert seen == ["Whales\nWhales sing at night under the ice."]


def test_a_model_without_token_vectors_is_reranked_by_its_pooled_ones(shelf: Shelf) -> None:
    class Pooled(WordEmbedder):
        def embed(self, texts: list[str]) -> list[object]:
            return [type(item)(item.vector, None) for item in super().embed(texts)]

        def embed_query(self, text: str) -> QueryEmbedding:
            return QueryEmbedding(super().embed_query(text).vector, None, None)

    pooled = Shelf(shelf.path, Pooled())
    pooled.put("d_a_1", "Whales", "Whales sing.")
    pooled.put("d_b_1", "Rent", "Rent rose.")
    assert ids(pooled, "whales sing")[0] == "d_a_1"
