"""Notes of vaults: one as it lies on disk, what is near it by meaning and by links, and the brief for an agent.

A hidden note (staged, a template, in a folder that stays out of retrieval) is simply not found, from any side.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import duckdb
import numpy as np

from wiki.errors import InternalError, NotFound, check_range
from wiki.index.catalog import select
from wiki.index.lance import any_of, quote
from wiki.index.notes.records import NoteRecord, read_record
from wiki.index.notes.rows import LinkRow, NoteRef, NoteRow
from wiki.index.notes.survey import VaultFolders
from wiki.library.reading import Reading
from wiki.vaults.brief import Brief, Source, make_brief, part_of
from wiki.vaults.contract import Contract, load_contract
from wiki.vaults.views import Neighbour, NoteLink, NoteView, RelatedNote
from wiki.vaults.write import NoteRequest, WrittenNote, write_note

MOST_RELATED = 50
MOST_DEPTH = 3
MOST_NEIGHBOURS = 500
BRIEF_TOKENS = (100, 20_000)


class Notes(Reading):
    """Reads of notes. Content comes from the files, links and neighbours from the published snapshot."""

    def note(self, note_id: str) -> NoteView:
        """A note with its text and its links in both directions. Raises NotFound."""
        record = self._note_record(note_id)
        row, note = record.row, record.note
        if note is None:
            raise _not_found(note_id)
        stored = self._links("from_id = ? OR target_id = ?", [note_id, note_id])
        known = self._lookup.notes({link.target_id or "" for link in stored} | {link.from_id for link in stored})
        return NoteView(
            note_id=note_id,
            vault=row.vault,
            path=row.path,
            namespace=row.namespace,
            title=row.title,
            content=note.body,
            body_line=note.body_line,
            front_matter=row.front_matter,
            properties=row.properties,
            tags=row.tags,
            aliases=row.aliases,
            type=row.type,
            status=row.status,
            date=row.date,
            headings=tuple(note.headings),
            blocks=tuple(block for block, _ in note.blocks),
            links=tuple(_link(link, known.get(link.target_id or "")) for link in stored if link.from_id == note_id),
            backlinks=tuple(
                _link(link, known[link.from_id])
                for link in stored
                if link.target_id == note_id and link.from_id in known and link.from_id != note_id
            ),
            created_at=row.created_at,
            updated_at=row.updated_at,
            content_hash=row.sha256,
        )

    def write_note(self, request: NoteRequest, *, wait: float | None = None) -> tuple[WrittenNote, bool]:
        """Write a note where the contract says, and whether it is searchable already; a staged one never is.

        Raises what ``wiki.vaults.write.write_note`` raises.
        """
        written = write_note(self.layout, self._library.settings.vaults, request)
        if request.dry_run:
            return written, False
        seen = self.wait_for_notes([NoteRef(written.vault, written.path)], wait)
        return written, seen and bool(self._lookup.notes([written.note_id]))

    def contract(self) -> Contract:
        """The writing contract in force. Raises ConfigurationError."""
        return load_contract(self.layout)

    def related_notes(self, note_id: str, limit: int = 10) -> tuple[RelatedNote, ...]:
        """The notes nearest by meaning, by the vectors in the index: nothing is embedded. Raises NotFound."""
        check_range("limit", limit, 1, MOST_RELATED)
        best = self._nearest(note_id, limit * 8)
        ranked = sorted(best, key=lambda i: (-best[i], i))
        # One read for the note itself and those that most likely answer: a read of the catalog costs milliseconds.
        rows = self._lookup.notes([note_id, *ranked[:limit]])
        if note_id not in rows:
            raise _not_found(note_id)
        if any(i not in rows for i in ranked[:limit]):
            rows |= self._lookup.notes(ranked[limit:])
        shown = [i for i in ranked if i in rows][:limit]
        return tuple(
            RelatedNote(i, rows[i].vault, rows[i].path, rows[i].title, round(max(0.0, best[i]), 4)) for i in shown
        )

    def _nearest(self, note_id: str, limit: int) -> dict[str, float]:
        """Other notes by the cosine of their nearest passage, out of the ``limit`` nearest passages."""
        store = self.index.store()
        own = store.rows(["vector"], any_of("record_id", [note_id])).column("vector").to_pylist()
        middle = np.mean(np.asarray(own, np.float32), axis=0) if own else np.zeros(1, np.float32)
        length = float(np.linalg.norm(middle))
        best: dict[str, float] = {}
        if length > 0.0:
            where = f"record_type = 'note' AND record_id != {quote(note_id)}"
            for recall in store.vector(middle / length, limit, where):
                best[recall.record_id] = max(recall.score, best.get(recall.record_id, -1.0))
        return best

    def neighbours(self, note_id: str, depth: int = 1) -> tuple[Neighbour, ...]:
        """Notes reached by at most ``depth`` links, in either direction, the nearest first. Raises NotFound."""
        check_range("depth", depth, 1, MOST_DEPTH)
        if not self._lookup.notes([note_id]):
            raise _not_found(note_id)
        reached: dict[str, tuple[int, str]] = {note_id: (0, "")}
        edge = {note_id}
        for step in range(1, depth + 1):
            fresh: dict[str, tuple[int, str]] = {}
            where = "(from_id IN (SELECT unnest(?)) OR target_id IN (SELECT unnest(?))) AND target_id IS NOT NULL"
            for link in self._links(where, [sorted(edge), sorted(edge)]):
                for here, there in ((link.from_id, link.target_id), (link.target_id, link.from_id)):
                    if here in edge and there is not None and there not in reached:
                        fresh.setdefault(there, (step, str(here)))
            reached |= fresh
            edge = set(fresh)
            if not edge or len(reached) > MOST_NEIGHBOURS:
                break
        rows = self._lookup.notes(reached)
        found = [
            Neighbour(i, rows[i].vault, rows[i].path, rows[i].title, step, via)
            for i, (step, via) in reached.items()
            if step and i in rows
        ]
        return tuple(sorted(found, key=lambda note: (note.depth, note.vault, note.path))[:MOST_NEIGHBOURS])

    def brief(self, tokens: int = 1_500) -> Brief:
        """What an agent should know when it starts, within about ``tokens`` tokens."""
        check_range("tokens", tokens, *BRIEF_TOKENS)
        cursor = self._cursor()
        rows: list[NoteRow] = select(cursor, "notes", "hidden IS NULL") if cursor else []
        folders = self._folders()
        return make_brief(self._sources(rows, folders), tokens)

    def _sources(self, rows: Sequence[NoteRow], folders: VaultFolders) -> Iterable[Source]:
        for row in rows:
            if part_of(row.vault, row.path, row.type) is None:
                continue
            record = self._read(folders, row.ref)
            if record and record.note is not None:
                yield Source(row.note_id, row.vault, record.note)

    def _note_record(self, note_id: str) -> NoteRecord:
        cursor = self._cursor()
        rows: list[NoteRow] = select(cursor, "notes", "note_id = ?", [note_id]) if cursor else []
        record = self._read(self._folders(), rows[0].ref) if rows else None
        if record is None or record.note is None:
            raise _not_found(note_id)
        return record

    def _read(self, folders: VaultFolders, ref: NoteRef) -> NoteRecord | None:
        try:
            return read_record(folders, ref)
        except OSError as error:
            raise InternalError(f"{folders.shown(ref)} cannot be read: {error.strerror or error}") from error

    def _folders(self) -> VaultFolders:
        return VaultFolders(self.layout, self.vaults())

    def _links(self, where: str, values: list[Any]) -> list[LinkRow]:
        cursor: duckdb.DuckDBPyConnection | None = self._cursor()
        return select(cursor, "links", f"({where}) ORDER BY from_id, ordinal", values) if cursor else []


def _link(link: LinkRow, other: NoteRow | None) -> NoteLink:
    return NoteLink(
        kind=link.kind,
        target=link.target,
        heading=link.heading,
        block=link.block,
        shown=link.shown,
        line=link.line,
        note_id=other.note_id if other else None,
        vault=other.vault if other else None,
        path=other.path if other else None,
        title=other.title if other else None,
        found_by=link.found_by if other else None,
        ambiguous=link.ambiguous,
    )


def _not_found(note_id: str) -> NotFound:
    return NotFound(f"there is no note {note_id[:80]}", note_id=note_id[:80])
