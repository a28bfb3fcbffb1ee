"""Vectors from an endpoint: order, count, length and form are checked; tokens are estimated."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.endpoints import Call, EndpointServer, Script, failure, refused_url
from wiki.errors import ConfigurationError, ExternalServiceUnavailable, WikiError
from wiki.index.passages import cut_passages
from wiki.models.bundled import BundledEmbedder
from wiki.models.endpoint import Endpoint
from wiki.models.protocols import Candidate
from wiki.models.remote_embedder import PATHS, RemoteEmbedder
from wiki.models.rerankers import LateInteraction
from wiki.models.token_estimate import count_pieces, piece_spans

KEY = "sk-hidden-0815"


def vector(text: str) -> list[float]:
    """Three numbers that tell texts apart, not of unit length."""
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 97)]


def vectors(call: Call) -> Script:
    """A good reply, in another order than the texts."""
    data = [{"index": place, "embedding": vector(text)} for place, text in enumerate(call.body["input"])]
    return Script({"object": "list", "data": data[::-1], "model": "m"})


def embedder(url: str, **settings: Any) -> RemoteEmbedder:
    endpoint = Endpoint("embedding", "embedding model", url, KEY, PATHS, pause=lambda _: None)
    return RemoteEmbedder(endpoint, "some/model", **settings)


def near(made: np.ndarray, text: str) -> bool:
    wanted = np.array(vector(text))
    return made.dtype == np.float32 and np.allclose(made, wanted / np.linalg.norm(wanted), atol=1e-6)


def test_texts_are_embedded_in_batches_and_come_back_in_order_at_unit_length() -> None:
    texts = [f"text {'x' * number}" for number in range(70)]
    with EndpointServer([vectors]) as server:
        made = embedder(server.base_url).embed(texts)
        assert [len(call.body["input"]) for call in server.calls] == [32, 32, 6]
    assert all(near(item.vector, text) and item.tokens is None for item, text in zip(made, texts, strict=True))
    call = server.calls[0]
    assert call.path == "/embeddings" and call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body == {"model": "some/model", "input": texts[:32], "encoding_format": "float"}


def test_prompts_stand_before_passages_and_queries() -> None:
    with EndpointServer([vectors]) as server:
        model = embedder(server.base_url, query_prompt="query: ", passage_prompt="passage: ")
        made = model.embed_query("rent")
        assert near(made.vector, "query: rent") and made.tokens is None and made.weights is None and made.trust == 1
        assert near(model.embed_vectors(["rose"])[0], "passage: rose")
        assert model.embed([]) == [] and len(server.calls) == 2


def test_the_bare_list_of_llama_cpp_is_read_too() -> None:
    with EndpointServer([Script([{"index": 0, "embedding": [[3.0, 4.0]]}])]) as server:
        assert np.allclose(embedder(server.base_url).embed_vectors(["x"])[0], [0.6, 0.8])


@pytest.mark.parametrize("size", [1e300, 1e-300, 5e-324])
def test_vectors_of_any_size_become_unit_length(size: float) -> None:
    with EndpointServer([Script({"data": [item(size, size)]})]) as server:
        assert np.allclose(embedder(server.base_url).embed_vectors(["x"])[0], [0.70711, 0.70711], atol=1e-5)


def test_a_blank_text_does_not_fail_the_batch() -> None:
    with EndpointServer([vectors]) as server:
        assert len(embedder(server.base_url).embed(["a", "", " \n"])) == 3
        assert server.calls[0].body["input"] == ["a", ".", "."]


def test_the_dimension_is_asked_for_once_and_only_when_it_is_not_set() -> None:
    with EndpointServer([vectors]) as server:
        model = embedder(server.base_url)
        assert (model.dim, model.dim) == (3, 3) and model.fingerprint.startswith("some/model:3:")
        assert len(server.calls) == 1
        told = embedder(server.base_url, dim=3)
        assert told.fingerprint == model.fingerprint and len(server.calls) == 1
    absent = embedder(refused_url(), dim=3)
    assert absent.fingerprint == model.fingerprint
    with pytest.raises(ExternalServiceUnavailable):
        _ = embedder(refused_url()).dim


def test_the_fingerprint_names_model_dimension_and_prompts_but_not_the_address() -> None:
    here, there = embedder("http://here.example", dim=3), embedder("https://there.example/v1", dim=3)
    assert here.fingerprint == there.fingerprint
    others = [embedder("http://h", dim=4), embedder("http://h", dim=3, query_prompt="q"), embedder("http://h", dim=3, passage_prompt="q")]  # fmt: skip
    assert len({model.fingerprint for model in [here, *others]}) == 4


def test_a_shorter_vector_is_asked_for_only_when_the_setting_says_so() -> None:
    with EndpointServer([vectors]) as server:
        embedder(server.base_url, dim=3, request_dim=True).embed_query("x")
        embedder(server.base_url, dim=3).embed_query("x")
        assert [call.body.get("dimensions") for call in server.calls] == [3, None]


def test_another_dimension_than_the_setting_is_a_configuration_error() -> None:
    with EndpointServer([vectors]) as server:
        with pytest.raises(ConfigurationError, match=r"3 dimensions, embedding\.dim says 768: correct embedding\.dim"):
            embedder(server.base_url, dim=768).embed(["x"])


def test_a_dimension_that_changes_is_a_failing_service() -> None:
    with EndpointServer([vectors, Script({"data": [{"embedding": [1, 2]}]})]) as server:
        model = embedder(server.base_url)
        assert model.dim == 3
        with pytest.raises(ExternalServiceUnavailable, match="2 numbers, before they had 3"):
            model.embed(["x"])


def item(*numbers: object, index: object = 0) -> dict[str, object]:
    return {"index": index, "embedding": list(numbers)}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"data": [item(1, 2)]}, "1 vectors for 2 texts"),
        ({"data": [item(1, 2), item(1, 2, index=1), item(1, 2, index=2)]}, "3 vectors for 2 texts"),
        ({"data": [item(1, 2), item(1, 2)]}, "twice for one text"),
        ({"data": [item(1, 2), item(1, 2, index=2)]}, "not given"),
        ({"data": [item(1, 2), item(1, 2, index=-1)]}, "not given"),
        ({"data": [item(1, 2), item(1, 2, index="1")]}, "not given"),
        ({"data": [item(1, 2), item(1, 2, 3, index=1)]}, "different lengths"),
        ({"data": [item(1, 2), item(index=1)]}, "no list of numbers"),
        ({"data": [item(1, 2), item("1", 2, index=1)]}, "no list of numbers"),
        ({"data": [item(1, 2), item(None, 2, index=1)]}, "no list of numbers"),
        ({"data": [item(1, 2), item(True, 2, index=1)]}, "no list of numbers"),
        ({"data": [item(1, 2), {"index": 1, "embedding": "AACAPw=="}]}, "no list of numbers"),
        ({"data": [item(1, 2), item(float("nan"), 2, index=1)]}, "not finite"),
        ({"data": [item(1, 2), item(float("inf"), 2, index=1)]}, "not finite"),
        ({"data": [item(1, 2), item(10**400, 2, index=1)]}, "not finite"),
        ({"data": [item(1, 2), item(0, 0.0, index=1)]}, "zeros"),
        ({"data": [item(1, 2), "vector"]}, "no list of numbers"),
        ({"data": {"0": [1, 2]}}, "without vectors"),
        ({"error": {"message": f"busy with first text, {KEY}"}}, "without vectors: busy with …, …: check"),
        ([[1, 2], [3, 4]], "no list of numbers"),
        ({"data": [item(1, 2), {"index": 1, "embedding": [[1, 2], [3, 4]]}]}, "no list of numbers"),
        ("<html>hello</html>", "not JSON"),
    ],
)
def test_a_malformed_reply_is_a_failing_service(body: object, says: str) -> None:
    with EndpointServer([Script(body)]) as server:
        with pytest.raises(ExternalServiceUnavailable) as error:
            embedder(server.base_url).embed(["first text", "second text"])
    assert says in error.value.message and f"{server.base_url}/embeddings" in error.value.message
    assert error.value.details["provider"] == "embedding"
    assert KEY not in error.value.message and "first text" not in error.value.message


@pytest.mark.parametrize(
    ("reply", "kind", "says"),
    [
        (failure(401, f"{KEY} is wrong"), ConfigurationError, "set embedding.api_key"),
        (failure(404, "no such model"), ConfigurationError, "embedding.model"),
        (failure(429), ExternalServiceUnavailable, "too often"),
        (failure(503), ExternalServiceUnavailable, "failed (503)"),
        (Script(fault="slow"), ExternalServiceUnavailable, "embedding.query_timeout_seconds"),
    ],
)
def test_a_failing_query_tells_what_to_look_at(reply: Script, kind: type[WikiError], says: str) -> None:
    with EndpointServer([reply]) as server:
        with pytest.raises(kind) as error:
            embedder(server.base_url, query_timeout_seconds=0.2).embed_query("rent")
    assert says in error.value.message and KEY not in error.value.message


def test_late_interaction_falls_back_to_whole_vectors() -> None:
    with EndpointServer([vectors]) as server:
        query = embedder(server.base_url).embed_query("rent rose")
    stored = [
        np.rint(np.asarray(given, np.float32) * 127).astype(np.int8)[None, :] for given in (query.vector, -query.vector)
    ]
    same, other = LateInteraction().score("rent rose", query, [Candidate("", tokens) for tokens in stored])
    assert same > 0.9 and other < 0.1


def test_passages_fit_the_estimated_window() -> None:
    model = embedder("http://h", dim=3, passage_prompt="passage: ")
    assert model.count_tokens([""]) == [5]
    for body in (
        "Whales sing at night. " * 200,
        "東京都は日本の首都である。" * 80,
        "x" * 5_000,
        "| a | b |\n|---|---|\n" * 90,
    ):
        passages = cut_passages("Sounds", body, 1, model)
        assert len(passages) > 1
        assert max(model.count_tokens([passage.embedded_text for passage in passages])) <= model.max_tokens


@given(st.text(max_size=200))
def test_every_sign_lies_in_exactly_one_token(text: str) -> None:
    spans = piece_spans(text)
    assert len(spans) == count_pieces(text)
    covered = [place for start, end in spans for place in range(start, end)]
    assert covered == sorted(set(covered))
    assert {place for place, sign in enumerate(text) if not sign.isspace()} <= set(covered)


PROSE = "The rotor is taken out and laid on felt, never on steel, and the bearing is greased before winter. "


@pytest.mark.real_model
def test_the_estimate_is_close_to_a_real_tokenizer_and_rarely_below() -> None:
    texts = [
        PROSE * 5,
        "Die Läufer werden im Herbst geprüft, ausgebaut und auf Filz gelegt; danach schmiert man die Lager. " * 5,
        "東京都は日本の首都である。川は海へ流れ、石を丸くする。" * 5,
        "def leak(rate):\n    if rate > 3.75:\n        return {'replace': True}\n" * 5,
        "| A1 | 3 kW | 2024-05-06 | 1,234.50 |\n" * 10,
    ]
    for text, real in zip(texts, BundledEmbedder().count_tokens(texts), strict=True):
        assert 0.8 <= count_pieces(text) / real <= 1.7, text[:20]
