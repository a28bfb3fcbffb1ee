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
    searched_text: str
    """The same without what is shown but not read, e.g. a note's comments; of a topic ``text`` itself."""
    embedded_text: str
    """Topic name, heading path and searched text: what the model sees. Only what the file holds."""
    sha256: str
    """Of ``embedded_text``: equal passages share a vector."""
    line_start: int
    """1-based lines of the file, body only, inclusive."""
    line_end: int
    shown_text: str
    """``text`` without what is not read, closed up: what an answer shows."""


@dataclass(frozen=True)
class PassageRow:
    """One row of the LanceDB table ``passages``."""

    passage_id: str
    """``<record_id>#<ordinal>``."""
    record_id: str
    """Topic id (or note id)."""
    doc_id: str
    """Of a note its own id."""
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
    vault: str | None = None
    """A note's vault."""


@dataclass(frozen=True)
class DocumentRow:
    """One row of the catalog's ``documents``. Times are ISO strings in UTC, paths relative to ``knowledge``."""

    doc_id: str
    folder: str
    claim: str | None
    candidates: tuple[str, ...]
    category_id: str
    title: str
    summary: str
    source_name: str | None
    source_type: str | None
    source_sha256: str | None
    source_bytes: int
    original: str | None
    created_at: str
    updated_at: str
    document_date: str | None
    language: str | None
    labels: tuple[str, ...]
    fields: dict[str, Any]
    extraction: dict[str, Any]
    index_sha256: str | None


@dataclass(frozen=True)
class TopicRow:
    """One row of the catalog's ``topics``."""

    topic_id: str
    doc_id: str
    folder: str
    path: str
    name: str
    topic_path: str
    """Title and names from the top, joined by " > "."""
    position: str | None
    rank: int
    """Place in the document, from 0."""
    depth: int
    parent_id: str | None
    labels: tuple[str, ...]
    summary: str
    summary_stale: bool
    source: dict[str, Any]
    sha256: str
    body_line: int
    updated_at: str
    row_hash: str
    """Of everything that reaches the topic's passage rows: equal means LanceDB needs no write."""
    passages: int = 0
    """How many passage rows it has; known once it was cut."""
    foreign_passages: dict[str, int] | None = field(default_factory=dict[str, int])
    """How many of them are in each language that the embedding model does not know, by its tag of BCP 47; None in a
    catalog of an older version, until they are counted."""


@dataclass(frozen=True)
class FileRow:
    """One row of the catalog's ``files``: what the reconcile compares with the disk."""

    path: str
    folder: str
    size: int
    mtime_ns: int
    inode: int
    sha256: str
    claim: str | None
    candidates: tuple[str, ...]
    record_id: str


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
    origin: Literal["file", "survey", "sync", "note"] = "file"
    """What found it: a document file's own content, the walk over the folders, a batch that failed, a note's content."""


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
class NoteChange:
    """One note's change in a batch. A note that was hidden counts as deleted."""

    kind: ChangeKind
    note_id: str
    vault: str
    path: str
    """Relative to its vault."""
    sha256: str
    previous_sha256: str | None = None
    passages: int = 0
    embedded: int = 0


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
    extraction: dict[str, Any] = field(default_factory=dict[str, Any])
    """How its topics were made, as its ``index.md`` tells."""


@dataclass(frozen=True)
class DecisionSummary:
    """New decisions of the audit, as Dagster is told of them: counts and ids, never a path, a title or a reason.

    A word that is none of ours, say a vault somebody asked for and there is none, counts as ``other``.
    """

    count: int
    newest: str
    """When the last of them was made; empty when that cannot be read."""
    actions: dict[str, int]
    outcomes: dict[str, int]
    actors: dict[str, int]
    rules: dict[str, int]
    vaults: dict[str, int]
    note_ids: tuple[str, ...]
    """The newest of them, at most 100."""


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
    """Hashes of topic files and notes that no live one has any more: partitions to prune."""
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
    notes: tuple[NoteChange, ...] = ()
    note_count: int = 0
    decisions: DecisionSummary | None = None
    """What is new in the audit."""
    decision_count: int = 0


class EventSink(Protocol):
    """Where committed batches are told, one after another, from a thread of its own.

    ``batch`` returns once the report is stored. It may raise: the same report then comes again, and it comes again
    after a crash as well, so telling one twice must do no harm.
    """

    def batch(self, report: BatchReport) -> None: ...
