"""Scores from an endpoint: four shapes, each candidate exactly once, always 0 to 1."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from tests.models.endpoints import Call, EndpointServer, Script, failure, refused_url
from wiki.errors import ConfigurationError, ExternalServiceUnavailable, WikiError
from wiki.models.endpoint import Endpoint
from wiki.models.protocols import Candidate
from wiki.models.remote_reranker import PATHS, RemoteReranker, RerankShape

KEY = "sk-hidden-1234"
TEXTS = ["Rent rose in March.", "Whales sing at night.", "Rivers run to the sea."]
CANDIDATES = [Candidate(text, None) for text in TEXTS]


def scored(*values: object) -> Script:
    """Scores in the shape of Cohere, Jina and vLLM, best first, as servers send them."""
    results = [{"index": index, "relevance_score": value} for index, value in enumerate(values)]
    return Script({"id": "r", "results": results[::-1], "usage": {"total_tokens": 9}})


def ranked(*values: float) -> Script:
    """Scores in TEI's shape."""
    return Script([{"index": index, "score": value} for index, value in enumerate(values)][::-1])


def reranker(url: str, shape: RerankShape = "jina", **settings: Any) -> RemoteReranker:
    endpoint = Endpoint("rerank", "reranker", url, KEY, PATHS[shape], pause=lambda _: None)
    return RemoteReranker(endpoint, shape, "some-model", **settings)


DOCUMENTS = {"model": "some-model", "query": "rent", "documents": TEXTS, "top_n": 3}


@pytest.mark.parametrize(
    ("shape", "reply", "path", "body"),
    [
        ("cohere", scored(0.9, 0.1, 0.3), "/v2/rerank", DOCUMENTS),
        ("jina", scored(0.9, 0.1, 0.3), "/rerank", {**DOCUMENTS, "return_documents": False}),
        ("vllm", scored(0.9, 0.1, 0.3), "/rerank", DOCUMENTS),
        ("tei", ranked(0.9, 0.1, 0.3), "/rerank", {"query": "rent", "texts": TEXTS, "raw_scores": False, "truncate": True}),
    ],
)  # fmt: skip
def test_each_shape_is_spoken(shape: RerankShape, reply: Script, path: str, body: dict[str, object]) -> None:
    with EndpointServer([reply]) as server:
        model = reranker(server.base_url, shape)
        assert model.score("rent", None, CANDIDATES) == [0.9, 0.1, 0.3]
        assert model.name == f"{shape}:some-model" and not model.needs_tokens
    (call,) = server.calls
    assert (call.path, call.body) == (path, body)
    assert call.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("shape", "base", "serves"),
    [
        ("cohere", "/v2", "/v2/rerank"),
        ("cohere", "", "/rerank"),
        ("jina", "/v1", "/v1/rerank"),
        ("jina", "", "/v1/rerank"),
        ("vllm", "/v1/rerank", "/v1/rerank"),
        ("tei", "/rerank", "/rerank"),
    ],
)
def test_the_address_may_be_given_with_or_without_its_path(shape: RerankShape, base: str, serves: str) -> None:
    with EndpointServer([scored(0.5, 0.5, 0.5)], only=[serves]) as server:
        model = reranker(server.base_url + base, shape)
        assert model.score("rent", None, CANDIDATES) == model.score("rent", None, CANDIDATES)
        assert [call.path for call in server.calls] == [serves, serves]


def test_nothing_to_score_asks_nobody() -> None:
    assert reranker(refused_url()).score("rent", None, []) == []


def by_length(call: Call) -> Script:
    return ranked(*(len(text) / 1000 for text in call.body["texts"]))


def test_more_candidates_than_a_request_takes_go_in_several() -> None:
    candidates = [Candidate("x" * length, None) for length in range(1, 71)]
    with EndpointServer([by_length]) as server:
        assert reranker(server.base_url, "tei").score("q", None, candidates) == [n / 1000 for n in range(1, 71)]
        assert [len(call.body["texts"]) for call in server.calls] == [32, 32, 6]
        reranker(server.base_url, "tei", batch_size=70).score("q", None, candidates)
        assert len(server.calls[-1].body["texts"]) == 70


def test_logits_are_brought_to_0_to_1_from_the_first_one_on(caplog: pytest.LogCaptureFixture) -> None:
    with EndpointServer([scored(0.2, 0.4, 0.6), scored(7.0, -11.0, 0.0), scored(0.2, 0.4, 0.0)]) as server:
        model = reranker(server.base_url)
        assert model.score("rent", None, CANDIDATES) == [0.2, 0.4, 0.6]
        with caplog.at_level(logging.WARNING, "wiki"):
            assert model.score("rent", None, CANDIDATES) == pytest.approx([0.99909, 0.0000167, 0.5], abs=1e-5)
        assert "rerank.scores" in caplog.text
        assert model.score("rent", None, CANDIDATES) == pytest.approx([0.54983, 0.59869, 0.5], abs=1e-5)


