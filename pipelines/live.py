"""What is live in the library, in the shape in which changes are told."""

from collections.abc import Iterator
from dataclasses import dataclass

from wiki.index.audit.rows import DecisionRow
from wiki.index.audit.summary import summarised
from wiki.index.catalog import select
from wiki.index.rows import DecisionSummary, DocumentChange, NoteChange, TopicChange
from wiki.ingest import hash_file
from wiki.library import Library, TenantLibrary
from wiki.tenants import Tenant
from wiki.views import DocumentView

_PAGE = 100


@dataclass(frozen=True)
class LiveDocument:
    """A document that stands. ``change`` is None when it was made by hand, without a source file."""

    tenant: Tenant
    change: DocumentChange | None
    topics: tuple[TopicChange, ...]


def live_hashes(here: TenantLibrary) -> tuple[set[str], set[str]]:
    """Hashes of the topic files and notes, and of the source files, that the tenant's published catalog holds."""
    cursor = here.index.snapshots.cursor()
    if cursor is None:
        return set(), set()
    topics = cursor.execute("SELECT sha256 FROM topics UNION SELECT sha256 FROM notes WHERE hidden IS NULL").fetchall()
    sources = cursor.execute("SELECT DISTINCT source_sha256 FROM documents WHERE source_sha256 IS NOT NULL").fetchall()
    return {row[0] for row in topics}, {row[0] for row in sources}


def live_documents(library: Library) -> Iterator[LiveDocument]:
    """Every document of every tenant with the hashes of its files as they lie on disk now."""
    for tenant in library.tenants():
        here = library.tenant(tenant.app_id, tenant.project_id)
        for doc_id in _doc_ids(here):
            yield _live(library, here, here.document(doc_id))


def live_notes(library: Library) -> Iterator[tuple[Tenant, NoteChange]]:
    """Every note of every tenant that can be found, as the published catalog has it."""
    for tenant in library.tenants():
        cursor = library.tenant(tenant.app_id, tenant.project_id).index.snapshots.cursor()
        columns = "note_id, vault, path, sha256, passages FROM notes WHERE hidden IS NULL ORDER BY vault, path"
        for note_id, vault, path, sha256, passages in cursor.execute(f"SELECT {columns}").fetchall() if cursor else ():
            yield tenant, NoteChange("added", note_id, vault, path, sha256, passages=passages)


def live_decisions(library: Library) -> Iterator[tuple[Tenant, DecisionSummary]]:
    """The decisions of every tenant's audit in one, as the published catalog has them."""
    for tenant in library.tenants():
        here = library.tenant(tenant.app_id, tenant.project_id)
        cursor = here.index.snapshots.cursor()
        rows: list[DecisionRow] = select(cursor, "decisions", "TRUE") if cursor else []
        if summary := summarised(rows, [vault.name for vault in here.vaults()]):
            yield tenant, summary


def _doc_ids(here: TenantLibrary) -> list[str]:
    found: list[str] = []
    while True:
        page = here.list_documents(
            page=len(found) // _PAGE + 1, page_size=_PAGE, sort_by="created_at", sort_order="asc"
        )
        found.extend(document.doc_id for document in page.documents)
        if len(page.documents) < _PAGE:
            return found


def _live(library: Library, here: TenantLibrary, view: DocumentView) -> LiveDocument:
    topics = tuple(
        TopicChange("added", topic.topic_id, view.doc_id, topic.md_path, hash_file(library.root / topic.md_path))
        for topic in view.topics
        if (library.root / topic.md_path).is_file()
    )
    if view.source_sha256 is None:
        return LiveDocument(here.tenant, None, topics)
    original = library.root / view.original_file_path if view.original_file_path else None
    change = DocumentChange(
        doc_id=view.doc_id,
        title=view.title,
        path=view.md_path,
        category_id=view.category_id,
        source_name=view.source_name,
        source_type=view.source_type,
        source_sha256=view.source_sha256,
        source_bytes=original.stat().st_size if original and original.is_file() else 0,
        topic_count=len(view.topics),
    )
    return LiveDocument(here.tenant, change, topics)
