"""The stores follow the Markdown, whatever a person does to it."""

import shutil
from pathlib import Path

import lancedb
import pytest

from tests.index.conftest import open_index
from tests.index.library_on_disk import write_document, write_topic
from tests.standins import WordEmbedder
from wiki.index.catalog import select
from wiki.index.rows import BatchReport
from wiki.index.sync import TenantIndex
from wiki.index.verify import verify
from wiki.tenants import Layout

A, B = "d_aaaaaaaaaaaa", "d_bbbbbbbbbbbb"


def sync(index: TenantIndex) -> list[BatchReport]:
    return [report for report in index.sync() if report]


def topics(index: TenantIndex) -> dict[str, str]:
    """Topic id -> path in the published snapshot."""
    cursor = index.snapshots.cursor()
    assert cursor is not None
    return {row.topic_id: row.path for row in select(cursor, "topics", "TRUE")}


def faults(index: TenantIndex) -> list[str]:
    cursor = index.snapshots.cursor()
    assert cursor is not None
    return [row.reason for row in select(cursor, "faults", "TRUE ORDER BY path")]


def check(index: TenantIndex, embedder: WordEmbedder) -> None:
    result = verify(index, index._taxonomy, lambda: embedder)
    assert result.differences == ()


def test_a_new_document_is_indexed(index: TenantIndex, layout: Layout, embedder: WordEmbedder) -> None:
    write_document(layout, "Technology/Pumps_" + A, A, {"1_Seals.md": "Seals leak.\n", "2_Motors.md": "Motors hum.\n"})
    reports = sync(index)
    assert topics(index) == {
        f"{A}_1": f"Technology/Pumps_{A}/1_Seals.md",
        f"{A}_2": f"Technology/Pumps_{A}/2_Motors.md",
    }
    assert [(c.kind, c.topic_id) for c in reports[0].topics] == [("added", f"{A}_1"), ("added", f"{A}_2")]
    assert index.store().keyword("motors", 5)[0].record_id == f"{A}_2"
    check(index, embedder)
    assert sync(index) == []


def test_an_edit_embeds_only_what_changed(index: TenantIndex, layout: Layout, embedder: WordEmbedder) -> None:
    folder = write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals leak.\n", "2_Motors.md": "Hum.\n"})
    sync(index)
    embedder.embedded.clear()
    write_topic(folder / "2_Motors.md", A, "Motors whistle now.\n")
    (report,) = sync(index)
    assert [(c.kind, c.topic_id, c.embedded) for c in report.topics] == [("changed", f"{A}_2", 1)]
    assert len(embedder.embedded) == 1
    assert index.store().keyword("whistle", 5)[0].record_id == f"{A}_2"
    check(index, embedder)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (f"Technology/P_{A}/1_Seals.md", f"Technology/P_{A}/1_Sealing_rings.md"),
        (f"Technology/P_{A}", f"Technology/Renamed_by_hand_{A}"),
        (f"Technology/P_{A}", f"Science/P_{A}"),
        (f"Technology/P_{A}", "Science/no id in the name"),
        (f"Technology/P_{A}/1_Seals.md", f"Technology/Q_{B}/1_Seals.md"),
        ("Technology", "Engineering"),
    ],
)
def test_a_rename_or_move_keeps_ids_and_embeds_nothing(
    index: TenantIndex, layout: Layout, embedder: WordEmbedder, source: str, target: str
) -> None:
    write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals leak.\n", "2_Motors.md": "Hum.\n"})
    write_document(layout, "Technology/Q_" + B, B, {"2_Valves.md": "Valves stick.\n"})
    sync(index)
    before = set(topics(index))
    embedder.embedded.clear()
    (layout.knowledge / target).parent.mkdir(parents=True, exist_ok=True)
    shutil.move(layout.knowledge / source, layout.knowledge / target)
    sync(index)
    assert set(topics(index)) == before
    assert any(path.startswith(target) for path in topics(index).values())
    assert embedder.embedded == []
    assert {hit.record_id for hit in index.store().keyword("seals", 5)} == {f"{A}_1"}
    check(index, embedder)


def test_a_move_seen_as_delete_then_add_embeds_nothing(
    index: TenantIndex, layout: Layout, embedder: WordEmbedder, tmp_path: Path
) -> None:
    folder = write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals leak.\n"})
    sync(index)
    shutil.move(folder, tmp_path / "away")
    sync(index)
    assert topics(index) == {}
    embedder.embedded.clear()
    shutil.move(tmp_path / "away", folder)
    sync(index)
    assert set(topics(index)) == {f"{A}_1"}
    assert embedder.embedded == []


def test_a_copy_gets_derived_ids_and_a_fault_until_the_first_goes(
    index: TenantIndex, layout: Layout, embedder: WordEmbedder
) -> None:
    folder = write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals leak.\n"})
    shutil.copytree(folder, layout.knowledge / "Technology" / f"P_{A} copy")
    sync(index)
    assert topics(index)[f"{A}_1"] == f"Technology/P_{A}/1_Seals.md"
    assert len(topics(index)) == 2
    assert sum("already used" in reason for reason in faults(index)) == 2
    check(index, embedder)
    shutil.rmtree(folder)
    sync(index)
    assert topics(index) == {f"{A}_1": f"Technology/P_{A} copy/1_Seals.md"}
    assert faults(index) == []
    check(index, embedder)


