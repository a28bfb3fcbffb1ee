"""A committed batch -> the report Dagster and the logs are told. Never body text."""

from wiki.index.batch import Batch
from wiki.index.catalog import Catalog
from wiki.index.lance import PassageStore
from wiki.index.notes.plan import NoteBatch
from wiki.index.rows import (
    BatchReport,
    CheckResult,
    DecisionSummary,
    DocumentChange,
    DocumentRow,
    NoteChange,
    TopicChange,
    TopicRow,
)
from wiki.index.snapshots import SnapshotName
from wiki.tenants import Layout

PASSAGES = "(SELECT coalesce(sum(passages), 0) FROM topics) + (SELECT coalesce(sum(passages), 0) FROM notes)"
"""How many passage rows the catalog says there are."""
NOTES = "(SELECT count(*) FROM notes WHERE hidden IS NULL)"
"""How many notes can be found."""


def make_report(
    layout: Layout,
    catalog: Catalog,
    batch: Batch,
    notes: NoteBatch,
    store: PassageStore,
    passages: int,
    snapshot: SnapshotName,
    decisions: DecisionSummary | None = None,
) -> BatchReport:
    """Describe a batch after its snapshot was published."""
    prefix = layout.relative(layout.knowledge)
    expected = catalog.connection.execute(f"SELECT {PASSAGES}").fetchone()
    faults = tuple(catalog.faults())
    return BatchReport(
        tenant=layout.tenant,
        reason="watch",
        topics=_topic_changes(batch, prefix),
        documents=_document_changes(batch, prefix),
        dead_hashes=_dead(
            catalog,
            "(SELECT sha256 FROM files UNION ALL SELECT sha256 FROM notes WHERE hidden IS NULL)",
            "sha256",
            {row.sha256 for row in (*batch.old_topics.values(), *notes.old.values()) if row.sha256},
        ),
        dead_source_hashes=_dead(
            catalog,
            "documents",
            "source_sha256",
            {row.source_sha256 for row in batch.old_documents.values() if row.source_sha256},
        ),
        rows_upserted=0,
        rows_deleted=0,
        embedded=0,
        lance_version=store.version(),
        lance_bytes=store.disk_bytes(),
        snapshot=snapshot.number,
        document_count=catalog.count("documents"),
        topic_count=catalog.count("topics"),
        passage_count=passages,
        faults=faults,
        seconds=0.0,
        checks=(
            CheckResult(
                "lancedb_index",
                "rows_match_catalog",
                bool(expected and expected[0] == passages),
                {"passages": passages, "expected": int(expected[0]) if expected else 0},
            ),
            CheckResult("duckdb_catalog", "no_faults", not faults, {"faults": len(faults)}),
        ),
        notes=_note_changes(notes),
        note_count=catalog.count("notes WHERE hidden IS NULL"),
        decisions=decisions,
        decision_count=catalog.count("decisions"),
    )


def rebuilt_report(
    layout: Layout,
    catalog: Catalog,
    store: PassageStore,
    snapshot: SnapshotName,
    decisions: DecisionSummary | None = None,
) -> BatchReport:
    """A report that names no topic: the counts after a rebuild, and the decisions that no batch told before."""
    nothing = Batch((), (), (), {}, {}, (), (), False, {})
    return make_report(layout, catalog, nothing, NoteBatch(), store, store.count(), snapshot, decisions)


def _topic_changes(batch: Batch, prefix: str) -> tuple[TopicChange, ...]:
    written = {topic.topic_id for topic in batch.written}
    now = {topic.topic_id: topic for record in batch.records for topic in record.topics}
    changes = [_change(topic, batch.old_topics.get(i), prefix) for i, topic in now.items() if i in written]
    gone = [
        TopicChange("deleted", old.topic_id, old.doc_id, f"{prefix}/{old.path}", old.sha256, old.sha256)
        for topic_id, old in batch.old_topics.items()
        if topic_id not in now
    ]
    return (*changes, *gone)


def _change(topic: TopicRow, old: TopicRow | None, prefix: str) -> TopicChange:
    kind = "added" if old is None else "changed" if old.sha256 != topic.sha256 else "moved"
    return TopicChange(
        kind,
        topic.topic_id,
        topic.doc_id,
        f"{prefix}/{topic.path}",
        topic.sha256,
        old.sha256 if old else None,
        topic.passages,
    )


def _note_changes(notes: NoteBatch) -> tuple[NoteChange, ...]:
    """What happened to the notes that can be found, or could be. A rename is one deleted and one added."""
    changes: list[NoteChange] = []
    for record in notes.written:
        row, old = record.row, notes.old.get(record.row.note_id)
        before = old.sha256 if old is not None and old.hidden is None else None
        kind = "added" if before is None else "changed" if before != row.sha256 else "moved"
        changes.append(NoteChange(kind, row.note_id, row.vault, row.path, row.sha256, before, row.passages))
    for note_id in notes.deleted:
        if (old := notes.old.get(note_id)) is not None and old.hidden is None:
            changes.append(NoteChange("deleted", note_id, old.vault, old.path, old.sha256, old.sha256))
    return tuple(changes)


def _document_changes(batch: Batch, prefix: str) -> tuple[DocumentChange, ...]:
    return tuple(
        _document_change(record.document, len(record.topics), prefix)
        for record in batch.records
        if record.document.source_sha256 and _is_new_source(record.document, batch)
    )


def _is_new_source(document: DocumentRow, batch: Batch) -> bool:
    old = batch.old_documents.get(document.doc_id)
    return old is None or old.source_sha256 != document.source_sha256


def _document_change(document: DocumentRow, topics: int, prefix: str) -> DocumentChange:
    return DocumentChange(
        doc_id=document.doc_id,
        title=document.title,
        path=f"{prefix}/{document.folder}",
        category_id=document.category_id,
        source_name=document.source_name,
        source_type=document.source_type,
        source_sha256=document.source_sha256 or "",
        source_bytes=document.source_bytes,
        topic_count=topics,
        extraction=document.extraction,
    )


def _dead(catalog: Catalog, table: str, column: str, hashes: set[str]) -> tuple[str, ...]:
    """Those of ``hashes`` that no live row has any more."""
    if not hashes:
        return ()
    live = catalog.connection.execute(
        f"SELECT DISTINCT {column} FROM {table} WHERE {column} IN (SELECT unnest(?))", [sorted(hashes)]
    ).fetchall()
    return tuple(sorted(hashes - {row[0] for row in live}))
