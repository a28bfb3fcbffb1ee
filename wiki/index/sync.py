"""Keeps one tenant's two stores in step with its Markdown.

A document folder is the unit: whatever changed in it, its rows are derived anew
from disk and compared with the catalog, and only what differs is written.
"""

import logging
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Literal

from wiki.documents import timestamps
from wiki.documents.model import Problem
from wiki.documents.taxonomy import TaxonomyFile
from wiki.errors import IndexModelMismatch, WikiError
from wiki.index.audit.plan import AuditBatch, audit_drift, plan_audit
from wiki.index.audit.rows import AuditFileRow
from wiki.index.audit.summary import summarised
from wiki.index.batch import Batch, plan_batch
from wiki.index.catalog import Catalog, select
from wiki.index.drift import Drift, document_drift
from wiki.index.folders import Folder, read_folder
from wiki.index.journal import Intent, clear_intent, note_intent, read_intent
from wiki.index.lance import ENGLISH, PassageStore, any_of
from wiki.index.notes.batches import chunk_notes, cut_notes, note_rows, touched_notes
from wiki.index.notes.drift import RULES, note_drift
from wiki.index.notes.plan import NoteBatch, plan_notes
from wiki.index.notes.rows import NoteRef, is_note_id
from wiki.index.notes.survey import VaultFolders
from wiki.index.outbox import Outbox
from wiki.index.passages import TopicText, cut_many
from wiki.index.records import passage_rows
from wiki.index.reporting import make_report
from wiki.index.resolve import resolve
from wiki.index.rows import BatchReport, Fault, PassageRow
from wiki.index.snapshots import publish
from wiki.index.stores import TenantStores
from wiki.index.vectors import Lookup, VectorSource
from wiki.models.protocols import Embedder
from wiki.tenants import Layout
from wiki.vaults.model import Vault

log = logging.getLogger(__name__)
NO_RULES = "{}"
"""As the catalog has them that never saw a vault."""
Reason = Literal["watch", "reconcile", "request", "reindex", "rebuild"]


Hold = Callable[[Literal["documents", "notes"], int, int], bool]
"""Asked before deletes: how many vanished, of how many. True leaves them for later."""


