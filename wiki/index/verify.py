"""Is the index right? Derive every row from the Markdown again and compare it with both stores."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from wiki.documents.taxonomy import Taxonomy, TaxonomyFile
from wiki.index.audit.derive import DerivedAudit, derive_audit
from wiki.index.audit.rows import AuditFileRow, DecisionRow
from wiki.index.catalog import Catalog, row_values, select
from wiki.index.folders import Folder, read_folder, survey
from wiki.index.identity import Assignment, assign
from wiki.index.languages import counted
from wiki.index.notes.derive import DerivedNotes, derive_notes
from wiki.index.notes.rows import LinkRow, NoteRow
from wiki.index.notes.survey import VaultFolders
from wiki.index.passages import TopicText, cut_many
from wiki.index.records import Record, build_record, document_claimant, passage_rows, topic_claimant
from wiki.index.rows import DocumentRow, FileRow, PassageRow, StoredVector, TopicRow
from wiki.index.sync import TenantIndex
from wiki.models.protocols import Embedder
from wiki.tenants import Layout
from wiki.views import Difference, VerifyResult

_COMPARED = (
    "passage_id", "record_id", "doc_id", "record_type", "namespace", "title", "name", "heading_path", "text",
    "search_text", "labels", "type", "status", "language", "created_at", "updated_at", "document_date", "fields", "line_start",
    "line_end", "pages", "topic_sha256", "passage_sha256", "model",
    "vault",
)  # fmt: skip


def verify(index: TenantIndex, taxonomy: TaxonomyFile, embedder: Callable[[], Embedder]) -> VerifyResult:
    """Every difference between the Markdown and the two stores, under the write lock."""
    with index.lock():
        records = list(derive(index.layout, taxonomy.load()[0]))
        expected, passages = _with_passages(records, embedder)
        folders = VaultFolders(index.layout, index.vaults())
        with Catalog(index.catalog_path) as catalog:
            notes = derive_notes(folders, catalog.notes(), embedder)
            places = {t.topic_id: f"{index.prefix}/{t.path}" for r in expected for t in r.topics} | notes.places
            differences = [*_in_lance(index, passages | notes.passages, places, notes.kept)]
            differences += _in_catalog("catalog", expected, catalog.documents(), catalog.topics(), catalog.files())
            differences += _notes_in_catalog("catalog", folders, notes, catalog.notes(), catalog.links())
            audit = derive_audit(index.layout, catalog.audit_files())
            differences += _audit_in_catalog("catalog", index.layout, audit, catalog.decisions(), catalog.audit_files())
        opened = index.snapshots.open()
        if opened:
            tables = [select(opened[1], table, "TRUE") for table in ("documents", "topics", "files")]
            differences += _in_catalog("snapshot", expected, *tables)
            tables = [select(opened[1], table, "TRUE") for table in ("notes", "links")]
            differences += _notes_in_catalog("snapshot", folders, notes, *tables)
            tables = [select(opened[1], table, "TRUE") for table in ("decisions", "audit_files")]
            differences += _audit_in_catalog("snapshot", index.layout, audit, *tables)
        elif expected or notes.rows or audit.decisions:
            differences.append(Difference("snapshot_missing", "", index.prefix))
    checked = sum(1 + len(r.topics) for r in expected) + len(notes.rows) + len(audit.decisions)
    return VerifyResult(not differences, checked, tuple(differences))


def derive(layout: Layout, taxonomy: Taxonomy) -> Iterator[Record]:
    """Every document's rows from disk alone, with ids assigned over the whole tenant. Unreadable folders are left out."""
    folders: dict[str, Folder] = {}
    for path in survey(layout.knowledge).folders:
        try:
            folder = read_folder(layout.knowledge, path)
        except OSError:
            continue
        if folder:
            folders[path] = folder
    documents = assign(document_claimant(folder) for folder in folders.values())
    topics: Mapping[str, Assignment] = assign(
        topic_claimant(file, documents[path].id) for path, folder in folders.items() for file in folder.topics
    )
    prefix = layout.relative(layout.knowledge)
    for path, folder in folders.items():
        yield build_record(folder, documents[path], topics, taxonomy, prefix)


