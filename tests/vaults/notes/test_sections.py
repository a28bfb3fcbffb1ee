"""One section is changed; nothing outside of it is."""

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.vaults.notes.texts import BODIES, LINE_ENDS
from wiki.errors import Conflict, InvalidInput, NotFound, WikiError
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.notes.sections import append_to_section, replace_section

HOUSE = b"""---
type: house
---
# House
Built of stone.

## Attic

- a lamp

### Box
old letters

## Cellar
## Yard
Grass
"""


def appended(path: tuple[str, ...], text: str, data: bytes = HOUSE) -> str:
    return append_to_section(data, path, text).decode()


def replaced(path: tuple[str, ...], text: str, data: bytes = HOUSE) -> str:
    return replace_section(data, path, text).decode()


def test_a_list_item_joins_the_list_of_the_sections_own_text() -> None:
    assert "- a lamp\n- a chair\n\n### Box" in appended(("House", "Attic"), "- a chair\n")


def test_other_text_becomes_a_block_of_its_own() -> None:
    assert "- a lamp\n\nDusty.\n\n### Box" in appended(("House", "Attic"), "Dusty.")
    assert appended(("House", "Yard"), "Trees").endswith("Grass\n\nTrees\n")
    assert "## Cellar\nWine\n\n## Yard" in appended(("House", "Cellar"), "Wine")


def test_text_that_opens_with_a_heading_becomes_the_last_sub_section() -> None:
    assert "old letters\n\n### Chest\nlinen\n\n## Cellar" in appended(("House", "Attic"), "### Chest\nlinen")


def test_the_empty_path_is_the_end_of_the_note() -> None:
    assert appended((), "The end").endswith("Grass\n\nThe end\n")
    assert appended((), "All", b"") == "All\n"


def test_replace_takes_the_sub_sections_too_and_keeps_the_heading() -> None:
    assert "## Attic\n\nempty now\n\n## Cellar" in replaced(("House", "Attic"), "empty now\n")
    assert "## Cellar\nWine\n\n## Yard" in replaced(("House", "Cellar"), "Wine")
    assert replaced(("House", "Yard"), "").endswith("## Yard\n")
    assert replaced((), "only") == "---\ntype: house\n---\nonly\n"


def test_line_ends_and_a_missing_last_one_stay_as_in_the_file() -> None:
    data = b"# A\r\none\r\n\r\n# B\r\ntwo"
    assert append_to_section(data, ["A"], "x\ny\n") == b"# A\r\none\r\n\r\nx\r\ny\r\n\r\n# B\r\ntwo"
    assert append_to_section(data, ["B"], "x\n") == b"# A\r\none\r\n\r\n# B\r\ntwo\r\n\r\nx"
    assert replace_section(data, ["B"], "x\n") == b"# A\r\none\r\n\r\n# B\r\nx"
    assert append_to_section(b"---\na: 1\n---", [], "x") == b"---\na: 1\n---\nx\n"


def test_a_note_in_another_encoding_stays_in_it() -> None:
    data = "# Überblick\nschön ist die Straße über der Brücke\n".encode("latin-1")
    assert append_to_section(data, ["Überblick"], "größer").endswith("größer\n".encode("latin-1"))
    with pytest.raises(InvalidInput, match="UTF-8"):
        append_to_section(data, ["Überblick"], "字")


@pytest.mark.parametrize("path", [("Attic",), ("House", "Box"), ("house",), ("House", "Attic", "Box", "x")])
def test_a_section_that_is_not_there_is_not_found(path: tuple[str, ...]) -> None:
    with pytest.raises(NotFound, match="House > Attic > Box"):
        append_to_section(HOUSE, path, "x")


def test_two_sections_of_one_path_are_a_conflict_that_names_the_lines() -> None:
    with pytest.raises(Conflict, match="3, 5") as caught:
        replace_section(b"# A\n# B\n## C\n# B\n## C\n", ["B", "C"], "x")
    assert caught.value.details["lines"] == [3, 5]


@pytest.mark.parametrize(
    "text", ["# Roof", "## Roof", "x\n\nRoof\n----", "```\nopen", "%% a\n\n# b %%\n## c", "<!-- open", "~~~"]
)
def test_text_that_would_move_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        append_to_section(HOUSE, ["House", "Attic"], text)
    with pytest.raises(InvalidInput):
        replace_section(HOUSE, ["House", "Attic"], text)


def test_text_below_an_open_fence_is_refused() -> None:
    with pytest.raises(InvalidInput):
        append_to_section(b"# A\n```\ncode", ["A"], "text")


def test_an_empty_text_is_nothing_to_append() -> None:
    with pytest.raises(InvalidInput):
        append_to_section(HOUSE, ["House"], " \n")


def test_broken_front_matter_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidInput, match="line 2"):
        append_to_section(b"---\na: [\n---\n# A\n", ["A"], "x")


WITH_HEADINGS = st.builds(lambda top, end, rest: f"{top}{end}{end}## Box{end}{rest}", BODIES, LINE_ENDS, BODIES)


@given(
    WITH_HEADINGS,
    st.sampled_from(["new words", "- item", "## deep\nx", "###### Deeper\n\ny\n", "```\n# code\n```", "> q", ""]),
    st.data(),
)
@settings(deadline=2000, max_examples=300)
@example("# A\r\n\r\n---\r\n# B", "- item", None)
def test_bytes_outside_the_section_stay(text: str, new: str, data: st.DataObject | None) -> None:
    file = text.encode()
    note = parse_note("x.md", file)
    assume(note.headings and not note.problems)
    numbers = range(len(note.headings))
    number = data.draw(st.sampled_from(numbers)) if data else 0
    heading = note.headings[number]
    lines = file.decode().split("\n")
    below = [other.line for other in note.headings[number + 1 :] if other.level <= heading.level]
    before = "\n".join(lines[: heading.line]) + ("\n" if heading.line < len(lines) else "")
    after = "\n".join(lines[below[0] - 1 :]) if below else ""
    for change in (append_to_section, replace_section):
        try:
            changed = change(file, heading.path, new)
        except WikiError:
            continue
        assert changed.startswith(before.encode())
        assert changed.endswith(after.encode())
        if change is append_to_section:
            middle = file.decode().removeprefix(before)
            middle = middle[: len(middle) - len(after)]
            added = changed.decode().removeprefix(before)
            assert [line for line in added[: len(added) - len(after)].split("\n") if line.strip()] != []
            assert _is_subsequence(middle, added)
        wrote = parse_note("x.md", changed)
        outside = [(h.level, h.text) for h in note.headings if h.line <= heading.line or (below and h.line >= below[0])]
        kept = [(h.level, h.text) for h in wrote.headings]
        assert kept[: number + 1] == outside[: number + 1]
        assert kept[len(kept) - len(outside) + number + 1 :] == outside[number + 1 :]


def _is_subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)
