"""Links -> the notes they lead to; again for links elsewhere when a note they may mean comes, goes or is renamed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from wiki.index.catalog import Catalog
from wiki.index.notes.records import NoteRecord
from wiki.index.notes.rows import CalledNote, LinkRow, NoteRow
from wiki.vaults.model import Link, note_id
from wiki.vaults.notes.resolving import Targets


@dataclass(frozen=True)
class Links:
    """What a batch writes of links."""

    own: tuple[LinkRow, ...] = ()
    """Those in its notes."""
    elsewhere: tuple[LinkRow, ...] = ()
    """Those in other notes whose target is another now."""


def relink(
    catalog: Catalog, records: Sequence[NoteRecord], gone: Collection[NoteRow], old: Mapping[str, NoteRow]
) -> Links:
    """Resolve the links of a batch's notes, and those that may mean a note it adds, renames or removes.

    What a link resolves to depends only on the notes that share a key with it, so this small group decides, and
    resolving all links anew agrees.
    """
    own = [link for record in records for link in record.links]
    batch_ids = [*(record.row.note_id for record in records), *(row.note_id for row in gone)]
    moved = {key for row in gone for key in row.keys}
    for record in records:
        before = old.get(record.row.note_id)
        if before is None or set(before.keys) != set(record.row.keys):
            moved |= {*record.row.keys, *(before.keys if before else ())}
    where = "list_has_any(keys, ?) AND from_id NOT IN (SELECT unnest(?))"
    others = catalog.links(where, [sorted(moved), batch_ids]) if moved else []
    wanted = sorted({key for link in (*own, *others) for key in link.keys})
    sources = sorted({link.from_id for link in others})
    replaced = set(batch_ids)
    around = catalog.called(wanted, sources) if own or others else []
    notes = [*(record.row.called for record in records), *(note for note in around if note.note_id not in replaced)]
    elsewhere = [now for was, now in zip(others, resolve_links(others, notes), strict=True) if now != was]
    return Links(tuple(resolve_links(own, notes)), tuple(elsewhere))


def resolve_links(links: Sequence[LinkRow], notes: Iterable[CalledNote]) -> list[LinkRow]:
    """The links with their targets. ``notes`` holds those the links are in, and all that share a key with them."""
    rows = {note.note_id: note for note in notes}
    targets = Targets((note.vault, note.path, note.aliases) for note in rows.values())
    resolved: list[LinkRow] = []
    for link in links:
        source = rows[link.from_id]
        written = Link(link.kind, link.target, link.heading, link.block, link.shown, link.line)
        found = targets.resolve(written, source.vault, source.path)
        target = note_id(*found.notes[0]) if found.notes else None
        resolved.append(replace(link, target_id=target, found_by=found.by, ambiguous=found.ambiguous))
    return resolved
