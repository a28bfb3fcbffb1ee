"""Front matter is found exactly, read safely, and changed without touching anything else."""

import datetime
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from wiki.documents import yaml_text
from wiki.documents.front_matter import REMOVED, decode, encode, render_block, split
from wiki.documents.yaml_tree import read_tree
from wiki.errors import InvalidInput

HAND_MADE = """---
# written by hand
title: "Old title"   # why it is called so
mine:   [a,   b]
'quoted key': yes

labels:
  - one
  - two   # second

# a thought
folded: >-
  long text
  ---
  more

other: |
  ---
  # no comment
---
body
---
end"""

YAML_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    lambda members: st.lists(members, max_size=4) | st.dictionaries(st.text(max_size=12), members, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "raw", "body", "line"),
    [
        ("---\na: 1\n---\nbody", "a: 1\n", "body", 4),
        ("---\n---\nbody", "", "body", 3),
        ("---\na: 1\n---", "a: 1\n", "", 3),
        ("---  \r\na: 1\r\n--- \r\n\r\nbody\r\n", "a: 1\r\n", "\r\nbody\r\n", 4),
        ("\ufeff---\na: 1\n---\nbody", "a: 1\n", "body", 4),
        ("no front matter\n---\n", "", "no front matter\n---\n", 1),
        ("---\nnever closed\n", "", "---\nnever closed\n", 1),
        ("---\ndash: a --- b\n ---\n----\n---\n\n\nbody", "dash: a --- b\n ---\n----\n", "\n\nbody", 6),
        ("", "", "", 1),
        ("----\na: 1\n---\n", "", "----\na: 1\n---\n", 1),
    ],
)
def test_the_body_is_every_byte_after_the_closing_line(text: str, raw: str, body: str, line: int) -> None:
    parts = split(text)
    assert (parts.raw, parts.body, parts.body_line) == (raw, body, line)
    assert parts.text == text


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["---", "---\n", "\r\n", "\n", "a: 1\n", " ", "\ufeff", "text", "---\r\n"])).map("".join)
)
def test_splitting_loses_no_character(text: str) -> None:
    assert split(text).text == text


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
@example(b"---\na: \xff\n---\n\xfe")
def test_bytes_that_are_not_utf8_come_back_as_they_were(data: bytes) -> None:
    text, problem = decode(data)
    assert encode(split(text).text) == data
    assert (problem is None) == (data.decode(errors="replace").encode() == data)


def test_a_change_keeps_comments_order_quotes_and_unknown_keys() -> None:
    changed = split(HAND_MADE).changed({"title": "New: title", "labels": ["three"], "fresh": 1})
    assert changed.text == HAND_MADE.replace('title: "Old title"   # why', 'title: "New: title"  # why').replace(
        "labels:\n  - one\n  - two   # second\n", "labels: [three]\n"
    ).replace("  # no comment\n---", "  # no comment\nfresh: 1\n---")


def test_a_removed_key_takes_only_its_own_lines() -> None:
    changed = split(HAND_MADE).changed({"folded": REMOVED, "absent": REMOVED})
    assert changed.text == HAND_MADE.replace("folded: >-\n  long text\n  ---\n  more\n", "")


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("{title: old, mine: [1, 2]} # flow\n", ["mine: [1, 2]", "# flow"]),
        ("title: &x old\nmine: *x\n", ["mine:"]),
        ("? title\n: old\n? mine\n: kept\n", ["mine"]),
        ("title: old\rmine: kept\n", ["mine: kept"]),
        ("title: |+\n  old\n\nmine: kept\n", ["mine: kept"]),
    ],
)
def test_unusual_layouts_are_changed_too(raw: str, kept: list[str]) -> None:
    before = read_tree(raw).values
    changed = split(f"---\n{raw}---\nbody").changed({"title": "new"})
    assert changed.tree().values == {**before, "title": "new"}
    assert changed.body == "body"
    assert all(part in changed.raw for part in kept)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark_survive(end: str, bom: str) -> None:
    text = bom + "---\ntitle: old\nmine: 1\n---\nbody\n".replace("\n", end)
    changed = split(text).changed({"title": "new", "added": [1, 2]})
    assert changed.text == text.replace("old", "new").replace(f"mine: 1{end}", f"mine: 1{end}added: [1, 2]{end}")


@st.composite
def _front_matters(draw: st.DrawFn) -> str:
    keys = draw(st.lists(st.text(st.characters(categories=["L"]), min_size=1, max_size=8), unique=True, max_size=6))
    lines: list[str] = []
    for key in keys:
        lines += draw(st.lists(st.sampled_from(["# comment\n", "\n"]), max_size=2))
        value = draw(
            st.sampled_from(
                [
                    "1",
                    "'it''s' # note",
                    '"a: b"',
                    "[a, {b: c}]",
                    "\n  - x\n  - y: z",
                    "|\n  ---\n  # text",
                    ">-\n  a\n\n  b",
                    "~",
                ]
            )
        )
        lines.append(f"{key}: {value}\n")
    lines += draw(st.lists(st.sampled_from(["# comment\n", "\n"]), max_size=2))
    return "".join(lines)


