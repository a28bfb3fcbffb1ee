"""The JSON object in a model's reply, whatever stands around it."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiki.models.json_reply import read_json

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), PLAIN, max_size=5)
PROSE = st.text(st.characters(exclude_characters='{}"\\', exclude_categories=["Cs"]), max_size=60)


@given(OBJECTS, PROSE, PROSE, st.sampled_from([None, 2]))
def test_an_object_survives_prose_around_it(value: dict[str, object], before: str, after: str, indent: int) -> None:
    assert read_json(before + json.dumps(value, ensure_ascii=False, indent=indent) + after) == value


@given(st.text(max_size=300))
def test_any_text_gives_an_object_or_none(text: str) -> None:
    assert isinstance(read_json(text), dict | None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('\ufeff  {"a": 1}\n', {"a": 1}),
        ('```json\n{"a": [1, 2]}\n```', {"a": [1, 2]}),
        ('Sure! Here it is:\n\n```\n{"a": 1}\n```\nAnything else?', {"a": 1}),
        ('{"a": [1, 2, ], "b": {"c": 3 ,\n}, }', {"a": [1, 2], "b": {"c": 3}}),
        ('{"a": "one, } two, ] three",}', {"a": "one, } two, ] three"}),
        ('{"a": "say \\"}\\", then {"}', {"a": 'say "}", then {'}),
        ('{"a": 1}}', {"a": 1}),
        ('{"a": 1}\n]', {"a": 1}),
        ('{"a": "two\nlines\tand a tab"}', {"a": "two\nlines\tand a tab"}),
        ('Sets are written {like this}. {"a": {"b": 1}} and {"c": 2}', {"a": {"b": 1}}),
        ('An open { brace, then another { and {"a": 1}.', {"a": 1}),
        ('{ this: {"a": 1} }', {"a": 1}),
        ('[{"a": 1}]', {"a": 1}),
        ('{"a": NaN, "b": [Infinity, -Infinity]}', {"a": None, "b": [None, None]}),
        ('{"a\\ud800": "\\udc00 \\ud83d\\ude00 ü"}', {"a\ufffd": "\ufffd 😀 ü"}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ("{}", {}),
    ],
)
def test_what_models_write_around_and_into_json_is_borne(text: str, value: dict[str, object]) -> None:
    assert read_json(text) == value


@pytest.mark.parametrize(
    "text", ["", "no", "[1, 2]", "null", '"{a}', '{"a": ', "{'a': 1}", "{a: 1}", '{"a": __import__("os")}', "{]}"]
)
def test_nothing_is_guessed(text: str) -> None:
    assert read_json(text) is None


def test_a_reply_cut_in_the_middle_gives_no_more_than_what_is_whole() -> None:
    assert read_json('{"topics": [{"name": "A"}, {"name": "Be') == {"name": "A"}


@pytest.mark.parametrize(
    "junk", ["{", '{"', '\\"', '{"a":', "}{", "[", '{"a":"{', '{"a":[1,', "{x}", '{"a":1,}', ",   ", '"', "{}"]
)
def test_a_megabyte_of_junk_takes_a_moment(junk: str) -> None:
    begin = time.perf_counter()
    read_json((junk * 1_000_000)[:1_000_000])
    assert time.perf_counter() - begin < 4


def test_numbers_and_nesting_without_end_are_no_json() -> None:
    assert read_json('{"a": ' + "9" * 10_000 + "}") is None
    assert read_json('{"a":' * 5_000 + "1" + "}" * 5_000) is None
