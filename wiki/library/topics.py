"""What search asks of the catalog: the topics and notes behind recalled passages, and their bodies."""

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from urllib.parse import quote, urlencode

import duckdb

from wiki.documents.reader import read_topic
from wiki.index.catalog import select
from wiki.index.folders import stamp_of
from wiki.index.identity import normalised
from wiki.index.notes.records import read_record
from wiki.index.notes.rows import NoteRef, NoteRow, is_note_id
from wiki.index.notes.survey import VaultFolders
from wiki.index.passages import without_unread
from wiki.index.snapshots import SnapshotReader
from wiki.search.records import TopicRecord
from wiki.tenants import Layout
from wiki.vaults.model import Vault
from wiki.vaults.notes.parser import read_text
from wiki.vaults.visibility import why_hidden

_COLUMNS = """t.topic_id, t.doc_id, d.category_id, t.name, t.topic_path, t.depth,
    CASE WHEN t.summary_stale THEN '' ELSE t.summary END, d.title, d.summary, t.path, t.labels || d.labels, t.source"""


class TopicLookup:
    """Answers from the current snapshot; a topic that is not in it is left out.

    A note must also be one that may be found by the settings of now: the index can be a moment behind them.
    """

    def __init__(self, layout: Layout, snapshots: SnapshotReader, vaults: Callable[[], Sequence[Vault]]) -> None:
        self._layout = layout
        self._snapshots = snapshots
        self._vaults = vaults
        self._prefix = layout.relative(layout.knowledge)

    def records(self, record_ids: Sequence[str]) -> Mapping[str, TopicRecord]:
        """The topics and notes by id."""
        cursor = self._snapshots.cursor()
        if cursor is None:
            return {}
        note_ids = [record_id for record_id in record_ids if is_note_id(record_id)]
        topic_ids = [record_id for record_id in record_ids if not is_note_id(record_id)]
        topics = self._topics(cursor, topic_ids) if topic_ids else {}
        notes = self._shown(cursor, note_ids) if note_ids else ()
        return topics | {row.note_id: _note_record(vault, row) for vault, row in notes}

    def namespaces(self) -> set[str]:
        """Categories of topics and first folders of notes that there are, also those without a note in them yet."""
        cursor = self._snapshots.cursor()
        union = "SELECT category_id FROM documents UNION SELECT namespace FROM notes WHERE hidden IS NULL"
        names = {row[0] for row in cursor.execute(union).fetchall()} if cursor else set[str]()
        for vault in self._vaults():
            with contextlib.suppress(OSError), os.scandir(vault.root) as entries:
                names |= {normalised(e.name) for e in entries if not e.name.startswith(".") and e.is_dir()}
        return names - {""}

    def _topics(self, cursor: duckdb.DuckDBPyConnection, topic_ids: Sequence[str]) -> dict[str, TopicRecord]:
        rows = cursor.execute(
            f"SELECT {_COLUMNS} FROM topics t JOIN documents d ON d.doc_id = t.doc_id"
            " WHERE t.topic_id IN (SELECT unnest(?))",
            [list(topic_ids)],
        ).fetchall()
        return {row[0]: self._record(*row) for row in rows}

    def notes(self, note_ids: Collection[str]) -> dict[str, NoteRow]:
        """The rows of these notes that may be found now, by id."""
        cursor = self._snapshots.cursor()
        return {row.note_id: row for _, row in self._shown(cursor, note_ids)} if cursor else {}

    def _shown(self, cursor: duckdb.DuckDBPyConnection, note_ids: Collection[str]) -> Iterator[tuple[Vault, NoteRow]]:
        vaults = {vault.name: vault for vault in self._vaults()}
        rows: list[NoteRow] = select(cursor, "notes", "note_id IN (SELECT unnest(?))", [list(note_ids)])
        for row in rows:
            if row.hidden is None and row.vault in vaults and self._may_be_shown(vaults[row.vault], row):
                yield vaults[row.vault], row

    def _may_be_shown(self, vault: Vault, row: NoteRow) -> bool:
        """Whether a note may still be found, by the rules and by its file of this moment.

        One that cannot be looked at, say on a disk that was taken away, keeps what the index has of it.
        """
        if why_hidden(vault, row.path) is not None:
            return False
        with contextlib.suppress(OSError):
            if stamp_of(os.lstat(vault.root / row.file)) == row.stamp:
                return True
        try:
            record = read_record(VaultFolders(self._layout, self._vaults()), row.ref)
        except OSError:
            return True
        return record is not None and record.note is not None

    def content(self, topic_id: str) -> str:
        """The body of a topic as its file holds it now, of a note without its comments; empty when it was removed or
        hidden a moment ago."""
        cursor = self._snapshots.cursor()
        if is_note_id(topic_id):
            return self._note_body(cursor, topic_id) if cursor else ""
        row = cursor.execute("SELECT path FROM topics WHERE topic_id = ?", [topic_id]).fetchone() if cursor else None
        if row is None:
            return ""
        path = self._layout.knowledge / row[0]
        try:
            return read_topic(path, path.read_bytes()).body
        except FileNotFoundError:
            return ""

    def _note_body(self, cursor: duckdb.DuckDBPyConnection, note_id: str) -> str:
        row = cursor.execute("SELECT vault, path FROM notes WHERE note_id = ?", [note_id]).fetchone()
        try:
            record = read_record(VaultFolders(self._layout, self._vaults()), NoteRef(*row)) if row else None
        except OSError:
            return ""
        note = record.note if record else None
        return without_unread(note.body, read_text(note)) if note else ""

    def _record(self, *row: object) -> TopicRecord:
        *head, path, labels, source = row
        places = json.loads(str(source))
        provenance = {key: places[key] for key in ("sheet", "slide", "seconds") if key in places}
        unique = tuple(dict.fromkeys(labels if isinstance(labels, list) else []))
        return TopicRecord(*head, f"{self._prefix}/{path}", unique, provenance)  # type: ignore[arg-type]


def _note_record(vault: Vault, row: NoteRow) -> TopicRecord:
    folders = row.path.split("/")[:-1]
    return TopicRecord(
        topic_id=row.note_id,
        doc_id=row.note_id,
        category_id=row.namespace,
        topic_name=row.title,
        topic_path=" > ".join([row.vault, *folders, row.title]),
        depth=len(folders) + 1,
        summary="",
        document_title=row.title,
        document_summary="",
        md_path=f"{row.vault}/{row.path}",
        labels=row.tags,
        vault=row.vault,
        vault_path=row.path,
        link=f"obsidian://open?{urlencode({'vault': vault.root.name, 'file': row.path}, quote_via=quote)}",
    )
