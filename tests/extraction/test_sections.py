"""Headings become a tree; small sections join what they belong to."""

from tests.extraction.documents import HARBOUR, KITCHEN, WORKSHOP, parsed, prose, shape, tree_of
from tests.standins import WordEmbedder
from wiki.settings import ExtractionSettings

LONG = prose(KITCHEN, 100)


def test_a_title_heading_stands_over_its_sections(word_embedder: WordEmbedder) -> None:
    tree, bodies = tree_of(parsed(f"# Guide\n\n{LONG}\n\n## Bread\n\n{LONG}\n\n## Pumps\n\n{LONG}\n"), word_embedder)
    assert shape(tree) == [("1", "Guide"), ("1.1", "Bread"), ("1.2", "Pumps")]
    assert bodies[1].startswith("## Bread\n\n")


def test_skipped_levels_leave_no_gap_in_depth(word_embedder: WordEmbedder) -> None:
    tree, _ = tree_of(parsed(f"# A\n\n{LONG}\n\n#### B\n\n{LONG}\n\n## C\n\n{LONG}\n"), word_embedder)
    assert [(topic.name, topic.depth) for topic in tree.topics] == [("A", 1), ("B", 2), ("C", 2)]


def test_a_document_may_begin_below_the_first_level(word_embedder: WordEmbedder) -> None:
    tree, _ = tree_of(parsed(f"### A\n\n{LONG}\n\n## B\n\n{LONG}\n\n### C\n\n{LONG}\n"), word_embedder)
    assert shape(tree) == [("1", "A"), ("2", "B"), ("2.1", "C")]


def test_six_levels_are_kept(word_embedder: WordEmbedder) -> None:
    text = "".join(f"{'#' * level} Level {level}\n\n{LONG}\n\n" for level in range(1, 7))
    tree, _ = tree_of(parsed(text), word_embedder)
    assert [topic.depth for topic in tree.topics] == [1, 2, 3, 4, 5, 6]


def test_small_first_sections_join_their_parent_with_their_heading(word_embedder: WordEmbedder) -> None:
    text = f"# Guide\n\n{LONG}\n\n## Needs\n\nFlour and salt.\n\n## Bread\n\n{LONG}\n\n## Cake\n\n{LONG}\n"
    tree, bodies = tree_of(parsed(text), word_embedder)
    assert [topic.name for topic in tree.topics] == ["Guide", "Bread", "Cake"]
    assert "## Needs\n\nFlour and salt.\n" in bodies[0]


def test_a_section_whose_parts_are_all_small_takes_them_in(word_embedder: WordEmbedder) -> None:
    parts = "".join(f"### Part {n}\n\nA few words on it.\n\n" for n in range(12))
    tree, bodies = tree_of(parsed(f"# Guide\n\n{LONG}\n\n## Parts\n\n{parts}## Cake\n\n{LONG}\n"), word_embedder)
    assert [topic.name for topic in tree.topics] == ["Guide", "Parts", "Cake"]
    assert "### Part 11" in bodies[1]


def test_small_sections_in_a_row_become_one_topic(word_embedder: WordEmbedder) -> None:
    text = f"# G\n\n{LONG}\n\n## Calls\n\n### Big\n\n{LONG}\n\n### Gives\n\nA number of it.\n\n### Raises\n\nNothing at all.\n"
    tree, bodies = tree_of(parsed(f"{text}\n## Other\n\n{LONG}\n"), word_embedder)
    assert shape(tree)[2:4] == [("1.1.1", "Big"), ("1.1.2", "Gives, Raises")]
    assert bodies[3].startswith("### Gives")


def test_a_short_document_with_real_sections_keeps_them(word_embedder: WordEmbedder) -> None:
    text = "# Report\n\n## Speed\n\nLatency fell to nine ms.\n\n## Cost\n\nCosts rose by a tenth.\n"
    tree, _ = tree_of(parsed(text), word_embedder)
    assert [topic.name for topic in tree.topics] == ["Report", "Speed", "Cost"]


