"""Ids are random once, checked everywhere, and derived from disk alone where a file names none."""

import unicodedata

import pytest

from wiki.documents import ids


def test_new_ids_are_well_formed_and_differ() -> None:
    fresh = {ids.new_doc_id() for _ in range(100)}
    assert len(fresh) == 100
    assert all(ids.is_doc_id(doc_id) for doc_id in fresh)


@pytest.mark.parametrize(
    ("text", "doc", "topic"),
    [
        ("d_a1b2c3d4e5f6", True, False),
        ("d_" + "a" * 32, True, False),
        ("d_" + "a" * 33, False, False),
        ("d_A1B2C3D4E5F6", False, False),
        ("d_a1b2c3d4e5f6\n", False, False),
        ("d_a1b2c3d4e5f6_12", False, True),
        ("d_a1b2c3d4e5f6_h0123abcd", False, True),
        ("d_a1b2c3d4e5f6_h0123abc", False, False),
        ("d_a1b2c3d4e5f6_٣", False, False),
        ("d_a1b2c3d4e5f6_1\n", False, False),
    ],
)
def test_ids_are_checked_as_a_whole(text: str, doc: bool, topic: bool) -> None:
    assert ids.is_doc_id(text) is doc
    assert ids.is_topic_id(text) is topic


def test_derived_ids_depend_on_the_name_alone_however_it_is_composed() -> None:
    composed = "Café.md"
    decomposed = unicodedata.normalize("NFD", composed)
    assert composed != decomposed
    derived = ids.derived_topic_id("d_a1b2c3d4e5f6", composed)
    assert derived == ids.derived_topic_id("d_a1b2c3d4e5f6", decomposed)
    assert ids.is_topic_id(derived)
    assert ids.is_doc_id(ids.derived_doc_id("Technology/Café"))
    assert ids.derived_doc_id("Technology/Café") == ids.derived_doc_id(unicodedata.normalize("NFD", "Technology/Café"))


def test_numbers_and_ids_are_read_from_names() -> None:
    assert ids.number_of("12_Costs.md") == 12
    assert ids.number_of("12_.md") == 12
    assert ids.number_of("12.md") is None
    assert ids.number_of("notes.md") is None
    assert ids.doc_id_of_folder("Report_d_a1b2c3d4e5f6") == "d_a1b2c3d4e5f6"
    assert ids.doc_id_of_folder("d_a1b2c3d4e5f6") == "d_a1b2c3d4e5f6"
    assert ids.doc_id_of_folder("Report") is None
    assert ids.number_of_topic("d_a1b2c3d4e5f6_7") == 7
    assert ids.number_of_topic("d_a1b2c3d4e5f6_h0123abcd") is None
    assert ids.doc_id_of_topic("d_a1b2c3d4e5f6_h0123abcd") == "d_a1b2c3d4e5f6"
