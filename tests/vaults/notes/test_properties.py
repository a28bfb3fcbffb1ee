"""Front matter changes touch the lines of their keys, and no other byte."""

import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.vaults.notes.texts import BODIES, NOTES
from wiki.errors import InvalidInput
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.notes.properties import change_properties

LAMP = """---
# by hand
title: "Lamp"   # its name
tags:
- light

- attic
mine:   [a,   'b']
long: >-
  two
  lines
status: draft  # for now
---
body
---
tail"""


def test_only_the_lines_of_a_key_change() -> None:
    changed = change_properties(LAMP.encode(), {"status": "accepted"}).decode()
    assert changed == LAMP.replace("draft", "accepted")
    changed = change_properties(LAMP.encode(), {"tags": ["a", "b"], "new": 1}, ["long"]).decode()
    assert changed == LAMP.replace("- light\n\n- attic\n", "").replace("tags:", "tags: [a, b]").replace(
        "long: >-\n  two\n  lines\n", ""
    ).replace("# for now\n", "# for now\nnew: 1\n")


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_ends_of_the_file_are_used(end: str) -> None:
    data = f"---{end}a: 1{end}b: 2{end}---{end}body{end}".encode()
    changed = change_properties(data, {"a": 5, "c": "x"}, ["b"])
    assert changed == f"---{end}a: 5{end}c: x{end}---{end}body{end}".encode()


def test_mixed_line_ends_stay_each_as_it_is() -> None:
    assert change_properties(b"---\r\na: 1\nb: 2\r\n---\n", {"b": 3, "a": 4}) == b"---\r\na: 4\nb: 3\r\n---\n"


def test_front_matter_is_made_when_there_is_none() -> None:
    assert change_properties(b"# Lamp\r\n", {"type": "thing"}) == b"---\r\ntype: thing\r\n---\r\n# Lamp\r\n"
    assert change_properties(b"", {"type": "thing"}) == b"---\ntype: thing\n---\n"
    assert change_properties(b"\xef\xbb\xbfx", {"a": 1}) == b"\xef\xbb\xbf---\na: 1\n---\nx"


def test_what_is_so_already_changes_nothing() -> None:
    data = LAMP.encode()
    assert change_properties(data, {"title": "Lamp", "mine": ["a", "b"]}, ["absent"]) == data
    assert change_properties(b"words", {}, ["absent"]) == b"words"


def test_a_missing_last_line_end_stays_missing() -> None:
    assert change_properties(b"---\na: 1\n---", {"a": 2}) == b"---\na: 2\n---"


@pytest.mark.parametrize(
    ("text", "line"),
    [("---\na: 1\nb: [\n---\nx", 3), ("---\nopen: 1\n", 1), ("---\nwords\n---\n", 2), ("---\na: 1\na: 2\n---\n", None), ("---\n{a: 1}\n---\n", None)],
)  # fmt: skip
def test_front_matter_that_cannot_be_changed_safely_is_refused(text: str, line: int | None) -> None:
    with pytest.raises(InvalidInput) as caught:
        change_properties(text.encode(), {"b": 2}, ["a"])
    if line:
        assert caught.value.details["line"] >= line


@pytest.mark.parametrize(("values", "remove"), [({"": 1}, []), ({"a\nb": 1}, []), ({"a": 1}, ["a"])])
def test_impossible_keys_are_refused(values: dict[str, Any], remove: list[str]) -> None:
    with pytest.raises(InvalidInput):
        change_properties(b"", values, remove)


KEYS = st.sampled_from(["title", "tags", "up", "list", "alias", "new", "a b", "yes"])
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=12), st.lists(st.text(max_size=6), max_size=3)
)
LINES = st.sampled_from(
    ["title: x", "tags: [a, b]", "tags:\n- a\n# between\n- b", "up: \"[[x]]\"  # why", "# alone", "", "list:\n  - a", "alias: |\n  x\n\n  y"]
)  # fmt: skip


@given(
    st.lists(LINES, max_size=6),
    BODIES,
    st.sampled_from(["\n", "\r\n"]),
    st.dictionaries(KEYS, VALUES, max_size=3),
    st.sets(KEYS, max_size=2),
)
@settings(deadline=2000, max_examples=300)
def test_other_lines_and_the_body_stay(
    lines: list[str], body: str, end: str, values: dict[str, Any], remove: set[str]
) -> None:
    top = "".join(line.replace("\n", end) + end for line in lines)
    data = f"---{end}{top}---{end}{body}".encode()
    before = parse_note("x.md", data)
    assume(not before.problems)
    changed = change_properties(data, values, remove - values.keys())
    after = parse_note("x.md", changed)
    wanted = {key: value for key, value in before.front_matter.items() if key not in remove - values.keys()} | values
    assert after.front_matter == wanted
    assert after.body == before.body
    touched = {*values, *remove}
    for line in lines:
        key = re.match(r"\w+", line)
        if key and key[0] not in touched:
            assert (line.replace("\n", end) + end).encode() in changed
    assert change_properties(changed, values, remove - values.keys()) == changed


@given(NOTES)
@settings(deadline=2000)
def test_the_body_of_any_note_stays(text: str) -> None:
    before = parse_note("x.md", text.encode())
    try:
        after = parse_note("x.md", change_properties(text.encode(), {"new": "x"}))
    except InvalidInput:
        assert before.problems
        return
    assert after.body == before.body
    assert after.front_matter == before.front_matter | {"new": "x"}