def _with_passages(
    records: list[Record], embedder: Callable[[], Embedder]
) -> tuple[list[Record], dict[str, PassageRow]]:
    if not records:
        return [], {}
    model = embedder()
    blank = StoredVector(np.zeros(0, np.float32), None)
    rows: dict[str, PassageRow] = {}
    cut_records: list[Record] = []
    for record in records:
        cut = cut_many([TopicText(t.name, record.bodies[t.topic_id].body, t.body_line) for t in record.topics], model)
        for topic, passages in zip(record.topics, cut, strict=True):
            vectors = {passage.sha256: blank for passage in passages}
            for row in passage_rows(record.document, topic, passages, vectors, model.fingerprint):
                rows[row.passage_id] = row
        topics = tuple(counted(t, passages, model.languages) for t, passages in zip(record.topics, cut, strict=True))
        cut_records.append(replace(record, topics=topics))
    return cut_records, rows


def _in_lance(
    index: TenantIndex, expected: Mapping[str, PassageRow], places: Mapping[str, str], kept: Collection[str]
) -> Iterator[Difference]:
    """``kept`` records could not be read: what the table has of them is no difference."""
    if not expected and not index.lance_path.exists():
        return
    table = index.store().rows(list(_COMPARED))
    columns = {name: table.column(name).to_pylist() for name in _COMPARED}
    found: set[str] = set()
    for place, passage_id in enumerate(columns["passage_id"]):
        row = expected.get(passage_id)
        if row is None:
            if columns["record_id"][place] not in kept:
                yield Difference("orphan_passage", passage_id, "")
        elif passage_id in found:
            yield Difference("double_passage", passage_id, places[row.record_id])
        elif any(_plain(getattr(row, name)) != columns[name][place] for name in _COMPARED):
            yield Difference("passage_differs", passage_id, places[row.record_id])
        found.add(passage_id)
    for passage_id in expected.keys() - found:
        yield Difference("passage_missing", passage_id, places[expected[passage_id].record_id])


def _in_catalog(
    where: str,
    expected: list[Record],
    documents: list[DocumentRow],
    topics: list[TopicRow],
    files: list[FileRow],
) -> Iterator[Difference]:
    wanted_documents = {r.document.doc_id: r.document for r in expected}
    wanted_topics = {t.topic_id: t for r in expected for t in r.topics}
    wanted_files = {f.path: f for r in expected for f in r.files}
    yield from _compare(f"{where}_document", wanted_documents, [(row.doc_id, row) for row in documents])
    yield from _compare(f"{where}_topic", wanted_topics, [(row.topic_id, row) for row in topics])
    yield from _compare(f"{where}_file", wanted_files, [(row.path, row) for row in files])


def _notes_in_catalog(
    where: str, folders: VaultFolders, expected: DerivedNotes, notes: list[NoteRow], links: list[LinkRow]
) -> Iterator[Difference]:
    places = {row.note_id: folders.shown(row.ref) for row in (*expected.rows, *notes)}
    stored = [(row.note_id, row) for row in notes if row.note_id not in expected.kept]
    differences = list(_compare(f"{where}_note", {row.note_id: row for row in expected.rows}, stored))
    wanted = {f"{link.from_id}>{link.ordinal}": link for link in expected.links}
    found = [(f"{link.from_id}>{link.ordinal}", link) for link in links if link.from_id not in expected.kept]
    differences += _compare(f"{where}_link", wanted, found)
    for difference in differences:
        yield replace(difference, path=places.get(difference.id.partition(">")[0], ""))


def _audit_in_catalog(
    where: str, layout: Layout, audit: DerivedAudit, decisions: list[DecisionRow], files: list[AuditFileRow]
) -> Iterator[Difference]:
    stored = [(f"{row.file}:{row.line}", row) for row in decisions if row.file not in audit.unread]
    differences = list(
        _compare(f"{where}_decision", {f"{row.file}:{row.line}": row for row in audit.decisions}, stored)
    )
    known = [(row.file, row) for row in files if row.file not in audit.unread]
    differences += _compare(f"{where}_audit_file", {row.file: row for row in audit.files}, known)
    for difference in differences:
        yield replace(difference, path=layout.relative(layout.audit / difference.id.partition(":")[0]))


def _compare(kind: str, wanted: Mapping[str, Any], stored: list[tuple[str, Any]]) -> Iterator[Difference]:
    seen: set[str] = set()
    for key, row in stored:
        if key not in wanted:
            yield Difference(f"{kind}_orphan", key, _place(row))
        elif key in seen:
            yield Difference(f"{kind}_double", key, _place(row))
        elif row_values(row) != row_values(wanted[key]):
            yield Difference(f"{kind}_differs", key, _place(row))
        seen.add(key)
    for key in wanted.keys() - seen:
        yield Difference(f"{kind}_missing", key, _place(wanted[key]))


def _place(row: Any) -> str:
    return getattr(row, "path", None) or getattr(row, "folder", "")


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
