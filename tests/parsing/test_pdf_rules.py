import pytest

from wiki.parsing.pdf.aligned import aligned_tables
from wiki.parsing.pdf.geometry import Box, Line
from wiki.parsing.pdf.joining import join_lines
from wiki.parsing.pdf.rules import is_heading, is_page_number, starts_item, without_bullet
from wiki.parsing.pdf.unruled import grid


def word(text: str, left: float, top: float, *, height: float = 10, bold: bool = False) -> Line:
    return Line(Box(left, top, left + 5 * len(text), top + height), text, bold)


def table(*rows: tuple[str | None, ...], step: float = 90) -> list[Line]:
    return [
        word(text, 50 + step * column, 100 + 15 * row)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
        if text
    ]


def test_lines_join_to_whole_words() -> None:
    assert join_lines(
        ["The algo-", "rithm of Jean-", "Paul in COVID-", "19 times", "", "e\ufb03cient \u2019x\u2019"]
    ) == ("The algorithm of Jean-Paul in COVID-19 times e\ufb03cient \u2019x\u2019".replace("\ufb03", "ffi"))


def test_headings_are_told_from_text_by_type() -> None:
    assert is_heading(word("Results", 0, 0, height=14), 10, mostly_bold=False)
    assert is_heading(word("3.1 Materials", 0, 0, bold=True), 10, mostly_bold=False)
    assert not is_heading(word("3.1 Materials", 0, 0, bold=True), 10, mostly_bold=True)
    assert not is_heading(word("a sentence that ends.", 0, 0, height=14), 10, mostly_bold=False)
    assert not is_heading(word("better scores. However the speed", 0, 0, height=14), 10, mostly_bold=False)


@pytest.mark.parametrize("text", ["12", "- 3 -", "Page 4 of 9", "xiv"])
def test_page_numbers(text: str) -> None:
    assert is_page_number(text)
    assert not is_page_number(f"{text} pumps")


def test_list_items() -> None:
    assert starts_item("\u2022 one") and starts_item("2) two") and not starts_item("2026 was dry")
    assert without_bullet("\u2022 one") == "one"


def test_a_table_without_rules_keeps_empty_cells_in_place() -> None:
    rows = (
        ("Code", "Place", "Count"),
        ("K-1", None, "40"),
        ("K-2", "Yard", None),
        ("K-3", "Hall", "7"),
        ("K-4", "Shed", "9"),
    )
    words = table(*rows)
    assert grid(words) == [[text or "" for text in row] for row in rows]
    [box] = aligned_tables(words, [], 600)
    assert all(box.holds(found.box) for found in words)


def test_running_text_is_no_table() -> None:
    lines = [
        word(text, left, 100 + 12 * row)
        for row in range(8)
        for left, text in ((50, "a line of the left column here"), (300, "and one of the right column"))
    ]
    assert aligned_tables(lines, [], 600) == []
