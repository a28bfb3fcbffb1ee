"""What is hidden leaves no text in any store, from the batch that hides it on; what cannot be read loses nothing."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb
import lancedb
import pytest

from tests.index.notes.conftest import Shelves
from tests.index.notes.vaults_on_disk import write_note
from tests.standins import WordEmbedder
from wiki.errors import Conflict, ExternalServiceUnavailable
from wiki.index.rebuild import rebuild
from wiki.index.verify import verify
from wiki.models.protocols import Embedding
from wiki.settings import VaultsSettings
from wiki.tenants import Layout, Tenant

SECRET = (
    "---\ntype: candidate-fact\nevidence: zebrasaid\naliases: [zebraalias]\n---\n# Zebrahead\n\nZebrabody ^zebrablock\n"
)


def stored(shelves: Shelves) -> str:
    """Everything both stores hold, as one text: the table, the writer's catalog and the snapshot."""
    parts: list[str] = []
    if shelves.layout.lance.exists():
        parts.append(str(lancedb.connect(shelves.layout.lance).open_table("passages").to_arrow().to_pylist()))
    for path in [shelves.layout.catalog / "catalog.duckdb", *sorted(shelves.layout.catalog.glob("snap-*.duckdb"))[-1:]]:
        with duckdb.connect(str(path), read_only=True) as connection:
            for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
                parts.append(str(connection.execute(f"SELECT * FROM {name}").fetchall()))
    return "\n".join(parts).casefold()


@pytest.mark.parametrize(
    "path", ["user/_inbox/2026-11-30-a.md", "user/facts/_drafts/a.md", "work/_inbox/a.md", "ai/_old/deep/a.md"]
)
def test_a_note_in_a_hidden_folder_is_known_by_its_path_alone(shelves: Shelves, path: str) -> None:
    shelves.write(path, SECRET)
    shelves.write("work/Open.md", f"Leads to [[{Path(path).stem}]].\n")
    shelves.sync()
    row = shelves.rows()[path]
    assert row.hidden
    assert (row.passages, row.sha256, row.front_matter) == (0, "", {})
    assert "zebra" not in stored(shelves)
    shelves.check()


@pytest.mark.parametrize("status", ["template", "Example"])
def test_a_template_or_example_says_nothing(shelves: Shelves, status: str) -> None:
    shelves.write("work/A.md", SECRET.replace("type:", f"status: {status}\ntype:"))
    shelves.sync()
    assert shelves.rows()["work/A.md"].hidden
    assert "zebra" not in stored(shelves)
    shelves.check()


@pytest.mark.parametrize("mark", ["inbox: staged", 'Inbox: "Staged"', "inbox: staged\nbroken: [", "inbox: [staged]"])
def test_what_says_that_it_is_staged_is_hidden_wherever_it_lies(shelves: Shelves, mark: str) -> None:
    path = shelves.write("user/facts/a.md", SECRET.replace("type:", f"{mark}\ntype:"))
    shelves.sync()
    assert shelves.rows()["user/facts/a.md"].hidden == "it is staged: inbox: staged"
    assert "zebra" not in stored(shelves)
    path.write_text(SECRET.replace("type:", "inbox: zero\ntype:"), encoding="utf-8")
    shelves.sync()
    assert shelves.found("zebrabody") == ["user/facts/a.md"]
    shelves.check()


@pytest.mark.parametrize("inner", ["", "deep"])
def test_a_vault_whose_folder_lies_in_an_inbox_says_nothing(shelves: Shelves, tmp_path: Path, inner: str) -> None:
    home = tmp_path / "user"
    write_note(home, "_Inbox/deep/a.md", SECRET)
    write_note(home, "facts/b.md", "Whales sing.\n")
    (tmp_path / "link").symlink_to(home / "_Inbox" / inner)
    for folder in (home / "_Inbox" / inner, tmp_path / "link"):
        shelves.settings = VaultsSettings(folders=(f"user={home}", f"other={folder}"))
        shelves.sync()
        assert "zebra" not in stored(shelves)
        assert shelves.found("whales") == ["user/facts/b.md"]
        shelves.check()


def test_a_library_below_somebodys_inbox_is_no_inbox(tmp_path: Path) -> None:
    shelves = Shelves(Layout(tmp_path / "_inbox" / "root", Tenant()))
    shelves.write("user/facts/b.md", "Whales sing.\n")
    shelves.sync()
    assert shelves.found("whales") == ["user/facts/b.md"]


