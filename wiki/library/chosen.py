"""What of a document's metadata a person chose, and what was generated."""

from typing import Any

from wiki.documents import slugs
from wiki.documents.marks import is_generated, mark
from wiki.index.rows import DocumentRow


def own_category(document: DocumentRow) -> str | None:
    """The category when a person chose it: on upload, by PATCH or by moving the folder."""
    category = document.category_id
    lies_there = slugs.category_folder_name(category) == document.folder.partition("/")[0]
    return None if lies_there and document.extraction.get("generated_category") == category else category


def own_labels(document: DocumentRow) -> tuple[str, ...]:
    """The labels when a person chose them."""
    marks = {"labels": document.extraction.get("generated_labels")}
    return () if is_generated(marks, "labels", *document.labels) else document.labels


def highest_topic(document: DocumentRow) -> int:
    """The highest topic number its ``index.md`` knows to have been given."""
    told = document.extraction.get("highest_topic")
    return told if isinstance(told, int) else 0


def marks_that_stay(document: DocumentRow, *, category: bool, labels: bool) -> dict[str, Any]:
    """Marks for a new version that keeps the old one's category and labels."""
    found: dict[str, Any] = {}
    if category and own_category(document) is None:
        found["generated_category"] = document.category_id
    if labels and document.labels and not own_labels(document):
        found["generated_labels"] = mark(*document.labels)
    return found
