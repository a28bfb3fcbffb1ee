"""Notes changed: one section, front matter keys, or where they lie."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from wiki.errors import NotFound
from wiki.index.catalog import select
from wiki.index.notes.rows import NoteRef, NoteRow
from wiki.index.notes.survey import VaultFolders
from wiki.library.reading import Reading
from wiki.library.surroundings import surroundings
from wiki.vaults.contract import Actor
from wiki.vaults.edit import Change, EditAction, EditedNote, edit_note
from wiki.vaults.move import MovedNote, MoveRequest, Surroundings, move_note
from wiki.vaults.notes.properties import change_properties
from wiki.vaults.notes.sections import append_to_section, replace_section
from wiki.vaults.placed import PlacedNote
from wiki.vaults.relocation import recover_relocations

SectionOp = Literal["append", "replace"]


class NoteEdits(Reading):
    """Changes of notes that are there. ``expected_hash`` is the ``content_hash`` of the note as its reader saw it."""

    def edit_section(
        self,
        note_id: str,
        heading_path: Sequence[str],
        op: SectionOp,
        body: str,
        *,
        expected_hash: str,
        actor: Actor = "agent",
        wait: float | None = None,
    ) -> tuple[EditedNote, bool]:
        """Text appended to a section, or put instead of all below its heading; and whether it is searchable already.

        Raises what ``wiki.vaults.edit.edit_note`` and ``wiki.vaults.notes.sections`` raise.
        """
        edit = append_to_section if op == "append" else replace_section
        return self._edit(note_id, op, lambda data: edit(data, heading_path, body), actor, expected_hash, wait)

    def edit_properties(
        self,
        note_id: str,
        set: Mapping[str, Any],
        remove: Collection[str] = (),
        *,
        expected_hash: str,
        actor: Actor = "agent",
        wait: float | None = None,
    ) -> tuple[EditedNote, bool]:
        """Front matter keys set or removed, no other line touched; and whether the index knows already.

        Raises what ``wiki.vaults.edit.edit_note`` and ``wiki.vaults.notes.properties`` raise.
        """

        def change(data: bytes) -> bytes:
            return change_properties(data, set, remove)

        return self._edit(note_id, "properties", change, actor, expected_hash, wait)

    def move_note(self, note_id: str, request: MoveRequest, *, wait: float | None = None) -> tuple[MovedNote, bool]:
        """A note in another folder or under another name, links to it following; and whether the index knows already.

        Raises what ``wiki.vaults.move.move_note`` raises.
        """
        vaults = self.vaults()
        self.recover_moves()
        placed = self._placed(note_id)

        def look(path: str) -> Surroundings:
            return surroundings(self._cursor(), VaultFolders(self.layout, vaults), placed, path)

        moved = move_note(self.layout, placed, vaults, request, look)
        if request.dry_run:
            return moved, False
        changed = [(moved.vault, moved.old_path), (moved.vault, moved.path)]
        changed += [(linked.vault, linked.path) for linked in moved.linked]
        return moved, self.wait_for_notes([NoteRef(*place) for place in changed], wait)

    def recover_moves(self) -> int:
        """Finish moves that a crash cut short. Safe at any time."""
        return recover_relocations(self.layout, {vault.name: vault for vault in self.vaults()})

    def _edit(
        self, note_id: str, action: EditAction, change: Change, actor: Actor, expected_hash: str, wait: float | None
    ) -> tuple[EditedNote, bool]:
        placed = self._placed(note_id)
        edited = edit_note(self.layout, placed, action, change, actor=actor, expected_hash=expected_hash)
        return edited, self.wait_for_notes([NoteRef(edited.vault, edited.path)], wait)

    def _placed(self, note_id: str) -> PlacedNote:
        """Where the note of this id lies by the catalog. Raises NotFound."""
        cursor = self._cursor()
        rows: list[NoteRow] = select(cursor, "notes", "note_id = ?", [note_id]) if cursor else []
        vaults = {vault.name: vault for vault in self.vaults()}
        for row in rows:
            if row.vault in vaults:
                return PlacedNote(vaults[row.vault], row.path, row.file)
        raise NotFound(f"there is no note {note_id[:80]}", note_id=note_id[:80])