class TenantIndex(TenantStores):
    """The writer of one tenant's stores. Every public method is safe between threads and processes."""

    def __init__(
        self,
        layout: Layout,
        embedder: Callable[[], Embedder],
        taxonomy: TaxonomyFile,
        *,
        vaults: Callable[[], Sequence[Vault]] = lambda: (),
        lance: Path | None = None,
        catalog: Path | None = None,
        lock: Path | None = None,
        vectors: Lookup | None = None,
        language: str = ENGLISH,
    ) -> None:
        super().__init__(layout, embedder, lance=lance, catalog=catalog, lock=lock, language=language)
        self.vaults = vaults
        self.outbox = Outbox(self.base)
        self._taxonomy = taxonomy
        self._vectors = VectorSource(vectors)

    def drift(self, *, everything: bool = False) -> Drift:
        """Compare the disk with the published catalog by size, time and inode; ``everything`` takes all."""
        opened = self.snapshots.open()
        cursor = opened[1] if opened else None
        knowledge, taxonomy = self.layout.knowledge, self._taxonomy_hash()
        documents = document_drift(cursor, knowledge, self.prefix, taxonomy, everything=everything)
        notes = note_drift(cursor, self._folders(), everything=everything)
        known: list[AuditFileRow] = select(cursor, "audit_files", "TRUE") if cursor else []
        audit = audit_drift(self.layout, {row.file: row for row in known})
        files = (*audit.files, *audit.same) if everything else audit.files
        return replace(documents, notes=notes, audit=files, faults=(*documents.faults, *notes.faults, *audit.faults))

    def sync(
        self,
        reason: Reason = "reconcile",
        *,
        everything: bool = False,
        batch_files: int = 400,
        hold: Hold | None = None,
    ) -> Iterator[BatchReport | None]:
        """Bring the stores in step with the disk, a batch at a time; between two batches others may write.

        ``hold`` may ask to leave deletes for later.
        """
        self.mend()
        drift = self.drift(everything=everything)
        folders, notes = list(drift.folders), list(drift.notes.notes)
        if hold and drift.vanished and hold("documents", self._really_gone(drift), self._document_count()):
            folders = [path for path in folders if path not in drift.vanished]
        if hold and drift.notes.vanished and hold("notes", drift.notes.really_gone, drift.notes.known):
            notes = [ref for ref in notes if ref not in drift.notes.vanished]
        if drift.audit:
            yield self.apply((), reason, audit=drift.audit if everything else ())
        no_folders, no_notes = list[str](), list[NoteRef]()
        groups = [(batch, no_notes) for batch in self._chunks(folders, batch_files)]
        groups += [(no_folders, group) for group in chunk_notes(notes, drift.notes.sizes, batch_files)]
        *first, last = groups or [(no_folders, no_notes)]
        for batch, group in first:
            yield self.apply(batch, reason, notes=group, survey_faults=drift.faults)
        yield self.apply(last[0], reason, notes=last[1], survey_faults=drift.faults, rules=drift.notes.rules)
        if folders or notes:
            self.tidy()

    def apply(
        self,
        folders: Collection[str],
        reason: Reason,
        *,
        notes: Collection[NoteRef] = (),
        survey_faults: Sequence[Fault] | None = None,
        rules: str | None = None,
        audit: Collection[str] = (),
    ) -> BatchReport | None:
        """One batch: re-derive these folders and notes under the write lock. None when nothing differed.

        ``rules``, of a look over all vaults, are noted with its last batch: then every note is read by them. What is
        new in the audit is taken along; its files named in ``audit`` are read whole.
        """
        with self.lock():
            intent = read_intent(self.base)
            with Catalog(self.catalog_path) as catalog:
                refs = {*notes, *intent.notes}
                return self._apply(
                    catalog, {*folders, *intent.folders}, refs, intent.records, reason, survey_faults, rules,
                    plan_audit(catalog, self.layout, audit),
                )  # fmt: skip

    def touched_notes(self, touched: Collection[NoteRef]) -> tuple[list[NoteRef], int]:
        """The notes behind changes told of files and folders: those there now, then those only the catalog knows.

        The number is that of the latter.
        """
        return touched_notes(self._folders(), self.snapshots.cursor(), touched)

    def has_queue(self) -> bool:
        """Whether folders or notes wait for another try."""
        cursor = self.snapshots.cursor()
        both = "SELECT (SELECT count(*) FROM queue) + (SELECT count(*) FROM note_queue)"
        row = cursor.execute(both).fetchone() if cursor else None
        return bool(row and row[0])

    def _apply(
        self,
        catalog: Catalog,
        folders: set[str],
        refs: set[NoteRef],
        orphans: Sequence[str],
        reason: Reason,
        survey_faults: Sequence[Fault] | None,
        rules: str | None,
        audit: AuditBatch,
    ) -> BatchReport | None:
        started = perf_counter()
        taxonomy, problem = self._taxonomy.load()
        if survey_faults is not None and problem:
            path = self.layout.relative(self.layout.taxonomy)
            survey_faults = [*survey_faults, _taxonomy_fault(path, problem)]
        resolution = resolve(catalog, self._read, self._exists, folders)
        topics = [record for record in orphans if not is_note_id(record)]
        batch = plan_batch(catalog, resolution, taxonomy, self.prefix, topics)
        notes = plan_notes(catalog, self._folders(), refs, [record for record in orphans if record not in topics])
        rules = None if rules == (catalog.meta(RULES) or NO_RULES) else rules
        changes = batch.differs or notes.differs or audit.differs or bool(orphans) or rules is not None
        if not changes and not self._other_changes(catalog, survey_faults, folders):
            return None
        store = self.store()
        try:
            rows, embedded, batch, notes = self._passages(store, batch, notes)
        except WikiError as error:
            self._postpone(catalog, store, batch, notes, error)
            if isinstance(error, IndexModelMismatch):
                return None
            raise
        record_ids = batch.record_ids | notes.record_ids
        note_intent(self.base, Intent(tuple(resolution.folders), tuple(record_ids), notes.refs))
        upserted, deleted = store.replace_records(rows, record_ids) if record_ids else (0, 0)
        self.upserts_since_optimize += 1 if record_ids else 0
        report = self._commit(catalog, batch, notes, audit, survey_faults, rules, store)
        report = replace(
            report, reason=reason, rows_upserted=upserted, rows_deleted=deleted, seconds=perf_counter() - started
        )
        report = replace(
            report,
            embedded=len(embedded),
            topics=tuple(replace(t, embedded=batch.embedded_of(t.topic_id, embedded)) for t in report.topics),
            notes=tuple(replace(n, embedded=notes.embedded_of(n.note_id, embedded)) for n in report.notes),
        )
        self.outbox.put(report)
        clear_intent(self.base)
        return report

    def _passages(
        self, store: PassageStore, batch: Batch, notes: NoteBatch
    ) -> tuple[list[PassageRow], set[str], Batch, NoteBatch]:
        """The rows to write, the passage hashes that were embedded, and the batches with their passages cut."""
        if not batch.record_ids and not notes.record_ids:
            return [], set(), batch, notes
        embedder = self._embedder()
        model = embedder.fingerprint
        other = store.fingerprints() - {model}
        if other:
            raise IndexModelMismatch(
                f"the index was made by {', '.join(sorted(other))}, the settings ask for {model}: "
                "run `wiki rebuild`, or set the model back"
            )
        if deleted := [*batch.deleted, *notes.deleted]:
            gone = store.rows(["passage_sha256"], any_of("record_id", deleted))
            self._vectors.remember(store, set(gone.column("passage_sha256").to_pylist()), model)
        texts = [TopicText(t.name, batch.file_of(t).body, t.body_line) for t in batch.written]
        cut = dict(zip([topic.topic_id for topic in batch.written], cut_many(texts, embedder), strict=True))
        notes_cut = cut_notes(notes.written, embedder)
        all_passages = [p for passages in (*cut.values(), *notes_cut.values()) for p in passages]
        vectors, embedded = self._vectors.vectors(store, embedder, all_passages)
        rows = [
            row
            for topic in batch.written
            for row in passage_rows(batch.document_of(topic), topic, cut[topic.topic_id], vectors, model)
        ]
        rows += note_rows(notes.written, notes_cut, vectors, model)
        known = embedder.languages
        return rows, embedded, batch.with_passages(cut, known), notes.with_passages(notes_cut, known)

    def _commit(
        self,
        catalog: Catalog,
        batch: Batch,
        notes: NoteBatch,
        audit: AuditBatch,
        survey_faults: Sequence[Fault] | None,
        rules: str | None,
        store: PassageStore,
    ) -> BatchReport:
        catalog.begin()
        batch.write(catalog)
        notes.write(catalog)
        audit.write(catalog)
        if survey_faults is not None:
            catalog.replace_faults("survey", survey_faults)
        passages = store.count()
        catalog.set_meta({"passages": str(passages), "taxonomy": self._taxonomy_hash()})
        if rules is not None:
            catalog.set_meta({RULES: rules})
        catalog.commit()
        decisions = summarised(audit.fresh, [vault.name for vault in self.vaults()])
        return make_report(self.layout, catalog, batch, notes, store, passages, publish(catalog), decisions)

    def _postpone(
        self, catalog: Catalog, store: PassageStore, batch: Batch, notes: NoteBatch, error: WikiError
    ) -> None:
        """The model failed: keep every row as it was, tell it as a fault, and try again later.

        Only what must no longer be found goes at once.
        """
        withdrawn = notes.withdrawn()
        unfinished = read_intent(self.base)
        if withdrawn.deleted:
            records, refs = {*unfinished.records, *withdrawn.deleted}, {*unfinished.notes, *withdrawn.refs}
            note_intent(self.base, Intent(unfinished.folders, tuple(records), tuple(refs)))
            store.replace_records((), withdrawn.deleted)
        fault = Fault(self.prefix, error.message, "it is tried again by itself", timestamps.now(), None, "sync")
        catalog.begin()
        withdrawn.write(catalog)
        catalog.enqueue(sorted(batch.folders), error.message, timestamps.now())
        catalog.enqueue_notes([ref for ref in notes.refs if ref not in withdrawn.refs], error.message, timestamps.now())
        catalog.replace_faults("sync", [fault])
        catalog.set_meta({"passages": str(store.count())})
        catalog.commit()
        publish(catalog)
        note_intent(self.base, unfinished)

    def _other_changes(self, catalog: Catalog, faults: Sequence[Fault] | None, folders: Collection[str]) -> bool:
        if catalog.meta("taxonomy") != self._taxonomy_hash() or set(catalog.queued()) & set(folders):
            return True
        if faults is None:
            return False
        return {f for f in catalog.faults() if f.origin == "survey"} != set(faults)

    def _folders(self) -> VaultFolders:
        return VaultFolders(self.layout, self.vaults())

    def _read(self, path: str) -> Folder | None:
        return read_folder(self.layout.knowledge, path)

    def _exists(self, path: str) -> bool:
        try:
            os.lstat(self.layout.knowledge / path)
        except FileNotFoundError:
            return False
        except NotADirectoryError:
            return False
        except OSError:
            return True
        return True

    def _chunks(self, folders: Sequence[str], limit: int) -> list[list[str]]:
        """Folders in groups of about ``limit`` Markdown files."""
        groups: list[list[str]] = []
        room = 0
        for folder in folders:
            size = 1 + len(list((self.layout.knowledge / folder).glob("*.md")))
            if room < size or not groups:
                groups.append([])
                room = limit
            groups[-1].append(folder)
            room -= size
        return groups

    def _really_gone(self, drift: Drift) -> int:
        """Vanished documents whose id no changed folder carries: a renamed category deletes nothing."""
        opened = self.snapshots.open()
        if opened is None:
            return 0
        rows = opened[1].execute("SELECT folder, doc_id FROM documents").fetchall()
        gone = {doc_id for folder, doc_id in rows if folder in drift.vanished}
        for path in drift.folders:
            folder = None if path in drift.vanished else read_folder(self.layout.knowledge, path)
            if folder and folder.index:
                gone.discard(folder.index.parsed.claim)
        return len(gone)

    def _document_count(self) -> int:
        cursor = self.snapshots.cursor()
        row = cursor.execute("SELECT count(*) FROM documents").fetchone() if cursor else None
        return int(row[0]) if row else 0

    def _taxonomy_hash(self) -> str:
        """Of the category ids: they decide which folder is which category."""
        return sha256("\n".join(self._taxonomy.load()[0].ids).encode()).hexdigest()


def _taxonomy_fault(path: str, problem: Problem) -> Fault:
    return Fault(path, problem.reason, problem.remedy, "", problem.line, "survey")
