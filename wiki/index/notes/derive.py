"""Every note's rows from disk alone: what ``verify`` compares the stores with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from wiki.index.languages import counted
from wiki.index.notes.batches import cut_notes, note_rows
from wiki.index.notes.linking import resolve_links
from wiki.index.notes.records import NoteRecord, read_record
from wiki.index.notes.rows import LinkRow, NoteRow
from wiki.index.notes.survey import VaultFolders
from wiki.index.rows import PassageRow, StoredVector
from wiki.models.protocols import Embedder

AT_ONCE = 200


@dataclass(frozen=True)
class DerivedNotes:
    rows: tuple[NoteRow, ...]
    links: tuple[LinkRow, ...]
    passages: dict[str, PassageRow]
    """By passage id, without vectors."""
    places: dict[str, str]
    """By note id, for a person."""
    kept: frozenset[str]
    """Notes in the catalog that cannot be read now: what the stores have of them is right."""


def derive_notes(folders: VaultFolders, stored: Sequence[NoteRow], embedder: Callable[[], Embedder]) -> DerivedNotes:
    """The notes as they lie on disk, cut and linked. ``stored`` are those the catalog has."""
    seen = folders.survey()
    rows: list[NoteRow] = []
    links: list[LinkRow] = []
    passages: dict[str, PassageRow] = {}
    unread: set[tuple[str, str]] = set()
    left = iter(sorted(seen.notes))
    while refs := list(islice(left, AT_ONCE)):
        records: list[NoteRecord] = []
        for ref in refs:
            try:
                record = read_record(folders, ref)
            except OSError:
                unread.add((ref.vault, ref.path))
                continue
            records += [record] if record else []
        rows += _cut(records, embedder, passages)
        links += [link for record in records for link in record.links]
    kept = [row for row in stored if seen.shields(row.ref, folders.vaults) or (row.vault, row.path) in unread]
    return DerivedNotes(
        tuple(rows),
        tuple(resolve_links(links, [row.called for row in (*rows, *kept)])),
        passages,
        {row.note_id: folders.shown(row.ref) for row in rows},
        frozenset(row.note_id for row in kept),
    )


def _cut(
    records: Sequence[NoteRecord], embedder: Callable[[], Embedder], found: dict[str, PassageRow]
) -> list[NoteRow]:
    """Add the notes' passages to ``found``; gives the rows that know their passages."""
    searched = [record for record in records if record.note is not None]
    if not searched:
        return [record.row for record in records]
    model = embedder()
    blank = StoredVector(np.zeros(0, np.float32), None)
    cut = cut_notes(searched, model)
    vectors = {passage.sha256: blank for passages in cut.values() for passage in passages}
    found.update({row.passage_id: row for row in note_rows(searched, cut, vectors, model.fingerprint)})
    return [counted(record.row, cut.get(record.row.note_id, ()), model.languages) for record in records]
