"""Snippets show the query's words where they stand."""

from hypothesis import given, settings
from hypothesis import strategies as st

from wiki.search.snippets import LENGTH, find_matches, make_snippet


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in find_matches(text, query)]


def test_inflected_words_are_marked() -> None:
    assert marked("Costs rose; one cost was rising, costly.", "cost rises") == ["Costs", "cost", "rising", "costly"]


def test_words_inside_other_words_are_not() -> None:
    assert marked("The category of cats", "cat") == ["cats"]


def test_scripts_without_spaces_are_marked_by_character_pairs() -> None:
    assert marked("東京都は日本の首都である。", "日本の首都") == ["日本の首都"]


def test_width_and_case_do_not_matter() -> None:
    assert marked("Ｒｅｎｔ and RENT, Straße", "rent strasse") == ["Ｒｅｎｔ", "RENT", "Straße"]


def test_a_long_text_is_cut_around_the_words() -> None:
    text = "pad " * 400 + "the glacier melts in summer " + "pad " * 400
    snippet = make_snippet(text, "glacier summer")
    assert len(snippet.text) <= LENGTH
    assert [snippet.text[start:end] for start, end in snippet.matches] == ["glacier", "summer"]


def test_without_a_match_the_text_begins() -> None:
    assert make_snippet("alpha " * 200, "zebra").text.startswith("alpha alpha")


@given(text=st.text(max_size=900), query=st.text(max_size=60))
@settings(deadline=None, max_examples=150)
def test_offsets_lie_in_the_snippet_and_the_snippet_in_the_text(text: str, query: str) -> None:
    snippet = make_snippet(text, query)
    assert snippet.text in text and len(snippet.text) <= max(LENGTH, 0)
    assert all(0 <= start < end <= len(snippet.text) for start, end in snippet.matches)
    assert list(snippet.matches) == sorted(snippet.matches)
