"""A tenant's own vaults on disk, with an inbox."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.index.notes.vaults_on_disk import write_note as write_file
from wiki.settings import VaultsSettings
from wiki.tenants import Layout, Tenant
from wiki.vaults.audit import read_audit
from wiki.vaults.decided import decided_notes
from wiki.vaults.discard import DiscardedNote, Rejection, expire, reject
from wiki.vaults.inbox import InboxItem, State, staged_notes
from wiki.vaults.promotion import PromotedNote, Promotion, promote
from wiki.vaults.write import NoteRequest, WrittenNote, write_note

FACT = {"type": "candidate-fact", "source": "chat of Monday", "evidence": "I use vim"}


class Inboxes:
    """What a person and an agent do with the inboxes of one tenant."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.settings = VaultsSettings()
        self.home = layout.home / "vaults"
        for folder in ("work/CloudOps", "user/facts", "user/_inbox"):
            (self.home / folder).mkdir(parents=True)

    def drop(self, path: str, text: str) -> Path:
        """A file put there by hand, ``vault/path``."""
        return write_file(self.home, path, text)

    def stage(self, title: str = "Editor", body: str = "The user prefers vim.\n", **more: Any) -> WrittenNote:
        front_matter = {**FACT, **more}
        return write_note(self.layout, self.settings, NoteRequest("user-facts", title, body, front_matter=front_matter))

    def staged(self, vault: str | None = None) -> list[InboxItem]:
        return staged_notes(self.layout, self.settings, vault)

    def promote(self, note_id: str, folder: str = "facts", actor: Any = "person", **more: Any) -> PromotedNote:
        return promote(self.layout, self.settings, Promotion(note_id, folder, actor=actor, **more))

    def reject(self, note_id: str, reason: str = "not true", actor: Any = "person", **more: Any) -> DiscardedNote:
        return reject(self.layout, self.settings, Rejection(note_id, reason, actor=actor, **more))

    def expire(self, days: int = 31, **more: Any) -> list[DiscardedNote]:
        """As it is done ``days`` from now."""
        return expire(self.layout, self.settings, now=datetime.now(UTC) + timedelta(days=days), **more)

    def decided(self, state: State) -> list[InboxItem]:
        return decided_notes(self.layout, self.settings, state)

    def audit(self) -> list[tuple[str, str, str | None]]:
        return [(row.action, row.outcome, row.rule_id) for row in read_audit(self.layout)]

    def files(self) -> dict[str, bytes]:
        """Everything in the tenant's folder but its audit and locks."""
        return {
            path.relative_to(self.layout.home).as_posix(): path.read_bytes()
            for path in self.layout.home.rglob("*")
            if path.is_file() and not path.is_symlink() and path.suffix not in (".jsonl", ".lock")
        }


@pytest.fixture
def inboxes(root: Path) -> Inboxes:
    return Inboxes(Layout(root, Tenant()))
