"""Notes follow the vaults into the same stores as topics, whatever a person does to them."""

import os
import shutil
from pathlib import Path

import pytest

from tests.index.library_on_disk import write_document
from tests.index.notes.conftest import Shelves
from tests.index.notes.vaults_on_disk import write_note
from wiki.index.catalog import Catalog
from wiki.index.verify import verify
from wiki.settings import VaultsSettings
from wiki.vaults.model import note_id

BACKUP = "---\ntype: runbook\ntags: [disk]\n---\n# Backup\n\nCopy the disk every night.\n"


def test_notes_and_topics_are_indexed_in_one_batch_of_the_same_table(shelves: Shelves) -> None:
    doc = "d_aaaaaaaaaaaa"
    write_document(shelves.layout, f"Technology/P_{doc}", doc, {"1_Disks.md": "Disks spin.\n"})
    shelves.write("work/CloudOps/Backup.md", BACKUP)
    shelves.write("work/Top.md", "No heading, no folder.\n")
    reports = shelves.sync()
    notes = [change for report in reports for change in report.notes]
    assert [(c.kind, c.vault, c.path, c.passages, c.embedded) for c in notes] == [
        ("added", "work", "CloudOps/Backup.md", 1, 1),
        ("added", "work", "Top.md", 1, 1),
    ]
    assert reports[-1].note_count == 2
    assert all(check.passed for check in reports[-1].checks)
    row = shelves.rows()["work/CloudOps/Backup.md"]
    assert (row.namespace, row.type, row.tags, row.title) == ("CloudOps", "runbook", ("disk",), "Backup")
    columns = ["record_type", "vault", "namespace", "doc_id", "type", "labels", "line_start"]
    (stored,) = shelves.index.store().rows(columns, f"record_id = '{row.note_id}'").to_pylist()
    assert stored["record_type"] == "note"
    assert (stored["vault"], stored["namespace"], stored["doc_id"]) == ("work", "CloudOps", row.note_id)
    assert (stored["type"], stored["labels"]) == ("runbook", ["disk"])
    assert {r.record_id for r in shelves.index.store().keyword("disks", 5)} == {row.note_id, f"{doc}_1"}
    shelves.check()
    assert shelves.sync() == []


def test_an_edit_embeds_only_the_note_that_changed(shelves: Shelves) -> None:
    shelves.write("work/A.md", "Seals leak.\n")
    shelves.write("work/B.md", "Motors hum.\n")
    shelves.sync()
    shelves.embedder.embedded.clear()
    shelves.write("work/B.md", "Motors whistle.\n")
    (report,) = shelves.sync()
    assert [(c.kind, c.path, c.embedded) for c in report.notes] == [("changed", "B.md", 1)]
    assert len(shelves.embedder.embedded) == 1
    assert shelves.found("whistle") == ["work/B.md"]
    assert len(report.dead_hashes) == 1
    shelves.check()


def test_touching_every_file_embeds_nothing(shelves: Shelves) -> None:
    paths = [shelves.write(f"work/{name}.md", f"About {name}.\n") for name in "abc"]
    shelves.sync()
    shelves.embedder.embedded.clear()
    for path in paths:
        os.utime(path, (1_700_000_000, 1_700_000_000))
    shelves.sync()
    assert shelves.embedder.embedded == []
    assert {row.updated_at for row in shelves.rows().values()} == {"2023-11-14T22:13:20Z"}
    shelves.check()


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("work/CloudOps/Backup.md", "work/CloudOps/Restore.md"),
        ("work/CloudOps/Backup.md", "work/SecOps/Backup.md"),
        ("work/CloudOps/Plain.md", "work/CloudOps/Named otherwise.md"),
        ("work/CloudOps", "work/Operations"),
        ("work/CloudOps", "other/CloudOps"),
        ("work", "renamed"),
    ],
)
def test_a_rename_or_move_embeds_nothing(shelves: Shelves, source: str, target: str) -> None:
    shelves.write("work/CloudOps/Backup.md", BACKUP)
    shelves.write("work/CloudOps/Plain.md", "A note without a heading.\n")
    shelves.write("other/Here.md", "Another vault.\n")
    shelves.sync()
    shelves.embedder.embedded.clear()
    (shelves.home / target).parent.mkdir(parents=True, exist_ok=True)
    shutil.move(shelves.home / source, shelves.home / target)
    shelves.sync()
    assert shelves.embedder.embedded == []
    assert sorted(shelves.rows()) == sorted(_on_disk(shelves.home))
    shelves.check()


def test_a_whole_vault_in_another_folder_is_the_same_vault(shelves: Shelves, tmp_path: Path) -> None:
    for number in range(30):
        write_note(tmp_path / "here", f"Notes/{number}.md", f"Number {number}.\n")
    shelves.settings = VaultsSettings(folders=(f"mine={tmp_path / 'here'}",))
    shelves.sync()
    assert len(shelves.found("number")) == 30
    shelves.embedder.embedded.clear()
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    shelves.settings = VaultsSettings(folders=(f"mine={tmp_path / 'there'}",))
    shelves.sync()
    assert shelves.embedder.embedded == []
    assert len(shelves.found("number")) == 30
    shelves.check()


