import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki.parsing.markdown import plain_text, split_blocks

LINES = """\
# Head|Setext/===|Under/---||   |words and words|- item|  - inner|1. one|> quote|```|~~~ x|    code|<div>|</div>|***|\
[ref]: https://example.org|<!-- |-->|####### seven|#|\\# no"""
FRAGMENTS = st.sampled_from(
    [line.replace("/", "\n") + "\n" for line in LINES.split("|")]
    + ["| a | b |\n| - | - |\n", "\t\n", "end", "\f", "\u2028", "\x0b\n"]
)


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.lists(FRAGMENTS).map("".join), st.text()))
def test_blocks_partition_every_text(text: str) -> None:
    text = text.replace("\r", "\n")
    blocks = split_blocks(text)
    assert "".join(block.text for block in blocks) == text
    assert all(block.text for block in blocks)
    assert all((block.kind == "heading") == (block.level is not None) for block in blocks)


def kinds(text: str) -> list[str]:
    return [block.kind for block in split_blocks(text)]


def test_every_kind_of_block_is_told_apart() -> None:
    text = "# H\n\npara\n\n- a\n- b\n\n| a |\n| - |\n| 1 |\n\n```\ncode\n```\n\n> quote\n\n<div>x</div>\n\n***\n"
    assert kinds(text) == ["heading", "paragraph", "list", "table", "code", "quote", "html", "rule"]


def test_blank_lines_belong_to_the_block_before_and_leading_ones_to_the_first() -> None:
    assert [block.text for block in split_blocks("\n\na\n\n\nb\n")] == ["\n\na\n\n\n", "b\n"]
    assert kinds("\n \n") == ["blank"]
    assert split_blocks("") == ()


def test_headings_are_only_those_of_the_document_itself() -> None:
    text = (
        "# One *two* `three` [four](x)\n\n```\n# no\n```\n\n- # no\n\n> # no\n\n<pre>\n# no\n</pre>\n\nFive\nsix\n---\n"
    )
    headings = [(block.level, block.heading) for block in split_blocks(text) if block.kind == "heading"]
    assert headings == [(1, "One two three four"), (2, "Five six")]


def test_a_link_definition_is_kept_as_a_block_of_its_own() -> None:
    assert [block.text for block in split_blocks("a\n\n[r]: x\n\n# b\n")] == ["a\n\n", "[r]: x\n\n", "# b\n"]


def test_plain_text_drops_marks_and_keeps_words() -> None:
    assert plain_text("**Bold** _and_ ![picture](x.png) &amp; \\*star\\*") == "Bold and picture & *star*"


@pytest.mark.parametrize(
    "text",
    [
        "# h\n\npara *x* text here\nsecond\n\n- a\n- b\n\n" * 3_000,
        "a line of text here\n" * 20_000,
        "- item\n" * 15_000,
        "word " * 60_000,
        "[" * 60_000,
        ">" * 60_000,
        "[a]: http://x\n" * 8_000,
        "|a|b|\n|-|-|\n" + "|x|y|\n" * 10_000,
    ],
    ids=["mixed", "lines", "list", "one line", "brackets", "quotes", "definitions", "table"],
)
def test_big_texts_take_linear_time(text: str) -> None:
    # Generous: other jobs share the machine; what is not linear takes minutes here.
    started = time.process_time()
    split_blocks(text)
    assert time.process_time() - started < 15
