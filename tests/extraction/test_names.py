"""Names a person can use, of text that has no headings or none that differ."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.extraction.documents import HARBOUR, KITCHEN, WORKSHOP, of_blocks, parsed, prose, tree_of
from tests.standins import WordEmbedder
from wiki.extraction.words import count_words
from wiki.parsing.blocks import Block
from wiki.parsing.text import split_paragraphs
from wiki.settings import ExtractionSettings

EMBEDDER = WordEmbedder()
SHORT = ExtractionSettings(max_topic_words=100, min_topic_words=5)


def names(*blocks: Block) -> list[str]:
    return [topic.name for topic in tree_of(of_blocks(*blocks), EMBEDDER, SHORT)[0].topics]


def code(text: str, language: str = "") -> Block:
    return Block(f"```{language}\n{text}\n```\n\n", "code")


def test_program_text_is_named_by_what_it_defines() -> None:
    listings = [
        code(
            "".join(f"def step_{n}(pump):\n    return pump.run({n}, valve={n})\n" for n in range(at, at + 10)), "python"
        )
        for at in (0, 10, 20)
    ]
    assert names(*listings) == ["step_0 – step_9", "step_10 – step_19", "step_20 – step_29"]


def test_records_are_named_by_the_range_of_their_first_key() -> None:
    def record(n: int) -> str:
        return f'  {{\n    "id": {n},\n    "town": "Aldby",\n    "size": {{"id": 7, "wide": {n * 3}}}\n  }},\n'

    parts = [code("".join(record(n) for n in range(at, at + 9)), "json") for at in (0, 9, 18)]
    assert names(*parts) == ["id 0 – 8", "id 9 – 17", "id 18 – 26"]


def test_settings_are_named_by_their_sections_or_keys() -> None:
    toml = [code(f"[pump_{n}]\nspeed = {n}\n" + "power = 9\n" * 30, "toml") for n in range(3)]
    assert names(*toml) == ["pump_0", "pump_1", "pump_2"]
    yaml = [
        code(f"pump_{n}:\n" + "".join(f"  part_{k}: {k}\n" for k in range(30)) + f"valve_{n}: 2", "yaml")
        for n in (1, 2)
    ]
    assert names(*yaml) == ["pump_1 – valve_1", "pump_2 – valve_2"]


def test_a_log_is_named_by_its_first_and_last_moment() -> None:
    lines = "".join(
        f"2026-11-0{1 + n // 100} 10:{n % 60:02}:07,123 INFO pump {n % 7} took {n} ms\n" for n in range(300)
    )
    tree, _ = tree_of(of_blocks(*split_paragraphs(lines)), EMBEDDER)
    assert tree.topics[0].name.startswith("2026-11-01 10:00 – 2026-11-0")


def test_a_page_of_typed_text_in_a_listing_is_read_as_text() -> None:
    sections = "".join(
        f"[[Page {n}]]\n\n    SEC. {n}. RULES OF THE {words[0].upper()}.\n\n    {prose(words, 300, n)}\n\n"
        for n, words in enumerate([KITCHEN, WORKSHOP, HARBOUR] * 3)
    )
    tree, bodies = tree_of(of_blocks(code(sections)), EMBEDDER, ExtractionSettings(max_topic_words=400))
    titled = [topic.name for topic in tree.topics if topic.name.startswith("SEC. ")]
    assert len(titled) >= 8
    assert all(topic.summary for topic in tree.topics)
    assert not any("[[" in topic.name for topic in tree.topics)
    assert sum(body.lstrip().startswith(("SEC. ", "[[Page")) for body in bodies) >= 7


def test_a_line_that_stands_alone_as_a_title_begins_and_names_a_topic() -> None:
    text = "".join(
        f"{n}. Care of the {words[n]}\n\n{prose(words, 90, n)}\n\n" for n, words in enumerate([KITCHEN, HARBOUR] * 4, 1)
    )
    tree, bodies = tree_of(of_blocks(*split_paragraphs(text)), EMBEDDER, SHORT)
    assert [topic.name for topic in tree.topics] == [body.splitlines()[0] for body in bodies]


def test_a_table_of_long_cells_is_named_by_its_words() -> None:
    rows = "".join(f"| {prose(KITCHEN, 60, n)} | {prose(HARBOUR, 60, n)} |\n" for n in range(6))
    found = names(Block(f"| what | where |\n| --- | --- |\n{rows}", "table"))
    assert len(found) > 3
    assert not any(" – " in name or "|" in name for name in found)


def test_many_headings_without_text_are_cut_and_named_by_the_first_and_last() -> None:
    text = "".join(f"## The {KITCHEN[n % 13]} of week {n:03}\n\n" for n in range(1500))
    tree, _ = tree_of(parsed(text), EMBEDDER)
    assert len(tree.topics) >= 6
    assert tree.topics[1].name.count(" – ") == 1


def test_names_differ_beyond_case_and_the_make_up_of_an_accent() -> None:
    bodies = [prose(WORKSHOP, 50, n) for n in range(5)]
    text = "".join(
        f"## {name}\n\n{body}\n\n"
        for name, body in zip(["Notes", "NOTES", "Café", "Cafe\u0301", "notes"], bodies, strict=True)
    )
    tree, _ = tree_of(parsed(text), EMBEDDER)
    assert [topic.name for topic in tree.topics] == ["Notes", "NOTES (2)", "Café", "Cafe\u0301 (2)", "notes (3)"]


def test_what_comes_up_in_one_place_only_names_no_stretch() -> None:
    aside = "The zebra crossing is new. " * 3
    text = f"{prose(KITCHEN, 500, 1)} {aside}{prose(KITCHEN, 500, 2)}\n\n{prose(WORKSHOP, 1000, 3)}"
    tree, _ = tree_of(parsed(text), EMBEDDER)
    assert not any("zebra" in topic.name.casefold() for topic in tree.topics)


def test_korean_is_counted_by_its_spaces_and_hindi_by_its_words() -> None:
    assert count_words("펌프는 매주 점검합니다.") == 3
    assert count_words("पंप की मरम्मत") == 3
    assert count_words("水泵的密封圈") == 3


scraps = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["# Same", "# same", "## SAME", "###### Deep", "####### no", "- item", "| a | b |\n| - | - |", "> q", "```"]),
    st.sampled_from(["水泵的密封圈。", "ปั๊มน้ำ ", "**bold** _it_ `x`", "[a](http://b.c)", "<b>hi</b>", "Chapter 3", "\\# no", "a:"]),
    st.builds(lambda words, count, seed: prose(words, count, seed), st.sampled_from([KITCHEN, HARBOUR]), st.sampled_from([20, 150, 700]), st.integers(0, 9)),
)  # fmt: skip


@given(
    st.lists(st.tuples(scraps, st.sampled_from(["\n", "\n\n", " "])), min_size=1, max_size=40), st.integers(100, 400)
)
@settings(deadline=None, max_examples=120)
def test_any_text_gives_a_whole_tree_of_topics_none_of_which_is_too_long(
    parts: list[tuple[str, str]], most: int
) -> None:
    document = parsed("x" + "".join(text + end for text, end in parts))
    _, bodies = tree_of(document, EMBEDDER, ExtractionSettings(max_topic_words=most, min_topic_words=10))
    for body in bodies:
        if "```" not in document.markdown:
            assert count_words(body) <= most
        assert count_words(body) <= most * 2.2


@pytest.mark.parametrize("kind", ["paragraph", "list", "table", "html", "quote", "code"])
@pytest.mark.parametrize(
    "text",
    [
        prose(KITCHEN, 6_500),
        "word " * 6_500,
        "The pump leaks: " * 2_500,
        "\n".join(f"{n} {prose(HARBOUR, 10, n)}" for n in range(800)),
        "水泵的密封圈在检修时被更换，" * 1_000,
        "ปั๊มน้ำและท่อส่งน้ำ" * 800,
        "펌프를 점검합니다 " * 3_500,
    ],
    ids=["prose", "one word", "colons", "lines", "chinese", "thai", "korean"],
)
def test_a_giant_block_is_never_one_topic(kind: str, text: str) -> None:
    _, bodies = tree_of(of_blocks(Block(text, kind)), EMBEDDER)  # type: ignore[arg-type]
    assert len(bodies) >= 5
    assert all(count_words(body) <= 1_200 for body in bodies)