def test_a_note_that_becomes_hidden_loses_its_rows_in_the_same_batch_and_gets_them_back(shelves: Shelves) -> None:
    path = shelves.write("user/facts/a.md", SECRET)
    shelves.sync()
    assert shelves.found("zebrabody") == ["user/facts/a.md"]
    shelves.embedder.embedded.clear()
    inbox = shelves.home / "user" / "_inbox" / "a.md"
    inbox.parent.mkdir()
    path.rename(inbox)
    (report,) = shelves.sync()
    assert [change.kind for change in report.notes] == ["deleted"]
    assert "zebra" not in stored(shelves)
    shelves.check()
    inbox.rename(path)
    shelves.sync()
    assert shelves.found("zebrabody") == ["user/facts/a.md"]
    path.write_text(SECRET.replace("type:", "status: template\ntype:"), encoding="utf-8")
    (report,) = shelves.sync()
    assert [change.kind for change in report.notes] == ["deleted"]
    assert "zebra" not in stored(shelves)
    path.write_text(SECRET, encoding="utf-8")
    shelves.sync()
    assert shelves.found("zebrabody") == ["user/facts/a.md"]
    assert shelves.embedder.embedded == []
    shelves.check()


def test_a_new_exclusion_hides_and_its_end_brings_back(shelves: Shelves) -> None:
    shelves.write("work/Private/a.md", SECRET)
    shelves.write("work/Open/b.md", "Open words.\n")
    shelves.sync()
    shelves.settings = VaultsSettings(exclude=("Private/*",))
    shelves.sync()
    assert "zebra" not in stored(shelves)
    assert shelves.found("open") == ["work/Open/b.md"]
    shelves.check()
    shelves.settings = VaultsSettings()
    shelves.sync()
    assert shelves.found("zebrabody") == ["work/Private/a.md"]
    shelves.check()


def test_settings_that_changed_halfway_are_applied_to_the_end(shelves: Shelves) -> None:
    for number in range(6):
        shelves.write(f"work/Private/{number}.md", f"Zebra {number}.\n")
    shelves.sync()
    shelves.settings = VaultsSettings(exclude=("Private/*",))
    next(shelves.index.sync(batch_files=2))
    assert shelves.index.drift().notes.notes
    shelves.sync()
    assert "zebra" not in stored(shelves)
    shelves.check()


def test_a_vault_removed_from_the_settings_loses_everything(shelves: Shelves, tmp_path: Path) -> None:
    write_note(tmp_path / "mine", "Notes/a.md", SECRET)
    shelves.write("work/b.md", "Stays.\n")
    shelves.settings = VaultsSettings(folders=(f"mine={tmp_path / 'mine'}",))
    shelves.sync()
    assert shelves.found("zebrabody") == ["mine/Notes/a.md"]
    shelves.settings = VaultsSettings()
    shelves.sync()
    assert "zebra" not in stored(shelves)
    assert list(shelves.rows()) == ["work/b.md"]
    shelves.check()


def test_a_vault_that_is_not_mounted_loses_nothing_and_is_a_fault(shelves: Shelves, tmp_path: Path) -> None:
    write_note(tmp_path / "mine", "Notes/a.md", "Whales sing.\n")
    shelves.settings = VaultsSettings(folders=(f"mine={tmp_path / 'mine'}",))
    shelves.sync()
    (tmp_path / "mine").rename(tmp_path / "away")
    shelves.sync()
    assert shelves.found("whales") == ["mine/Notes/a.md"]
    assert shelves.faults() == {"default/default/vaults/mine": "the vault's folder is not there"}
    shelves.check()
    with pytest.raises(Conflict, match="1 notes of mine"):
        rebuild(shelves.index, shelves.taxonomy, lambda: shelves.embedder)
    (tmp_path / "away").rename(tmp_path / "mine")
    shelves.sync()
    assert shelves.faults() == {}
    shelves.check()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_shields_what_is_below(shelves: Shelves) -> None:
    shelves.write("work/Closed/deep/a.md", "Whales sing.\n")
    shelves.sync()
    closed = shelves.home / "work" / "Closed"
    closed.chmod(0)
    try:
        shelves.sync()
        assert shelves.found("whales") == ["work/Closed/deep/a.md"]
        assert list(shelves.faults()) == ["default/default/vaults/work/Closed"]
        shelves.check()
    finally:
        closed.chmod(0o755)


