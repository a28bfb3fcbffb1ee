"""A canvas is read like a page: its texts in order, its files and arrows as links."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki.vaults.model import Link, Note
from wiki.vaults.notes.canvas import parse_canvas


def card(name: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    return {"id": name, "type": "text", "text": name, "x": x, "y": y, "width": 100, "height": 50} | more


def read(*nodes: dict[str, Any], edges: tuple[dict[str, Any], ...] = ()) -> Note:
    return parse_canvas("Plans/House.canvas", json.dumps({"nodes": list(nodes), "edges": list(edges)}).encode())


def test_texts_are_read_from_the_top_then_from_the_left() -> None:
    note = read(card("low", 0, 300), card("right", 200, 0), card("left", 0, 10), card("middle", 100, 20))
    assert note.body.split() == ["left", "middle", "right", "low"]
    assert note.title == "House"


def test_a_group_is_a_heading_above_what_lies_in_it() -> None:
    outer = card("g", 0, 0, type="group", label="Attic", width=900, height=500)
    inner = card("h", 10, 100, type="group", label="Box", width=300, height=200)
    note = read(card("outside", 0, 900), card("letters", 20, 120), card("lamp", 20, 10), outer, inner)
    assert [line for line in note.body.split("\n") if line] == ["# Attic", "lamp", "## Box", "letters", "outside"]
    assert [heading.path for heading in note.headings] == [("Attic",), ("Attic", "Box")]


def test_cards_are_markdown() -> None:
    note = read(card("a", 0, 0, text="# Lamp\nsee [[Bulb]] #light %%aside%%"))
    assert [heading.text for heading in note.headings] == ["Lamp"]
    assert note.links == (Link("wikilink", "Bulb", None, None, None, 2),)
    assert note.tags == ("light",)
    assert len(note.unread) == 1


def test_files_and_labelled_arrows_are_links() -> None:
    file = card("f", 0, 0, type="file", file="Home/Lamp.md", subpath="#Care")
    note = read(file, card("t", 0, 200), edges=({"fromNode": "t", "toNode": "f", "label": "lights"},))
    assert note.links == (
        Link("embed", "Home/Lamp.md", "Care", None, None, 1),
        Link("wikilink", "Home/Lamp.md", "Care", None, "lights", 5),
    )
    assert "lights" in note.body


@pytest.mark.parametrize(
    ("data", "line"),
    [(b'{\n"nodes": [', 2), (b"[1]", None), (b"words", 1), (b"[" * 100_000, None), (b"9" * 5000, None)],
)
def test_broken_json_is_a_problem_and_the_text_is_the_body(data: bytes, line: int | None) -> None:
    note = parse_canvas("x.canvas", data)
    assert note.body == data.decode()
    assert [problem.line for problem in note.problems] == [line]


def test_an_empty_canvas_is_a_note_without_text() -> None:
    for data in (b"", b"{}", b'{"nodes":[],"edges":[]}'):
        note = parse_canvas("x.canvas", data)
        assert (note.body, note.problems) == ("", ())


ODD = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}))
NODES = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "file", "link", "group", "?"]), "text": st.text(max_size=9) | ODD},
    optional=dict.fromkeys(("id", "x", "y", "width", "height", "file", "label", "url", "subpath"), ODD),
)


@given(
    st.lists(NODES | ODD, max_size=6) | ODD,
    st.lists(st.dictionaries(st.sampled_from(["fromNode", "toNode", "label"]), ODD), max_size=3) | ODD,
)
@settings(deadline=2000)
def test_any_json_makes_a_note_with_all_its_texts(nodes: Any, edges: Any) -> None:
    note = parse_canvas("x.canvas", json.dumps({"nodes": nodes, "edges": edges}).encode())
    for node in nodes if isinstance(nodes, list) else []:
        if isinstance(node, dict) and node.get("type") == "text" and isinstance(node["text"], str):
            assert node["text"] in note.body
