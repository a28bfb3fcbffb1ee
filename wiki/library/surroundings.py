"""The notes around one that is to move: what each is called, and which may hold a link that the move concerns."""

from collections.abc import Iterable

import duckdb

from wiki.index.catalog import select
from wiki.index.notes.records import NoteRecord, read_record
from wiki.index.notes.rows import NoteRef, NoteRow
from wiki.index.notes.survey import NoteFile, VaultFolders
from wiki.vaults.move import Surroundings
from wiki.vaults.notes.resolving import names_of
from wiki.vaults.placed import PlacedNote


def surroundings(
    cursor: duckdb.DuckDBPyConnection | None, folders: VaultFolders, placed: PlacedNote, path: str
) -> Surroundings:
    """The notes of all vaults as they lie on disk now, for a move of ``placed`` to ``path``.

    The catalog answers for notes whose files are as it knows them; others, and hidden ones, of whose links it knows
    nothing, are opened. What ``vaults.exclude`` names is nobody's business here: it is not opened.
    """
    rows: list[NoteRow] = select(cursor, "notes", "TRUE") if cursor else []
    known = {row.ref: row for row in rows}
    survey = folders.survey()
    notes: list[tuple[str, str, tuple[str, ...]]] = []
    linking: list[PlacedNote] = []
    own = known.get(NoteRef(placed.vault.name, placed.path))
    names = {*names_of(placed.path, own.aliases if own else ()), *names_of(path, ())}
    keyed = _keyed(cursor, names)
    for ref, file in survey.notes.items():
        row = known.get(ref)
        if row is not None and row.hidden is None and row.stamp == file.stamp:
            aliases, opened = row.aliases, row.note_id in keyed
        else:
            aliases, opened = _read_aliases(folders, ref)
        notes.append((ref.vault, ref.path, aliases))
        if opened or ref == NoteRef(placed.vault.name, placed.path):
            linking.append(_placed(folders, ref, file))
    away = [row for row in rows if row.ref not in survey.notes and survey.shields(row.ref, folders.vaults)]
    notes += [(row.vault, row.path, row.aliases) for row in away]
    leading = _leading(cursor, placed.note_id)
    unread = [_unread(folders, row) for row in away if row.note_id in leading and row.vault in folders.vaults]
    return Surroundings(folders.vaults, notes, linking, unread)


def _keyed(cursor: duckdb.DuckDBPyConnection | None, names: Iterable[str]) -> set[str]:
    """Notes with a link that may mean one of these names."""
    if cursor is None:
        return set()
    found = cursor.execute("SELECT DISTINCT from_id FROM links WHERE list_has_any(keys, ?)", [sorted(names)]).fetchall()
    return {row[0] for row in found}


def _leading(cursor: duckdb.DuckDBPyConnection | None, target: str) -> set[str]:
    if cursor is None:
        return set()
    return {row[0] for row in cursor.execute("SELECT from_id FROM links WHERE target_id = ?", [target]).fetchall()}


def _read_aliases(folders: VaultFolders, ref: NoteRef) -> tuple[tuple[str, ...], bool]:
    """What a note that the catalog does not answer for is called, and whether it is to be opened for its links."""
    record: NoteRecord | None = read_record(folders, ref)
    if record is None:
        return (), False
    hidden = record.row.hidden
    return record.row.aliases, hidden is None or not hidden.startswith("vaults.exclude")


def _placed(folders: VaultFolders, ref: NoteRef, file: NoteFile) -> PlacedNote:
    return PlacedNote(folders.vaults[ref.vault], ref.path, file.file)


def _unread(folders: VaultFolders, row: NoteRow) -> PlacedNote:
    return PlacedNote(folders.vaults[row.vault], row.path, row.file)