def test_a_folder_that_cannot_be_listed_shields_what_is_below(
    shelves: Shelves, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelves.write("work/Closed/deep/a.md", "Whales sing.\n")
    shelves.write("work/b.md", "Wolves howl.\n")
    shelves.sync()
    closed, scandir, lstat = shelves.home / "work" / "Closed", os.scandir, os.lstat

    def refuse(path: Path, real: object) -> object:
        if closed in (Path(path), *Path(path).parents) and Path(path) != closed:
            raise PermissionError(13, "Permission denied")
        if Path(path) == closed and real is scandir:
            raise PermissionError(13, "Permission denied")
        return real(path)  # type: ignore[operator]

    monkeypatch.setattr("wiki.index.notes.survey.os.scandir", lambda path: refuse(path, scandir))
    monkeypatch.setattr("wiki.index.notes.survey.os.lstat", lambda path: refuse(path, lstat))
    (shelves.home / "work" / "b.md").unlink()
    shelves.sync()
    assert shelves.found("whales") == ["work/Closed/deep/a.md"]
    assert shelves.found("wolves") == []
    assert list(shelves.faults()) == ["default/default/vaults/work/Closed"]
    shelves.check()
    refs, missing = shelves.index.touched_notes([row.ref for row in shelves.rows().values()])
    assert missing == 1
    shelves.index.apply((), "watch", notes=refs)
    assert shelves.found("whales") == ["work/Closed/deep/a.md"]


def test_links_lead_out_of_no_vault(shelves: Shelves, tmp_path: Path) -> None:
    outside = write_note(tmp_path / "outside", "secret.md", "Zebra.\n")
    shelves.write("work/a.md", "Whales.\n")
    (shelves.home / "work" / "link.md").symlink_to(outside)
    (shelves.home / "work" / "folder").symlink_to(outside.parent)
    shelves.sync()
    assert list(shelves.rows()) == ["work/a.md"]
    shelves.index.apply((), "watch", notes=[shelves.rows()["work/a.md"].ref.__class__("work", "folder/secret.md")])
    assert list(shelves.rows()) == ["work/a.md"]
    shelves.check()


def test_a_vault_inside_another_owns_its_notes(shelves: Shelves) -> None:
    shelves.write("work/a.md", "Whales.\n")
    shelves.write("work/inner/b.md", "Wolves.\n")
    shelves.sync()
    assert shelves.found("wolves") == ["work/inner/b.md"]
    shelves.embedder.embedded.clear()
    shelves.settings = VaultsSettings(folders=(f"inner={shelves.home / 'work' / 'inner'}",))
    shelves.sync()
    assert shelves.found("wolves whales") == ["inner/b.md", "work/a.md"]
    assert shelves.embedder.embedded == []
    shelves.check()


def test_what_lies_in_a_cloud_is_told_and_never_opened(shelves: Shelves) -> None:
    path = shelves.write("work/a.md", "Whales.\n")
    shelves.sync()
    path.rename(path.with_name(".a.md.icloud"))
    shelves.write("work/.b.md.icloud", "never read")
    shelves.write("work/a.sync-conflict-20260101-120000-ABCDEFG.md", "Whales, another.\n")
    shelves.write("work/a (Ann's conflicted copy 2026-01-01).md", "Whales, a third.\n")
    shelves.sync()
    assert shelves.found("whales") == ["work/a.md"]
    told = shelves.faults()
    assert "placeholder" in told["default/default/vaults/work/a.md"]
    assert "placeholder" in told["default/default/vaults/work/b.md"]
    assert sum("conflict copy" in reason for reason in told.values()) == 2
    shelves.check()


class DownEmbedder(WordEmbedder):
    """An endpoint that stopped answering."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]:  # noqa: ARG002
        raise ExternalServiceUnavailable("the endpoint does not answer")


def test_what_is_hidden_goes_though_the_model_is_down(shelves: Shelves) -> None:
    path = shelves.write("work/a.md", SECRET)
    shelves.sync()
    up, shelves.embedder = shelves.embedder, DownEmbedder()
    path.write_text("---\nstatus: template\n---\n" + SECRET, encoding="utf-8")
    shelves.write("work/b.md", "New words that need the model.\n")
    with pytest.raises(ExternalServiceUnavailable):
        shelves.sync()
    assert "zebra" not in stored(shelves)
    assert shelves.index.has_queue()
    shelves.embedder = up
    shelves.sync()
    assert shelves.found("words") == ["work/b.md"]
    assert not shelves.index.has_queue()
    shelves.check()


def test_a_hidden_note_is_not_in_a_rebuilt_index_either(shelves: Shelves) -> None:
    shelves.write("user/_inbox/a.md", SECRET)
    shelves.write("work/b.md", "Open.\n")
    shelves.sync()
    result = rebuild(shelves.index, shelves.taxonomy, lambda: shelves.embedder)
    assert (result.notes, result.passages) == (1, 1)
    assert "zebra" not in stored(shelves)
    assert verify(shelves.index, shelves.taxonomy, lambda: shelves.embedder).differences == ()
    shutil.rmtree(shelves.home / "work")
    shelves.sync()
    shelves.check()
