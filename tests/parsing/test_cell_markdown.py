import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from wiki.parsing.cell_markdown import cell_markdown, escape_pipes
from wiki.parsing.tables import render_tables

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SIGNS = "ab 5.,\\`*_~[]()<>&|!#;:/-=\"'\n"


def rows_read(markdown: str) -> list[list[str]]:
    """The cells a reader of the page sees; a ``<br>`` is a line end, and nothing else may be markup."""
    rows: list[list[str]] = []
    for token in READER.parse(markdown):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append("".join(words_of(token)))
    return rows


def words_of(token: Token) -> list[str]:
    words: list[str] = []
    for child in token.children or ():
        if child.type == "html_inline" and child.content == "<br>":
            words.append("\n")
        else:
            # An address in angle brackets is a link that shows itself.
            assert child.type in ("text", "text_special") or child.info == "auto", (child.type, token.content)
            words.append(child.content)
    return words


def collapsed(cell: str) -> str:
    return "\n".join(line for line in (" ".join(line.split()) for line in cell.splitlines()) if line)


@settings(deadline=None, max_examples=600)
@given(st.lists(st.text(SIGNS, max_size=24) | st.text(max_size=12), min_size=2, max_size=2))
@example(["<!-- a -->", "a\\|b"])
@example(["*\n*", "a `b\nc` d\\\nmore"])
@example(["&amp; &#65; &nosuch;", "x\\"])
@example(["![a](b) [c][d]", "https://host.example/_a_/b*c* and *d*"])
def test_a_viewer_shows_the_very_text_of_every_cell(cells: list[str]) -> None:
    shown = [collapsed(cell.replace("\x00", "")) for cell in cells]
    (table,) = render_tables([["h", "k"], [cell.replace("\x00", "") for cell in cells]])
    assert rows_read(table) == [["h", "k"], shown]


@pytest.mark.parametrize(
    "text",
    [
        *("a_b_c", "3 * 4", "<5 mg", "x < y > z", "a<b", "12.5*", "~5 – ~6", "C:\\new", "f(x) [kg]", "R&D; Q&A", "#1"),
        *("a `tick", "https://host.example/_next/a_b", "__", "100 % *", "2 ** 3", "- item", "1. first", "> 5"),
    ],
)
def test_signs_that_are_no_markup_stay_as_they_are(text: str) -> None:
    assert cell_markdown(text) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", "a\\|b"),
        ("*x*", "\\*x\\*"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("<b>", "\\<b>"),
        ("[link](x)", "\\[link\\](x)"),
        ("`code`", "\\`code\\`"),
        ("&lt;", "&amp;lt;"),
        ("a\\*b", "a\\\\*b"),
        ("https://host.example/_a_", "<https://host.example/_a_>"),
    ],
)
def test_signs_that_would_be_markup_are_escaped(text: str, escaped: str) -> None:
    assert cell_markdown(text) == escaped


def test_cells_that_are_markdown_already_only_have_their_pipes_escaped() -> None:
    once = escape_pipes("**a** | b \\| c \\\\| d")
    assert once == "**a** \\| b \\| c \\\\\\| d"
    assert escape_pipes(once) == once
