"""Names on disk are readable in every script and safe on every system."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wiki.documents.slugs import document_folder_name, original_name, slug, topic_file_name

WINDOWS_RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Performance Analysis", "Performance_Analysis"),
        ("Not/In Taxonomy", "NotIn_Taxonomy"),
        ("v1.2-beta", "v1.2-beta"),
        ("日本語 の タイトル", "日本語_の_タイトル"),
        ("हिन्दी शीर्षक", "हिन्दी_शीर्षक"),
        ("Üb\u0065\u0301r", "Übér"),
        ("  many \t spaces\n", "many_spaces"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("..", "fallback"),
        (".hidden", "hidden"),
        ("", "fallback"),
        ("😀", "fallback"),
        ("\u0301x", "x"),
        ("ends. ", "ends"),
    ],
)
def test_a_title_becomes_a_readable_name(text: str, expected: str) -> None:
    assert slug(text, "fallback") == expected


@settings(max_examples=120, deadline=None)
@given(st.text(max_size=120))
@example("e\u0301" * 80)
@example("각" * 80)
@example("\u1112\u1161\u11ab" * 60)
@example("क्षि" * 60)
@example("com1.")
@example("..a")
def test_a_slug_is_always_a_safe_name(text: str) -> None:
    name = slug(text, "fallback")
    assert name == unicodedata.normalize("NFC", name)
    assert 0 < len(name) <= 50
    assert len(name.encode()) <= 180
    assert name[0] != "." and name[-1] not in ". "
    assert name.split(".")[0].casefold() not in WINDOWS_RESERVED
    assert not set(name) & set('/\\<>:"|?*\x00 \n')
    assert slug(name, "fallback") == name


@pytest.mark.parametrize("text", ["e\u0301" * 80, "x" * 49 + "q\u0323\u0301", "क्षि" * 60, "ก\u0e33" * 60])
def test_a_long_name_is_cut_between_graphemes(text: str) -> None:
    kept = slug(text, "fallback")
    rest = unicodedata.normalize("NFC", text)[len(kept) :]
    assert unicodedata.normalize("NFC", text).startswith(kept)
    assert not rest or unicodedata.category(rest[0])[0] != "M"


def test_folder_and_file_names_carry_the_id_and_the_number() -> None:
    assert document_folder_name("Q1 Engineering Report", "d_a1b2c3d4e5f6") == "Q1_Engineering_Report_d_a1b2c3d4e5f6"
    assert topic_file_name(2, "Infrastructure Costs") == "2_Infrastructure_Costs.md"
    assert topic_file_name(3, "???") == "3_topic_3.md"
    assert len(document_folder_name("語" * 90, "d_" + "a" * 32).encode()) <= 255


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("my report.pdf", "my report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\scan.pdf", "scan.pdf"),
        ("a\x00b.md", "ab.md"),
        ("..", "original"),
        ("", "original"),
        ("dir/", "original"),
        ("a:b?.txt", "a_b_.txt"),
        ("nul.txt", "_nul.txt"),
        (".gitignore", ".gitignore"),
    ],
)
def test_an_upload_name_is_made_safe(name: str, expected: str) -> None:
    assert original_name(name) == expected


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(), max_size=400))
@example("é" * 300 + ".pdf")
@example("a" * 300)
@example("a." + "b" * 300)
@example("\udcff.pdf")
def test_an_upload_name_is_one_path_part_of_at_most_255_bytes(name: str) -> None:
    safe = original_name(name)
    assert 0 < len(safe.encode()) <= 255
    assert safe not in {".", ".."}
    assert not set(safe) & set('/\\\x00<>:"|?*')
    assert original_name(safe) == safe


def test_a_shortened_upload_name_keeps_its_extension() -> None:
    assert original_name("é" * 300 + ".pdf").endswith("é.pdf")
