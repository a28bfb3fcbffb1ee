"""Passages cover a body, fit the model, and are cut where a reader would cut."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.standins import WordEmbedder
from wiki.index.passages import TopicText, cut_many, cut_passages

WORDS = st.text("abcdef ", min_size=1, max_size=30)
LINES = st.one_of(
    WORDS,
    st.sampled_from(
        ["", "# Head", "## Sub", "### Deep", "```", "| a | b |", "| --- | --- |", "- item", "Rule", "---", "   "]
    ),
    st.text(max_size=40),
    st.text("xyz. ", min_size=200, max_size=700),
)
BODIES = st.lists(LINES, max_size=30).map("\n".join)


class SmallWindow(WordEmbedder):
    max_tokens = 24


@pytest.fixture
def embedder() -> WordEmbedder:
    return SmallWindow()


def words(count: int, stem: str = "word") -> str:
    return " ".join(f"{stem}{number}" for number in range(count))


def uncovered(body: str, texts: list[str]) -> str:
    """What is left of the body's non-blank characters after the passages, in order, were found in it.

    Where a passage's text stands in several places, the furthest one that leaves no gap before it counts.
    """
    covered = [character.isspace() for character in body]
    place = 0
    for text in texts:
        part, found = text, -1
        gap = covered.index(False) if False in covered else len(body)
        while part and found < 0:
            found = body.rfind(part, place, gap + len(part))
            found = body.find(part, place) if found < 0 else found
            if found < 0:
                part = part.split("\n", 2)[2] if part.count("\n") > 1 else ""
        if part:
            covered[found : found + len(part)] = [True] * len(part)
            place = found
    return "".join(character for character, seen in zip(body, covered, strict=True) if not seen)


@given(name=st.text(max_size=60), body=BODIES)
@settings(deadline=None, max_examples=150)
def test_every_nonblank_character_lies_in_a_passage_and_every_passage_fits(name: str, body: str) -> None:
    embedder = SmallWindow()
    passages = cut_passages(name, body, 5, embedder)
    assert uncovered(body, [passage.text for passage in passages]) == ""
    assert max(embedder.count_tokens([passage.embedded_text for passage in passages])) <= embedder.max_tokens
    assert [passage.ordinal for passage in passages] == list(range(len(passages)))
    assert all(5 <= passage.line_start <= passage.line_end <= 5 + body.count("\n") for passage in passages)


@given(body=BODIES)
@settings(deadline=None, max_examples=60)
def test_lines_point_at_the_text(body: str) -> None:
    lines = body.split("\n")
    for passage in cut_passages("Name", body, 1, SmallWindow()):
        if passage.text:
            assert passage.text.split("\n")[-1].strip() in lines[passage.line_end - 1]
            assert passage.line_end - passage.line_start <= passage.text.count("\n")


def test_a_body_that_fits_is_one_passage_with_the_name_above_it(embedder: WordEmbedder) -> None:
    (passage,) = cut_passages("Costs", "\n\n  Rent rose.\n\nPower fell.\n\n", 9, embedder)
    assert passage.text == "  Rent rose.\n\nPower fell."
    assert passage.embedded_text == "Costs\n  Rent rose.\n\nPower fell."
    assert (passage.line_start, passage.line_end) == (11, 13)


def test_an_empty_body_gives_the_name_alone(embedder: WordEmbedder) -> None:
    for body in ("", " \n\n\t\n"):
        (passage,) = cut_passages("Costs", body, 4, embedder)
        assert (passage.text, passage.embedded_text, passage.line_start, passage.line_end) == ("", "Costs", 4, 4)


def test_a_heading_that_says_the_name_is_not_embedded_twice(embedder: WordEmbedder) -> None:
    (passage,) = cut_passages("Costs", "## Costs\n\nRent rose.", 1, embedder)
    assert passage.embedded_text == "## Costs\n\nRent rose."


def test_a_long_body_is_cut_before_headings_and_carries_their_path(embedder: WordEmbedder) -> None:
    body = f"# One\n\n{words(12, 'a')}\n\n## Deep\n\n{words(12, 'b')}\n\n# Two\n\n{words(12, 'c')}\n"
    one, deep, two = cut_passages("Name", body, 1, embedder)
    assert one.text.startswith("# One") and one.heading_path == ()
    assert deep.text.startswith("## Deep") and deep.heading_path == ("One",)
    assert two.text.startswith("# Two") and two.heading_path == ()
    assert deep.embedded_text.startswith("Name\nOne\n## Deep")


def test_small_sections_share_a_passage(embedder: WordEmbedder) -> None:
    body = "# One\n\nalpha beta\n\n# Two\n\ngamma delta\n\n# Three\n\n" + words(20)
    first, second = cut_passages("Name", body, 1, embedder)
    assert "# Two" in first.text
    assert second.text.startswith("# Three")


def test_a_heading_never_ends_a_passage(embedder: WordEmbedder) -> None:
    body = words(18) + "\n\n# Next\n\n## Inner\n\n" + words(60, "x")
    passages = cut_passages("Name", body, 1, embedder)
    assert not any(passage.text.split("\n")[-1].startswith("#") for passage in passages)


def test_a_cut_table_repeats_its_header(embedder: WordEmbedder) -> None:
    rows = [f"| r{number} | {number} |" for number in range(30)]
    passages = cut_passages("Name", "\n".join(["| key | value |", "| --- | --- |", *rows]), 1, embedder)
    assert len(passages) > 2
    assert all(passage.text.startswith("| key | value |\n| --- | --- |\n| r") for passage in passages)
    assert [line for passage in passages for line in passage.text.split("\n")[2:]] == rows
    assert passages[1].line_start == 3 + len(passages[0].text.split("\n")[2:])


def test_code_is_cut_between_lines(embedder: WordEmbedder) -> None:
    lines = [f"    call_{number}(first, second)" for number in range(40)]
    passages = cut_passages("Name", "\n".join(["```python", *lines, "```"]), 1, embedder)
    kept = {"```python", "```", *lines}
    assert all(line in kept for passage in passages for line in passage.text.split("\n"))


def test_only_forced_cuts_overlap(embedder: WordEmbedder) -> None:
    sentences = " ".join(f"Fact{number} is true." for number in range(400))
    passages = cut_passages("Name", sentences, 1, WordEmbedder())
    for left, right in pairwise(passages):
        assert right.text.split(".")[0] in left.text
    blocks = "\n\n".join(words(15, stem) for stem in "abcd")
    texts = [passage.text for passage in cut_passages("Name", blocks, 1, embedder)]
    assert "\n\n".join(texts) == blocks


def test_a_name_longer_than_the_window_leaves_room_for_the_body(embedder: WordEmbedder) -> None:
    passages = cut_passages(words(300, "name"), words(30, "body"), 1, embedder)
    assert all("body" in passage.text for passage in passages)
    assert max(embedder.count_tokens([passage.embedded_text for passage in passages])) <= embedder.max_tokens


def test_equal_texts_have_equal_hashes_wherever_they_stand() -> None:
    embedder = SmallWindow()
    first = cut_passages("Name", f"{words(20, 'a')}\n\n{words(20, 'b')}", 1, embedder)
    second = cut_passages("Name", f"{words(20, 'z')}\n\n{words(20, 'b')}", 40, embedder)
    assert first[1].sha256 == second[1].sha256
    assert first[0].sha256 != second[0].sha256


def test_time_grows_with_size_not_faster() -> None:
    embedder = WordEmbedder()

    def seconds(size: int) -> float:
        body = "\n\n".join(words(50, f"p{number}x") for number in range(size))
        begin = time.process_time()
        cut_passages("Name", body, 1, embedder)
        return time.process_time() - begin

    seconds(50)
    assert seconds(2_000) < 20 * max(seconds(200), 0.01)


def test_many_topics_are_cut_in_one_call(embedder: WordEmbedder) -> None:
    topics = [TopicText(f"Topic {number}", f"Body {number}.", 3) for number in range(50)]
    assert [cut[0].embedded_text for cut in cut_many(topics, embedder)] == [
        f"Topic {number}\nBody {number}." for number in range(50)
    ]
