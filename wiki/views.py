"""What the library answers: plain values, ready for HTTP, CLI and Dagster alike."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from wiki.jobs.stages import Stage

if TYPE_CHECKING:
    from wiki.parsing.source import Step

Method = Literal["keyword", "vector", "hybrid"]
Fusion = Literal["rrf", "score"]
OnDuplicate = Literal["new", "return", "replace"]
JobStatus = Literal["queued", "running", "done", "failed"]


@dataclass(frozen=True)
class UploadResult:
    doc_id: str
    title: str
    category_id: str
    topic_count: int
    source_name: str
    md_path: str
    original_file_path: str
    indexed: bool
    created: bool
    """False when ``on_duplicate`` gave the existing document."""
    duplicate_of: str | None = None
    extraction_fallback: str | None = None
    """Why the outline made the topics although the method is ``llm``."""


@dataclass(frozen=True)
class StageView:
    stage: Stage
    at: datetime


@dataclass(frozen=True)
class JobErrorView:
    code: str
    message: str
    details: dict[str, Any]
    retryable: bool


@dataclass(frozen=True)
class JobView:
    """An upload that was accepted and is made a document in the background."""

    job_id: str
    doc_id: str
    """The id a new document gets; ``result`` tells another when an existing one was given or replaced."""
    source_name: str
    size: int
    status: JobStatus
    stage: Stage
    step: "Step | None"
    """What is counted within the stage: ``page 12 of 300``."""
    stages: tuple[StageView, ...]
    """Those of the latest attempt, with the time each was reached."""
    progress: float
    """0..1."""
    created_at: datetime
    updated_at: datetime
    attempts: int
    retry_at: datetime | None
    """When a failed one is tried again by itself."""
    result: UploadResult | None
    error: JobErrorView | None


@dataclass(frozen=True)
class JobPage:
    jobs: tuple[JobView, ...]
    total: int
    page: int
    page_size: int


@dataclass(frozen=True)
class JobCounts:
    queued: int = 0
    running: int = 0
    failed: int = 0


@dataclass(frozen=True)
class DocumentOverview:
    doc_id: str
    category_id: str
    title: str
    topic_count: int
    created_at: datetime
    updated_at: datetime
    labels: tuple[str, ...]
    source_name: str | None
    source_type: str | None
    md_path: str


@dataclass(frozen=True)
class DocumentPage:
    documents: tuple[DocumentOverview, ...]
    total: int
    page: int
    page_size: int


@dataclass(frozen=True)
class TopicOverview:
    topic_id: str
    topic_name: str
    topic_path: str
    """Title and names from the top, joined by " > "."""
    depth: int
    summary: str
    position: str | None
    parent_topic_id: str | None
    labels: tuple[str, ...]
    md_path: str


@dataclass(frozen=True)
class FaultView:
    path: str
    reason: str
    since: str
    remedy: str
    line: int | None = None


@dataclass(frozen=True)
class DocumentView:
    doc_id: str
    category_id: str
    title: str
    summary: str
    source_name: str | None
    source_type: str | None
    source_sha256: str | None
    original_file_path: str | None
    md_path: str
    topics: tuple[TopicOverview, ...]
    created_at: datetime
    updated_at: datetime
    document_date: str | None
    labels: tuple[str, ...]
    language: str | None
    fields: dict[str, Any]
    extraction: dict[str, Any]
    indexed: bool
    faults: tuple[FaultView, ...]
    etag: str


@dataclass(frozen=True)
class TopicView:
    topic_id: str
    doc_id: str
    category_id: str
    topic_name: str
    topic_path: str
    depth: int
    summary: str
    content: str
    labels: tuple[str, ...]
    parent_topic_id: str | None
    children_topic_ids: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    position: str | None
    source: dict[str, Any]
    md_path: str
    summary_stale: bool
    etag: str


@dataclass(frozen=True)
class PatchResult:
    id: str
    updated_fields: tuple[str, ...]
    updated_at: datetime
    indexed: bool


@dataclass(frozen=True)
class ReextractResult:
    """What became of a document whose topics were made anew."""

    doc_id: str
    changed: bool
    """False: the same topics came out, and no file was touched."""
    method: str
    topic_count: int
    category_id: str
    kept: tuple[str, ...]
    """What a person had chosen and stays: ``category``, ``labels``, and topics' names."""
    indexed: bool
    extraction_fallback: str | None = None


