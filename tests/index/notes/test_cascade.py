"""The running cascade follows the vaults, wherever they lie, within the promised seconds."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.index.notes.vaults_on_disk import write_note
from tests.index.test_cascade import Told, soon
from tests.standins import WordEmbedder
from wiki.index.cascade import Cascade
from wiki.library import Library, TenantLibrary
from wiki.settings import CascadeSettings, Settings, VaultsSettings
from wiki.vaults.audit import Decision, note_decision


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def here(root: Path, outside: Path, told: Told) -> Iterator[TenantLibrary]:
    settings = Settings(
        root=root,
        cascade=CascadeSettings(window_seconds=30),
        vaults=VaultsSettings(folders=(f"out={outside}",)),
    )
    library = Library(settings, embedder=WordEmbedder())
    cascade, stop = Cascade(library, told), threading.Event()
    thread = threading.Thread(target=cascade.run, args=(stop,), daemon=True)
    thread.start()
    assert soon(library.presence.somebody_watches)
    yield library.tenant()
    stop.set()
    thread.join(20)
    cascade.close()
    library.close()


def found(here: TenantLibrary, word: str) -> list[str]:
    """``vault/path`` of the notes that hold a word."""
    cursor = here.index.snapshots.cursor()
    places = dict(cursor.execute("SELECT note_id, vault || '/' || path FROM notes").fetchall()) if cursor else {}
    return sorted(places.get(hit.record_id, "?") for hit in here.index.store().keyword(word, 200))


def test_edits_in_a_vault_elsewhere_are_followed(here: TenantLibrary, outside: Path, told: Told) -> None:
    path = write_note(outside, "Notes/a.md", "Whales sing.\n")
    assert soon(lambda: found(here, "whales") == ["out/Notes/a.md"])
    path.write_text("Wolves howl.\n")
    assert soon(lambda: found(here, "wolves") == ["out/Notes/a.md"])
    assert found(here, "whales") == []
    moved = outside / "Moved" / "b.md"
    moved.parent.mkdir()
    path.rename(moved)
    assert soon(lambda: found(here, "wolves") == ["out/Moved/b.md"])
    moved.parent.rename(outside / "_inbox")
    assert soon(lambda: found(here, "wolves") == [])
    shutil.move(outside / "_inbox", outside / "Back")
    assert soon(lambda: found(here, "wolves") == ["out/Back/b.md"])
    write_note(outside, "Back/deep/er/c.md", "Wolves again.\n")
    assert soon(lambda: found(here, "wolves") == ["out/Back/b.md", "out/Back/deep/er/c.md"])
    shutil.rmtree(outside / "Back")
    assert soon(lambda: found(here, "wolves") == [])
    assert here.verify().differences == ()
    assert soon(lambda: {change.kind for report in told.reports for change in report.notes} >= {"added", "deleted"})


def test_a_new_vault_among_the_own_ones_is_watched_at_once(here: TenantLibrary) -> None:
    vault = here.layout.home / "vaults" / "work"
    write_note(vault, "CloudOps/a.md", "Whales sing.\n")
    assert soon(lambda: found(here, "whales") == ["work/CloudOps/a.md"])
    write_note(vault, "CloudOps/a.md", "Wolves howl.\n")
    assert soon(lambda: found(here, "wolves") == ["work/CloudOps/a.md"])
    assert here.status().notes == 1
    shutil.rmtree(vault)
    assert soon(lambda: here.status().notes == 0)
    assert here.verify().differences == ()


def test_a_vault_that_is_unmounted_and_mounted_again_keeps_its_notes(
    here: TenantLibrary, outside: Path, tmp_path: Path
) -> None:
    write_note(outside, "a.md", "Whales sing.\n")
    assert soon(lambda: found(here, "whales") == ["out/a.md"])
    outside.rename(tmp_path / "away")
    assert soon(lambda: [fault.reason for fault in here.faults()] == ["the vault's folder is not there"])
    assert found(here, "whales") == ["out/a.md"]
    (tmp_path / "away").rename(outside)
    assert soon(lambda: here.faults() == [])
    write_note(outside, "a.md", "Wolves howl.\n")
    assert soon(lambda: found(here, "wolves") == ["out/a.md"])


def test_many_notes_deleted_at_once_wait_for_a_second_look(here: TenantLibrary, outside: Path) -> None:
    for number in range(30):
        write_note(outside, f"Notes/{number}.md", f"Number {number}.\n")
    assert soon(lambda: len(found(here, "number")) == 30)
    away = outside.parent / "notes-away"
    (outside / "Notes").rename(away)
    write_note(outside, "marker.md", "Marker.\n")
    assert soon(lambda: found(here, "marker"))
    assert len(found(here, "number")) == 30
    away.rename(outside / "Notes")
    write_note(outside, "marker2.md", "Another.\n")
    assert soon(lambda: found(here, "another"))
    assert len(found(here, "number")) == 30


def decided(here: TenantLibrary) -> int:
    cursor = here.index.snapshots.cursor()
    row = cursor.execute("SELECT count(*) FROM decisions").fetchone() if cursor else None
    return row[0] if row else 0


def test_a_line_in_the_audit_alone_wakes_the_cascade(here: TenantLibrary, told: Told) -> None:
    refusal = Decision("2026-12-01T10:00:00Z", "agent", "write", "refused", "path", note_id="n_0123456789ab")
    for count in range(1, 4):
        note_decision(here.layout, refusal)
        assert soon(lambda count=count: decided(here) == count)
    assert soon(lambda: sum(r.decisions.count for r in told.reports if r.decisions) == 3)
    (here.layout.audit / "2026-12.jsonl").unlink()
    assert soon(lambda: decided(here) == 0)
    note_decision(here.layout, refusal)
    assert soon(lambda: decided(here) == 1)


def test_a_note_and_the_decision_on_it_make_one_batch(here: TenantLibrary, outside: Path, told: Told) -> None:
    """Once the audit's folder is watched, that is: the watch on a new one takes the whole tenant."""
    note_decision(here.layout, Decision("2026-12-01T10:00:00Z", "agent", "write", "refused", "path"))
    assert soon(lambda: decided(here) == 1 and told.reports)
    note_decision(here.layout, Decision("2026-12-01T10:00:01Z", "agent", "write", "allowed", "path"))
    write_note(outside, "Notes/a.md", "Whales sing.\n")
    assert soon(lambda: found(here, "whales") == ["out/Notes/a.md"])
    assert decided(here) == 2
    assert soon(lambda: any(report.decisions and report.notes for report in told.reports))
