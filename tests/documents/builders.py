"""Documents for the tests of this folder."""

from pathlib import Path
from typing import Any

from wiki.documents.model import INDEX_FILE, IndexFile, NewDocument, NewTopic
from wiki.documents.reader import read_index
from wiki.tenants import Layout

DOC_ID = "d_a1b2c3d4e5f6"


def new_topic(number: int, body: str = "", **values: Any) -> NewTopic:
    given: dict[str, Any] = {
        "name": f"Topic {number}",
        "position": str(number),
        "depth": 1,
        "parent": None,
        "body": body or f"# Topic {number}\n\nText of topic {number}.\n\n",
        "summary": f"About topic {number}.",
        "labels": ("cost", "cloud"),
        "source": {"pages": [number], "lines": [number, number + 3]},
    }
    return NewTopic(number=number, **{**given, **values})


def new_document(topics: int = 2, **values: Any) -> NewDocument:
    given: dict[str, Any] = {
        "doc_id": DOC_ID,
        "title": "Q1 Engineering Report",
        "category_id": "Technology",
        "source_name": "my-report.pdf",
        "source_type": "application/pdf",
        "source_sha256": "ab" * 32,
        "summary": "What the quarter brought.",
        "extraction": {"method": "outline", "model": None, "version": 1},
        "topics": tuple(new_topic(number) for number in range(1, topics + 1)),
    }
    return NewDocument(**{**given, **values})


def tree(path: Path) -> dict[str, bytes | None]:
    """Every file and folder below ``path`` but ``.staging``, with the bytes of the files."""
    found = (child for child in path.rglob("*") if ".staging" not in child.parts)
    return {str(child.relative_to(path)): child.read_bytes() if child.is_file() else None for child in found}


def unfinished(layout: Layout) -> list[str]:
    """What lies in ``.staging`` beside the locks."""
    return [path.name for path in layout.staging.iterdir() if path.name != "locks"] if layout.staging.exists() else []


def index_of(folder: Path) -> IndexFile:
    """The ``index.md`` of a document folder, read."""
    return read_index(folder / INDEX_FILE, (folder / INDEX_FILE).read_bytes())


def edit(path: Path, old: str, new: str) -> None:
    """Change a file as a person does."""
    data = path.read_bytes()
    assert old.encode() in data
    path.write_bytes(data.replace(old.encode(), new.encode()))
