"""Writers of one document take turns, readers see whole versions, and recovery disturbs nobody."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.documents.builders import DOC_ID, index_of, new_document, unfinished
from wiki.documents.model import INDEX_FILE
from wiki.documents.reader import read_topic
from wiki.documents.store import DocumentStore, etag
from wiki.errors import Conflict
from wiki.filesystem import FileLock
from wiki.tenants import Layout


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
    assert index_of(folder).problems == ()
    assert unfinished(layout) == []


def test_the_old_version_can_be_read_until_the_new_one_stands(layout: Layout, original: Path) -> None:
    store = DocumentStore(layout)
    folder = store.create(new_document(summary="version 0"), original)
    stop = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not stop.is_set():
            try:
                summary = index_of(folder).summary
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
