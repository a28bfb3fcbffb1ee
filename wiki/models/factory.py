"""Settings -> models. Making one is cheap: weights are loaded at the first call."""

from wiki.errors import ConfigurationError
from wiki.models.bundled import DIM, BundledEmbedder
from wiki.models.protocols import Embedder, Reranker
from wiki.models.rerankers import CrossEncoderReranker, LateInteraction
from wiki.models.sentence_transformer import SentenceTransformerEmbedder
from wiki.settings import EmbeddingSettings, RerankSettings


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """The configured embedder. Raises ``ConfigurationError`` when there is none or a setting contradicts it."""
    if settings.provider == "none":
        raise ConfigurationError("embedding.provider is none: set it to bundled or sentence-transformers in wiki.toml")
    if settings.provider == "bundled":
        if settings.dim not in (None, DIM):
            raise ConfigurationError(
                f"the bundled embedding model gives {DIM} dimensions, embedding.dim says {settings.dim}"
            )
        return BundledEmbedder(threads=settings.threads, batch_size=settings.batch_size)
    if not settings.model:
        raise ConfigurationError("embedding.provider = sentence-transformers needs embedding.model: a name or a path")
    return SentenceTransformerEmbedder(
        settings.model,
        dim=settings.dim,
        batch_size=settings.batch_size,
        threads=settings.threads,
        query_prompt=settings.query_prompt,
        passage_prompt=settings.passage_prompt,
    )


def make_reranker(settings: RerankSettings) -> Reranker:
    """The configured reranker. Raises ``ConfigurationError`` when there is none or its model is not named."""
    if settings.provider == "none":
        raise ConfigurationError("rerank.provider is none: set it to late-interaction or cross-encoder in wiki.toml")
    if settings.provider == "late-interaction":
        return LateInteraction()
    if not settings.model:
        raise ConfigurationError("rerank.provider = cross-encoder needs rerank.model: a name or a path")
    return CrossEncoderReranker(settings.model)
