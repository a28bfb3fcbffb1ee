"""Rejected and expired notes go to the trash whole; nothing is destroyed, nothing goes untold."""

import os

import pytest

from tests.vaults.conftest import Inboxes
from wiki.errors import Conflict, Forbidden, InvalidInput, NotFound
from wiki.settings import VaultsSettings
from wiki.vaults.audit import read_audit
from wiki.vaults.model import note_id


def test_a_rejected_note_lies_in_the_trash_with_its_reason_in_the_audit(inboxes: Inboxes) -> None:
    staged = inboxes.stage()
    data = (inboxes.home / "user" / staged.path).read_bytes()
    gone = inboxes.reject(staged.note_id, " not\n true ", expected_hash=staged.content_hash)
    assert (inboxes.layout.home / gone.trash).read_bytes() == data
    assert gone.trash.startswith(".trash/inbox/user/")
    assert inboxes.staged() == []
    row = list(read_audit(inboxes.layout))[-1]
    assert (row.action, row.actor, row.outcome, row.reason) == ("reject", "person", "allowed", "not true")
    [item] = inboxes.decided("rejected")
    assert (item.note_id, item.reason, item.target, item.title) == (staged.note_id, "not true", gone.trash, None)
    with pytest.raises(Conflict, match="rejected already"):
        inboxes.promote(staged.note_id)


def test_a_name_in_the_trash_is_never_taken_twice(inboxes: Inboxes) -> None:
    trash = {inboxes.reject(inboxes.stage().note_id).trash for _ in range(3)}
    assert len(trash) == len(inboxes.decided("rejected")) == 3


def test_only_a_person_rejects_and_for_a_reason(inboxes: Inboxes) -> None:
    staged = inboxes.stage()
    before = inboxes.files()
    with pytest.raises(Forbidden, match="only a person"):
        inboxes.reject(staged.note_id, actor="agent")
    for reason in ("", "  ", "x" * 301):
        with pytest.raises(InvalidInput, match="reason"):
            inboxes.reject(staged.note_id, reason)
    with pytest.raises(NotFound):
        inboxes.reject("n_000000000000")
    planned = inboxes.reject(staged.note_id, dry_run=True)
    assert planned.state == "rejected"
    assert inboxes.files() == before
    assert inboxes.audit()[1] == ("reject", "refused", "inbox")
    assert len(inboxes.audit()) == 6


def test_what_cannot_be_read_can_be_rejected_and_a_link_goes_alone(inboxes: Inboxes) -> None:
    inbox = inboxes.home / "user" / "_inbox"
    secret = inboxes.drop("../secret.md", "outside\n")
    (inbox / "link.md").symlink_to(secret)
    inboxes.drop("user/_inbox/broken.md", "---\nsource: [open\n---\nText\n")
    (inbox / ".cloud.md.icloud").write_text("x")
    for name in ("link.md", "broken.md"):
        inboxes.reject(note_id("user", f"_inbox/{name}"))
    assert secret.read_text() == "outside\n"
    with pytest.raises(Conflict, match="cloud"):
        inboxes.reject(note_id("user", "_inbox/cloud.md"))
    assert [path.name for path in inbox.iterdir()] == [".cloud.md.icloud"]


def test_notes_nobody_decided_on_expire(inboxes: Inboxes) -> None:
    old = inboxes.stage("Old")
    hand = inboxes.drop("user/_inbox/deep/By hand.md", "Keeps bees.\n")
    inboxes.drop("user/_inbox/picture.png", "x")
    os.utime(hand, (1_700_000_000, 1_700_000_000))
    assert [note.path for note in inboxes.expire(days=0, dry_run=True)] == ["_inbox/deep/By hand.md"]
    assert hand.exists()
    assert [note.path for note in inboxes.expire(days=29)] == ["_inbox/deep/By hand.md"]
    assert [(note.note_id, note.state) for note in inboxes.expire(days=31)] == [(old.note_id, "expired")]
    assert inboxes.expire(days=3_000) == []
    assert [item.path for item in inboxes.staged()] == ["_inbox/picture.png"]
    assert {item.path for item in inboxes.decided("expired")} == {"_inbox/deep/By hand.md", old.path}
    assert {item.decided_by for item in inboxes.decided("expired")} == {"upkeep"}
    assert all((inboxes.layout.home / str(item.target)).is_file() for item in inboxes.decided("expired"))


def test_zero_days_is_never(inboxes: Inboxes) -> None:
    inboxes.settings = VaultsSettings(inbox_days=0)
    inboxes.stage()
    assert inboxes.expire(days=10_000) == []


def test_a_trash_on_another_disk_gets_a_copy_first(inboxes: Inboxes, monkeypatch: pytest.MonkeyPatch) -> None:
    from wiki import filesystem

    real = filesystem.rename_noreplace

    def across(source: os.PathLike[str], target: os.PathLike[str]) -> None:
        if "_inbox" in str(source):
            raise OSError(18, "Invalid cross-device link")
        real(source, target)  # type: ignore[arg-type]

    staged = inboxes.stage()
    data = (inboxes.home / "user" / staged.path).read_bytes()
    monkeypatch.setattr("wiki.vaults.discard.rename_noreplace", across)
    gone = inboxes.reject(staged.note_id)
    assert (inboxes.layout.home / gone.trash).read_bytes() == data
    assert inboxes.staged() == []
