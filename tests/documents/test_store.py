"""Documents enter, change and leave the disk whole, and keep what they were not asked to change."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.documents.builders import DOC_ID, edit, index_of, new_document, tree, unfinished
from wiki.documents.model import INDEX_FILE
from wiki.documents.store import DocumentStore
from wiki.errors import Conflict, InternalError, InvalidInput, NotFound
from wiki.tenants import Layout


def test_a_created_document_lies_where_the_contract_says(store: DocumentStore, layout: Layout, original: Path) -> None:
    folder = store.create(new_document(), original)
    assert folder == layout.knowledge / "Technology" / f"Q1_Engineering_Report_{DOC_ID}"
    assert sorted(path.name for path in folder.iterdir()) == ["1_Topic_1.md", "2_Topic_2.md", "_original", "index.md"]
    kept = store.original(folder)
    assert kept == folder / "_original" / "my-report.pdf"
    assert kept.read_bytes() == original.read_bytes()
    assert list(store.documents()) == [folder]
    assert store.find(DOC_ID) == folder
    assert [path.name for path in store.topic_paths(folder)] == ["1_Topic_1.md", "2_Topic_2.md"]
    assert index_of(folder).created_at == index_of(folder).updated_at
    assert unfinished(layout) == []


@pytest.mark.parametrize("name", ["a" * 300 + ".pdf", "../../x.pdf", "a\x00.pdf", "C:\\x.pdf", "index.md", "..", ""])
def test_any_upload_name_is_kept_inside_the_document(store: DocumentStore, original: Path, name: str) -> None:
    folder = store.create(new_document(source_name=name), original)
    kept = store.original(folder)
    assert kept is not None
    assert kept.parent == folder / "_original"
    assert index_of(folder).summary == "What the quarter brought."


def test_a_document_with_a_known_id_is_refused(store: DocumentStore, layout: Layout, original: Path) -> None:
    store.create(new_document(), original)
    before = tree(layout.home)
    with pytest.raises(Conflict, match="exists already"):
        store.create(new_document(title="Another", category_id="Science"), original)
    assert tree(layout.home) == before


def test_a_replaced_document_keeps_what_a_person_added(store: DocumentStore, layout: Layout, original: Path) -> None:
    folder = store.create(new_document(topics=3, fields={"owner": "me"}), original)
    edit(folder / INDEX_FILE, "schema_version: 1\n", "# mine\nreviewed_by: Ana   # in May\nschema_version: 1\n")
    (folder / "picture.png").write_bytes(b"png")
    (folder / "attachments").mkdir()
    (folder / "attachments" / "table.csv").write_text("a,b")
    created = "2020-01-02T03:04:05Z"
    edit(folder / INDEX_FILE, f"created_at: {index_of(folder).created_at}", f"created_at: {created}")
    original.write_bytes(b"second")
    again = store.replace(folder, new_document(topics=1, summary="Anew.", source_name="v2.pdf"), original)
    assert again == folder
    index = index_of(folder)
    assert (index.created_at, index.summary, index.fields) == (created, "Anew.", {"owner": "me"})
    assert "# mine\nreviewed_by: Ana   # in May\n" in (folder / INDEX_FILE).read_text()
    names = {path.name for path in folder.iterdir()}
    assert names == {"1_Topic_1.md", "_original", "index.md", "picture.png", "attachments"}
    kept = store.original(folder)
    assert kept is not None
    assert (kept.name, kept.read_bytes()) == ("v2.pdf", b"second")
    assert unfinished(layout) == []


def test_a_replaced_document_moves_with_its_title_and_category(
    store: DocumentStore, layout: Layout, original: Path
) -> None:
    folder = store.create(new_document(), original)
    again = store.replace(folder, new_document(title="Other", category_id="Real Estate"), original)
    assert again == layout.knowledge / "Real_Estate" / f"Other_{DOC_ID}"
    assert list(store.documents()) == [again]
    assert not folder.parent.exists()
    text = (again / INDEX_FILE).read_text()
    assert "aliases: [Other]\n" in text


def test_replacing_without_an_upload_keeps_the_old_one(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    store.replace(folder, new_document(topics=1), None)
    kept = store.original(folder)
    assert kept is not None
    assert kept.read_bytes() == original.read_bytes()


def test_a_replace_over_unreadable_front_matter_writes_it_anew(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    (folder / INDEX_FILE).write_text("---\ntitle: [\n---\n")
    store.replace(folder, new_document(), original)
    assert index_of(folder).title == "Q1 Engineering Report"


def test_a_patched_title_and_category_move_the_folder_and_touch_no_topic(
    store: DocumentStore, layout: Layout, original: Path
) -> None:
    folder = store.create(new_document(), original)
    edit(folder / INDEX_FILE, "aliases: [Q1 Engineering Report]", "aliases: [Q1, Q1 Engineering Report]")
    topics = {path.name: path.read_bytes() for path in store.topic_paths(folder)}
    moved = store.patch_index(folder, {"title": "Q2: Report", "category_id": "Science", "labels": ["x"]})
    assert moved == layout.knowledge / "Science" / f"Q2_Report_{DOC_ID}"
    assert {path.name: path.read_bytes() for path in store.topic_paths(moved)} == topics
    index = index_of(moved)
    assert (index.title, index.category_id, index.labels) == ("Q2: Report", "Science", ("x",))
    assert 'aliases: [Q1, "Q2: Report"]' in (moved / INDEX_FILE).read_text()
    assert not folder.parent.exists()
    assert unfinished(layout) == []


def test_a_patch_of_other_values_leaves_a_folder_renamed_by_hand_alone(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    mine = folder.rename(folder.with_name("my name"))
    assert store.find(DOC_ID) == mine
    same = store.patch_index(mine, {"document_date": "2026-01-02", "fields": {"a": 1}, "labels": []})
    assert same == mine
    index = index_of(mine)
    assert (index.document_date, index.fields, index.labels) == ("2026-01-02", {"a": 1}, ())
    store.patch_index(mine, {"document_date": None, "fields": {}})
    assert "document_date" not in (mine / INDEX_FILE).read_text()


@pytest.mark.parametrize(
    "changes", [{"title": " "}, {"category_id": ""}, {"doc_id": "d_000000000000"}, {"title": None}]
)
def test_a_bad_patch_changes_nothing(
    store: DocumentStore, layout: Layout, original: Path, changes: dict[str, Any]
) -> None:
    folder = store.create(new_document(), original)
    before = tree(layout.home)
    with pytest.raises(InvalidInput):
        store.patch_index(folder, changes)
    assert tree(layout.home) == before
    assert unfinished(layout) == []


def test_a_patch_of_unreadable_front_matter_says_where_it_is_wrong(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    (folder / INDEX_FILE).write_text("---\nok: 1\ntitle: [\n---\nbody")
    with pytest.raises(InvalidInput, match="line 3"):
        store.patch_index(folder, {"title": "x"})
    assert (folder / INDEX_FILE).read_text() == "---\nok: 1\ntitle: [\n---\nbody"


def test_a_document_without_an_id_keeps_its_derived_one_when_a_patch_moves_it(
    store: DocumentStore, layout: Layout
) -> None:
    folder = layout.knowledge / "Technology" / "by hand"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("text")
    moved = store.patch_index(folder, {"title": "Named"}, doc_id="d_0123456789ab")
    assert moved.name == "Named_d_0123456789ab"
    assert index_of(moved).claim == "d_0123456789ab"
    assert store.find("d_0123456789ab") == moved


def test_a_copied_document_keeps_its_own_id_when_a_patch_moves_it(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    moved = store.patch_index(copy, {"category_id": "Science"}, doc_id="d_0123456789ab")
    assert index_of(moved).claim == "d_0123456789ab"
    assert (store.find(DOC_ID), store.find("d_0123456789ab")) == (folder, moved)


def test_links_are_not_taken_for_documents_or_topics(store: DocumentStore, original: Path, tmp_path: Path) -> None:
    folder = store.create(new_document(topics=1), original)
    (tmp_path / "secret.md").write_text("outside")
    (folder / "2_Link.md").symlink_to(tmp_path / "secret.md")
    (folder.parent / "link").symlink_to(tmp_path)
    assert [path.name for path in store.topic_paths(folder)] == ["1_Topic_1.md"]
    assert list(store.documents()) == [folder]


def test_a_move_onto_another_folder_is_refused(store: DocumentStore, layout: Layout, original: Path) -> None:
    folder = store.create(new_document(), original)
    taken = layout.knowledge / "Science" / folder.name
    taken.mkdir(parents=True)
    before = tree(layout.home)
    for change in (
        lambda: store.patch_index(folder, {"category_id": "Science"}),
        lambda: store.replace(folder, new_document(category_id="Science"), original),
    ):
        with pytest.raises(Conflict, match="exists already"):
            change()
    assert tree(layout.home) == before


def test_a_deleted_document_leaves_nothing(store: DocumentStore, layout: Layout, original: Path) -> None:
    folder = store.create(new_document(), original)
    store.delete(folder)
    assert list(layout.knowledge.iterdir()) == []
    assert unfinished(layout) == []
    assert store.find(DOC_ID) is None
    with pytest.raises(NotFound):
        store.delete(folder)


def test_a_category_folder_with_other_things_in_it_stays(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    (folder.parent / "readme.txt").write_text("mine")
    store.delete(folder)
    assert (folder.parent / "readme.txt").read_text() == "mine"


def test_an_unreadable_folder_is_an_error_with_its_relative_path(
    store: DocumentStore, layout: Layout, original: Path
) -> None:
    layout.home.mkdir(parents=True)
    layout.knowledge.write_text("a file, not a folder")
    with pytest.raises(InternalError, match="default/default/knowledge") as caught:
        store.create(new_document(), original)
    assert str(layout.root) not in caught.value.message
    assert unfinished(layout) == []


def test_find_follows_the_id_in_the_file_not_the_folder_name(store: DocumentStore, original: Path) -> None:
    first = store.create(new_document(), original)
    other = store.create(new_document(doc_id="d_bbbbbbbbbbbb"), original)
    hidden = first.rename(first.with_name("renamed"))
    other.rename(other.with_name(f"Misleading_{DOC_ID}"))
    assert store.find(DOC_ID) == hidden
    assert store.find("d_bbbbbbbbbbbb") == other.with_name(f"Misleading_{DOC_ID}")
    (hidden / INDEX_FILE).unlink()
    assert store.find(DOC_ID) is None
    assert store.find("d_cccccccccccc") is None
