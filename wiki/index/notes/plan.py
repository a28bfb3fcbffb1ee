"""What one batch changes of the notes: the records read from disk against those in the catalog."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from wiki.index.catalog import Catalog
from wiki.index.languages import counted
from wiki.index.notes.linking import Links, relink
from wiki.index.notes.records import NoteRecord, read_record
from wiki.index.notes.rows import NoteRef, NoteRow
from wiki.index.notes.survey import VaultFolders
from wiki.index.rows import Fault, Passage
from wiki.vaults.model import note_id


@dataclass(frozen=True)
class NoteBatch:
    """Notes to write anew. ``written`` ones need their passages made, ``deleted`` records lose theirs."""

    refs: tuple[NoteRef, ...] = ()
    """All that were looked at, those that could not be read as well."""
    records: tuple[NoteRecord, ...] = ()
    gone: tuple[str, ...] = ()
    old: Mapping[str, NoteRow] = field(default_factory=dict[str, NoteRow])
    written: tuple[NoteRecord, ...] = ()
    deleted: tuple[str, ...] = ()
    links: Links = field(default_factory=Links)
    unread: Mapping[NoteRef, Fault] = field(default_factory=dict[NoteRef, Fault])
    faults: tuple[Fault, ...] = ()
    again: tuple[NoteRef, ...] = ()
    """Half written by a crash and not readable now: they stay in the queue."""
    places: tuple[str, ...] = ()
    """Paths, as faults tell them, whose faults are replaced."""
    differs: bool = False
    cut: Mapping[str, tuple[Passage, ...]] = field(default_factory=dict[str, tuple[Passage, ...]])
    """Passages by note id, once cut."""

    @property
    def record_ids(self) -> set[str]:
        return {*self.deleted, *(record.row.note_id for record in self.written)}

    def with_passages(self, cut: Mapping[str, tuple[Passage, ...]], known: Collection[str] | None) -> "NoteBatch":
        """The same batch, knowing how many passages each written note has; ``known`` languages are not foreign."""

        def with_counts(record: NoteRecord) -> NoteRecord:
            passages = cut.get(record.row.note_id)
            return record if passages is None else replace(record, row=counted(record.row, passages, known))

        made = {record.row.note_id: with_counts(record) for record in self.written}
        records = tuple(made.get(record.row.note_id, record) for record in self.records)
        written = tuple(made.values())
        return replace(self, records=records, written=written, cut=cut)

    def embedded_of(self, note_id: str, embedded: set[str]) -> int:
        """How many of a note's passages went through the model."""
        return sum(passage.sha256 in embedded for passage in self.cut.get(note_id, ()))

    def withdrawn(self) -> "NoteBatch":
        """The part of the batch that needs no model: notes that are gone or may no longer be found."""
        records = tuple(record for record in self.records if not record.row.row_hash)
        ids = {*self.gone, *(record.row.note_id for record in records)}
        refs = tuple(ref for ref in self.refs if note_id(ref.vault, ref.path) in ids)
        return NoteBatch(refs, records, self.gone, self.old, (), tuple(i for i in self.deleted if i in ids))

    def write(self, catalog: Catalog) -> None:
        """Replace the notes' rows, links and faults. The caller holds a transaction."""
        catalog.delete_notes([*self.gone, *(record.row.note_id for record in self.records)])
        catalog.insert("notes", [record.row for record in self.records])
        catalog.insert("links", self.links.own)
        catalog.update_links(self.links.elsewhere)
        catalog.replace_note_faults(self.places, [*self.faults, *self.unread.values()])
        catalog.dequeue_notes([ref for ref in self.refs if ref not in self.again])


def plan_notes(catalog: Catalog, folders: VaultFolders, refs: Collection[NoteRef], orphans: Sequence[str]) -> NoteBatch:
    """Read the notes and compare them with the catalog. ``orphans`` are notes a crashed batch may have half written."""
    if not refs and not orphans:
        return NoteBatch()
    records: list[NoteRecord] = []
    unread: dict[NoteRef, Fault] = {}
    for ref in sorted(refs):
        try:
            record = read_record(folders, ref)
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
            unread[ref] = Fault(folders.shown(ref), reason, "what the index has of it stays", "", None, "note")
            continue
        if record is not None:
            records.append(record)
    ids = {note_id(ref.vault, ref.path): ref for ref in refs}
    old = {row.note_id: row for row in catalog.notes("note_id IN (SELECT unnest(?))", [[*ids, *orphans]])}
    records = [_with_old_count(record, old) for record in records]
    present = {record.row.note_id for record in records}
    kept = {i for i, ref in ids.items() if ref in unread}
    gone = tuple(sorted(i for i in ids if i in old and i not in present and i not in kept))
    written = tuple(r for r in records if r.row.row_hash and _needs_rows(r.row, old.get(r.row.note_id), orphans))
    searched = {r.row.note_id for r in records if r.row.row_hash}
    stay = searched | kept | {i for i in old if i not in ids}
    had_rows = {i for i, row in old.items() if row.row_hash}
    deleted = tuple(sorted((had_rows | set(orphans)) - stay))
    links = relink(catalog, records, [old[i] for i in gone], old)
    places = tuple(folders.shown(ref) for ref in refs)
    faults = tuple(fault for record in records for fault in record.faults)
    again = tuple(ref for i, ref in ids.items() if i in kept and i in orphans)
    batch = NoteBatch(
        tuple(sorted(refs)), tuple(records), gone, old, written, deleted, links, unread, faults, again, places
    )
    return replace(batch, differs=_differs(catalog, batch))


def _with_old_count(record: NoteRecord, old: Mapping[str, NoteRow]) -> NoteRecord:
    before = old.get(record.row.note_id)
    if before is None or not record.row.row_hash:
        return record
    row = replace(record.row, passages=before.passages, foreign_passages=before.foreign_passages)
    return replace(record, row=row)


def _needs_rows(row: NoteRow, old: NoteRow | None, orphans: Sequence[str]) -> bool:
    return old is None or old.row_hash != row.row_hash or row.note_id in orphans or old.foreign_passages is None


def _differs(catalog: Catalog, batch: NoteBatch) -> bool:
    if batch.written or batch.deleted or batch.gone:
        return True
    if any(record.row != batch.old.get(record.row.note_id) for record in batch.records):
        return True
    ids = [record.row.note_id for record in batch.records]
    if batch.links.elsewhere or set(catalog.links("from_id IN (SELECT unnest(?))", [ids])) != set(batch.links.own):
        return True
    queued = set(catalog.queued_notes())
    if any(ref in queued for ref in batch.refs):
        return True
    stored = {fault for fault in catalog.faults() if fault.origin == "note" and fault.path in set(batch.places)}
    return stored != {*batch.faults, *batch.unread.values()}
