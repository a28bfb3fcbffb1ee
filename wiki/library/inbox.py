"""The inbox: what agents staged, and what a person decides on it. The index knows a staged note by its path alone."""

from collections.abc import Sequence
from datetime import datetime

from wiki.index.notes.rows import NoteRef
from wiki.library.reading import Reading
from wiki.vaults.decided import decided_notes
from wiki.vaults.discard import DiscardedNote, Rejection, expire, reject
from wiki.vaults.inbox import InboxItem, State, staged_notes
from wiki.vaults.promotion import PromotedNote, Promotion, promote


class Inbox(Reading):
    """Lists and decisions, straight from the files and the audit."""

    def inbox(self, state: State = "staged", vault: str | None = None) -> Sequence[InboxItem]:
        """What waits in the inboxes, or what was decided on. Raises InvalidInput for a vault that is not there."""
        settings = self._library.settings.vaults
        if state == "staged":
            return staged_notes(self.layout, settings, vault)
        return decided_notes(self.layout, settings, state, vault)

    def promote_note(self, request: Promotion, *, wait: float | None = None) -> tuple[PromotedNote, bool]:
        """Move a staged note into a curated folder, and whether it is searchable already.

        Raises what ``wiki.vaults.promotion.promote`` raises.
        """
        promoted = promote(self.layout, self._library.settings.vaults, request)
        if request.dry_run:
            return promoted, False
        refs = [NoteRef(promoted.vault, promoted.staged_path), NoteRef(promoted.vault, promoted.path)]
        seen = self.wait_for_notes(refs, wait)
        return promoted, seen and bool(self._lookup.notes([promoted.note_id]))

    def reject_note(self, request: Rejection, *, wait: float | None = None) -> DiscardedNote:
        """Move a staged note to the trash. Raises what ``wiki.vaults.discard.reject`` raises."""
        rejected = reject(self.layout, self._library.settings.vaults, request)
        if not request.dry_run:
            self.wait_for_notes([NoteRef(rejected.vault, rejected.path)], wait)
        return rejected

    def expire_inbox(self, *, now: datetime | None = None, dry_run: bool = False) -> Sequence[DiscardedNote]:
        """Move the notes nobody decided on in ``vaults.inbox_days`` to the trash; gives those."""
        return expire(self.layout, self._library.settings.vaults, now=now, dry_run=dry_run)
