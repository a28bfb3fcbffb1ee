"""Settings -> models: cheap to make, clear when something is missing."""

import sys

import pytest

from wiki.errors import CapabilityUnavailable, ConfigurationError
from wiki.models.bundled import BundledEmbedder
from wiki.models.factory import make_embedder, make_reranker
from wiki.models.rerankers import CrossEncoderReranker, LateInteraction
from wiki.models.sentence_transformer import SentenceTransformerEmbedder
from wiki.settings import EmbeddingSettings, RerankSettings


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
    ],
)
def test_a_model_that_is_not_configured_names_its_setting(make: object, settings: object, setting: str) -> None:
    with pytest.raises(ConfigurationError, match=setting.replace(".", r"\.")):
        make(settings)  # pyright: ignore[reportCallIssue]


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(CapabilityUnavailable, match=r"knowledge-wiki\[models\]"):
        make_embedder(EmbeddingSettings(provider="sentence-transformers", model="x")).embed_query("x")
    with pytest.raises(CapabilityUnavailable, match=r"knowledge-wiki\[models\]"):
        CrossEncoderReranker("x").score("q", None, [object()])  # pyright: ignore[reportArgumentType]
