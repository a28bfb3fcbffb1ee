"""Keeps one tenant's two stores in step with its Markdown.

A document folder is the unit: whatever changed in it, its rows are derived anew
from disk and compared with the catalog, and only what differs is written.
"""

import logging
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Literal

import duckdb

from wiki.documents import timestamps
from wiki.documents.model import Problem
from wiki.documents.taxonomy import TaxonomyFile
from wiki.errors import Conflict, IndexModelMismatch, WikiError
from wiki.filesystem import FileLock, remove_tree
from wiki.index.batch import Batch, plan_batch
from wiki.index.catalog import Catalog
from wiki.index.folders import Folder, Survey, read_folder, survey
from wiki.index.journal import clear_intent, note_intent, read_intent
from wiki.index.lance import PassageStore
from wiki.index.outbox import Outbox
from wiki.index.passages import TopicText, cut_many
from wiki.index.records import passage_rows
from wiki.index.reporting import make_report
from wiki.index.resolve import resolve
from wiki.index.rows import BatchReport, Fault, PassageRow
from wiki.index.snapshots import SnapshotReader, current, publish
from wiki.index.vectors import Lookup, VectorSource
from wiki.models.protocols import Embedder
from wiki.tenants import Layout

log = logging.getLogger(__name__)
MOST_UNINDEXED = 200
Reason = Literal["watch", "reconcile", "request", "reindex", "rebuild"]


@dataclass(frozen=True)
class Drift:
    """What a walk over the folders found to differ from the catalog."""

    folders: tuple[str, ...]
    """Present or changed ones first, vanished ones last."""
    vanished: frozenset[str]
    faults: tuple[Fault, ...]


