"""Both stores made anew from the Markdown, beside the present ones, and exchanged when complete."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb

from wiki.documents.taxonomy import TaxonomyFile
from wiki.errors import Conflict
from wiki.filesystem import FileLock, exchange, remove_tree
from wiki.index.audit.plan import audit_drift, plan_audit
from wiki.index.audit.rows import AuditFileRow
from wiki.index.audit.summary import summarised
from wiki.index.catalog import Catalog, select
from wiki.index.journal import clear_intent
from wiki.index.notes.rows import NoteRef
from wiki.index.notes.survey import VaultFolders
from wiki.index.reporting import NOTES, PASSAGES, rebuilt_report
from wiki.index.rows import DecisionSummary
from wiki.index.snapshots import SnapshotName, current, publish
from wiki.index.sync import TenantIndex
from wiki.models.protocols import Embedder
from wiki.views import RebuildResult

BATCH_FILES = 2_000
Progress = Callable[[int, int], None]


def rebuild(
    index: TenantIndex,
    taxonomy: TaxonomyFile,
    embedder: Callable[[], Embedder],
    *,
    cold: bool = False,
    progress: Progress | None = None,
) -> RebuildResult:
    """A new generation of a tenant's index. The old one answers, and takes edits, until the exchange.

    Vectors of equal passages by the same model are taken over unless ``cold``. Raises Conflict when another
    rebuild of this tenant runs.
    """
    started = time.perf_counter()
    lock = FileLock(index.base / "rebuild.lock")
    index.base.mkdir(parents=True, exist_ok=True)
    if not lock.try_acquire():
        raise Conflict(f"another rebuild of {index.prefix} is running: wait for it")
    beside = index.base / "next"
    try:
        _check_vaults(index)
        _check_audit(index)
        remove_tree(beside)
        building = TenantIndex(
            index.layout,
            embedder,
            taxonomy,
            vaults=index.vaults,
            lance=beside / "lance",
            catalog=beside / "catalog",
            lock=beside / "write.lock",
            language=index.language,
            vectors=None if cold else lambda hashes, model: index.store().known_vectors(hashes, model),
        )
        embedded = _fill(building, progress)
        building.optimize()
        with index.lock():
            for report in building.sync("rebuild"):
                embedded += report.embedded if report else 0
            _exchange(index, building, beside, _untold(index))
        return _result(index, embedded, time.perf_counter() - started)
    finally:
        remove_tree(beside)
        lock.release()


def _fill(building: TenantIndex, progress: Progress | None) -> int:
    drift = building.drift()
    total = len(drift.folders) + len(drift.notes.notes)
    embedded = 0
    for report in building.sync("rebuild", everything=True, batch_files=BATCH_FILES):
        embedded += report.embedded if report else 0
        if progress and report:
            progress(report.document_count + report.note_count, total)
    return embedded


def _check_vaults(index: TenantIndex) -> None:
    """Raises Conflict when a vault whose notes are in the index cannot be read: the new one would be without them."""
    cursor = index.snapshots.cursor()
    folders = VaultFolders(index.layout, index.vaults())
    known = [NoteRef(*row) for row in cursor.execute("SELECT vault, path FROM notes").fetchall()] if cursor else []
    seen = folders.survey()
    lost = Counter(ref.vault for ref in known if seen.shields(ref, folders.vaults))
    if lost:
        names = ", ".join(f"{count} notes of {vault}" for vault, count in sorted(lost.items()))
        raise Conflict(
            f"a rebuild would lose {names}, which cannot be read now: see `wiki status`, mend or mount them, or remove "
            "the vault from the settings"
        )


def _check_audit(index: TenantIndex) -> None:
    """The same for the audit. Raises Conflict."""
    cursor = index.snapshots.cursor()
    known: list[AuditFileRow] = select(cursor, "audit_files", "TRUE") if cursor else []
    if known and (faults := audit_drift(index.layout, {row.file: row for row in known}).faults):
        listed = "; ".join(f"{fault.path} {fault.reason}: {fault.remedy}" for fault in faults)
        raise Conflict(f"a rebuild would lose decisions of the audit: {listed}")


def _untold(index: TenantIndex) -> DecisionSummary | None:
    """Decisions that the old catalog never had: no batch will tell them once the new one is in its place."""
    try:
        with Catalog(index.catalog_path) as catalog:
            fresh = plan_audit(catalog, index.layout).fresh
    except duckdb.Error:
        return None
    return summarised(fresh, [vault.name for vault in index.vaults()])


def _exchange(index: TenantIndex, building: TenantIndex, beside: Path, decisions: DecisionSummary | None) -> None:
    now = current(index.catalog_path) or SnapshotName(0, 0)
    with Catalog(building.catalog_path) as catalog:
        publish(catalog, now.generation + 1)
    building.snapshots.close()
    index.snapshots.close()
    for public, staged in ((index.lance_path, beside / "lance"), (index.catalog_path, beside / "catalog")):
        staged.mkdir(parents=True, exist_ok=True)
        public.mkdir(parents=True, exist_ok=True)
        exchange(public, staged)
    clear_intent(index.base)
    _tell(index, decisions)


def _tell(index: TenantIndex, decisions: DecisionSummary | None) -> None:
    """One report with the new counts, so that Dagster shows the rebuild."""
    with Catalog(index.catalog_path) as catalog:
        name = current(index.catalog_path) or SnapshotName(1, 0)
        report = rebuilt_report(index.layout, catalog, index.store(), name, decisions)
        index.outbox.put(replace(report, reason="rebuild"))


def _result(index: TenantIndex, embedded: int, seconds: float) -> RebuildResult:
    cursor = index.snapshots.cursor()
    documents, topics, passages, notes = 0, 0, 0, 0
    if cursor:
        statements = ("(SELECT count(*) FROM documents)", "(SELECT count(*) FROM topics)", PASSAGES, NOTES)
        rows = [cursor.execute(f"SELECT {what}").fetchone() for what in statements]
        documents, topics, passages, notes = (int(row[0]) if row else 0 for row in rows)
    return RebuildResult(documents, topics, passages, embedded, seconds, notes)
