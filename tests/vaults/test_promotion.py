"""Promoting: one person's decision moves a note into a curated folder, and everything else is refused and audited."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.vaults.conftest import Inboxes
from tests.vaults.test_write import FOLDERS
from wiki.errors import Conflict, Forbidden, InvalidInput, NotFound
from wiki.settings import VaultsSettings
from wiki.vaults.audit import read_audit
from wiki.vaults.model import note_id
from wiki.vaults.notes.parser import parse_note


def test_a_promoted_note_keeps_every_byte_and_says_where_it_came_from(inboxes: Inboxes) -> None:
    text = "---\n# mine\nsource:  'chat'   # odd\nevidence: \"I said so\"\r\nstatus: staged\ntags: [a,b]\n---\r\nBody \t\n\n---\nx: y\n"
    inboxes.drop("user/_inbox/2026-11-30-odd.md", text)
    [item] = inboxes.staged()
    promoted = inboxes.promote(item.note_id, expected_hash=item.content_hash)
    assert (promoted.vault, promoted.path) == ("user", "facts/2026-11-30-odd.md")
    assert promoted.note_id == note_id("user", promoted.path)
    data = (inboxes.home / "user" / promoted.path).read_bytes().decode()
    head, _, rest = data.partition("staged_at:")
    assert head == text.replace("status: staged\n", "").partition("---\r\n")[0]
    assert data.endswith("---\r\nBody \t\n\n---\nx: y\n")
    note = parse_note(promoted.path, data.encode())
    assert note.front_matter["promoted_from"] == "_inbox/2026-11-30-odd.md"
    assert note.front_matter["staged_at"] == item.staged_at
    assert note.front_matter["promoted_at"] in rest
    assert (note.front_matter["source"], note.front_matter["evidence"]) == ("chat", "I said so")
    assert inboxes.staged() == []
    assert list((inboxes.home / "user" / "_inbox").iterdir()) == []


def test_a_title_names_the_file_anew_and_the_day_stays(inboxes: Inboxes) -> None:
    promoted = inboxes.promote(inboxes.stage().note_id, "facts/tools", title=" The Editor: vim ")
    assert promoted.path.startswith("facts/tools/20")
    assert promoted.path.endswith("-the-editor-vim.md")
    note = parse_note(promoted.path, (inboxes.home / "user" / promoted.path).read_bytes())
    assert note.title == "The Editor: vim"


def test_nothing_is_overwritten(inboxes: Inboxes) -> None:
    inboxes.drop("user/facts/Bees.md", "Curated.\n")
    inboxes.drop("user/_inbox/bees.md", "Staged.\n")
    assert inboxes.promote(note_id("user", "_inbox/bees.md")).path == "facts/bees-2.md"
    assert (inboxes.home / "user/facts/Bees.md").read_text() == "Curated.\n"


def test_a_decision_gets_the_next_number_of_its_folder(inboxes: Inboxes) -> None:
    inboxes.drop("work/Architecture/decisions/0006-a.md", "A.\n")
    inboxes.drop("work/_inbox/2026-11-30-one-queue.md", "One queue.\n")
    promoted = inboxes.promote(note_id("work", "_inbox/2026-11-30-one-queue.md"), "Architecture/decisions")
    assert promoted.path == "Architecture/decisions/0007-one-queue.md"


def test_the_audit_tells_who_promoted_what_whereto_and_never_the_text(inboxes: Inboxes) -> None:
    staged = inboxes.stage(body="Zebras.\n")
    promoted = inboxes.promote(staged.note_id)
    row = list(read_audit(inboxes.layout))[-1]
    assert (row.action, row.actor, row.outcome, row.rule_id) == ("promote", "person", "allowed", "inbox")
    assert (row.note_id, row.path, row.target) == (staged.note_id, staged.path, promoted.path)
    assert (row.before, row.content_hash) == (staged.content_hash, promoted.content_hash)
    assert "Zebras" not in repr(list(read_audit(inboxes.layout)))
    [item] = inboxes.decided("promoted")
    assert (item.note_id, item.target, item.decided_by, item.fault) == (staged.note_id, promoted.path, "person", None)
    (inboxes.home / "user" / promoted.path).unlink()
    assert inboxes.decided("promoted")[0].fault == "is no longer where it went"


def test_a_dry_run_says_where_and_leaves_nothing(inboxes: Inboxes) -> None:
    staged = inboxes.stage()
    before, audit = inboxes.files(), inboxes.audit()
    planned = inboxes.promote(staged.note_id, "facts/new", dry_run=True)
    with pytest.raises(Forbidden):
        inboxes.promote(staged.note_id, actor="agent", dry_run=True)
    assert (inboxes.files(), inboxes.audit()) == (before, audit)
    assert not (inboxes.home / "user/facts/new").exists()
    assert inboxes.promote(staged.note_id, "facts/new").path == planned.path


@pytest.mark.parametrize("folder", ["facts", "communication", "_inbox", ""])
def test_an_agent_promotes_nothing(inboxes: Inboxes, folder: str) -> None:
    staged = inboxes.stage()
    before = inboxes.files()
    with pytest.raises(Forbidden, match="only a person") as refused:
        inboxes.promote(staged.note_id, folder, actor="agent")
    assert refused.value.details["rule_id"] == "inbox"
    assert inboxes.files() == before
    assert inboxes.audit()[-1] == ("promote", "refused", "inbox")


def test_the_mark_of_staging_goes_with_the_promotion_alone(inboxes: Inboxes) -> None:
    staged = inboxes.stage(body="Zebras.\n")
    data = (inboxes.home / "user" / staged.path).read_bytes()
    assert parse_note("x.md", data).staged and b"\ninbox: staged\n" in data
    promoted = inboxes.promote(staged.note_id)
    assert not parse_note("x.md", (inboxes.home / "user" / promoted.path).read_bytes()).staged


def test_an_agent_cannot_learn_which_notes_are_staged(inboxes: Inboxes) -> None:
    told = set[str]()
    for wanted in (inboxes.stage().note_id, "n_000000000000"):
        with pytest.raises(Forbidden) as refused:
            inboxes.promote(wanted, actor="agent")
        told.add(refused.value.message)
    assert len(told) == 1


@pytest.mark.parametrize(
    "folder", [*FOLDERS, "link", "link/x", "../work/CloudOps", "facts/a file.md"], ids=lambda f: ascii(f)[:60]
)
def test_no_folder_leads_out_of_the_visible_part_of_the_vault(inboxes: Inboxes, folder: str) -> None:
    (inboxes.home / "user" / "link").symlink_to(inboxes.layout.home, target_is_directory=True)
    inboxes.drop("user/facts/a file.md", "x\n")
    staged = inboxes.stage()
    before = inboxes.files()
    with pytest.raises(Forbidden) as refused:
        inboxes.promote(staged.note_id, folder)
    assert refused.value.details["rule_id"] == "path"
    assert inboxes.files() == before
    assert inboxes.audit()[-1] == ("promote", "refused", "path")


def test_a_place_that_would_stay_hidden_is_refused(inboxes: Inboxes) -> None:
    inboxes.drop("user/_inbox/private.md", "x\n")
    inboxes.settings = VaultsSettings(exclude=("private.md",))
    with pytest.raises(Forbidden, match="would not be found"):
        inboxes.promote(note_id("user", "_inbox/private.md"))
    assert inboxes.promote(note_id("user", "_inbox/private.md"), title="Open").path == "facts/open.md"


def test_what_is_not_staged_or_was_decided_on_is_told(inboxes: Inboxes) -> None:
    inboxes.drop("user/facts/a.md", "Curated.\n")
    for unknown in ("n_000000000000", note_id("user", "facts/a.md"), "", "../x"):
        with pytest.raises(NotFound):
            inboxes.promote(unknown)
    staged = inboxes.stage()
    first = inboxes.promote(staged.note_id)
    before = inboxes.files()
    for again in (inboxes.promote, inboxes.reject):
        with pytest.raises(Conflict, match="promoted already") as refused:
            again(staged.note_id)
        assert refused.value.details == {"state": "promoted", "path": first.path}
    assert inboxes.files() == before
    assert inboxes.stage().note_id == staged.note_id
    assert inboxes.promote(staged.note_id).path == first.path.replace(".md", "-2.md")


def test_a_note_that_changed_since_it_was_read_stays(inboxes: Inboxes) -> None:
    staged = inboxes.stage()
    file = inboxes.home / "user" / staged.path
    file.write_text(file.read_text() + "Edited.\n")
    for decide in (inboxes.promote, inboxes.reject):
        with pytest.raises(Conflict, match="changed since"):
            decide(staged.note_id, expected_hash=staged.content_hash)
    assert inboxes.promote(staged.note_id).path


def _link(inbox: Path) -> None:
    (inbox / "a.md").symlink_to(inbox.parent.parent / "secret.md")


def _cloud(inbox: Path) -> None:
    (inbox / ".a.md.icloud").write_text("x")


def _broken(inbox: Path) -> None:
    (inbox / "a.md").write_text("---\nsource: [open\n---\nText\n")


@pytest.mark.parametrize(("make", "error"), [(_link, Forbidden), (_cloud, Conflict), (_broken, InvalidInput)])
def test_what_cannot_be_read_cannot_be_promoted(inboxes: Inboxes, make: Any, error: type[Exception]) -> None:
    (inboxes.home / "secret.md").write_text("outside")
    make(inboxes.home / "user" / "_inbox")
    before = inboxes.files()
    with pytest.raises(error):
        inboxes.promote(note_id("user", "_inbox/a.md"))
    assert inboxes.files() == before


def test_a_canvas_and_a_picture_are_moved_by_hand(inboxes: Inboxes) -> None:
    inboxes.drop("user/_inbox/a.canvas", json.dumps({"nodes": [], "edges": []}))
    inboxes.drop("user/_inbox/b.png", "x")
    for name in ("a.canvas", "b.png"):
        with pytest.raises(InvalidInput):
            inboxes.promote(note_id("user", f"_inbox/{name}"))


@pytest.mark.parametrize("title", ["", " ", "a\nb", "x" * 201])
def test_a_title_must_be_one_line(inboxes: Inboxes, title: str) -> None:
    with pytest.raises(InvalidInput):
        inboxes.promote(inboxes.stage().note_id, title=title)


def test_provenance_an_agent_made_up_is_replaced(inboxes: Inboxes) -> None:
    made_up = {"promoted_at": "1999-01-01", "promoted_from": "facts/Truth.md", "staged_at": "1999-01-01"}
    promoted = inboxes.promote(inboxes.stage(**made_up).note_id)
    told = parse_note(promoted.path, (inboxes.home / "user" / promoted.path).read_bytes()).front_matter
    assert told["promoted_from"] == promoted.staged_path
    assert "1999" not in str(told)


def test_a_full_disk_leaves_the_note_staged(inboxes: Inboxes, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    staged = inboxes.stage()
    before = inboxes.files()
    monkeypatch.setattr("wiki.vaults.promotion.rename_noreplace", fails)
    with pytest.raises(OSError, match="No space"):
        inboxes.promote(staged.note_id)
    assert inboxes.files() == before
    assert inboxes.decided("promoted") == []
    monkeypatch.undo()
    promoted = inboxes.promote(staged.note_id, expected_hash=staged.content_hash)
    assert [item.target for item in inboxes.decided("promoted")] == [promoted.path]
