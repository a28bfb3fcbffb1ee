"""Near duplicates: the same fact in slightly other words is seen, another fact in the same form is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiki.vaults.duplicates import NEAR, Likeness, similarity

SAME = [
    ("The user prefers vim as the editor", "The user prefers to use vim as an editor"),
    ("Likes short answers without small talk.", "Likes brief answers without small talk."),
    ("Works from Lisbon on Fridays", "On Fridays works from Lisbon."),
    ("Drinks no coffee after noon", "He drinks no coffee after 12"),
    ("Prefers a table in a note to a spreadsheet.", "Prefers a table in notes over spreadsheets."),
    ("Her birthday is on 4 May 1987", "Birthday: 4 May 1987"),
    ("用户喜欢在早上开会", "用户喜欢早上开会"),
    ("Der Nutzer schreibt am liebsten kurze Mails", "Der Nutzer schreibt sehr gerne kurze Mails"),
]
OTHER = [
    ("Prefers dark mode in the editor", "Prefers light mode in the browser"),
    ("Works from Lisbon on Fridays", "Works from Porto on Mondays"),
    ("The user prefers vim as the editor", "The user prefers fish as the shell"),
    ("Uses vim.", "Uses a Mac."),
    ("The user has a dog named Rex", "The user has a cat named Tom"),
    ("Her birthday is on 4 May 1987", "Her wedding is on 9 June 2012"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_the_same_fact_in_other_words_is_near(left: str, right: str) -> None:
    assert similarity(left, right) >= NEAR
    assert Likeness([("it", left)]).near(right)["it"] >= NEAR


@pytest.mark.parametrize(("left", "right"), OTHER)
def test_another_fact_in_the_same_form_is_not(left: str, right: str) -> None:
    assert similarity(left, right) < NEAR
    assert Likeness([("it", left)]).near(right) == {}


def test_a_fact_is_found_in_a_list_of_facts() -> None:
    curated = (
        "# Facts\n\n- Works from Lisbon on Fridays.\n- Prefers vim as the editor.\n\nDrinks no coffee after noon.\n"
    )
    likeness = Likeness([("curated", curated), ("other", "Keeps bees.")])
    assert set(likeness.near("The user prefers vim as editor")) == {"curated"}
    assert set(likeness.near("# New\n\nNo coffee after noon\n")) == {"curated"}


def test_headings_alone_and_nothing_make_no_duplicates() -> None:
    likeness = Likeness([("a", "# Fact about the user\n\nKeeps bees.\n"), ("b", ""), ("c", "  \n---\n")])
    assert likeness.near("# Fact about the user\n\nDrinks tea.\n") == {}
    assert likeness.near("") == {}
    assert similarity("", "...") == 0.0


@given(st.text(max_size=60), st.text(max_size=60))
def test_similarity_is_a_share_and_the_same_both_ways(left: str, right: str) -> None:
    assert 0.0 <= similarity(left, right) == similarity(right, left) <= 1.0
    near = Likeness([("left", left)]).near(right)
    assert near.get("left", 0.0) >= (
        similarity(left, right) if similarity(left, right) >= NEAR and "#" not in left + right else 0.0
    )
