"""The DuckDB catalog: one writer under ``write.lock``, published as snapshots that readers open.

No content and no truth lie here. Readers never open the writer's file
(``wiki.index.snapshots``).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa

from wiki.index.audit.rows import AuditFileRow, DecisionRow
from wiki.index.notes.rows import CalledNote, LinkRow, NoteRef, NoteRow
from wiki.index.rows import DocumentRow, Fault, FileRow, TopicRow

SCHEMA_VERSION = 1
WRITER_FILE = "catalog.duckdb"

_TEXT, _LIST = pa.string(), pa.list_(pa.string())
_INTS = {
    *("source_bytes", "rank", "depth", "body_line", "size", "mtime_ns", "inode", "line", "passages", "ordinal"),
    *("lines", "length", "skipped"),
}
_LISTS = {"candidates", "labels", "tags", "aliases", "keys"}
_JSON = {"fields", "extraction", "source", "front_matter", "properties", "headings", "blocks", "foreign_passages"}
_FLAGS = {"summary_stale", "ambiguous"}


def _schema(row: type[Any]) -> Any:
    """The Arrow schema of a row class."""

    def kind(name: str) -> Any:
        if name in _INTS:
            return pa.int64()
        if name in _LISTS:
            return _LIST
        return pa.bool_() if name in _FLAGS else _TEXT

    return pa.schema([(field.name, kind(field.name)) for field in fields(row)])


_TABLES: dict[str, tuple[type[Any], Any]] = {
    "documents": (DocumentRow, _schema(DocumentRow)),
    "topics": (TopicRow, _schema(TopicRow)),
    "files": (FileRow, _schema(FileRow)),
    "faults": (Fault, _schema(Fault)),
    "notes": (NoteRow, _schema(NoteRow)),
    "links": (LinkRow, _schema(LinkRow)),
    "decisions": (DecisionRow, _schema(DecisionRow)),
    "audit_files": (AuditFileRow, _schema(AuditFileRow)),
}
_SQL_TYPES = {_TEXT: "VARCHAR", _LIST: "VARCHAR[]", pa.int64(): "BIGINT", pa.bool_(): "BOOLEAN"}


def _columns(schema: Any) -> str:
    return ", ".join(f'"{field.name}" {_SQL_TYPES[field.type]}' for field in schema)


TABLES: dict[str, str] = {
    **{name: _columns(schema) for name, (_, schema) in _TABLES.items()},
    "meta": "key VARCHAR, value VARCHAR",
    "queue": "folder VARCHAR, reason VARCHAR, since VARCHAR",
    "note_queue": "vault VARCHAR, path VARCHAR, reason VARCHAR, since VARCHAR",
}
"""Columns by table. One added later stands empty in older catalogs and snapshots."""
LATER_COLUMNS = (("topics", "foreign_passages"), ("notes", "foreign_passages"))
"""Text columns that older catalogs and snapshots lack, each the last of its table then: null in what they hold."""


class Catalog:
    """The writer's side. Open it only while holding ``write.lock``; close it before letting go."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.connection = duckdb.connect(str(folder / WRITER_FILE), read_only=read_only)
        if not read_only:
            self._create()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()

    def _create(self) -> None:
        for name, columns in TABLES.items():
            self.connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({columns})")
        for table, column in LATER_COLUMNS:
            self.connection.execute(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {column} VARCHAR")

    def meta(self, key: str) -> str | None:
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
        return row[0] if row else None

    def set_meta(self, values: Mapping[str, str]) -> None:
        for key, value in values.items():
            self.connection.execute("DELETE FROM meta WHERE key = ?", [key])
            self.connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])

    def begin(self) -> None:
        self.connection.begin()

    def commit(self) -> None:
        self.connection.commit()

    def delete_folders(self, folders: Sequence[str]) -> None:
        """Forget everything about these document folders."""
        for table in ("documents", "topics", "files"):
            self.connection.execute(f"DELETE FROM {table} WHERE folder IN (SELECT unnest(?))", [list(folders)])

    def delete_notes(self, note_ids: Sequence[str]) -> None:
        """Forget these notes and the links in them."""
        for table, column in (("notes", "note_id"), ("links", "from_id")):
            self.connection.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT unnest(?))", [list(note_ids)])

    def delete_decisions(self, file: str, *, after: int = 0) -> None:
        """Forget a file of the audit, and its decisions that stand after a line."""
        self.connection.execute("DELETE FROM decisions WHERE file = ? AND line > ?", [file, after])
        self.connection.execute("DELETE FROM audit_files WHERE file = ?", [file])

    def update_links(self, links: Sequence[LinkRow]) -> None:
        """Give these links, which are there, another target."""
        self._with_incoming(
            "links",
            links,
            "UPDATE links SET target_id = i.target_id, found_by = i.found_by, ambiguous = i.ambiguous"
            " FROM incoming_rows i WHERE links.from_id = i.from_id AND links.ordinal = i.ordinal",
        )

    def insert(self, table: str, rows: Sequence[Any]) -> None:
        """Append dataclass rows to a table."""
        self._with_incoming(table, rows, f"INSERT INTO {table} SELECT * FROM incoming_rows")

    def _with_incoming(self, table: str, rows: Sequence[Any], statement: str) -> None:
        """Run a statement that reads ``rows`` of a table as ``incoming_rows``."""
        if not rows:
            return
        _, schema = _TABLES[table]
        batch = pa.Table.from_pylist([_encoded(row, schema) for row in rows], schema=schema)
        self.connection.register("incoming_rows", batch)
        try:
            self.connection.execute(statement)
        finally:
            self.connection.unregister("incoming_rows")

    def replace_folder_faults(self, folders: Sequence[str], faults: Sequence[Fault]) -> None:
        """Make these the only faults found in the files of these folders."""
        owned = {fault.path for fault in faults}
        for fault in self.faults():
            inner = fault.path.split("/", 3)[-1]
            folder = "/".join(inner.split("/")[:2])
            if fault.origin == "file" and (folder in folders or fault.path in owned):
                self.connection.execute("DELETE FROM faults WHERE path = ? AND origin = 'file'", [fault.path])
        self.insert("faults", faults)

    def replace_note_faults(self, places: Sequence[str], faults: Sequence[Fault]) -> None:
        """Make these the only faults of the notes at these places."""
        statement = "DELETE FROM faults WHERE origin = 'note' AND path IN (SELECT unnest(?))"
        self.connection.execute(statement, [list(places)])
        self.insert("faults", faults)

    def replace_faults(self, origin: str, faults: Sequence[Fault]) -> None:
        """Make these the only faults of their origin."""
        self.connection.execute("DELETE FROM faults WHERE origin = ?", [origin])
        self.insert("faults", faults)

    def queued(self) -> list[str]:
        """Folders whose last batch failed in a way a retry may mend."""
        return [row[0] for row in self.connection.execute("SELECT folder FROM queue ORDER BY since").fetchall()]

    def enqueue(self, folders: Sequence[str], reason: str, since: str) -> None:
        self.dequeue(folders)
        if folders:
            self.connection.executemany("INSERT INTO queue VALUES (?, ?, ?)", [[f, reason, since] for f in folders])

    def dequeue(self, folders: Sequence[str]) -> None:
        self.connection.execute("DELETE FROM queue WHERE folder IN (SELECT unnest(?))", [list(folders)])

    def queued_notes(self) -> list[NoteRef]:
        """Notes whose last batch failed in a way a retry may mend."""
        found = self.connection.execute("SELECT vault, path FROM note_queue ORDER BY since").fetchall()
        return [NoteRef(*row) for row in found]

    def enqueue_notes(self, notes: Sequence[NoteRef], reason: str, since: str) -> None:
        self.dequeue_notes(notes)
        if notes:
            rows = [[note.vault, note.path, reason, since] for note in notes]
            self.connection.executemany("INSERT INTO note_queue VALUES (?, ?, ?, ?)", rows)

    def dequeue_notes(self, notes: Sequence[NoteRef]) -> None:
        keys = [f"{note.vault}/{note.path}" for note in notes]
        self.connection.execute("DELETE FROM note_queue WHERE vault || '/' || path IN (SELECT unnest(?))", [keys])

    def documents(self, where: str = "TRUE", parameters: Sequence[Any] = ()) -> list[DocumentRow]:
        return _select(self.connection, "documents", where, parameters)

    def topics(self, where: str = "TRUE", parameters: Sequence[Any] = ()) -> list[TopicRow]:
        return _select(self.connection, "topics", where, parameters)

    def files(self, where: str = "TRUE", parameters: Sequence[Any] = ()) -> list[FileRow]:
        return _select(self.connection, "files", where, parameters)

    def notes(self, where: str = "TRUE", parameters: Sequence[Any] = ()) -> list[NoteRow]:
        return _select(self.connection, "notes", where, parameters)

    def called(self, names: Sequence[str], ids: Sequence[str]) -> list[CalledNote]:
        """What links need to know of the notes that bear one of these names, or have one of these ids."""
        found = self.connection.execute(
            "SELECT note_id, vault, path, aliases FROM notes"
            " WHERE list_has_any(keys, ?) OR note_id IN (SELECT unnest(?))",
            [list(names), list(ids)],
        ).fetchall()
        return [CalledNote(note, vault, path, tuple(aliases)) for note, vault, path, aliases in found]

    def links(self, where: str = "TRUE", parameters: Sequence[Any] = ()) -> list[LinkRow]:
        return _select(self.connection, "links", where, parameters)

    def decisions(self, where: str = "TRUE", parameters: Sequence[Any] = ()) -> list[DecisionRow]:
        return _select(self.connection, "decisions", where, parameters)

    def audit_files(self) -> list[AuditFileRow]:
        return _select(self.connection, "audit_files", "TRUE", ())

    def faults(self) -> list[Fault]:
        return _select(self.connection, "faults", "TRUE ORDER BY path", ())

    def count(self, table: str) -> int:
        row = self.connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(row[0]) if row else 0