@settings(max_examples=80, deadline=None)
@given(
    _front_matters(),
    st.dictionaries(st.sampled_from(["title", "labels", "a", "b", "é"]), YAML_VALUES | st.just(REMOVED), min_size=1),
    st.text(max_size=30),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_change_keeps_every_other_value_comment_and_body_byte(
    raw: str, changes: dict[str, Any], body: str, end: str
) -> None:
    parts = split("---\n".replace("\n", end) + raw.replace("\n", end) + "---\n".replace("\n", end) + body)
    before = parts.tree().values
    changed = parts.changed(changes)
    again = split(changed.text)
    expected = {key: value for key, value in {**before, **changes}.items() if value is not REMOVED}
    assert again == changed
    assert again.body == body
    assert again.tree().values == expected
    kept = raw.count("# comment\n")
    assert again.raw.replace("\r\n", "\n").count("# comment\n") >= kept


@settings(max_examples=120, deadline=None)
@given(YAML_VALUES)
@example("2026-11-30")
@example("12e3")
@example("0x1F")
@example("1_000")
@example("12:30:45")
@example("=")
@example("\x85\u2028\ufeff\x7f😀")
@example("k" * 3000)
@example({"k" * 3000: 1, "b": {"c" * 2000: [1]}})
@example(1e16)
@example(-0.0)
def test_a_value_is_read_back_by_us_and_by_other_yaml_readers(value: Any) -> None:
    text = yaml_text.entry("key", value)
    assert read_tree(text).values == {"key": value}
    assert yaml.load(text, yaml.CSafeLoader) == {"key": value}
    assert YAML(typ="safe", pure=True).load(text) == {"key": value}


def test_dates_in_a_mapping_are_written_as_text() -> None:
    assert yaml_text.inline({"day": datetime.date(2026, 1, 2)}) == '{day: "2026-01-02"}'
    assert render_block([("at", yaml_text.Bare("2026-01-02"))]) == "---\nat: 2026-01-02\n---\n"


def test_values_stay_as_written_and_dates_stay_text() -> None:
    tree = read_tree("a: 2026-11-30\nb: 1.10\nc: no\nd: 0o17\ne: .inf\nf: 1e3\ng: ~\nh: '5'\n")
    assert tree.values == {
        "a": "2026-11-30", "b": 1.1, "c": "no", "d": 15, "e": float("inf"), "f": 1000.0, "g": None, "h": "5",
    }  # fmt: skip
    assert tree.nodes["b"].text == "1.10"


@pytest.mark.parametrize(
    ("raw", "line", "part"),
    [
        ("a: [\n", 2, "cannot be read"),
        ("good: 1\nbad: 'x\n", 3, "cannot be read"),
        ("- a\n- b\n", 2, "key: value"),
        ("just words\n", 2, "key: value"),
        ("a: *nothing\n", 2, "alias"),
        ("ok: 1\nb: \x00\n", 3, "character"),
        ("? [a]\n: 1\n", 2, "key must be plain text"),
        ("a: 1\n...\n--- b\n", 4, "more than one"),
        ("a: " + "[" * 60 + "]" * 60 + "\n", 2, "deeper"),
        ("a: " + "[" * 50_000 + "\n", 2, "nest"),
        ("a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [" + ",".join([f"*{chr(97 + i)}"] * 9) + "]\n" for i in range(9)), 6, "aliases"),
        ("a: &a [*a]\n", 2, "alias"),
        ("a: " + "x" * 300_000 + "\n", 2, "longer"),
        ("%TAG ! x\n", 2, "cannot be read"),
    ],
)  # fmt: skip
def test_bad_yaml_is_a_problem_with_line_and_remedy(raw: str, line: int, part: str) -> None:
    tree = read_tree(raw)
    assert not tree.readable
    assert tree.values == {}
    (problem,) = tree.problems
    assert part in problem.reason
    assert problem.line == line
    assert problem.remedy


def test_tags_build_nothing() -> None:
    tree = read_tree("a: !!python/object/apply:os.system ['exit 1']\nb: !!python/name:os.system x\nc: !mine {d: 1}\n")
    assert tree.values == {"a": ["exit 1"], "b": "x", "c": {"d": 1}}


def test_a_key_that_stands_twice_counts_once_and_is_told() -> None:
    tree = read_tree("title: a\nx: 1\ntitle: b\n")
    assert tree.values == {"title": "a", "x": 1}
    assert (tree.problems[0].line, tree.readable) == (4, True)
    assert split("---\ntitle: a\ntitle: b\n---\n").changed({"title": "c"}).tree().values == {"title": "c"}


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("ab:-[]{}&*!|>'\"%#\n \t,?~.<=0\x00\udcff"), max_size=60))
def test_reading_never_raises(raw: str) -> None:
    tree = read_tree(raw)
    assert tree.readable or tree.problems


def test_unreadable_front_matter_is_not_changed() -> None:
    with pytest.raises(InvalidInput, match=r"line 3.*mend"):
        split("---\nok: 1\na: [\n---\nbody").changed({"title": "x"})
    with pytest.raises(InvalidInput, match="never closed"):
        split("---\ntitle: x\nbody").changed({"title": "x"})


@pytest.mark.parametrize("body", ["---\nx: 1\n---\n", "---", "plain", "", "\ufeffx", "---\r\n"])
@pytest.mark.parametrize("text", ["old body", "---\na: 1\n---\nold", "---\na: 1\n---", "---\na: never closed"])
def test_a_new_body_is_read_back_as_the_body(text: str, body: str) -> None:
    changed = split(text).with_body(body)
    again = split(changed.text)
    assert again.body == body
    assert again.tree().readable


@pytest.mark.parametrize("body", ["plain\n", "---\nrule\n", "a\r\nb\r\n"])
def test_a_file_without_front_matter_gets_one(body: str) -> None:
    changed = split(body).changed({"title": "x"})
    assert split(changed.text).tree().values == {"title": "x"}
    assert split(changed.text).body == body
    assert changed.body_line == 4
