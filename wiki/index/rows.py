"""The rows of the two stores, and the events a batch tells about."""

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from wiki.models.protocols import TokenMatrix, Vector
from wiki.tenants import Tenant


@dataclass(frozen=True)
class Passage:
    """A cut of one topic's body, as it is embedded."""

    ordinal: int
    heading_path: tuple[str, ...]
    """Headings above the passage inside the topic's body, outermost first."""
    text: str
    """The exact span of the body (a cut table repeats its header row)."""
    embedded_text: str
    """Topic name, heading path and text: what the model sees. Only what the file holds."""
    sha256: str
    """Of ``embedded_text``: equal passages share a vector."""
    line_start: int
    """1-based lines of the file, body only, inclusive."""
    line_end: int


@dataclass(frozen=True)
class PassageRow:
    """One row of the LanceDB table ``passages``."""

    passage_id: str
    """``<record_id>#<ordinal>``."""
    record_id: str
    """Topic id (or note id)."""
    doc_id: str
    record_type: Literal["topic", "note"]
    namespace: str
    """Category id, or a note's domain folder."""
    title: str
    """The document's title."""
    name: str
    """The topic's name."""
    heading_path: str
    """Joined by " > "."""
    text: str
    search_text: str
    """What full-text search indexes: title, name, headings, labels and text, folded (``wiki.index.folding``)."""
    labels: tuple[str, ...]
    type: str | None
    status: str | None
    language: str | None
    created_at: str
    updated_at: str
    document_date: str | None
    fields: tuple[str, ...]
    """A person's own metadata as ``name=value``."""
    line_start: int
    line_end: int
    pages: tuple[int, ...]
    topic_sha256: str
    """SHA-256 of the topic file."""
    passage_sha256: str
    model: str
    """The embedder's fingerprint."""
    vector: Vector
    tokens: TokenMatrix | None


@dataclass(frozen=True)
class StoredVector:
    """A vector already in the index, found by passage hash."""

    vector: NDArray[np.float32]
    tokens: TokenMatrix | None


@dataclass(frozen=True)
class Fault:
    """Something that keeps a file from being served as it should be."""

    path: str
    """Relative to the root."""
    reason: str
    remedy: str
    since: str = ""
    line: int | None = None


ChangeKind = Literal["added", "changed", "moved", "deleted"]


@dataclass(frozen=True)
class TopicChange:
    """One topic's change in a batch, as Dagster shows it. Never body text."""

    kind: ChangeKind
    topic_id: str
    doc_id: str
    path: str
    sha256: str
    previous_sha256: str | None = None
    passages: int = 0
    embedded: int = 0
    """Passages that went through the model; the others reused a vector."""


@dataclass(frozen=True)
class DocumentChange:
    """A document that appeared with a source file: lineage for the ingest assets."""

    doc_id: str
    title: str
    path: str
    category_id: str
    source_name: str | None
    source_type: str | None
    source_sha256: str
    source_bytes: int
    topic_count: int


@dataclass(frozen=True)
class CheckResult:
    """One asset check of a batch."""

    asset: Literal["lancedb_index", "duckdb_catalog"]
    name: str
    passed: bool
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class BatchReport:
    """What one committed batch did; told after the snapshot is published."""

    tenant: Tenant
    reason: Literal["watch", "reconcile", "request", "reindex", "rebuild"]
    topics: tuple[TopicChange, ...]
    documents: tuple[DocumentChange, ...]
    dead_hashes: tuple[str, ...]
    """Topic file hashes no live file has any more: partitions to prune."""
    dead_source_hashes: tuple[str, ...]
    """The same for uploaded files: partitions of ``raw_files`` and its kin."""
    rows_upserted: int
    rows_deleted: int
    embedded: int
    lance_version: int
    lance_bytes: int
    snapshot: int
    document_count: int
    topic_count: int
    passage_count: int
    faults: tuple[Fault, ...]
    seconds: float
    checks: tuple[CheckResult, ...] = ()


class EventSink(Protocol):
    """Where batches are told. Must return at once and never raise: the truth is on disk already."""

    def batch(self, report: BatchReport) -> None: ...
