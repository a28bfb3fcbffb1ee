"""Links lead to exactly one note, and follow notes that come, go and are renamed in the same batch."""

import pytest

from tests.index.notes.conftest import Shelves


def test_a_link_finds_its_note_once_it_appears_and_loses_it_when_it_vanishes(shelves: Shelves) -> None:
    shelves.write("work/A.md", "See [[Later]].\n")
    shelves.sync()
    assert shelves.links() == {("work/A.md", "Later"): None}
    later = shelves.write("work/Deep/Later.md", "Now I am here.\n")
    shelves.sync()
    assert shelves.links() == {("work/A.md", "Later"): "work/Deep/Later.md"}
    shelves.check()
    later.rename(later.with_name("Otherwise.md"))
    shelves.sync()
    assert shelves.links() == {("work/A.md", "Later"): None}
    shelves.check()


def test_a_link_follows_an_alias(shelves: Shelves) -> None:
    shelves.write("work/A.md", "See [[The disk]].\n")
    target = shelves.write("work/B.md", "---\naliases: [The disk]\n---\nSpins.\n")
    shelves.sync()
    assert shelves.links() == {("work/A.md", "The disk"): "work/B.md"}
    target.write_text("---\naliases: [The drum]\n---\nSpins.\n", encoding="utf-8")
    shelves.sync()
    assert shelves.links() == {("work/A.md", "The disk"): None}
    shelves.check()


def test_links_are_resolved_whatever_batch_a_note_falls_into(shelves: Shelves) -> None:
    names = [f"N{number}" for number in range(8)]
    for name in names:
        shelves.write(f"work/{name}.md", " ".join(f"[[{other}]]" for other in names) + "\n")
    for _ in shelves.index.sync(batch_files=1):
        pass
    assert len(shelves.links()) == 64
    assert None not in shelves.links().values()
    shelves.check()


def test_a_link_to_a_hidden_note_is_no_broken_one_and_tells_nothing(shelves: Shelves) -> None:
    shelves.write("work/A.md", "See [[Form]].\n")
    shelves.write("work/Form.md", "---\nstatus: template\n---\nSee [[Zebra]].\n")
    shelves.sync()
    assert shelves.links() == {("work/A.md", "Form"): "work/Form.md"}
    shelves.check()


@pytest.mark.parametrize("deleted", ["work/A.md", "work/B.md"])
def test_links_of_a_deleted_note_are_gone(shelves: Shelves, deleted: str) -> None:
    shelves.write("work/A.md", "See [[B]].\n")
    shelves.write("work/B.md", "See [[A]].\n")
    shelves.sync()
    (shelves.home / deleted).unlink()
    shelves.sync()
    assert list(shelves.links().values()) == [None]
    shelves.check()
