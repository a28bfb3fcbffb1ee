"""What callers send as JSON or query parameters. Unknown fields are refused."""

import json
import re
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from serving.wording import clean_labels, clean_title
from wiki.errors import InvalidInput
from wiki.tenants import SCOPE_PATTERN
from wiki.views import Fusion, JobStatus, Method, OnDuplicate, SearchFilters, SearchQuery

MAX_QUERY = 2_000
MAX_FIELDS_BYTES = 64 * 1024

Title = Annotated[str, Field(max_length=2_000), AfterValidator(clean_title)]
Labels = Annotated[list[str], AfterValidator(clean_labels)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Names = Name | Annotated[list[Name], Field(max_length=1_000)]
ContentHash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
ScopeName = Annotated[str, Field(pattern=SCOPE_PATTERN)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Scoped(Body):
    """A body that names its tenant."""

    app_id: ScopeName | None = Field(default=None, description="`default` when absent.")
    project_id: ScopeName | None = Field(default=None, description="`default` when absent.")


def storable(fields: dict[str, Any]) -> dict[str, Any]:
    try:
        size = len(json.dumps(fields, allow_nan=False, ensure_ascii=False).encode())
    except (ValueError, RecursionError):
        raise ValueError("holds a number or text that JSON cannot carry") from None
    if size > MAX_FIELDS_BYTES:
        raise ValueError(f"may hold at most {MAX_FIELDS_BYTES:,} bytes of JSON")
    if any(not key.strip() or len(key) > 100 for key in fields):
        raise ValueError("names hold 1 to 100 characters")
    return fields


def _iso_date(text: str) -> str:
    parts = re.fullmatch(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?", text)
    try:
        if parts is None:
            raise ValueError(text)
        date(int(parts[1]), int(parts[2] or 1), int(parts[3] or 1))
    except ValueError:
        raise ValueError("must be a date like 2026, 2026-11 or 2026-11-30") from None
    return text


def _iso_moment(text: str) -> str:
    """A date as it is, a moment in UTC as ``2026-11-30T19:40:52Z``; one without a zone counts as UTC."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a date or time like 2026-11-30 or 2026-11-30T19:40:52Z") from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


IsoDate = Annotated[str, Field(max_length=40), AfterValidator(_iso_date)]
IsoMoment = Annotated[str, Field(max_length=40), AfterValidator(_iso_moment)]


class DocumentPatch(Scoped):
    """What may be changed of a document without a new file. Absent or null leaves a value as it is."""

    title: Title | None = None
    category_id: Name | None = None
    labels: Labels | None = None
    document_date: IsoDate | None = None
    fields: Annotated[dict[str, Any], AfterValidator(storable)] | None = Field(
        default=None, description="A person's own metadata, kept in the front matter."
    )


class TopicPatch(Scoped):
    """What may be changed of a topic. Absent or null leaves a value as it is."""

    content: str | None = Field(default=None, description="The whole new body, Markdown.")
    name: Title | None = None
    summary: str | None = Field(default=None, max_length=20_000)
    labels: Labels | None = None


class Filters(Body):
    """Every given filter must hold; of a list, any one."""

    category_id: Names | None = None
    vault: Names | None = Field(default=None, description="Vaults of notes; no topic lies in one.")
    doc_id: Names | None = None
    record_type: Literal["topic", "note"] | list[Literal["topic", "note"]] | None = Field(
        default=None, description="Topics only when absent."
    )
    label: Names | None = None
    labels: Names | None = Field(default=None, description="The same as `label`.")
    tag: Names | None = Field(default=None, description="The same as `label`.")
    type: Names | None = None
    status: Names | None = None
    language: Names | None = None
    created_after: IsoMoment | None = None
    created_before: IsoMoment | None = None
    updated_after: IsoMoment | None = None
    updated_before: IsoMoment | None = None
    document_date_after: IsoDate | None = None
    document_date_before: IsoDate | None = None
    fields: dict[Name, str | bool | int | float] | None = Field(
        default=None, description="Own metadata by name, each equal to the value."
    )

    def to_filters(self) -> SearchFilters:
        return SearchFilters(
            category_id=_many(self.category_id),
            vault=_many(self.vault),
            doc_id=_many(self.doc_id),
            record_type=_many(self.record_type),
            label=_many(self.label) + _many(self.labels) + _many(self.tag),
            type=_many(self.type),
            status=_many(self.status),
            language=_many(self.language),
            created_after=self.created_after,
            created_before=self.created_before,
            updated_after=self.updated_after,
            updated_before=self.updated_before,
            document_date_after=self.document_date_after,
            document_date_before=self.document_date_before,
            fields={name: _plain(value) for name, value in (self.fields or {}).items()},
        )


class SearchRequest(Scoped):
    """A search over topics."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY)]
    method: Method = "hybrid"
    top_k: int = Field(default=10, ge=1, le=1_000, description="At most `knowledge.search.top_k_cap` (100).")
    offset: int = Field(default=0, ge=0, le=1_000_000)
    score_threshold: float | None = Field(default=None, description="Least score, 0 to 1.")
    include_content: bool = False
    filters: Filters = Filters()
    facets: bool = False
    explain: bool = False
    fusion: Fusion = "rrf"

    def to_query(self, top_k_cap: int) -> SearchQuery:
        """The library's query. Raises ``InvalidInput`` when ``top_k`` is over the cap."""
        if self.top_k > top_k_cap:
            raise InvalidInput(f"body.top_k: must be at most {top_k_cap} (knowledge.search.top_k_cap)", field="top_k")
        return SearchQuery(
            query=self.query,
            method=self.method,
            top_k=self.top_k,
            offset=self.offset,
            score_threshold=self.score_threshold,
            include_content=self.include_content,
            filters=self.filters.to_filters(),
            facets=self.facets,
            explain=self.explain,
            fusion=self.fusion,
        )


class DocumentListing(BaseModel):
    """Query parameters of the document list."""

    category_id: Name | None = None
    label: Name | None = None
    q: str | None = Field(default=None, max_length=500, description="Part of a title or file name.")
    page: int = Field(default=1, ge=1, le=1_000_000_000)
    page_size: int = Field(default=20, ge=1, le=100)
    sort_by: Literal["created_at", "updated_at", "title"] = "created_at"
    sort_order: Literal["asc", "desc"] = "desc"


class JobListing(BaseModel):
    """Query parameters of the job list."""

    status: JobStatus | None = None
    page: int = Field(default=1, ge=1, le=1_000_000_000)
    page_size: int = Field(default=20, ge=1, le=100)


class UploadOptions(BaseModel):
    """Query parameters of an upload."""

    mode: Literal["sync", "async"] = Field(
        default="sync",
        description="`sync`: the answer comes when the document stands. `async`: 202 with a job once the file is safe.",
    )
    on_duplicate: OnDuplicate = Field(default="new", description="What to do when the same bytes are there already.")
    wait: float | None = Field(
        default=None, ge=0, le=60, description="Most seconds to wait for the index; `mode=async` never waits."
    )


def _many(value: str | list[Any] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _plain(value: str | bool | int | float) -> str:
    return value if isinstance(value, str) else json.dumps(value)
