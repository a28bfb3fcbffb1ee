"""Links follow a moved note; everything around their targets stays."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vaults.notes.texts import NOTES
from wiki.errors import InvalidInput
from wiki.vaults.model import Link
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.notes.rewriting import rewrite_links


def rewritten(text: str, target: str, old: str = "Lamp", path: str = "x.md") -> str:
    def renamed(link: Link) -> str | None:
        return target if link.target.removesuffix(".md") == old else None

    return rewrite_links(text.encode(), path, renamed).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a [[Lamp]] b", "a [[Big Lamp]] b"),
        ("![[ Lamp #Bulb#Glass^id | shown ]]", "![[ Big Lamp #Bulb#Glass^id | shown ]]"),
        ("[Lamp](Lamp.md#A%20b 'Lamp')", "[Lamp](Big%20Lamp#A%20b 'Lamp')"),
        ("[x](<Lamp.md>)", "[x](<Big Lamp>)"),
        ("[x]: Lamp.md", "[x]: Big%20Lamp"),
        ("| [[Lamp\\|x]] |\r\n|---|\r\n", "| [[Big Lamp\\|x]] |\r\n|---|\r\n"),
        ("---\nup: \"[[Lamp|Lamp]]\" # [[Lamp]]\n---\n[[Lamp]]", "---\nup: \"[[Big Lamp|Lamp]]\" # [[Lamp]]\n---\n[[Big Lamp]]"),
        ("---\nup: [\n---\n[[Lamp]]", "---\nup: [\n---\n[[Big Lamp]]"),
        ("\ufeff[[Lamp]]", "\ufeff[[Big Lamp]]"),
        ("`[[Lamp]]` %%[[Lamp]]%% [[Lamps]] Lamp", "`[[Lamp]]` %%[[Lamp]]%% [[Lamps]] Lamp"),
    ],
)  # fmt: skip
def test_only_the_target_changes(before: str, after: str) -> None:
    assert rewritten(before, "Big Lamp") == after


def test_targets_are_written_so_that_they_read_back() -> None:
    odd = 'Tom\'s (100%) "C#" & co.md'
    assert parse_note("x.md", rewritten("[x](Lamp.md) [y](<Lamp.md>)", odd).encode()).links == (
        Link("markdown", odd, None, None, "x", 1),
        Link("markdown", odd, None, None, "y", 1),
    )
    quoted = "---\na: \"[[Lamp]]\"\nb: '[[Lamp]]'\n---\n"
    note = parse_note("x.md", rewritten(quoted, 'Tom\'s "own" \\ lamp').encode())
    assert [link.target for link in note.links] == ['Tom\'s "own" \\ lamp'] * 2


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[[Lamp]]", "C# notes"),
        ("one\n[[Lamp]]", "a|b"),
        ("[[Lamp]]", ""),
        ("[[Lamp]]", " Lamp"),
        ("---\nup: see [[Lamp]]\n---\n", "a: b"),
    ],
)
def test_a_target_that_cannot_be_written_is_refused(text: str, target: str) -> None:
    with pytest.raises(InvalidInput, match="line"):
        rewritten(text, target)


def test_bytes_that_are_no_characters_stay() -> None:
    data = "äöü [[Lamp]] ".encode() + b"\xff\n"
    assert rewrite_links(data, "x.md", lambda _: "Ö") == "äöü [[Ö]] ".encode() + b"\xff\n"


def test_links_into_the_note_itself_are_not_asked_for() -> None:
    assert rewritten("[[#Lamp]] [x](#Lamp)", "y", old="") == "[[#Lamp]] [x](#Lamp)"


def test_a_note_without_such_links_keeps_its_bytes() -> None:
    data = b"[[Other]] \xff\xfe"
    assert rewrite_links(data, "x.md", lambda _: None) == data


TARGETS = st.text("ab .-é字()'&%/", min_size=1, max_size=8).map(str.strip).filter(bool)


@given(NOTES, TARGETS, st.sampled_from(["Lamp", "Old Lamp", "Ref"]))
@settings(deadline=2000, max_examples=300)
def test_what_is_read_after_a_rewrite_is_the_same_with_other_targets(text: str, target: str, old: str) -> None:
    before = parse_note("x.md", text.encode())
    wanted = tuple(
        replace(link, target=target) if link.target.removesuffix(".md") == old else link for link in before.links
    )
    try:
        changed = rewritten(text, target, old)
    except InvalidInput:
        return
    after = parse_note("x.md", changed.encode())
    assert after.links == wanted
    assert len(after.headings) == len(before.headings)
    assert (after.tags, after.blocks, after.aliases) == (before.tags, before.blocks, before.aliases)


def test_a_canvas_keeps_every_other_byte() -> None:
    canvas = (
        '{\n\t"nodes":[\n\t\t{"id":"a","type":"file","file":"Old\\/Lamp.md", "x":0},\n'
        '\t\t{"id":"b","type":"text","text":"caf\\u00e9 \\"[[Lamp|x]]\\"\\n[[Other]]","x": 1.50}\n\t],\n\t"edges":[]\n}'
    )

    def renamed(link: Link) -> str | None:
        return {"Old/Lamp.md": "New/Big Lamp.md", "Lamp": "Größe"}.get(link.target)

    changed = rewrite_links(canvas.encode(), "Plan.canvas", renamed).decode()
    assert changed == canvas.replace("Old\\/Lamp.md", "New/Big Lamp.md").replace("[[Lamp|", "[[Größe|")
    assert json.loads(changed)["nodes"][1]["text"] == 'café "[[Größe|x]]"\n[[Other]]'
    assert rewrite_links(b"{broken [[Lamp]]", "x.canvas", renamed) == b"{broken [[Lamp]]"
