"""Settings -> models. Making one is cheap: weights are loaded at the first call."""

from wiki.errors import ConfigurationError
from wiki.models.bundled import DIM, BundledEmbedder
from wiki.models.chat import PATHS as CHAT_PATHS
from wiki.models.chat import OpenAIChat
from wiki.models.endpoint import Endpoint
from wiki.models.protocols import ChatModel, Embedder, Reranker
from wiki.models.rerankers import CrossEncoderReranker, LateInteraction
from wiki.models.sentence_transformer import SentenceTransformerEmbedder
from wiki.settings import EmbeddingSettings, LlmSettings, RerankSettings

OPENAI_URL = "https://api.openai.com/v1"


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


def make_chat(settings: LlmSettings) -> ChatModel:
    """The configured chat model. Raises ``ConfigurationError`` when there is none or it is not named."""
    if settings.provider == "none":
        raise ConfigurationError("llm.provider is none: set it to openai, and llm.base_url and llm.model, in wiki.toml")
    if not settings.model:
        raise ConfigurationError("llm.provider = openai needs llm.model: the model's name at the endpoint")
    endpoint = Endpoint(
        "llm",
        "chat model",
        settings.base_url or OPENAI_URL,
        settings.api_key.get_secret_value(),
        CHAT_PATHS,
        retries=settings.retries,
    )
    return OpenAIChat(
        endpoint,
        settings.model,
        context_tokens=settings.context_tokens,
        timeout_seconds=settings.timeout_seconds,
        within_seconds=settings.timeout_seconds * (settings.retries + 1),
        concurrency=settings.concurrency,
        structured=settings.structured,
        temperature=settings.temperature,
    )