def _select(connection: duckdb.DuckDBPyConnection, table: str, where: str, parameters: Sequence[Any]) -> list[Any]:
    row_type, schema = _TABLES[table]
    found = connection.execute(f"SELECT * FROM {table} WHERE {where}", list(parameters)).fetchall()
    return [row_type(*(_decoded(value, field.name) for value, field in zip(row, schema, strict=True))) for row in found]


def select(connection: duckdb.DuckDBPyConnection, table: str, where: str, parameters: Sequence[Any] = ()) -> list[Any]:
    """Rows of a table as their dataclass; ``where`` is ours, values go in ``parameters``."""
    return _select(connection, table, where, parameters)


def _encoded(row: Any, schema: Any) -> dict[str, Any]:
    values = dict(zip(schema.names, _shallow(row), strict=True))
    return {name: _encode(value, name) for name, value in values.items()}


def _shallow(row: Any) -> tuple[Any, ...]:
    return tuple(getattr(row, field.name) for field in fields(row))


def _encode(value: Any, name: str) -> Any:
    if name in _JSON:
        return None if value is None else json.dumps(value, ensure_ascii=False, default=str)
    return list(value) if name in _LISTS else value


def _decoded(value: Any, name: str) -> Any:
    if name in _JSON:
        return None if value is None else json.loads(value)
    return tuple(value) if name in _LISTS else value


def row_values(row: Any) -> tuple[Any, ...]:
    """A row as a comparable tuple, as it would come back from the store."""
    return tuple(json.dumps(v, sort_keys=True, default=str) if isinstance(v, dict | list) else v for v in astuple(row))
