"""Published copies of the catalog. Readers open ``snap-N.duckdb``, named by ``CURRENT``, and nothing else.

A new file name per version: DuckDB caches databases by path within a process, so
replacing a file under an open connection would serve the old one for ever.
"""

import shutil
import threading
from dataclasses import dataclass
from pathlib import Path

import duckdb

from wiki.filesystem import write_atomic
from wiki.index.catalog import WRITER_FILE, Catalog

CURRENT = "CURRENT"
KEPT = 3


@dataclass(frozen=True, order=True)
class SnapshotName:
    """``number`` counts within a ``generation``; a rebuild starts the next generation."""

    generation: int
    number: int

    def __str__(self) -> str:
        return f"{self.generation}.{self.number}"

    @property
    def file(self) -> str:
        return f"snap-{self}.duckdb"


def current(folder: Path) -> SnapshotName | None:
    """The snapshot readers should open, or None before the first publication."""
    try:
        generation, _, number = (folder / CURRENT).read_text(encoding="ascii").strip().partition(".")
        return SnapshotName(int(generation), int(number))
    except (FileNotFoundError, ValueError):
        return None


def publish(catalog: Catalog, generation: int | None = None) -> SnapshotName:
    """Copy the checkpointed catalog to the next snapshot and point ``CURRENT`` at it."""
    last = current(catalog.folder) or SnapshotName(1, 0)
    name = SnapshotName(generation or last.generation, last.number + 1)
    catalog.connection.execute("CHECKPOINT")
    shutil.copyfile(catalog.folder / WRITER_FILE, catalog.folder / name.file)
    write_atomic(catalog.folder / CURRENT, f"{name}\n".encode())
    for old in sorted(catalog.folder.glob("snap-*.duckdb"), key=lambda path: path.stat().st_mtime_ns)[:-KEPT]:
        if old.name != name.file:
            old.unlink(missing_ok=True)
    return name


class SnapshotReader:
    """Cursors on the current snapshot. Thread safe; an old connection closes with its last cursor."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._open: tuple[SnapshotName, duckdb.DuckDBPyConnection] | None = None

    def cursor(self) -> duckdb.DuckDBPyConnection | None:
        """A fresh cursor, or None when nothing was published yet."""
        opened = self.open()
        return opened[1] if opened else None

    def open(self) -> tuple[SnapshotName, duckdb.DuckDBPyConnection] | None:
        """The current snapshot's name and a fresh cursor on it."""
        while (name := current(self._folder)) is not None:
            with self._lock:
                if self._open is None or self._open[0] != name:
                    try:
                        connection = duckdb.connect(str(self._folder / name.file), read_only=True)
                    except duckdb.IOException:
                        if current(self._folder) == name:
                            raise
                        continue
                    self._open = (name, connection)
                return name, self._open[1].cursor()
        return None

    def close(self) -> None:
        with self._lock:
            self._open = None
