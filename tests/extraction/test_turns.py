"""Long text without headings is cut where it turns to something else, and giant blocks are cut inside."""

from tests.extraction.documents import HARBOUR, KITCHEN, WORKSHOP, of_blocks, parsed, prose, tree_of
from tests.standins import WordEmbedder
from wiki.extraction.outline import prepare
from wiki.parsing.blocks import Block, Provenance
from wiki.settings import ExtractionSettings


def paragraphs(words: list[str], count: int, seed: int) -> str:
    return "\n\n".join(prose(words, 70, seed * 100 + number) for number in range(count)) + "\n\n"


def test_a_cut_lies_where_the_meaning_turns(word_embedder: WordEmbedder) -> None:
    kitchen, workshop = paragraphs(KITCHEN, 12, 1), paragraphs(WORKSHOP, 14, 2)
    tree, bodies = tree_of(parsed(kitchen + workshop), word_embedder)
    assert bodies == [kitchen, workshop]
    assert tree.notes["cuts"] == "embedding"


def test_three_subjects_give_three_topics_named_after_them(word_embedder: WordEmbedder) -> None:
    text = paragraphs(KITCHEN, 13, 1) + paragraphs(WORKSHOP, 13, 2) + paragraphs(HARBOUR, 13, 3)
    tree, _ = tree_of(parsed(text), word_embedder)
    assert len(tree.topics) == 3
    for topic, words in zip(tree.topics, (KITCHEN, WORKSHOP, HARBOUR), strict=True):
        assert set(topic.name.casefold().replace(",", "").split()) <= set(words)


def test_more_text_than_the_model_should_read_is_cut_by_its_words() -> None:
    embedder = WordEmbedder()
    subjects = (KITCHEN, WORKSHOP, HARBOUR)
    text = "".join(paragraphs(subjects[n % 3], 12, n) for n in range(20))
    tree, bodies = tree_of(parsed(text), embedder)
    assert tree.notes["cuts"] == "words"
    assert len(bodies) >= 20
    assert len(embedder.embedded) < 400


def test_parts_of_a_long_section_are_its_first_children(word_embedder: WordEmbedder) -> None:
    text = (
        f"# Manual\n\n{paragraphs(KITCHEN, 12, 1)}{paragraphs(WORKSHOP, 12, 2)}## Annex\n\n{paragraphs(HARBOUR, 2, 3)}"
    )
    tree, bodies = tree_of(parsed(text), word_embedder)
    assert tree.positions() == ("1", "1.1", "1.2")
    assert tree.topics[2].name == "Annex"
    assert bodies[0].startswith("# Manual")


def test_parts_of_a_section_on_the_sixth_level_stand_beside_it(word_embedder: WordEmbedder) -> None:
    heads = "".join(f"{'#' * level} L{level}\n\n{prose(HARBOUR, 50)}\n\n" for level in range(1, 6))
    tree, _ = tree_of(parsed(f"{heads}###### L6\n\n{paragraphs(KITCHEN, 40, 1)}"), word_embedder)
    assert max(topic.depth for topic in tree.topics) == 6
    assert sum(topic.depth == 6 for topic in tree.topics) > 2


def test_one_giant_line_is_cut_at_sentence_ends(word_embedder: WordEmbedder) -> None:
    text = prose(KITCHEN, 9000)
    tree, bodies = tree_of(parsed(text), word_embedder)
    assert len(tree.topics) >= 8
    assert all(body.rstrip().endswith(".") for body in bodies)


def test_a_giant_line_of_chinese_is_cut_and_named(word_embedder: WordEmbedder) -> None:
    text = "".join(f"第{n}号水泵的密封圈在检修时被更换，压力恢复正常。" for n in range(900))
    tree, bodies = tree_of(parsed(text), word_embedder)
    assert len(tree.topics) >= 5
    assert all(body.endswith("。") for body in bodies)
    assert "水泵" in tree.topics[0].name
    assert "水泵" in tree.topics[0].summary


def test_a_giant_line_of_thai_keeps_its_marks_with_their_letters(word_embedder: WordEmbedder) -> None:
    text = "ที่นี่มีปั๊มน้ำและท่อส่งน้ำที่ต้องตรวจสอบทุกวัน" * 600
    tree, bodies = tree_of(parsed(text), word_embedder)
    assert len(tree.topics) >= 3
    assert not any(body[0] in "ิีึืุู่้๊๋์ั็" for body in bodies)