def test_a_file_without_id_takes_its_number_until_another_claims_it(
    index: TenantIndex, layout: Layout, embedder: WordEmbedder
) -> None:
    folder = write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals.\n"})
    write_topic(folder / "7_By_hand.md", None, "Written by hand.\n")
    write_topic(folder / "notes.md", None, "More by hand.\n")
    sync(index)
    assert f"{A}_7" in topics(index)
    assert sum("_h" in i for i in topics(index)) == 1
    other = write_document(layout, "Science/Q_" + B, B, {})
    (other / "3_Claims.md").write_text(f"---\ntopic_id: {A}_7\ntopic_name: Claims\n---\nClaimed.\n")
    sync(index)
    assert topics(index)[f"{A}_7"] == f"Science/Q_{B}/3_Claims.md"
    assert sum("_h" in i for i in topics(index)) == 2
    check(index, embedder)


def test_a_deleted_topic_and_document_are_gone(index: TenantIndex, layout: Layout, embedder: WordEmbedder) -> None:
    folder = write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals leak.\n", "2_Motors.md": "Hum.\n"})
    sync(index)
    (folder / "1_Seals.md").unlink()
    (report,) = sync(index)
    assert [(c.kind, c.topic_id) for c in report.topics] == [("deleted", f"{A}_1")]
    assert report.dead_hashes == (report.topics[0].sha256,)
    assert index.store().keyword("seals", 5) == []
    shutil.rmtree(folder)
    sync(index)
    assert topics(index) == {}
    assert index.store().count() == 0
    check(index, embedder)


def test_bad_yaml_is_indexed_as_text_and_told_as_a_fault(
    index: TenantIndex, layout: Layout, embedder: WordEmbedder
) -> None:
    folder = write_document(layout, "Technology/P_" + A, A, {})
    (folder / "1_Broken.md").write_text("---\ntopic_id: [unclosed\n---\nThe body is found.\n")
    sync(index)
    assert index.store().keyword("found", 5)[0].record_id == f"{A}_1"
    assert len(faults(index)) == 1
    check(index, embedder)


def test_touching_every_file_embeds_nothing(index: TenantIndex, layout: Layout, embedder: WordEmbedder) -> None:
    folder = write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals leak.\n"})
    sync(index)
    embedder.embedded.clear()
    for path in folder.iterdir():
        path.touch()
    sync(index)
    assert embedder.embedded == []
    check(index, embedder)


def test_verify_finds_a_row_removed_from_either_store(
    index: TenantIndex, layout: Layout, embedder: WordEmbedder
) -> None:
    import duckdb

    write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals leak.\n", "2_Motors.md": "Hum.\n"})
    sync(index)
    lancedb.connect(layout.lance).open_table("passages").delete(f"record_id = '{A}_1'")
    kinds = {d.kind for d in verify(index, index._taxonomy, lambda: embedder).differences}
    assert kinds == {"passage_missing"}
    with duckdb.connect(str(layout.catalog / "catalog.duckdb")) as connection:
        connection.execute("DELETE FROM topics WHERE topic_id = ?", [f"{A}_2"])
    kinds = {d.kind for d in verify(index, index._taxonomy, lambda: embedder).differences}
    assert kinds == {"passage_missing", "catalog_topic_missing"}


def test_deleting_the_index_restores_everything(index: TenantIndex, layout: Layout, embedder: WordEmbedder) -> None:
    write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals leak.\n"})
    sync(index)
    cursor = index.snapshots.cursor()
    assert cursor is not None
    before = select(cursor, "documents", "TRUE"), select(cursor, "topics", "TRUE")
    shutil.rmtree(layout.index)
    again = open_index(layout, lambda: embedder)
    sync(again)
    cursor = again.snapshots.cursor()
    assert cursor is not None
    assert (select(cursor, "documents", "TRUE"), select(cursor, "topics", "TRUE")) == before
    check(again, embedder)


def test_a_lost_lance_folder_is_made_again(index: TenantIndex, layout: Layout, embedder: WordEmbedder) -> None:
    write_document(layout, "Technology/P_" + A, A, {"1_Seals.md": "Seals leak.\n"})
    sync(index)
    shutil.rmtree(layout.lance)
    again = open_index(layout, lambda: embedder)
    sync(again)
    assert again.store().count() == 1
    check(again, embedder)


def test_a_changed_taxonomy_moves_documents_to_their_category(
    index: TenantIndex, layout: Layout, embedder: WordEmbedder
) -> None:
    write_document(layout, "Gardening/P_" + A, A, {"1_Seals.md": "Seals leak.\n"})
    (layout.knowledge / "Gardening" / f"P_{A}" / "index.md").write_text(
        f"---\ndoc_id: {A}\ntitle: T\ncategory_id: Food\n---\n"
    )
    sync(index)
    cursor = index.snapshots.cursor()
    assert cursor is not None
    assert select(cursor, "documents", "TRUE")[0].category_id == "Food"
    layout.taxonomy.write_text(
        "---\nkind: knowledge_taxonomy\ncategories:\n- id: Gardening\n  description: Plants.\n---\n"
    )
    sync(index)
    cursor = index.snapshots.cursor()
    assert cursor is not None
    assert select(cursor, "documents", "TRUE")[0].category_id == "Gardening"
    check(index, embedder)
