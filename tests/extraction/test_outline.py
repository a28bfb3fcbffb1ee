"""What holds for every document, and the real files of the shared corpus."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.extraction.documents import HARBOUR, KITCHEN, WORKSHOP, of_blocks, parsed, prose, tree_of
from tests.standins import WordEmbedder
from wiki.errors import ExtractionEmpty, WikiError
from wiki.extraction.outline import prepare
from wiki.extraction.words import count_words
from wiki.parsing.blocks import Block
from wiki.parsing.parser import parse_file
from wiki.settings import ExtractionSettings

EMBEDDER = WordEmbedder()

heading = st.builds(
    lambda level, text: Block(f"{'#' * level} {text}\n\n", "heading", level, text),
    st.integers(1, 6),
    st.sampled_from(["Pumps", "Bread", "Notes", "", "水泵", "3.", "***", "a" * 200, "ปั๊ม"]),
)
body = st.builds(
    lambda words, count, seed, kind: Block(prose(words, count, seed) + "\n\n", kind),
    st.sampled_from([KITCHEN, WORKSHOP, HARBOUR]),
    st.sampled_from([10, 30, 60, 200, 900]),
    st.integers(0, 50),
    st.sampled_from(["paragraph", "list", "quote", "code", "html"]),
)
odd = st.builds(
    Block, st.text(min_size=1, max_size=40), st.sampled_from(["paragraph", "table", "rule", "blank", "html"])
)
unspaced = st.builds(
    lambda text, n: Block(text * n, "paragraph"), st.text("水泵的。ポンプปั๊ม", min_size=1), st.integers(1, 400)
)


@given(
    st.lists(st.one_of(heading, body, odd, unspaced), min_size=1, max_size=25),
    st.integers(1, 120),
    st.integers(100, 600),
)
@settings(deadline=None, max_examples=60)
def test_every_tree_partitions_its_document(blocks: list[Block], least: int, most: int) -> None:
    document = of_blocks(*blocks)
    limits = ExtractionSettings(min_topic_words=least, max_topic_words=most)
    if document.markdown.strip():
        tree_of(document, EMBEDDER, limits)
    else:
        with pytest.raises(ExtractionEmpty):
            tree_of(document, EMBEDDER, limits)


@given(
    st.text(alphabet=st.sampled_from("ab .\n。水ป ั-|`#!?é\u200d\U0001f469"), min_size=300, max_size=3000),
    st.sampled_from(["paragraph", "list", "table", "code", "html", "quote"]),
)
@settings(deadline=None, max_examples=80)
def test_cutting_a_giant_block_keeps_every_character(text: str, kind: str) -> None:
    document = of_blocks(Block(text, kind))  # type: ignore[arg-type]
    ready = prepare(document, ExtractionSettings(max_topic_words=100))
    assert ready.markdown == text
    assert all(block.text and block.kind == kind for block in ready.blocks)


def test_a_document_without_headings_or_length_is_one_topic_named_by_its_title() -> None:
    tree, _ = tree_of(parsed("Just a short note on the pump.\n"), EMBEDDER, title="Pump note")
    assert [topic.name for topic in tree.topics] == ["Pump note"]


def test_a_first_line_that_reads_as_a_title_names_the_first_topic() -> None:
    text = "Handbook of the harbour\n\n" + "\n\n".join(prose(HARBOUR, 90, n) for n in range(30))
    tree, _ = tree_of(parsed(text), EMBEDDER)
    assert tree.topics[0].name == "Handbook of the harbour"


def test_headings_that_only_count_get_a_phrase_beside_them() -> None:
    text = f"## 0:00 to 5:00\n\n{prose(KITCHEN, 100)}\n\n## 5:00 to 10:00\n\n{prose(WORKSHOP, 100)}\n"
    tree, _ = tree_of(parsed(text), EMBEDDER)
    first, second = (topic.name for topic in tree.topics)
    assert first.startswith("0:00 to 5:00: ")
    assert second.startswith("5:00 to 10:00: ")


def test_long_text_under_a_heading_that_says_nothing_stays_before_its_sections() -> None:
    text = f"# ***\n\n{prose(KITCHEN, 900)}\n\n{prose(HARBOUR, 900)}\n\n## Pumps\n\n{prose(WORKSHOP, 100)}\n"
    tree, bodies = tree_of(parsed(text), EMBEDDER)
    assert len(tree.topics) > 2
    assert bodies[-1].startswith("## Pumps")


def test_white_space_alone_is_refused() -> None:
    with pytest.raises(ExtractionEmpty):
        tree_of(of_blocks(Block("\n \n", "blank")), EMBEDDER)


@pytest.mark.parametrize("folder", ["md", "txt", "csv", "tsv", "vtt"])
def test_the_corpus_gives_trees_and_no_long_document_is_one_topic(shared: Path, folder: str) -> None:
    seen = 0
    for path in sorted((shared / "corpus" / folder).iterdir()):
        try:
            document = parse_file(path, path.name)
        except WikiError:
            continue
        _, bodies = tree_of(document, EMBEDDER, title=path.stem)
        seen += 1
        for body in bodies:
            assert max(count_words(body), len(body.split())) <= 6_000, path.name
        assert all(body.strip() for body in bodies), path.name
    assert seen