def test_a_long_table_is_cut_between_rows_and_named_by_its_first_column(word_embedder: WordEmbedder) -> None:
    rows = "".join(f"| part {n:04} | {n * 7} | shelf {n % 9} |\n" for n in range(2000))
    tree, bodies = tree_of(parsed(f"| name | price | place |\n| --- | --- | --- |\n{rows}"), word_embedder)
    assert len(tree.topics) >= 8
    assert all(body.endswith("|\n") for body in bodies)
    assert tree.topics[0].name.startswith("part 0000 – part 0")
    assert tree.summary == ""
    assert tree.notes["cuts"] == "rows"


def test_a_table_with_few_filled_cells_is_cut_as_well(word_embedder: WordEmbedder) -> None:
    rows = "".join(f"| {n} |" + "  |" * 9 + "\n" for n in range(1100))
    tree, bodies = tree_of(parsed(f"| a |{' b |' * 9}\n|{' --- |' * 10}\n{rows}"), word_embedder)
    assert len(tree.topics) >= 3
    assert all(len(body.split()) <= 6_000 for body in bodies)


def test_rows_named_by_numbers_get_the_columns_name(word_embedder: WordEmbedder) -> None:
    head = "| id | city |\n| --- | --- |\n"
    tables = [
        Block(head + "".join(f"| {n} | x y z |\n" for n in range(a, a + 50)) + "\n", "table") for a in range(0, 900, 50)
    ]
    tree, _ = tree_of(of_blocks(*tables), word_embedder)
    assert tree.topics[0].name.startswith("id 0 – ")


def test_a_code_listing_stays_whole_until_it_is_very_long(word_embedder: WordEmbedder) -> None:
    def listing(count: int) -> str:
        return (
            "```python\n"
            + "".join(f"def step_{n}(pump):\n    return pump.run({n})\n\n" for n in range(count))
            + "```\n"
        )

    assert len(tree_of(parsed(listing(200)), word_embedder)[0].topics) == 1
    tree, bodies = tree_of(parsed(listing(2000)), word_embedder)
    assert len(tree.topics) >= 4
    assert all(body.startswith("def step_") for body in bodies[1:])
    assert tree.summary == ""


def test_a_long_list_is_cut_between_items(word_embedder: WordEmbedder) -> None:
    text = "".join(f"- item {n} {prose(HARBOUR, 20, n)}\n  - detail {n}\n" for n in range(400))
    _, bodies = tree_of(parsed(text), word_embedder)
    assert len(bodies) >= 5
    assert all(body.startswith("- item") for body in bodies)


def test_a_slide_is_never_torn_when_a_slide_change_is_near(word_embedder: WordEmbedder) -> None:
    blocks = [
        Block(prose(KITCHEN, 60, slide * 10 + part) + "\n\n", "paragraph", provenance=Provenance(slide=slide))
        for slide in range(1, 13)
        for part in range(5)
    ]
    ready = of_blocks(*blocks)
    tree, _ = tree_of(ready, word_embedder)
    for topic in tree.topics[1:]:
        first, before = blocks[topic.start].provenance, blocks[topic.start - 1].provenance
        assert first is not None and before is not None and first.slide != before.slide


def test_what_is_short_is_left_alone() -> None:
    document = parsed("# A\n\nShort.\n\n- x\n- y\n")
    assert prepare(document, ExtractionSettings()) is document


def test_embedded_data_is_one_word_and_not_cut(word_embedder: WordEmbedder) -> None:
    text = f"Before it.\n\n![x](data:image/png;base64,{'iVBORw0KGgo' * 9000})\n\nAfter it.\n"
    tree, _ = tree_of(parsed(text), word_embedder)
    assert len(tree.topics) == 1


def test_a_megabyte_with_headings_keeps_every_section(word_embedder: WordEmbedder) -> None:
    section = "".join(f"## Section {n}\n\n{prose(KITCHEN, 220, n)}\n\n{prose(WORKSHOP, 60, n)}\n\n" for n in range(680))
    document = parsed(f"# Manual\n\n{section}")
    assert len(document.markdown) > 1_000_000
    tree, _ = tree_of(document, word_embedder)
    assert len(tree.topics) == 681
