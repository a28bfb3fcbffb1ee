"""Folding makes equal what a reader takes for equal, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki.index.folding import fold


@given(st.text())
@settings(deadline=None, max_examples=300)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("ＡＢＣ１２", "abc12"),
        ("Straße", "STRASSE"),
        ("ﬁle", "file"),
        ("co\u00adop\u200berate", "cooperate"),
        ("ｶﾅ", "カナ"),
    ],
)
def test_forms_of_one_word_are_equal(left: str, right: str) -> None:
    assert fold(left) == fold(right)


def test_vowel_signs_and_accents_stay() -> None:
    assert fold("हिन्दी") == "हिन्दी"
    assert fold("e\u0301") == fold("É") == "é"
