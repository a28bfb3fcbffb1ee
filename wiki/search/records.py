"""What the catalog adds to a hit."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class TopicRecord:
    """A topic, or a note, as the published catalog knows it. A note is its own document, its namespace the category."""

    topic_id: str
    doc_id: str
    category_id: str
    topic_name: str
    topic_path: str
    depth: int
    summary: str
    """Empty when stale."""
    document_title: str
    document_summary: str
    md_path: str
    labels: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict[str, Any])
    """Sheet, slide or seconds, when known."""
    vault: str | None = None
    """A note's vault."""
    vault_path: str = ""
    """A note's path in it."""
    link: str | None = None
    """What opens a note in its editor."""