class TenantIndex:
    """The writer of one tenant's stores. Every public method is safe between threads and processes."""

    def __init__(
        self,
        layout: Layout,
        embedder: Callable[[], Embedder],
        taxonomy: TaxonomyFile,
        *,
        lance: Path | None = None,
        catalog: Path | None = None,
        lock: Path | None = None,
        vectors: Lookup | None = None,
    ) -> None:
        self.layout = layout
        self.lance_path = lance or layout.lance
        self.catalog_path = catalog or layout.catalog
        self.base = self.catalog_path.parent
        self.snapshots = SnapshotReader(self.catalog_path)
        self.outbox = Outbox(self.base)
        self._embedder = embedder
        self._taxonomy = taxonomy
        self._lock_path = lock or layout.write_lock
        self._vectors = VectorSource(vectors)
        self._store: tuple[int, PassageStore] | None = None
        self.upserts_since_optimize = 0

    @property
    def prefix(self) -> str:
        """``knowledge`` relative to the root."""
        return self.layout.relative(self.layout.knowledge)

    def lock(self) -> FileLock:
        """The tenant's write lock, not yet taken."""
        self._lock_path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(self._lock_path)

    def store(self) -> PassageStore:
        """The passages; opened anew after a rebuild exchanged them."""
        name = current(self.catalog_path)
        generation = name.generation if name else 0
        if self._store is None or self._store[0] != generation:
            self._store = (generation, PassageStore(self.lance_path, self._embedder().dim))
        return self._store[1]

    def drift(self, *, everything: bool = False) -> Drift:
        """Compare the disk with the published catalog by size, time and inode; ``everything`` takes all folders."""
        seen = survey(self.layout.knowledge)
        opened = self.snapshots.open()
        if opened is None:
            return Drift(tuple(seen.folders), frozenset(), _survey_faults(seen, self.prefix))
        cursor = opened[1]
        known: dict[str, dict[str, tuple[int, int, int]]] = {}
        for folder, path, *stamp in cursor.execute("SELECT folder, path, size, mtime_ns, inode FROM files").fetchall():
            known.setdefault(folder, {})[path] = (stamp[0], stamp[1], stamp[2])
        documents = {row[0] for row in cursor.execute("SELECT folder FROM documents").fetchall()}
        queued = {row[0] for row in cursor.execute("SELECT folder FROM queue").fetchall()}
        taxonomy = cursor.execute("SELECT value FROM meta WHERE key = 'taxonomy'").fetchone()
        everything = everything or taxonomy is None or taxonomy[0] != self._taxonomy_hash()
        changed = [
            path
            for path, stamps in seen.folders.items()
            if everything
            or path in queued
            or known.get(path) != {file: (s.size, s.mtime_ns, s.inode) for file, s in stamps.items()}
        ]
        gone = [path for path in sorted(documents | queued) if path not in seen.folders and not seen.shields(path)]
        return Drift((*changed, *gone), frozenset(gone), _survey_faults(seen, self.prefix))

    def sync(
        self,
        reason: Reason = "reconcile",
        *,
        everything: bool = False,
        batch_files: int = 400,
        hold: Callable[[int, int], bool] | None = None,
    ) -> Iterator[BatchReport | None]:
        """Bring the stores in step with the disk, a batch at a time; between two batches others may write.

        ``hold(vanished, known)`` may ask to leave deletes for later.
        """
        self.mend()
        drift = self.drift(everything=everything)
        folders: Sequence[str] = drift.folders
        if hold and drift.vanished and hold(self._really_gone(drift), self._document_count()):
            folders = [path for path in folders if path not in drift.vanished]
        batches = self._chunks(folders, batch_files)
        for batch in batches or [()]:
            yield self.apply(batch, reason, survey_faults=drift.faults)
        if folders:
            self.tidy()

    def apply(
        self, folders: Collection[str], reason: Reason, *, survey_faults: Sequence[Fault] | None = None
    ) -> BatchReport | None:
        """One batch: re-derive these folders under the write lock. None when nothing differed."""
        with self.lock():
            intent = read_intent(self.base)
            with Catalog(self.catalog_path) as catalog:
                return self._apply(catalog, {*folders, *intent.folders}, intent.records, reason, survey_faults)

    def mend(self) -> None:
        """Make sure both stores can be opened; one that was lost or damaged is made again from the Markdown."""
        with self.lock():
            try:
                self._check_stores()
            except duckdb.Error as error:
                if "lock" in str(error).lower():
                    raise Conflict(f"another program holds the catalog open: {error}") from error
                log.warning("%s: the catalog cannot be opened (%s); making it again", self.prefix, error)
                self.catalog_path.rename(self.base / f"damaged-catalog-{time.time_ns()}")
                self._check_stores()

    def _check_stores(self) -> None:
        with Catalog(self.catalog_path) as catalog:
            if int(catalog.meta("passages") or 0) and self._store_lost():
                log.warning("%s: the passages are lost; making them again", self.prefix)
                remove_tree(self.lance_path)
                self._store = None
                catalog.delete_folders([row.folder for row in catalog.documents()])
                catalog.set_meta({"passages": "0"})
                publish(catalog)
            elif current(self.catalog_path) is None:
                publish(catalog)

    def has_queue(self) -> bool:
        """Whether folders wait for another try."""
        cursor = self.snapshots.cursor()
        row = cursor.execute("SELECT count(*) FROM queue").fetchone() if cursor else None
        return bool(row and row[0])

    def tidy(self) -> None:
        """Optimize when so many rows are outside the full-text index that queries feel it."""
        if self.store().unindexed_rows() > MOST_UNINDEXED:
            self.optimize()

    def optimize(self) -> None:
        """Compact LanceDB and take new rows into its indexes."""
        with self.lock():
            self.store().optimize()
            self.upserts_since_optimize = 0

    def _apply(
        self,
        catalog: Catalog,
        folders: set[str],
        orphans: Sequence[str],
        reason: Reason,
        survey_faults: Sequence[Fault] | None,
    ) -> BatchReport | None:
        started = perf_counter()
        taxonomy, problem = self._taxonomy.load()
        if survey_faults is not None and problem:
            path = self.layout.relative(self.layout.taxonomy)
            survey_faults = [*survey_faults, _taxonomy_fault(path, problem)]
        resolution = resolve(catalog, self._read, self._exists, folders)
        batch = plan_batch(catalog, resolution, taxonomy, self.prefix, orphans)
        if not batch.differs and not orphans and not self._other_changes(catalog, survey_faults, folders):
            return None
        store = self.store()
        try:
            rows, embedded, batch = self._passages(store, batch)
        except WikiError as error:
            self._postpone(catalog, batch, error)
            if isinstance(error, IndexModelMismatch):
                return None
            raise
        note_intent(self.base, resolution.folders, batch.record_ids)
        upserted, deleted = store.replace_records(rows, batch.record_ids) if batch.record_ids else (0, 0)
        self.upserts_since_optimize += 1 if batch.record_ids else 0
        report = self._commit(catalog, batch, survey_faults, store)
        report = replace(
            report, reason=reason, rows_upserted=upserted, rows_deleted=deleted, seconds=perf_counter() - started
        )
        report = replace(
            report,
            embedded=len(embedded),
            topics=tuple(replace(t, embedded=batch.embedded_of(t.topic_id, embedded)) for t in report.topics),
        )
        self.outbox.put(report)
        clear_intent(self.base)
        return report

    def _passages(self, store: PassageStore, batch: Batch) -> tuple[list[PassageRow], set[str], Batch]:
        """The rows to write, the passage hashes that were embedded, and the batch with its passages cut."""
        if not batch.record_ids:
            return [], set(), batch
        embedder = self._embedder()
        other = store.fingerprints() - {embedder.fingerprint}
        if other:
            raise IndexModelMismatch(
                f"the index was made by {', '.join(sorted(other))}, the settings ask for {embedder.fingerprint}: "
                "run `wiki rebuild`, or set the model back"
            )
        gone = store.rows(["passage_sha256"], batch.deleted_filter()) if batch.deleted else None
        if gone is not None:
            self._vectors.remember(store, set(gone.column("passage_sha256").to_pylist()), embedder.fingerprint)
        texts = [TopicText(t.name, batch.file_of(t).body, t.body_line) for t in batch.written]
        cut = cut_many(texts, embedder)
        vectors, embedded = self._vectors.vectors(store, embedder, [p for passages in cut for p in passages])
        rows = [
            row
            for topic, passages in zip(batch.written, cut, strict=True)
            for row in passage_rows(batch.document_of(topic), topic, passages, vectors, embedder.fingerprint)
        ]
        counted = {topic.topic_id: passages for topic, passages in zip(batch.written, cut, strict=True)}
        return rows, embedded, batch.with_passages(counted)

    def _commit(
        self, catalog: Catalog, batch: Batch, survey_faults: Sequence[Fault] | None, store: PassageStore
    ) -> BatchReport:
        catalog.begin()
        batch.write(catalog)
        if survey_faults is not None:
            catalog.replace_faults("survey", survey_faults)
        passages = store.count()
        catalog.set_meta({"passages": str(passages), "taxonomy": self._taxonomy_hash()})
        catalog.commit()
        return make_report(self.layout, catalog, batch, store, passages, publish(catalog))

    def _postpone(self, catalog: Catalog, batch: Batch, error: WikiError) -> None:
        """The model failed: keep every row as it was, tell it as a fault, and try again later."""
        fault = Fault(self.prefix, error.message, "it is tried again by itself", timestamps.now(), None, "sync")
        catalog.begin()
        catalog.enqueue(sorted(batch.folders), error.message, timestamps.now())
        catalog.replace_faults("sync", [fault])
        catalog.commit()
        publish(catalog)

    def _other_changes(self, catalog: Catalog, faults: Sequence[Fault] | None, folders: Collection[str]) -> bool:
        if catalog.meta("taxonomy") != self._taxonomy_hash() or set(catalog.queued()) & set(folders):
            return True
        if faults is None:
            return False
        return {f for f in catalog.faults() if f.origin == "survey"} != set(faults)

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

    def _store_lost(self) -> bool:
        try:
            return self.store().count() == 0
        except WikiError:
            raise
        except Exception as error:
            log.warning("%s: LanceDB cannot be read (%s)", self.prefix, error)
            return True

    def _taxonomy_hash(self) -> str:
        """Of the category ids: they decide which folder is which category."""
        return sha256("\n".join(self._taxonomy.load()[0].ids).encode()).hexdigest()


def _taxonomy_fault(path: str, problem: Problem) -> Fault:
    return Fault(path, problem.reason, problem.remedy, "", problem.line, "survey")


def _survey_faults(seen: Survey, prefix: str) -> tuple[Fault, ...]:
    unreadable = [
        Fault(
            f"{prefix}/{item.path}".rstrip("/"),
            f"cannot be read: {item.reason}",
            "mend its permissions or its mount; its rows are kept until then",
            origin="survey",
        )
        for item in seen.unreadable
    ]
    stray = [
        Fault(f"{prefix}/{path}", "lies outside any document folder", "move it into one", origin="survey")
        for path in seen.stray
    ]
    return (*unreadable, *stray)
