"""What the tests of ``reextract`` share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wiki.library import TenantLibrary

Open = Callable[..., TenantLibrary]
SMALL: dict[str, Any] = {"min_topic_words": 5}
MANUAL = "# Manual\n\nWhat each part does and who looks after it in the week.\n\n" + "".join(
    f"## Part {n}\n\nPart {n} is looked at on day {n}, and somebody writes down what it weighs and how it sounds.\n\n"
    for n in range(1, 19)
)


def names(here: TenantLibrary, doc_id: str) -> list[str]:
    return [topic.topic_name for topic in here.document(doc_id).topics]


def folder_of(here: TenantLibrary, doc_id: str) -> Path:
    return here.layout.root / here.document(doc_id).md_path


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir() if p.is_file()}


def edit(path: Path, old: str, new: str) -> None:
    """As a person does, at the last place where ``old`` stands: a summary may hold it, too."""
    data = path.read_text(encoding="utf-8")
    assert old in data
    path.write_text(new.join(data.rsplit(old, 1)), encoding="utf-8")


def ids_of(here: TenantLibrary, doc_id: str) -> dict[str, str]:
    return {topic.topic_name: topic.topic_id.rpartition("_")[2] for topic in here.document(doc_id).topics}
