"""The steps of a batch that concern notes: which ones, how many at a time, their passages and rows."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import duckdb

from wiki.index.notes.records import NoteRecord, note_passage_rows
from wiki.index.notes.rows import NoteRef
from wiki.index.notes.survey import VaultFolders
from wiki.index.passages import TopicText, cut_many
from wiki.index.rows import Passage, PassageRow, StoredVector
from wiki.models.protocols import Embedder
from wiki.vaults.model import Note
from wiki.vaults.notes.passages import note_text

BATCH_BYTES = 8_000_000
"""Of notes read at once: their passages with vectors take about ten times as much memory."""
_BELOW = "SELECT path FROM notes WHERE vault = ? AND (path = ? OR starts_with(path, ?))"


def chunk_notes(refs: Sequence[NoteRef], sizes: Mapping[NoteRef, int], most: int) -> list[list[NoteRef]]:
    """Notes in groups of at most ``most`` notes and about ``BATCH_BYTES`` of text; a larger note is a group of its own."""
    groups: list[list[NoteRef]] = []
    taken = 0
    for ref in refs:
        size = sizes.get(ref, 0)
        if not groups or len(groups[-1]) >= most or taken + size > BATCH_BYTES:
            groups.append([])
            taken = 0
        groups[-1].append(ref)
        taken += size
    return groups


def touched_notes(
    folders: VaultFolders, cursor: duckdb.DuckDBPyConnection | None, touched: Collection[NoteRef]
) -> tuple[list[NoteRef], int]:
    """The notes at or below the touched paths: those on disk, then those that only the catalog knows, and their number."""
    here: set[NoteRef] = set()
    known: set[NoteRef] = set()
    for ref in touched:
        here |= folders.below(ref).notes.keys()
        if cursor is not None:
            rows = cursor.execute(_BELOW, [ref.vault, ref.path, f"{ref.path}/"]).fetchall()
            known |= {NoteRef(ref.vault, path) for (path,) in rows}
    missing = sorted(known - here)
    return [*sorted(here), *missing], len(missing)


def cut_notes(records: Sequence[NoteRecord], embedder: Embedder) -> dict[str, tuple[Passage, ...]]:
    """The passages of each note by its id; hidden ones have none.

    A title that is only the file's name is searched but not embedded, so that a rename embeds nothing.
    """
    found = [(record.row.note_id, record.note) for record in records if record.note is not None]
    texts = [_embeddable(note) for _, note in found]
    return dict(zip((note_id for note_id, _ in found), cut_many(texts, embedder), strict=True))


def note_rows(
    records: Sequence[NoteRecord],
    cut: Mapping[str, tuple[Passage, ...]],
    vectors: Mapping[str, StoredVector],
    model: str,
) -> list[PassageRow]:
    """The LanceDB rows of these notes."""
    return [row for record in records for row in note_passage_rows(record.row, cut[record.row.note_id], vectors, model)]


def _embeddable(note: Note) -> TopicText:
    text = note_text(note)
    says_title = bool(note.headings) and note.headings[0].text == note.title
    says_title = says_title or any(name.lower() == "title" for name in note.front_matter)
    return text if says_title or not text.read_body.strip() else replace(text, name="")