@dataclass(frozen=True)
class CategoryView:
    category_id: str
    description: str
    document_count: int
    defined: bool


@dataclass(frozen=True)
class SearchFilters:
    """Every given filter must hold; within a tuple, any one. Pushed down before recall."""

    category_id: tuple[str, ...] = ()
    """Of notes: the namespace."""
    vault: tuple[str, ...] = ()
    """Of notes only: no topic lies in a vault."""
    doc_id: tuple[str, ...] = ()
    record_type: tuple[str, ...] = ()
    """Empty: topics only."""
    label: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    created_after: str | None = None
    created_before: str | None = None
    updated_after: str | None = None
    updated_before: str | None = None
    document_date_after: str | None = None
    document_date_before: str | None = None
    fields: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class SearchQuery:
    query: str
    method: Method = "hybrid"
    top_k: int = 10
    offset: int = 0
    score_threshold: float | None = None
    include_content: bool = False
    filters: SearchFilters = SearchFilters()
    facets: bool = False
    explain: bool = False
    fusion: Fusion = "rrf"


@dataclass(frozen=True)
class Snippet:
    text: str
    matches: tuple[tuple[int, int], ...]
    """Character offsets ``[start, end)`` of query words in ``text``."""


@dataclass(frozen=True)
class DocumentContext:
    doc_id: str
    title: str
    summary: str


@dataclass(frozen=True)
class Hit:
    topic_id: str
    category_id: str
    topic_name: str
    topic_path: str
    depth: int
    summary: str
    content: str | None
    score: float
    """Absolute, 0..1."""
    retrieval_method: Method
    source: str
    """The channel that found it: ``keyword``, ``vector`` or ``both``."""
    document: DocumentContext
    snippet: Snippet
    heading_path: tuple[str, ...]
    lines: tuple[int, int]
    pages: tuple[int, ...]
    provenance: dict[str, Any]
    """Sheet, slide or seconds of the topic, when known."""
    md_path: str
    labels: tuple[str, ...]
    explain: dict[str, Any] | None = None
    """``ranks``, ``channel_scores``, ``fused``, ``rerank``, ``boost``."""


@dataclass(frozen=True)
class WarningView:
    """Something that works, but not as well as it could. ``remedy`` says what to run or to set."""

    code: str
    message: str
    remedy: str
    details: dict[str, Any]


@dataclass(frozen=True)
class SearchResult:
    hits: tuple[Hit, ...]
    total: int
    """Topics that matched within recall, before offset and top_k."""
    took_ms: float
    timings: dict[str, float]
    """Milliseconds by step: ``embed``, ``recall``, ``fuse``, ``rerank``, ``join``."""
    facets: dict[str, dict[str, int]] | None = None
    warnings: tuple[WarningView, ...] = ()


@dataclass(frozen=True)
class Difference:
    """One place where an index does not equal the Markdown."""

    kind: str
    id: str
    path: str


@dataclass(frozen=True)
class VerifyResult:
    ok: bool
    checked: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class StatusView:
    documents: int
    topics: int
    notes: int
    passages: int
    pending: int
    faults: tuple[FaultView, ...]
    processes: dict[str, Any]
    jobs: JobCounts = JobCounts()
    warnings: tuple[WarningView, ...] = ()


@dataclass(frozen=True)
class RebuildResult:
    documents: int
    topics: int
    passages: int
    embedded: int
    seconds: float
    notes: int = 0
