"""Documents enter, change and leave the disk whole, and keep what they were not asked to change."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.documents.builders import DOC_ID, new_document, new_topic, tree, unfinished
from wiki.documents.model import INDEX_FILE
from wiki.documents.reader import body_sha256, read_index, read_topic
from wiki.documents.store import DocumentStore, etag
from wiki.errors import Conflict, InternalError, InvalidInput, NotFound
from wiki.filesystem import FileLock
from wiki.tenants import Layout, Tenant


@pytest.fixture
def layout(root: Path) -> Layout:
    return Layout(root, Tenant())


@pytest.fixture
def store(layout: Layout) -> DocumentStore:
    return DocumentStore(layout, lock_seconds=0.1)


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "upload"
    path.write_bytes(b"\x00raw bytes\xff")
    return path


def _index(folder: Path) -> Any:
    return read_index(folder / INDEX_FILE, (folder / INDEX_FILE).read_bytes())


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


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
    assert _index(folder).created_at == _index(folder).updated_at
    assert unfinished(layout) == []


@pytest.mark.parametrize("name", ["a" * 300 + ".pdf", "../../x.pdf", "a\x00.pdf", "C:\\x.pdf", "index.md", "..", ""])
def test_any_upload_name_is_kept_inside_the_document(store: DocumentStore, original: Path, name: str) -> None:
    folder = store.create(new_document(source_name=name), original)
    kept = store.original(folder)
    assert kept is not None
    assert kept.parent == folder / "_original"
    assert _index(folder).summary == "What the quarter brought."


def test_a_document_with_a_known_id_is_refused(store: DocumentStore, layout: Layout, original: Path) -> None:
    store.create(new_document(), original)
    before = tree(layout.home)
    with pytest.raises(Conflict, match="exists already"):
        store.create(new_document(title="Another", category_id="Science"), original)
    assert tree(layout.home) == before


def test_topics_are_listed_by_number_then_name(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(topics=11), original)
    (folder / "notes.md").write_text("by hand")
    (folder / ".hidden.md").write_text("no")
    (folder / "picture.png").write_bytes(b"")
    names = [path.name for path in store.topic_paths(folder)]
    assert names == [*(f"{n}_Topic_{n}.md" for n in range(1, 12)), "notes.md"]


def test_a_replaced_document_keeps_what_a_person_added(store: DocumentStore, layout: Layout, original: Path) -> None:
    folder = store.create(new_document(topics=3, fields={"owner": "me"}), original)
    _edit(folder / INDEX_FILE, "schema_version: 1\n", "# mine\nreviewed_by: Ana   # in May\nschema_version: 1\n")
    (folder / "picture.png").write_bytes(b"png")
    (folder / "attachments").mkdir()
    (folder / "attachments" / "table.csv").write_text("a,b")
    created = "2020-01-02T03:04:05Z"
    _edit(folder / INDEX_FILE, f"created_at: {_index(folder).created_at}", f"created_at: {created}")
    original.write_bytes(b"second")
    again = store.replace(folder, new_document(topics=1, summary="Anew.", source_name="v2.pdf"), original)
    assert again == folder
    index = _index(folder)
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
    assert _index(folder).title == "Q1 Engineering Report"


def test_a_patched_title_and_category_move_the_folder_and_touch_no_topic(
    store: DocumentStore, layout: Layout, original: Path
) -> None:
    folder = store.create(new_document(), original)
    _edit(folder / INDEX_FILE, "aliases: [Q1 Engineering Report]", "aliases: [Q1, Q1 Engineering Report]")
    topics = {path.name: path.read_bytes() for path in store.topic_paths(folder)}
    moved = store.patch_index(folder, {"title": "Q2: Report", "category_id": "Science", "labels": ["x"]})
    assert moved == layout.knowledge / "Science" / f"Q2_Report_{DOC_ID}"
    assert {path.name: path.read_bytes() for path in store.topic_paths(moved)} == topics
    index = _index(moved)
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
    index = _index(mine)
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
    assert _index(moved).claim == "d_0123456789ab"
    assert store.find("d_0123456789ab") == moved


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


def test_a_patched_topic_changes_only_its_front_matter_lines(store: DocumentStore, original: Path) -> None:
    body = "\n---\r\nexact\t \n\n\n```\n  code\n```"
    folder = store.create(replace(new_document(), topics=(new_topic(1, body),)), original)
    path = folder / "1_Topic_1.md"
    _edit_bytes(path, b"depth: 1\n", b"depth: 1  # top\nmine: 'x'\n")
    before = path.read_bytes()
    same = store.patch_topic(path, labels=["new"])
    assert same == path
    assert path.read_bytes() == before.replace(b"labels: [cost, cloud]\n", b"labels: [new]\n")
    assert read_topic(path, path.read_bytes()).body == body


def _edit_bytes(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))


def test_a_renamed_topic_keeps_its_number_and_id(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    path = store.patch_topic(folder / "2_Topic_2.md", name="Neuer Name: Größe", topic_id=f"{DOC_ID}_2")
    assert path.name == "2_Neuer_Name_Größe.md"
    topic = read_topic(path, path.read_bytes())
    assert (topic.name, topic.claim) == ("Neuer Name: Größe", f"{DOC_ID}_2")
    assert [found.name for found in store.topic_paths(folder)] == ["1_Topic_1.md", path.name]


def test_a_topic_whose_id_comes_from_its_file_name_keeps_that_name(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    path = folder / "my notes.md"
    path.write_text("by hand\n")
    same = store.patch_topic(path, name="Better name")
    assert same == path
    assert path.read_text() == "---\ntopic_name: Better name\n---\nby hand\n"
    copy = folder / "9_Copy.md"
    copy.write_bytes((folder / "1_Topic_1.md").read_bytes())
    assert store.patch_topic(copy, name="Other", topic_id=f"{DOC_ID}_h00000000") == copy


def test_new_content_leaves_the_summary_stale_and_a_new_summary_is_fresh(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    path = store.patch_topic(folder / "1_Topic_1.md", content="---\nnew body")
    topic = read_topic(path, path.read_bytes())
    assert (topic.body, topic.summary, topic.summary_stale) == ("---\nnew body", "About topic 1.", True)
    store.patch_topic(path, summary="Newer.")
    topic = read_topic(path, path.read_bytes())
    assert (topic.summary, topic.summary_of, topic.summary_stale) == ("Newer.", body_sha256("---\nnew body"), False)
    store.patch_topic(path, summary="")
    assert read_topic(path, path.read_bytes()).summary_of is None


def test_content_can_be_patched_under_unreadable_front_matter(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    path = folder / "1_Topic_1.md"
    path.write_text("---\na: [\n---\nold")
    store.patch_topic(path, content="new")
    assert path.read_text() == "---\na: [\n---\nnew"
    with pytest.raises(InvalidInput, match="line 2"):
        store.patch_topic(path, name="x")


def test_a_topic_is_not_renamed_onto_another_file(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    (folder / "2_Taken.md").write_text("other")
    before = tree(folder)
    with pytest.raises(Conflict, match="exists already"):
        store.patch_topic(folder / "2_Topic_2.md", name="Taken")
    assert tree(folder) == before


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


def test_a_stale_if_match_is_refused(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    index, topic = folder / INDEX_FILE, folder / "1_Topic_1.md"
    for change in (
        lambda: store.patch_index(folder, {"labels": ["a"]}, if_match="stale"),
        lambda: store.replace(folder, new_document(), original, if_match="stale"),
        lambda: store.patch_topic(topic, labels=["a"], if_match="stale"),
    ):
        with pytest.raises(Conflict, match="has changed"):
            change()
    store.patch_topic(topic, labels=["a"], if_match=etag(topic.read_bytes()))
    store.patch_index(folder, {"labels": ["a"]}, if_match=etag(index.read_bytes()))


def test_a_second_replace_is_refused_while_one_runs(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(), original)
    with store.replacing(DOC_ID):
        with pytest.raises(Conflict, match="another replace"):
            store.replace(folder, new_document(), original)
        store.patch_index(folder, {"labels": ["still possible"]})
        store.replace(folder, new_document(), original, turn_held=True)
    store.replace(folder, new_document(), original)


def test_a_document_busy_in_another_process_is_a_conflict(store: DocumentStore, layout: Layout, original: Path) -> None:
    folder = store.create(new_document(), original)
    with FileLock(layout.staging / "locks" / f"{DOC_ID}.write.lock"):
        for change in (
            lambda: store.patch_index(folder, {"labels": ["a"]}),
            lambda: store.patch_topic(folder / "1_Topic_1.md", labels=["a"]),
            lambda: store.delete(folder),
        ):
            with pytest.raises(Conflict):
                change()


def test_many_patches_of_one_document_at_once_all_count(layout: Layout, original: Path) -> None:
    store = DocumentStore(layout)
    folder = store.create(new_document(topics=4), original)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for round_ in range(5):
                store.patch_topic(folder / f"{number}_Topic_{number}.md", labels=[f"{round_}"])
                DocumentStore(layout).patch_index(folder, {"fields": {f"k{number}": round_}})
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(read_topic(path, path.read_bytes()).labels == ("4",) for path in store.topic_paths(folder))
    assert _index(folder).problems == ()
    assert unfinished(layout) == []


def test_the_old_version_can_be_read_until_the_new_one_stands(layout: Layout, original: Path) -> None:
    store = DocumentStore(layout)
    folder = store.create(new_document(summary="version 0"), original)
    stop = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not stop.is_set():
            try:
                summary = _index(folder).summary
            except OSError as error:
                wrong.append(error)
            else:
                if not summary.startswith("version"):
                    wrong.append(summary)

    reader = threading.Thread(target=read)
    reader.start()
    for version in range(1, 15):
        store.replace(folder, new_document(summary=f"version {version}"), original)
    stop.set()
    reader.join()
    assert wrong == []


def test_an_edit_made_while_a_patch_is_under_way_is_not_overwritten(
    store: DocumentStore, original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = store.create(new_document(), original)
    index = folder / INDEX_FILE
    begin = store._staging.begin  # pyright: ignore[reportPrivateUsage]

    def edit_then_begin(*arguments: str) -> Any:
        index.write_text("---\ntitle: mine\n---\nmine")
        return begin(*arguments)

    monkeypatch.setattr(store._staging, "begin", edit_then_begin)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(Conflict, match="edited meanwhile"):
        store.patch_index(folder, {"labels": ["a"]})
    assert index.read_text() == "---\ntitle: mine\n---\nmine"


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


def test_recovery_leaves_the_writes_of_living_processes_and_strangers_alone(
    store: DocumentStore, layout: Layout, original: Path
) -> None:
    folder = store.create(new_document(), original)
    running = layout.staging / f"{DOC_ID}.replace.{'0' * 32}"
    running.mkdir()
    stranger = layout.staging / "somebody-else"
    stranger.mkdir()
    with FileLock(layout.staging / "locks" / f"{DOC_ID}.write.lock"):
        assert store.recover() == 0
        assert running.is_dir()
    assert store.recover() == 1
    assert store.recover() == 0
    assert not running.exists()
    assert stranger.is_dir()
    assert store.find(DOC_ID) == folder


def test_a_leftover_journal_moves_nothing_that_was_moved_back_since(
    store: DocumentStore, layout: Layout, original: Path
) -> None:
    folder = store.create(new_document(), original)
    left = layout.staging / f"{DOC_ID}.patch.{'0' * 32}"
    left.mkdir()
    place = folder.relative_to(layout.knowledge).as_posix()
    (left / "journal.json").write_text(json.dumps({"folder": place, "target": "Science/x", "staged": 1}))
    assert store.recover() == 1
    assert list(store.documents()) == [folder]
