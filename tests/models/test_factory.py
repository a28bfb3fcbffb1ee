"""Settings -> models: cheap to make, clear when something is missing."""

import sys

import pytest
from pydantic import SecretStr

from tests.models.endpoints import EndpointServer, Script, completion
from wiki.errors import CapabilityUnavailable, ConfigurationError
from wiki.models.bundled import BundledEmbedder
from wiki.models.factory import make_chat, make_embedder, make_reranker
from wiki.models.installed import missing_model
from wiki.models.protocols import Candidate
from wiki.models.rerankers import CrossEncoderReranker, LateInteraction
from wiki.models.sentence_transformer import SentenceTransformerEmbedder
from wiki.settings import EmbeddingSettings, LlmSettings, RerankSettings


def test_the_defaults_are_the_bundled_model_and_late_interaction() -> None:
    assert isinstance(make_embedder(EmbeddingSettings()), BundledEmbedder)
    assert isinstance(make_reranker(RerankSettings()), LateInteraction)


def test_named_models_are_made_without_loading() -> None:
    embedder = make_embedder(EmbeddingSettings(provider="sentence-transformers", model="no/such"))
    reranker = make_reranker(RerankSettings(provider="cross-encoder", model="no/such"))
    assert isinstance(embedder, SentenceTransformerEmbedder) and isinstance(reranker, CrossEncoderReranker)
    assert reranker.name == "cross-encoder:no/such"


@pytest.mark.parametrize(
    ("make", "settings", "setting"),
    [
        (make_embedder, EmbeddingSettings(provider="none"), "embedding.provider"),
        (make_embedder, EmbeddingSettings(provider="sentence-transformers"), "embedding.model"),
        (make_embedder, EmbeddingSettings(dim=768), "embedding.dim"),
        (make_reranker, RerankSettings(provider="none"), "rerank.provider"),
        (make_reranker, RerankSettings(provider="cross-encoder"), "rerank.model"),
        (make_embedder, EmbeddingSettings(provider="openai"), "embedding.model"),
        (make_embedder, EmbeddingSettings(provider="openai", model="m", request_dim=True), "embedding.dim"),
        (make_embedder, EmbeddingSettings(provider="openai", model="m", base_url="h:1"), "embedding.base_url"),
        (make_reranker, RerankSettings(provider="cohere"), "rerank.model"),
        (make_reranker, RerankSettings(provider="vllm", model="m"), "rerank.base_url"),
        (make_reranker, RerankSettings(provider="tei"), "rerank.base_url"),
        (make_chat, LlmSettings(), "llm.provider is none"),
        (make_chat, LlmSettings(provider="openai"), "llm.model"),
        (make_chat, LlmSettings(provider="openai", model="m", base_url="localhost"), "llm.base_url"),
    ],
)
def test_a_model_that_is_not_configured_names_its_setting(make: object, settings: object, setting: str) -> None:
    with pytest.raises(ConfigurationError, match=setting.replace(".", r"\.")):
        make(settings)  # pyright: ignore[reportCallIssue]


def test_endpoints_are_made_without_a_call() -> None:
    embedder = make_embedder(EmbeddingSettings(provider="openai", model="m", dim=3))
    assert embedder.dim == 3 and embedder.fingerprint.startswith("m:3:")
    assert make_reranker(RerankSettings(provider="cohere", model="m")).name == "cohere:m"
    assert make_reranker(RerankSettings(provider="jina", model="m")).name == "jina:m"
    assert make_reranker(RerankSettings(provider="tei", base_url="http://h:1")).name == "tei"
    chat = make_chat(LlmSettings(provider="openai", model="m", context_tokens=5_000))
    assert (chat.name, chat.context_tokens) == ("m", 5_000)


@pytest.mark.parametrize("provider", ["openai", "cohere", "jina", "tei", "vllm"])
def test_an_endpoint_needs_nothing_installed(provider: str) -> None:
    assert missing_model(provider) is None


def test_settings_reach_the_endpoint() -> None:
    reply = Script({"data": [{"embedding": [1.0, 2.0]}]})
    with EndpointServer([reply, completion("{}"), Script([{"index": 0, "score": 0.5}])]) as server:
        key = SecretStr("sk-from-settings")
        embedding = EmbeddingSettings(
            provider="openai", model="e", base_url=server.base_url, api_key=key, query_prompt="q: "
        )
        make_embedder(embedding).embed_query("x")
        llm = LlmSettings(provider="openai", model="c", base_url=server.base_url, api_key=key, structured="none")
        make_chat(llm).ask("s", "u", schema={}, max_tokens=7)
        make_reranker(RerankSettings(provider="tei", base_url=server.base_url, api_key=key)).score(
            "q", None, [Candidate("x", None)]
        )
    assert server.calls[0].body["input"] == ["q: x"]
    assert "response_format" not in server.calls[1].body and server.calls[1].body["max_tokens"] == 7
    assert {call.headers["authorization"] for call in server.calls} == {"Bearer sk-from-settings"}


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(CapabilityUnavailable, match=r"knowledge-wiki\[models\]"):
        make_embedder(EmbeddingSettings(provider="sentence-transformers", model="x")).embed_query("x")
    with pytest.raises(CapabilityUnavailable, match=r"knowledge-wiki\[models\]"):
        CrossEncoderReranker("x").score("q", None, [object()])  # pyright: ignore[reportArgumentType]
