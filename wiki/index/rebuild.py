"""Both stores made anew from the Markdown, beside the present ones, and exchanged when complete."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from wiki.documents.taxonomy import TaxonomyFile
from wiki.errors import Conflict
from wiki.filesystem import FileLock, exchange, remove_tree
from wiki.index.catalog import Catalog
from wiki.index.journal import clear_intent
from wiki.index.reporting import rebuilt_report
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
        remove_tree(beside)
        building = TenantIndex(
            index.layout,
            embedder,
            taxonomy,
            lance=beside / "lance",
            catalog=beside / "catalog",
            lock=beside / "write.lock",
            vectors=None if cold else lambda hashes, model: index.store().known_vectors(hashes, model),
        )
        embedded = _fill(building, progress)
        building.optimize()
        with index.lock():
            for report in building.sync("rebuild"):
                embedded += report.embedded if report else 0
            _exchange(index, building, beside)
        return _result(index, embedded, time.perf_counter() - started)
    finally:
        remove_tree(beside)
        lock.release()


def _fill(building: TenantIndex, progress: Progress | None) -> int:
    total = len(building.drift().folders)
    embedded = 0
    for report in building.sync("rebuild", everything=True, batch_files=BATCH_FILES):
        embedded += report.embedded if report else 0
        if progress and report:
            progress(report.document_count, total)
    return embedded


def _exchange(index: TenantIndex, building: TenantIndex, beside: Path) -> None:
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
    _tell(index)


def _tell(index: TenantIndex) -> None:
    """One report with the new counts, so that Dagster shows the rebuild."""
    with Catalog(index.catalog_path) as catalog:
        name = current(index.catalog_path) or SnapshotName(1, 0)
        index.outbox.put(replace(rebuilt_report(index.layout, catalog, index.store(), name), reason="rebuild"))


def _result(index: TenantIndex, embedded: int, seconds: float) -> RebuildResult:
    cursor = index.snapshots.cursor()
    counts = [0, 0, 0]
    if cursor:
        statements = ("count(*) FROM documents", "count(*) FROM topics", "coalesce(sum(passages), 0) FROM topics")
        rows = [cursor.execute(f"SELECT {what}").fetchone() for what in statements]
        counts = [int(row[0]) if row else 0 for row in rows]
    return RebuildResult(*counts, embedded=embedded, seconds=seconds)
