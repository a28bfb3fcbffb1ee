"""What the catalog adds to a hit."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class TopicRecord:
    """A topic as the published catalog knows it."""

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