def test_a_deleted_note_is_gone(shelves: Shelves) -> None:
    path = shelves.write("work/A.md", "Seals leak.\n")
    shelves.write("work/B.md", "Motors hum.\n")
    shelves.sync()
    path.unlink()
    (report,) = shelves.sync()
    assert [(c.kind, c.path) for c in report.notes] == [("deleted", "A.md")]
    assert report.dead_hashes == (report.notes[0].sha256,)
    assert list(shelves.rows()) == ["work/B.md"]
    assert shelves.text_of("work/A.md") == []
    shelves.check()


def test_a_canvas_is_a_note(shelves: Shelves) -> None:
    shelves.write("work/Map.canvas", '{"nodes": [{"id": "a", "type": "text", "text": "Whales sing."}], "edges": []}')
    shelves.sync()
    assert shelves.found("whales") == ["work/Map.canvas"]
    shelves.check()


def test_the_id_is_that_of_vault_and_nfc_path(shelves: Shelves) -> None:
    shelves.write("work/U\u0308ber.md", "Spelled in two characters.\n")
    shelves.sync()
    (row,) = shelves.rows().values()
    assert row.note_id == note_id("work", "\u00dcber.md")
    assert row.path == "\u00dcber.md"
    shelves.check()
    (shelves.home / "work" / "U\u0308ber.md").unlink()
    shelves.sync()
    assert shelves.rows() == {}


def test_two_spellings_of_one_name_are_a_fault_and_the_first_counts(shelves: Shelves) -> None:
    shelves.write("work/\u00dcber.md", "Composed letters.\n")
    shelves.write("work/U\u0308ber.md", "Combined letters.\n")
    shelves.sync()
    assert shelves.found("letters") == ["work/\u00dcber.md"]
    assert shelves.text_of("work/\u00dcber.md") == ["Combined letters."]
    assert any("encoded otherwise" in reason for reason in shelves.faults().values())
    shelves.check()


def test_broken_front_matter_is_indexed_and_told(shelves: Shelves) -> None:
    shelves.write("work/Broken.md", "---\ntags: [unclosed\n---\nThe body is found.\n")
    shelves.sync()
    assert shelves.found("found") == ["work/Broken.md"]
    assert list(shelves.faults()) == ["default/default/vaults/work/Broken.md"]
    shelves.write("work/Broken.md", "The body is found, mended.\n")
    shelves.sync()
    assert shelves.faults() == {}
    shelves.check()


def test_the_fault_of_a_note_goes_with_its_vault(shelves: Shelves) -> None:
    shelves.write("work/Broken.md", "---\ntags: [unclosed\n---\nThe body is found.\n")
    shelves.sync()
    assert len(shelves.faults()) == 1
    (shelves.home / "work").rename(shelves.home / "aside")
    shelves.sync()
    assert list(shelves.faults()) == ["default/default/vaults/aside/Broken.md"]
    shutil.rmtree(shelves.home / "aside")
    shelves.sync()
    assert shelves.faults() == {}


def test_verify_names_the_notes_that_differ(shelves: Shelves) -> None:
    shelves.write("work/A.md", "Seals leak. [[B]]\n")
    shelves.write("work/B.md", "Motors hum.\n")
    shelves.sync()
    shelves.index.store().replace_records([], [note_id("work", "A.md")])
    with Catalog(shelves.layout.catalog) as catalog:
        catalog.delete_notes([note_id("work", "B.md")])
        catalog.connection.execute("DELETE FROM links")
    found = verify(shelves.index, shelves.taxonomy, lambda: shelves.embedder).differences
    assert {(d.kind, d.path.removeprefix("default/default/vaults/")) for d in found} == {
        ("passage_missing", "work/A.md"),
        ("catalog_note_missing", "work/B.md"),
        ("catalog_link_missing", "work/A.md"),
    }


def test_a_large_note_and_many_notes_go_through_in_batches(shelves: Shelves) -> None:
    shelves.write("work/Large.md", "# Large\n\n" + "Words about whales and rivers. \n\n" * 60_000)
    for number in range(300):
        shelves.write(f"work/Small/{number}.md", f"Small note {number}.\n")
    reports = [report for report in shelves.index.sync(batch_files=100) if report]
    assert len(reports) >= 4
    assert len(shelves.rows()) == 301
    assert shelves.rows()["work/Large.md"].passages > 500
    assert shelves.index.drift().pending == 0


def test_a_lost_table_and_a_lost_index_are_made_again(shelves: Shelves) -> None:
    shelves.write("work/A.md", "Seals leak. See [[B]].\n")
    shelves.write("work/B.md", "Motors hum.\n")
    shelves.sync()
    before = shelves.rows(), shelves.links()
    for lost in (shelves.layout.lance, shelves.layout.index):
        shutil.rmtree(lost)
        shelves.index = shelves.open()
        shelves.sync()
        assert (shelves.rows(), shelves.links()) == before
        shelves.check()


def _on_disk(home: Path) -> list[str]:
    return [path.relative_to(home).as_posix() for path in home.rglob("*.md")]
