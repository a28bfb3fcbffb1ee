"""Typed, bounded settings. Unknown keys are refused. Loading lives in ``wiki.settings_sources``."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, populate_by_name=True)


class EmbeddingSettings(Section):
    provider: Literal["bundled", "sentence-transformers", "none"] = "bundled"
    model: str = Field(default="", description="Name or path of a sentence-transformers model.")
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    dim: int | None = Field(default=None, ge=1, le=8192, description="Expected dimension; checked at load.")
    batch_size: int = Field(default=32, ge=1, le=512)
    threads: int = Field(default=0, ge=0, le=256, description="0: one per core.")
    query_prompt: str = ""
    passage_prompt: str = ""


class RerankSettings(Section):
    provider: Literal["late-interaction", "cross-encoder", "none"] = "late-interaction"
    model: str = Field(default="", description="Name or path of a cross-encoder.")
    base_url: str = ""
    api_key: SecretStr = SecretStr("")


class LlmSettings(Section):
    provider: Literal["none"] = "none"
    model: str = ""
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    timeout_seconds: float = Field(default=60, gt=0, le=3600)
    context_tokens: int = Field(default=80_000, ge=1_000, le=2_000_000)


class ExtractionSettings(Section):
    method: Literal["outline"] = "outline"
    fallback: Literal["none", "outline"] = "none"
    min_topic_words: int = Field(default=40, ge=1, le=1_000, description="A smaller section joins its parent.")
    max_topic_words: int = Field(default=1_200, ge=100, le=20_000, description="Longer heading-less text is cut.")
    classify_threshold: float = Field(default=0.18, ge=0, le=1, description="Nearest category below this: Others.")


class SearchSettings(Section):
    recall_n: int = Field(default=200, ge=1, le=2_000)
    rerank_n: int = Field(default=50, ge=1, le=500)
    mass_top_m: int = Field(default=50, ge=1, le=500)
    lambda_: float = Field(default=0.1, ge=0, le=1, alias="lambda")
    top_k_cap: int = Field(default=100, ge=1, le=1_000)
    rrf_k: int = Field(default=60, ge=1, le=1_000)


class KnowledgeSettings(Section):
    max_upload_bytes: int = Field(default=50 * 1024 * 1024, ge=1)
    search: SearchSettings = SearchSettings()


class ParsingSettings(Section):
    timeout_seconds: float = Field(default=300, gt=0, le=7200)
    memory_mb: int = Field(default=4096, ge=256, description="Most memory of one parser process.")
    workers: int = Field(default=1, ge=1, le=32)


class CascadeSettings(Section):
    watch: Literal["auto", "native", "poll"] = "auto"
    window_seconds: float = Field(default=25, ge=1, le=50)
    debounce_ms: int = Field(default=100, ge=10, le=5_000)
    batch_files: int = Field(default=100, ge=1, le=1_000)
    optimize_every: int = Field(default=60, ge=1, le=10_000, description="Upserts between two LanceDB optimizations.")
    settle_seconds: float = Field(default=1.0, ge=0, le=60, description="A dropped file's size must rest this long.")
    reconcile_minutes: float = Field(default=60, ge=1, le=1_440)


class ApiSettings(Section):
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65_535)
    allowed_origins: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = Field(default=(), description="Further Host names, beside loopback ones.")
    wait_seconds: float = Field(default=2, ge=0, le=60)
    max_concurrent_uploads: int = Field(default=8, ge=1, le=256)


class AuthSettings(Section):
    """Keys come with a later issue; without any, the service stays on loopback."""


class Settings(Section):
    root: Path
    embedding: EmbeddingSettings = EmbeddingSettings()
    rerank: RerankSettings = RerankSettings()
    llm: LlmSettings = LlmSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    parsing: ParsingSettings = ParsingSettings()
    cascade: CascadeSettings = CascadeSettings()
    api: ApiSettings = ApiSettings()
    auth: AuthSettings = AuthSettings()
