"""One tenant's two stores: opened, mended when one is lost, kept small."""

import logging
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from wiki.errors import Conflict, WikiError
from wiki.filesystem import FileLock, remove_tree
from wiki.index.catalog import Catalog
from wiki.index.lance import ENGLISH, PassageStore
from wiki.index.snapshots import SnapshotReader, current, publish
from wiki.models.protocols import Embedder
from wiki.tenants import Layout

log = logging.getLogger(__name__)
MOST_UNINDEXED = 200


class TenantStores:
    """LanceDB and DuckDB of one tenant. Every public method is safe between threads and processes."""

    def __init__(
        self,
        layout: Layout,
        embedder: Callable[[], Embedder],
        *,
        lance: Path | None = None,
        catalog: Path | None = None,
        lock: Path | None = None,
        language: str = ENGLISH,
    ) -> None:
        self.layout = layout
        self.lance_path = lance or layout.lance
        self.catalog_path = catalog or layout.catalog
        self.base = self.catalog_path.parent
        self.snapshots = SnapshotReader(self.catalog_path)
        self.upserts_since_optimize = 0
        self.language = language
        self._embedder = embedder
        self._lock_path = lock or layout.write_lock
        self._store: tuple[int, PassageStore] | None = None

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
            self._store = (generation, PassageStore(self.lance_path, self._embedder().dim, self.language))
        return self._store[1]

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
            if int(catalog.meta("passages") or 0):
                if self._store_lost():
                    log.warning("%s: the passages are lost; making them again", self.prefix)
                    remove_tree(self.lance_path)
                    self._store = None
                    catalog.delete_folders([row.folder for row in catalog.documents()])
                    catalog.delete_notes([row.note_id for row in catalog.notes()])
                    catalog.set_meta({"passages": "0"})
                    publish(catalog)
                else:
                    self.store().add_columns()
                    self.store().ensure_language()
            elif current(self.catalog_path) is None:
                publish(catalog)

    def tidy(self) -> None:
        """Optimize when so many rows are outside the full-text index that queries feel it."""
        if self.store().unindexed_rows() > MOST_UNINDEXED:
            self.optimize()

    def optimize(self) -> None:
        """Compact LanceDB and take new rows into its indexes."""
        with self.lock():
            self.store().optimize()
            self.upserts_since_optimize = 0

    def _store_lost(self) -> bool:
        try:
            return self.store().count() == 0
        except WikiError:
            raise
        except Exception as error:
            log.warning("%s: LanceDB cannot be read (%s)", self.prefix, error)
            return True
