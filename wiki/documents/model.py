"""Documents and topics as they lie on disk, read or about to be written."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

SCHEMA_VERSION = 1
ORIGINAL_DIR = "_original"
INDEX_FILE = "index.md"


@dataclass(frozen=True)
class Problem:
    """Something in a file a person should mend. The file is left untouched."""

    reason: str
    line: int | None = None
    remedy: str = ""


@dataclass(frozen=True)
class NewTopic:
    """A topic to write. ``number`` is the ``n`` of its id and file name."""

    number: int
    name: str
    position: str
    depth: int
    parent: int | None
    """Number of the parent topic."""
    body: str
    """Exact span of the converted source."""
    summary: str = ""
    labels: tuple[str, ...] = ()
    source: dict[str, Any] = field(default_factory=dict[str, Any])
    """Provenance: ``lines`` [first, last] of the converted text and ``pages``, ``sheet``, ``slide`` or ``seconds``."""
    by_hand: frozenset[Literal["name", "labels"]] = frozenset()
    """What a person chose: it is not marked as generated."""
    over: bytes | None = None
    """The file it takes the place of: unknown keys and comments of it stay."""


@dataclass(frozen=True)
class NewDocument:
    """A document to write, whole."""

    doc_id: str
    title: str
    category_id: str
    source_name: str
    source_type: str
    source_sha256: str
    summary: str
    extraction: dict[str, Any]
    """``{method, model, version}``."""
    topics: tuple[NewTopic, ...]
    labels: tuple[str, ...] = ()
    language: str | None = None
    document_date: str | None = None
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    source_front_matter: dict[str, Any] = field(default_factory=dict[str, Any])
    created_at: str | None = None
    """Kept on replace; now when absent. UTC, ``2026-11-30T19:40:52Z``."""
    kept_keys: frozenset[str] = frozenset()
    """Keys of ``index.md`` that a replace leaves as they are."""


@dataclass(frozen=True)
class IndexFile:
    """A parsed ``index.md``. Fields that are absent or unreadable are None or empty."""

    path: Path
    claim: str | None
    """``doc_id`` of the front matter when well formed."""
    title: str | None
    category_id: str | None
    source_name: str | None
    source_type: str | None
    source_sha256: str | None
    created_at: str | None
    updated_at: str | None
    document_date: str | None
    language: str | None
    labels: tuple[str, ...]
    fields: dict[str, Any]
    extraction: dict[str, Any]
    summary: str
    """The body, stripped."""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class TopicFile:
    """A parsed topic file. The body is every byte after the closing ``---`` line."""

    path: Path
    claim: str | None
    """``topic_id`` of the front matter when well formed."""
    name: str
    """``topic_name``, else from the file name."""
    position: str | None
    depth: int | None
    parent_id: str | None
    labels: tuple[str, ...]
    summary: str
    summary_of: str | None
    source: dict[str, Any]
    generated: dict[str, Any]
    """Marks of the name and labels as they were generated (``wiki.documents.marks``)."""
    body: str
    body_line: int
    """1-based line of the file on which the body starts."""
    problems: tuple[Problem, ...] = ()

    summary_stale: bool = False
    """The body no longer matches ``summary_of``: search must not rank by the summary."""
