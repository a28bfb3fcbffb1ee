"""A topic file changes only where it was asked to; its id and number stay."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.documents.builders import DOC_ID, edit, new_document, new_topic, tree
from wiki.documents.reader import body_sha256, read_topic
from wiki.documents.store import DocumentStore
from wiki.errors import Conflict, InvalidInput


def test_topics_are_listed_by_number_then_name(store: DocumentStore, original: Path) -> None:
    folder = store.create(new_document(topics=11), original)
    (folder / "notes.md").write_text("by hand")
    (folder / ".hidden.md").write_text("no")
    (folder / "picture.png").write_bytes(b"")
    names = [path.name for path in store.topic_paths(folder)]
    assert names == [*(f"{n}_Topic_{n}.md" for n in range(1, 12)), "notes.md"]


def test_a_patched_topic_changes_only_its_front_matter_lines(store: DocumentStore, original: Path) -> None:
    body = "\n---\r\nexact\t \n\n\n```\n  code\n```"
    folder = store.create(replace(new_document(), topics=(new_topic(1, body),)), original)
    path = folder / "1_Topic_1.md"
    edit(path, "depth: 1\n", "depth: 1  # top\nmine: 'x'\n")
    before = path.read_bytes()
    same = store.patch_topic(path, labels=["new"])
    assert same == path
    assert path.read_bytes() == before.replace(b"labels: [cost, cloud]\n", b"labels: [new]\n")
    assert read_topic(path, path.read_bytes()).body == body


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
