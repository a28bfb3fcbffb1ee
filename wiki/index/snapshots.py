"""Published copies of the catalog. Readers open ``snap-N.duckdb``, named by ``CURRENT``, and nothing else.

A new file name per version: DuckDB caches databases by path within a process, so
replacing a file under an open connection would serve the old one for ever.
"""

import shutil
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path

import duckdb

from wiki.filesystem import write_atomic
from wiki.index.catalog import LATER_COLUMNS, TABLES, WRITER_FILE, Catalog

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
    """Cursors on the current snapshot. Thread safe.

    The snapshots are attached to one database in memory: a tenth of the time of opening each as a database of its
    own, which every search after a commit would wait for. An old one is let go when its last cursor is gone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        """Reentrant: a cursor can be collected, and told, by the thread that holds it."""
        self._base: duckdb.DuckDBPyConnection | None = None
        self._cursors: dict[SnapshotName, int] = {}
        """How many cursors are alive on each attached snapshot."""
        self._missing: dict[SnapshotName, list[str]] = {}
        """Statements that give a cursor what its snapshot, of an older version, lacks: empty tables and columns."""

    def cursor(self) -> duckdb.DuckDBPyConnection | None:
        """A fresh cursor, or None when nothing was published yet."""
        opened = self.open()
        return opened[1] if opened else None

    def open(self) -> tuple[SnapshotName, duckdb.DuckDBPyConnection] | None:
        """The current snapshot's name and a fresh cursor on it."""
        while (name := current(self._folder)) is not None:
            with self._lock:
                try:
                    return name, self._cursor(name)
                except duckdb.IOException:
                    if current(self._folder) == name:
                        raise
        return None

    def close(self) -> None:
        """Let go of every file; the next cursor attaches anew. Cursors that are still alive keep what they read."""
        with self._lock:
            self._base, self._cursors, self._missing = None, {}, {}

    def _cursor(self, name: SnapshotName) -> duckdb.DuckDBPyConnection:
        base = self._base = self._base or duckdb.connect()
        if name not in self._cursors:
            path = str(self._folder / name.file).replace("'", "''")
            base.execute(f"ATTACH '{path}' AS \"{name}\" (READ_ONLY)")
            self._cursors[name] = 0
            self._missing[name] = [*_missing_tables(base, name), *_missing_columns(base, name)]
            self._detach_unused(base, name)
        cursor = base.cursor().execute(f'USE "{name}"')
        for statement in self._missing[name]:
            cursor.execute(statement)
        self._cursors[name] += 1
        weakref.finalize(cursor, self._gone, base, name).atexit = False
        return cursor

    def _detach_unused(self, base: duckdb.DuckDBPyConnection, newest: SnapshotName) -> None:
        for name in [name for name, alive in self._cursors.items() if not alive and name != newest]:
            base.execute(f'DETACH "{name}"')
            del self._cursors[name], self._missing[name]

    def _gone(self, base: duckdb.DuckDBPyConnection, name: SnapshotName) -> None:
        with self._lock:
            if base is self._base:
                self._cursors[name] -= 1


def _missing_tables(base: duckdb.DuckDBPyConnection, name: SnapshotName) -> list[str]:
    found = base.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = ?", [str(name)]).fetchall()
    there = {row[0] for row in found}
    return [f"CREATE TEMP TABLE {table} ({columns})" for table, columns in TABLES.items() if table not in there]


def _missing_columns(base: duckdb.DuckDBPyConnection, name: SnapshotName) -> list[str]:
    found = base.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = ?", [str(name)])
    there = set(found.fetchall())
    tables = {table for table, _ in there}
    return [
        f'CREATE TEMP VIEW {table} AS SELECT *, NULL::VARCHAR AS {column} FROM "{name}".main.{table}'
        for table, column in LATER_COLUMNS
        if table in tables and (table, column) not in there
    ]
