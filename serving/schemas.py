"""What the service answers. Names and shapes of the peer's API, with ours beside them."""

from datetime import date, datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from wiki.jobs.stages import Stage
from wiki.views import JobStatus


def plain(value: Any) -> Any:
    """A front matter value as JSON can carry it: keys as text, dates in ISO form."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return str(value)


PlainDict = Annotated[dict[str, Any], BeforeValidator(plain)]


class Reply(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Fault(Reply):
    path: str
    reason: str
    since: str
    remedy: str
    line: int | None


class DocumentCreated(Reply):
    doc_id: str
    title: str
    category_id: str
    topic_count: int
    source_name: str | None
    md_path: str = Field(description="The document's folder, relative to the root.")
    original_file_path: str | None
    indexed: bool = Field(description="False when the index had not followed within `wait` seconds.")
    duplicate_of: str | None = Field(description="Another document with the same bytes.")
    extraction_fallback: str | None = Field(
        default=None, description="Why the outline made the topics although a language model was asked."
    )


class JobStep(Reply):
    unit: str = Field(description="What is counted: page, sheet, slide, minute, part, window.", examples=["page"])
    done: int = Field(examples=[12])
    total: int | None = Field(description="Null while it is not known.", examples=[300])


class JobStage(Reply):
    stage: Stage
    at: datetime


class JobFailure(Reply):
    code: str = Field(examples=["EXTERNAL_SERVICE_UNAVAILABLE"])
    message: str
    details: PlainDict
    retryable: bool = Field(description="Trying again may help as it is.")


class JobDetail(Reply):
    job_id: str = Field(examples=["j_64c1f2a9b3d4e5f6a7"])
    doc_id: str = Field(
        description="The id a new document gets. `result.doc_id` counts: `on_duplicate` may have given another.",
        examples=["d_a1b2c3d4e5f6"],
    )
    source_name: str = Field(examples=["report.pdf"])
    size: int = Field(description="Bytes.")
    status: JobStatus
    stage: Stage = Field(description="The last stage reached.")
    step: JobStep | None = Field(description="How far the work on the next stage is.")
    stages: list[JobStage] = Field(description="The stages of the latest attempt, in order.")
    progress: float = Field(description="0 to 1.", examples=[0.42])
    created_at: datetime
    updated_at: datetime
    attempts: int
    retry_at: datetime | None = Field(description="When a failed job is tried again by itself.")
    result: DocumentCreated | None = Field(description="What a synchronous upload would have answered.")
    error: JobFailure | None


class JobLinks(Reply):
    self: str
    events: str


class JobAccepted(JobDetail):
    links: JobLinks


class JobList(Reply):
    jobs: list[JobDetail]
    total: int
    page: int
    page_size: int


class DocumentOverview(Reply):
    doc_id: str
    category_id: str
    title: str
    topic_count: int
    created_at: datetime
    updated_at: datetime
    labels: list[str]
    source_name: str | None
    source_type: str | None
    md_path: str


class DocumentList(Reply):
    documents: list[DocumentOverview]
    total: int
    page: int
    page_size: int


class TopicOverview(Reply):
    topic_id: str
    topic_name: str
    topic_path: str
    depth: int
    summary: str
    position: str | None
    parent_topic_id: str | None
    labels: list[str]
    md_path: str


class DocumentDetail(Reply):
    doc_id: str
    category_id: str
    title: str
    summary: str
    source_name: str | None
    source_type: str | None
    source_sha256: str | None
    original_file_path: str | None
    md_path: str
    topics: list[TopicOverview]
    created_at: datetime
    updated_at: datetime
    document_date: str | None
    labels: list[str]
    language: str | None
    fields: PlainDict
    extraction: PlainDict
    indexed: bool
    faults: list[Fault]


class DocumentPatched(Reply):
    doc_id: str = Field(validation_alias="id")
    updated_fields: list[str]
    updated_at: datetime
    indexed: bool


class DocumentReextracted(Reply):
    doc_id: str
    changed: bool = Field(description="False: the same topics came out, and no file was touched.")
    method: str
    topic_count: int
    category_id: str
    kept: list[str] = Field(description="What a person had chosen and stays: `category`, `labels`, names of topics.")
    indexed: bool
    extraction_fallback: str | None


class DocumentDeleted(Reply):
    doc_id: str
    deleted_topics: int


class TopicDetail(Reply):
    topic_id: str
    doc_id: str
    category_id: str
    topic_name: str
    topic_path: str
    depth: int
    summary: str
    content: str
    content_labels: list[str] = Field(validation_alias="labels")
    labels: list[str]
    parent_topic_id: str | None
    children_topic_ids: list[str]
    created_at: datetime
    updated_at: datetime
    position: str | None
    source: PlainDict
    md_path: str
    summary_stale: bool = Field(description="The body changed after the summary was written.")


class TopicPatched(Reply):
    topic_id: str = Field(validation_alias="id")
    updated_fields: list[str]
    updated_at: datetime
    indexed: bool


class Category(Reply):
    category_id: str
    description: str
    document_count: int
    defined: bool = Field(description="False for a category that documents use but the taxonomy lacks.")


class CategoryList(Reply):
    categories: list[Category]


class Snippet(Reply):
    text: str
    matches: list[tuple[int, int]] = Field(description="Character offsets [start, end) of query words.")


class DocumentContext(Reply):
    doc_id: str
    title: str
    summary: str


class Hit(Reply):
    topic_id: str
    category_id: str
    topic_name: str
    topic_path: str
    depth: int
    summary: str
    content: str | None
    score: float = Field(description="Absolute, 0 to 1.")
    retrieval_method: str
    source: str | None = Field(description="The channel that found it: keyword, vector or both.")
    document: DocumentContext
    snippet: Snippet
    heading_path: list[str]
    lines: tuple[int, int]
    pages: list[int]
    provenance: PlainDict
    md_path: str
    labels: list[str]
    explain: PlainDict | None


class Warned(Reply):
    code: str = Field(
        description="`EMBEDDER_LANGUAGE`: many passages are in languages the embedding model does not know."
    )
    message: str
    remedy: str = Field(description="What to run or to set.")
    details: PlainDict


class SearchReply(Reply):
    hits: list[Hit]
    total: int
    took_ms: float
    timings: dict[str, float] = Field(description="Milliseconds by step.")
    facets: dict[str, dict[str, int]] | None
    warnings: list[Warned] = Field(description="What makes this search worse than it could be.")


class Health(Reply):
    status: str
    version: str
    uptime_seconds: float


class Readiness(Reply):
    """Who is up and what is still to do. Only ``ready`` decides the status code."""

    model_config = ConfigDict(from_attributes=True, extra="allow")

    ready: bool
    models: str
    pending: Any = None
    faults: Any = None
    warnings: list[Warned] = Field(default=[], description="Counted over all tenants.")
    providers: Any = None
    cascade: Any = None