def test_the_setting_may_say_that_scores_are_logits() -> None:
    with EndpointServer([scored(0.0, 800.0, -800.0)]) as server:
        assert reranker(server.base_url, scores="logit").score("rent", None, CANDIDATES) == [0.5, 1.0, 0.0]


def test_the_setting_may_insist_on_0_to_1() -> None:
    with EndpointServer([scored(1.0005, -0.0002, 0.5), scored(7.5, 0.1, 0.2)]) as server:
        model = reranker(server.base_url, scores="unit")
        assert model.score("rent", None, CANDIDATES) == [1.0, 0.0, 0.5]
        with pytest.raises(ConfigurationError, match=r"gave the score 7\.5, rerank\.scores = unit"):
            model.score("rent", None, CANDIDATES)


def entry(index: object, score: object = 0.5) -> dict[str, object]:
    return {"index": index, "relevance_score": score}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"results": [entry(0), entry(1)]}, "scored 2 of 3 texts"),
        ({"results": []}, "scored 0 of 3 texts"),
        ({"results": [entry(0), entry(1), entry(1)]}, "scored a text twice"),
        ({"results": [entry(0), entry(1), entry(2), entry(3)]}, "not given"),
        ({"results": [entry(0), entry(1), entry(-1)]}, "not given"),
        ({"results": [entry(0), entry(1), entry("2")]}, "no finite number with an index"),
        ({"results": [entry(0), entry(1), entry(True)]}, "no finite number with an index"),
        ({"results": [entry(0), entry(1), entry(2, float("nan"))]}, "no finite number"),
        ({"results": [entry(0), entry(1), entry(2, float("inf"))]}, "no finite number"),
        ({"results": [entry(0), entry(1), entry(2, 10**400)]}, "no finite number"),
        ({"results": [entry(0), entry(1), entry(2, "0.5")]}, "no finite number"),
        ({"results": [entry(0), entry(1), entry(2, None)]}, "no finite number"),
        ({"results": [entry(0), entry(1), 0.5]}, "no finite number"),
        ({"results": None}, "without scores"),
        ({"detail": f"busy with {TEXTS[1]} for {KEY}"}, "without scores: busy with … for …: check"),
        ({"scores": [0.1, 0.2, 0.3]}, "without scores"),
        ("0.5", "without scores"),
        ("<html>hello</html>", "not JSON"),
    ],
)
def test_a_malformed_reply_is_a_failing_service(body: object, says: str) -> None:
    with EndpointServer([Script(body)]) as server:
        with pytest.raises(ExternalServiceUnavailable) as error:
            reranker(server.base_url).score("who sings at night", None, CANDIDATES)
    assert says in error.value.message and "check rerank.base_url and rerank.model" in error.value.message
    assert error.value.details["provider"] == "rerank"
    for hidden in (KEY, "who sings", *TEXTS):
        assert hidden not in error.value.message


@pytest.mark.parametrize(
    ("reply", "kind", "says"),
    [
        (failure(401), ConfigurationError, "set rerank.api_key"),
        (failure(404, "no such model"), ConfigurationError, "rerank.model"),
        (failure(429, retry_after="90"), ExternalServiceUnavailable, "asks to wait 90 s"),
        (failure(500), ExternalServiceUnavailable, "failed (500) (4 tries"),
        (Script(fault="slow"), ExternalServiceUnavailable, "within 0.2 s (rerank.timeout_seconds)"),
        (Script({}, fault="short"), ExternalServiceUnavailable, "broke off"),
    ],
)
def test_a_failing_endpoint_tells_what_to_look_at(reply: Script, kind: type[WikiError], says: str) -> None:
    with EndpointServer([reply]) as server:
        with pytest.raises(kind) as error:
            wait = 0.2 if reply.fault == "slow" else 5
            reranker(server.base_url, timeout_seconds=wait).score("rent", None, CANDIDATES)
    assert says in error.value.message and KEY not in error.value.message


def test_all_requests_of_a_search_share_its_time() -> None:
    replies: list[Script | Callable[[Call], Script]] = [by_length, Script(fault="slow")]
    with EndpointServer(replies) as server:
        with pytest.raises(ExternalServiceUnavailable, match=r"rerank\.timeout_seconds"):
            reranker(server.base_url, "tei", batch_size=1, timeout_seconds=0.3).score("rent", None, CANDIDATES)
        assert len(server.calls) == 2
