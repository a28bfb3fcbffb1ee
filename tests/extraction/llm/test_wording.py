"""What becomes of names, summaries and labels as models write them."""

import pytest

from wiki.extraction.llm.wording import Wording

NAMES = [
    ("Seals", "Seals", 0),
    ("  Seals \t and  rings ", "Seals and rings", 0),
    ("Seals\nand rings", "Seals and rings", 1),
    ("Seals\u2028and rings", "Seals and rings", 1),
    ("## **Seals** and `rings`", "Seals and rings", 0),
    ("“Seals”", "Seals", 0),
    ('"Seals"', "Seals", 0),
    ("3. Seals", "Seals", 0),
    ("2.1) Seals", "Seals", 0),
    ("3.5 tons", "3.5 tons", 0),
    ("1999", "1999", 0),
    ("<b>Seals</b><script>x</script>", "Sealsx", 0),
    ("[[Seals]]", "[Seals]", 0),
    ("[Seals](http://x.y)", "Seals", 0),
    ("Se\u202eals\u200b", "Seals", 0),
    ("Seals \ud800\x00", "Seals", 0),
    ("水泵", "水泵", 0),
    ("می\u200cخواهم", "می\u200cخواهم", 0),
    ("---", "", 0),
    ("…", "", 1),
    ("", "", 0),
    (None, "", 0),
    (5, "", 1),
    (["Seals"], "", 1),
]


@pytest.mark.parametrize(("given", "kept", "repairs"), NAMES)
def test_a_name_is_one_line_of_plain_text(given: object, kept: str, repairs: int) -> None:
    wording = Wording()
    assert wording.name(given) == kept
    assert wording.repairs == repairs


def test_a_long_name_is_cut_between_words() -> None:
    wording = Wording()
    name = wording.name("word " * 60)
    assert len(name) <= 120
    assert name.endswith("word…")
    assert wording.repairs == 1


def test_a_long_summary_is_cut_behind_a_sentence() -> None:
    wording = Wording()
    summary = wording.summary("This is the first sentence of many that say little. " * 20)
    assert 300 < len(summary) <= 500
    assert summary.endswith("say little.")
    assert wording.repairs == 1
    assert len(wording.summary("x" * 2_000)) == 500


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("# Head\n\nText *of* it.", "Head Text of it."),
        ("---\ntitle: x\n---\nText", "title: x --- Text"),
        ("> quoted", "quoted"),
        ("- item", "item"),
        ("-5 degrees", "-5 degrees"),
        ("#1 of the list", "#1 of the list"),
        ("```\ncode\n```", "code"),
        ("&lt;script&gt;x", "x"),
    ],
)
def test_a_summary_is_one_paragraph_that_opens_nothing(given: str, kept: str) -> None:
    assert Wording().summary(given) == kept


@pytest.mark.parametrize(
    ("given", "kept", "repairs"),
    [
        (["Pumps", "pumps", "Sea Water"], ("pumps", "sea water"), 0),
        (["#pumps", " pumps. "], ("pumps",), 0),
        ("Pumps, valves", ("pumps", "valves"), 1),
        (["x" * 41, "ok"], ("ok",), 1),
        (["a\nb"], ("a b",), 1),
        ([3, None, {}, "ok"], ("ok",), 3),
        (["", "ok"], ("ok",), 1),
        ("…", (), 3),
        (None, (), 0),
        ({"a": 1}, (), 1),
        ([str(number) for number in range(12)], tuple("01234567"), 1),
        (["ÄPFEL", "水泵"], ("äpfel", "水泵"), 0),
    ],
)
def test_labels_are_short_lower_case_and_few(given: object, kept: tuple[str, ...], repairs: int) -> None:
    wording = Wording()
    assert wording.labels(given) == kept
    assert wording.repairs == repairs
