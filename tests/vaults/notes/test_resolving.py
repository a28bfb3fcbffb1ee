"""A link leads where its letters say, or nowhere."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki.vaults.model import Link, LinkKind
from wiki.vaults.notes.resolving import NotePlace, Resolved, Targets, keys_of, names_of

NOTES = [
    ("work", "Lamp.md", ["Lantern"]),
    ("work", "Attic/Box.md", []),
    ("work", "Cellar/Box.md", ["Crate", "In/Out"]),
    ("work", "Cellar/Deep/Box.md", []),
    ("work", "Cellar/Only Here.md", []),
    ("work", "Cellar/Release 1.2.md", []),
    ("work", "Plan.canvas", []),
    ("work", "Café.md", []),
    ("ai", "Lamp.md", []),
    ("ai", "rules/Quiet.md", ["Hush", "Lantern"]),
    ("user", "rules/Quiet.md", []),
]


def link(target: str, kind: LinkKind = "wikilink") -> Link:
    return Link(kind, target, None, None, None, 1)


def led(target: str, path: str = "Start.md", *, vault: str = "work", kind: LinkKind = "wikilink") -> Resolved:
    return Targets(NOTES).resolve(link(target, kind), vault, path)


@pytest.mark.parametrize(
    ("target", "path", "by"),
    [
        ("Lamp", "Lamp.md", "stem"),
        ("lamp.MD", "Lamp.md", "stem"),
        ("Cafe\u0301", "Café.md", "stem"),
        ("attic/box", "Attic/Box.md", "path"),
        ("/Attic/Box.md", "Attic/Box.md", "path"),
        ("Deep/Box", "Cellar/Deep/Box.md", "path"),
        ("Only Here", "Cellar/Only Here.md", "stem"),
        ("Release 1.2", "Cellar/Release 1.2.md", "stem"),
        ("Plan.canvas", "Plan.canvas", "stem"),
        ("Lantern", "Lamp.md", "alias"),
        ("crate", "Cellar/Box.md", "alias"),
        ("In/Out", "Cellar/Box.md", "alias"),
        ("./Lamp", "Lamp.md", "path"),
        ("", "Start.md", "path"),
    ],
)
def test_one_note_is_meant(target: str, path: str, by: str) -> None:
    found = led(target)
    assert found.notes == (NotePlace("work", path),)
    assert found.by == by
    assert not found.ambiguous


@pytest.mark.parametrize(
    "target",
    ["Lam", "Lamps", "ttic/Box", "Plan", "/Box", "../Lamp", "./Box", "Nowhere", "Deep", "Attic/Lamp", "/Deep/Box"],
)
def test_nothing_is_guessed(target: str) -> None:
    assert led(target) == Resolved()


def test_several_notes_are_ambiguous_the_own_folder_first_then_the_shortest_path() -> None:
    found = led("Box", "Cellar/Deep/Start.md")
    assert found.ambiguous
    assert [place.path for place in found.notes] == ["Cellar/Deep/Box.md", "Attic/Box.md", "Cellar/Box.md"]
    assert [place.path for place in led("Box").notes] == ["Attic/Box.md", "Cellar/Box.md", "Cellar/Deep/Box.md"]


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("Box.md", "Cellar/Box.md"),
        ("../Attic/Box", "Attic/Box.md"),
        ("Deep/Box.md", "Cellar/Deep/Box.md"),
        ("Lamp", "Lamp.md"),
    ],
)
def test_a_markdown_link_is_relative_to_its_note_first(target: str, path: str) -> None:
    assert led(target, "Cellar/Start.md", kind="markdown").notes == (NotePlace("work", path),)


def test_the_own_vault_comes_first_then_any_other() -> None:
    assert led("Lamp", vault="ai").notes == (NotePlace("ai", "Lamp.md"),)
    assert led("Hush").notes == (NotePlace("ai", "rules/Quiet.md"),)
    assert led("Lantern", vault="user").ambiguous
    assert led("Quiet").notes == (NotePlace("ai", "rules/Quiet.md"), NotePlace("user", "rules/Quiet.md"))
    assert led("user/rules/Quiet").notes == (NotePlace("user", "rules/Quiet.md"),)
    assert led("../ai/Lamp", kind="markdown") == Resolved()


def test_of_names_that_differ_in_case_the_one_spelled_alike_is_meant() -> None:
    targets = Targets([("work", "Lamp.md", []), ("work", "lamp.md", [])])
    assert targets.resolve(link("lamp"), "work", "x.md").notes == (NotePlace("work", "lamp.md"),)
    assert targets.resolve(link("LAMP"), "work", "x.md").ambiguous


def test_an_unresolved_link_finds_its_target_once_it_is_there() -> None:
    late = link("Shed/Late#part")
    late = Link(late.kind, "Shed/Late", "part", None, None, 1)
    assert Targets(NOTES).resolve(late, "work", "x.md") == Resolved()
    assert set(keys_of(late)) & set(names_of("Garden/Shed/Late.md", []))
    found = Targets([*NOTES, ("work", "Garden/Shed/Late.md", [])]).resolve(late, "work", "x.md")
    assert found.notes == (NotePlace("work", "Garden/Shed/Late.md"),)


PART = st.sampled_from(["a", "B", "b", "c.md", "A", "..", ".", "é", "", " a", "md"])
PATHS = st.lists(PART, min_size=1, max_size=3).map("/".join)
FILES = st.builds(lambda path, end: path.strip("/ .") + end, PATHS, st.sampled_from([".md", ".md", ".canvas", ".MD"]))
VAULTS = st.sampled_from(["work", "a"])
KINDS: st.SearchStrategy[LinkKind] = st.sampled_from(["wikilink", "embed", "markdown"])


@given(st.lists(st.tuples(VAULTS, FILES, st.lists(PATHS, max_size=2)), max_size=8), PATHS, KINDS, VAULTS, FILES)
@settings(deadline=None, max_examples=400)
def test_notes_that_share_no_key_with_a_link_change_nothing(
    notes: list[tuple[str, str, list[str]]], target: str, kind: LinkKind, vault: str, path: str
) -> None:
    asked = link(target.strip(), kind)
    keys = set(keys_of(asked))
    near = [note for note in notes if keys & set(names_of(note[1], note[2]))]
    assert Targets(near).resolve(asked, vault, path) == Targets(notes).resolve(asked, vault, path)
