"""Writes documents as a person would: plain files, no store."""

from pathlib import Path

from wiki.tenants import Layout


def write_document(
    layout: Layout, folder: str, doc_id: str | None, bodies: dict[str, str], title: str = "A document"
) -> Path:
    """A document folder with one topic file per ``{file name: body}``; numbered names claim an id."""
    path = layout.knowledge / folder
    path.mkdir(parents=True, exist_ok=True)
    claim = f"doc_id: {doc_id}\n" if doc_id else ""
    (path / "index.md").write_text(
        f"---\nkind: knowledge_document\n{claim}title: {title}\ncategory_id: {folder.split('/')[0]}\n"
        f"created_at: 2026-11-30T10:00:00Z\nupdated_at: 2026-11-30T10:00:00Z\n---\nA summary.\n",
        encoding="utf-8",
    )
    for name, body in bodies.items():
        write_topic(path / name, doc_id, body)
    return path


def write_topic(path: Path, doc_id: str | None, body: str) -> Path:
    """A topic file; ``<n>_x.md`` claims ``<doc_id>_<n>``."""
    number = path.name.split("_")[0]
    claim = f"topic_id: {doc_id}_{number}\n" if doc_id and number.isdigit() else ""
    name = path.stem.split("_", 1)[-1].replace("_", " ")
    path.write_text(f"---\nkind: knowledge_topic\n{claim}topic_name: {name}\n---\n{body}", encoding="utf-8")
    return path
