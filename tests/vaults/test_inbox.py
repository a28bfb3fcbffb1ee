"""The inbox as it lies on disk: everything in it is listed, whatever it is, and nothing breaks the list."""

import os
from datetime import UTC, datetime

import pytest

from tests.vaults.conftest import Inboxes
from wiki.errors import InvalidInput
from wiki.settings import VaultsSettings
from wiki.vaults.model import note_id


def test_a_staged_note_is_told_with_where_it_came_from(inboxes: Inboxes) -> None:
    written = inboxes.stage()
    [item] = inboxes.staged()
    assert (item.note_id, item.vault, item.path, item.content_hash) == (
        written.note_id, "user", written.path, written.content_hash,
    )  # fmt: skip
    assert (item.state, item.title, item.source, item.evidence) == ("staged", "Editor", "chat of Monday", "I use vim")
    assert item.fault is None
    staged, expires = (datetime.fromisoformat(str(moment)) for moment in (item.staged_at, item.expires_at))
    assert (expires - staged).days == 30
    assert abs((datetime.now(UTC) - staged).total_seconds()) < 60


def test_what_a_note_says_of_its_date_does_not_decide_when_it_expires(inboxes: Inboxes) -> None:
    inboxes.stage("Old", date="1999-01-01")
    inboxes.stage("New", date="2999-01-01")
    assert {str(item.expires_at)[:4] for item in inboxes.staged()} <= {
        f"{datetime.now(UTC).year}", f"{datetime.now(UTC).year + 1}",
    }  # fmt: skip
    inboxes.settings = VaultsSettings(inbox_days=0)
    assert [item.expires_at for item in inboxes.staged()] == [None, None]


def test_a_file_dropped_by_hand_counts_from_its_own_time(inboxes: Inboxes) -> None:
    file = inboxes.drop("user/_inbox/By hand.md", "Keeps bees.\n")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    [item] = inboxes.staged()
    assert (item.title, item.source, item.staged_at) == ("By hand", None, "2023-11-14T22:13:20Z")


def test_what_cannot_be_read_is_listed_with_its_fault(inboxes: Inboxes) -> None:
    outside = inboxes.drop("../secret.md", "outside\n")
    inbox = inboxes.home / "user" / "_inbox"
    (inbox / "link.md").symlink_to(outside)
    (inbox / "folder").symlink_to(outside.parent, target_is_directory=True)
    (inbox / ".cloud.md.icloud").write_text("never read")
    (inbox / "latin.md").write_bytes(b"---\nsource: x\n---\nCaf\xe9 noir\n")
    inboxes.drop("user/_inbox/broken.md", "---\nsource: [open\n---\nText\n")
    inboxes.drop("user/_inbox/picture.png", "no note")
    inboxes.drop("user/_inbox/a.sync-conflict-20260101-120000-ABCDEFG.md", "Copy.\n")
    inboxes.drop("user/_inbox/deeper/good.md", "Fine.\n")
    inboxes.drop("user/_inbox/.DS_Store", "x")
    os.mkfifo(inbox / "pipe.md")
    faults = {item.path.removeprefix("_inbox/"): item.fault or "" for item in inboxes.staged()}
    assert sorted(faults) == [
        "a.sync-conflict-20260101-120000-ABCDEFG.md", "broken.md", "cloud.md", "deeper/good.md", "folder", "latin.md",
        "link.md", "picture.png", "pipe.md",
    ]  # fmt: skip
    assert faults["deeper/good.md"] == ""
    for name, word in {"link.md": "link", "folder": "link", "cloud.md": "cloud", "latin.md": "UTF-8", "picture.png": "no note",
                       "pipe.md": "no regular file", "broken.md": "line"}.items():  # fmt: skip
        assert word in faults[name], (name, faults[name])
    assert all(item.content_hash is None for item in inboxes.staged() if "link" in (item.fault or ""))


def test_an_inbox_that_is_a_link_is_told_and_not_followed(inboxes: Inboxes) -> None:
    outside = inboxes.layout.root / "elsewhere"
    outside.mkdir()
    (outside / "a.md").write_text("outside")
    (inboxes.home / "user" / "_inbox").rmdir()
    (inboxes.home / "user" / "_inbox").symlink_to(outside, target_is_directory=True)
    [item] = inboxes.staged()
    assert (item.path, item.fault) == ("_inbox", "is a link, which is not followed")


def test_every_inbox_of_every_vault_is_listed(inboxes: Inboxes) -> None:
    for path in ("work/_inbox/a.md", "user/facts/_Inbox/b.md", "user/_inbox/c.md"):
        inboxes.drop(path, f"Text of {path}.\n")
    inboxes.drop("user/facts/d.md", "Curated.\n")
    assert [f"{item.vault}/{item.path}" for item in inboxes.staged()] == [
        "user/_inbox/c.md", "user/facts/_Inbox/b.md", "work/_inbox/a.md",
    ]  # fmt: skip
    assert [item.vault for item in inboxes.staged("work")] == ["work"]
    with pytest.raises(InvalidInput, match="there are user, work"):
        inboxes.staged("nowhere")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_listed_is_told(inboxes: Inboxes) -> None:
    closed = inboxes.drop("user/_inbox/closed/a.md", "x").parent
    closed.chmod(0)
    try:
        [item] = inboxes.staged()
        assert (item.path, "cannot be" in (item.fault or "")) == ("_inbox/closed", True)
    finally:
        closed.chmod(0o755)


def test_near_duplicates_are_told_on_staging_and_in_the_list_without_their_text(inboxes: Inboxes) -> None:
    inboxes.drop("user/facts/Tools.md", "- The user prefers vim as the editor.\n- Keeps zebras.\n")
    inboxes.drop("user/facts/Example.md", "---\nstatus: example\n---\nThe user prefers vim as the editor.\n")
    inboxes.drop("work/CloudOps/Other.md", "The user prefers vim as the editor.\n")
    first = inboxes.stage("Editor", "Prefers to use vim as an editor.\n")
    assert [(near.path, near.staged) for near in first.near_duplicates] == [("facts/Tools.md", False)]
    second = inboxes.stage("Vim", "As the editor, the user prefers vim!\n")
    assert {near.note_id for near in second.near_duplicates} == {first.note_id, note_id("user", "facts/Tools.md")}
    assert "zebras" not in repr(second)
    other = inboxes.stage("Bees", "Sleeps long on Sundays.\n")
    assert other.near_duplicates == ()
    listed = {item.note_id: item for item in inboxes.staged()}
    assert {near.note_id for near in listed[first.note_id].near_duplicates} == {
        second.note_id, note_id("user", "facts/Tools.md"),
    }  # fmt: skip
    assert listed[other.note_id].near_duplicates == ()