def test_short_top_level_sections_stay_apart(word_embedder: WordEmbedder) -> None:
    tree, _ = tree_of(parsed("# Cats\n\nCats sleep all day.\n\n# Dogs\n\nDogs guard the house.\n"), word_embedder)
    assert [topic.name for topic in tree.topics] == ["Cats", "Dogs"]


def test_a_dictionary_of_tiny_entries_is_grouped(word_embedder: WordEmbedder) -> None:
    entries = "".join(f"## Entry {n:03}\n\n{prose(HARBOUR, 10, n)}\n\n" for n in range(300))
    tree, _ = tree_of(parsed(f"# Terms\n\n{entries}"), word_embedder)
    assert 30 < len(tree.topics) < 120
    assert all(" – " in topic.name or ", " in topic.name for topic in tree.topics[1:])


def test_a_short_text_before_the_first_heading_joins_it(word_embedder: WordEmbedder) -> None:
    tree, bodies = tree_of(parsed(f"Draft of May.\n\n# Guide\n\n{LONG}\n\n# Annex\n\n{LONG}\n"), word_embedder)
    assert [topic.name for topic in tree.topics] == ["Guide", "Annex"]
    assert bodies[0].startswith("Draft of May.\n\n# Guide")


def test_a_long_text_before_the_first_heading_is_a_topic(word_embedder: WordEmbedder) -> None:
    tree, bodies = tree_of(parsed(f"{prose(WORKSHOP, 100)}\n\n# Guide\n\n{LONG}\n"), word_embedder)
    assert len(tree.topics) == 2
    assert bodies[1].startswith("# Guide")


def test_headings_without_text_are_no_topics_of_their_own(word_embedder: WordEmbedder) -> None:
    text = f"# Book\n\n## Chapter 3\n\n## The Storm\n\n{LONG}\n\n## Home\n\n{LONG}\n\n## Index\n"
    tree, bodies = tree_of(parsed(text), word_embedder)
    assert [topic.name for topic in tree.topics] == ["Book", "Chapter 3: The Storm", "Home"]
    assert bodies[2].endswith("## Index\n")


def test_a_document_of_headings_only_is_one_topic(word_embedder: WordEmbedder) -> None:
    tree, _ = tree_of(parsed("# A\n\n## B\n\n## C\n"), word_embedder)
    assert [topic.name for topic in tree.topics] == ["A"]


def test_equal_headings_under_one_parent_get_different_names(word_embedder: WordEmbedder) -> None:
    text = f"# Manual\n\n{LONG}\n\n" + f"## Notes\n\n{LONG}\n\n" * 3
    tree, _ = tree_of(parsed(text), word_embedder)
    assert [topic.name for topic in tree.topics] == ["Manual", "Notes", "Notes (2)", "Notes (3)"]


def test_names_carry_no_markdown_and_keep_underscores(word_embedder: WordEmbedder) -> None:
    text = f"# The **bold** [link](http://x.example) of `__init__`\n\n{LONG}\n\n# snake_case_name\n\n{LONG}\n"
    tree, _ = tree_of(parsed(text), word_embedder)
    assert [topic.name for topic in tree.topics] == ["The bold link of __init__", "snake_case_name"]


def test_a_heading_as_long_as_a_page_is_text(word_embedder: WordEmbedder) -> None:
    tree, _ = tree_of(parsed(f"# {prose(KITCHEN, 4000)}\n"), word_embedder)
    assert len(tree.topics) > 2


def test_the_smallest_topic_is_a_setting(word_embedder: WordEmbedder) -> None:
    text = f"# G\n\n{LONG}\n\n## A\n\n{prose(KITCHEN, 60)}\n\n## B\n\n{prose(KITCHEN, 200)}\n\n## C\n\n{LONG}\n"
    assert len(tree_of(parsed(text), word_embedder)[0].topics) == 4
    assert len(tree_of(parsed(text), word_embedder, ExtractionSettings(min_topic_words=90))[0].topics) == 3
