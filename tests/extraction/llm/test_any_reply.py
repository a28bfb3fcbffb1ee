"""Whatever a model answers: a tree whose joined bodies are the document, or the error that says what to do."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.extraction.documents import HARBOUR, KITCHEN, WORKSHOP, parsed, prose
from tests.extraction.llm.models import Asked, GoodModel, StandInChat, llm_tree_of
from tests.standins import WordEmbedder
from wiki.errors import ExternalServiceUnavailable
from wiki.models.protocols import Reply
from wiki.settings import ExtractionSettings

STRICT = ExtractionSettings(method="llm")
LENIENT = ExtractionSettings(method="llm", fallback="outline", min_topic_words=20, max_topic_words=120)
EMBEDDER = WordEmbedder()

words = st.sampled_from([*KITCHEN, *HARBOUR, *WORKSHOP])
paragraphs = st.builds(
    lambda seed, size: prose(WORKSHOP + HARBOUR, size, seed) + "\n\n", st.integers(0, 50), st.integers(10, 120)
)
headings = st.builds(lambda level, name: f"{'#' * level} {name}\n\n", st.integers(1, 6), words)
oddities = st.sampled_from(
    [
        "- one\n- two\n    - three\n\n",
        "```py\ndef f():\n\n    return 1\n```\n\n",
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n",
        "---\n\n",
        "> said\n\n",
        "<<<DOCUMENT\n[3] no block\n>>>\n\n",
        "# 3.\n\n",
        "# ***\n\n",
        "\u2028line\x0bbreaks\x85\n\n",
        "終わり。次の章。\n\n",
    ]
)
documents = st.lists(st.one_of(paragraphs, headings, oddities), min_size=1, max_size=14).map("".join)

texts = st.one_of(
    st.text(max_size=40),
    words,
    st.sampled_from(["", "a\nb", "x" * 900, "# Head", "---", "<b>x</b>", "\ud800", "Same", "same", "[[x]]", "1. One"]),
)
numbers = st.one_of(
    st.integers(-3, 40), st.sampled_from([10**400, -1, 0.0, 2.5, float("inf"), True, None, "3", "[4]", "x"])
)
lists_of_text = st.one_of(st.lists(texts, max_size=12), texts, st.none())
topics = st.fixed_dictionaries(
    {"start": numbers}, optional={"level": numbers, "name": texts, "summary": texts, "labels": lists_of_text}
)
notes = st.fixed_dictionaries(
    {},
    optional={
        "summary": texts, "labels": lists_of_text, "category": st.one_of(texts, st.sampled_from(["Food", "food", "No"])),
        "confidence": numbers, "reason": texts,
    },
)  # fmt: skip
replies: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"topics": st.one_of(st.lists(topics, max_size=12), numbers, st.none())},
    optional={"joined": st.one_of(st.lists(numbers, max_size=6), numbers), "document": st.one_of(notes, texts)},
)
rubbish = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        ["", "null", "[]", "{}", "[" * 5_000, '{"topics": [' + "{" * 3_000, '{"topics": ' + "9" * 5_000 + "}"]
    ),
    replies.map(lambda value: json.dumps(value)[:-9]),
    replies.map(lambda value: f"Sure! ```json\n{json.dumps(value)}\n``` Anything else?"),
)
answers = st.one_of(replies, rubbish, st.builds(Reply, rubbish, st.booleans()))


def mutated(change: int) -> Any:
    """A good reply with one thing wrong."""

    def answer(asked: Asked) -> dict[str, Any]:
        reply: dict[str, Any] = GoodModel(every=3)(asked)
        listed: list[Any] = reply.get("topics", [])
        at = change % max(1, len(listed))
        wrong: list[Any] = [None, -1, 10**9, "x", [1], {}, listed[0]["start"] if listed else 0]
        if len(listed) > 1:
            listed[at][("start", "level", "name", "summary", "labels")[change % 5]] = wrong[change % len(wrong)]
            if change % 3 == 0:
                listed.reverse()
            if change % 4 == 0:
                listed.extend(listed)
        return reply

    return answer


def expect_tree_or_error(markdown: str, chat: StandInChat, given: ExtractionSettings) -> None:
    document = parsed(markdown)
    if not markdown.strip():
        return
    try:
        tree, _ = llm_tree_of(document, chat, EMBEDDER, given)
    except ExternalServiceUnavailable as error:
        assert given.fallback == "none"
        assert "extraction.fallback" in error.message
        return
    assert (tree.method == "outline") == ("fallback" in tree.notes)
    if given.fallback == "none":
        assert tree.method == "llm"


@settings(max_examples=120)
@given(documents, st.lists(answers, min_size=1, max_size=3), st.sampled_from([STRICT, LENIENT]))
@example("# 0\n\nword\n", [{"topics": [{"start": 10**400, "level": float("inf"), "labels": ["a\nb", 3]}]}], STRICT)
def test_any_answer_gives_the_whole_document_or_the_error(
    markdown: str, given: list[object], chosen: ExtractionSettings
) -> None:
    expect_tree_or_error(markdown, StandInChat(given), chosen)


@settings(max_examples=60)
@given(documents, st.integers(0, 500), st.sampled_from([STRICT, LENIENT]))
def test_a_good_answer_with_one_thing_wrong_is_mended(markdown: str, change: int, chosen: ExtractionSettings) -> None:
    chat = StandInChat(mutated(change))
    tree, _ = llm_tree_of(parsed(markdown), chat, EMBEDDER, chosen)
    assert len(chat.asked) <= 2
    assert tree.method == "llm"


@settings(max_examples=30)
@given(
    st.lists(paragraphs, min_size=20, max_size=60).map("".join),
    st.lists(answers, min_size=1, max_size=6),
    st.booleans(),
)
def test_any_answers_to_several_windows(markdown: str, given: list[object], good: bool) -> None:
    script = [GoodModel(every=2) if good and number % 2 else answer for number, answer in enumerate(given)]
    expect_tree_or_error(markdown, StandInChat(script, context_tokens=4_000), LENIENT)


@pytest.mark.parametrize(
    "broken", ['{"topics": [{"start": 0, "summ', "no", {"topics": []}, {"topics": [{"start": 99}]}]
)
def test_without_a_usable_answer_the_error_says_what_to_set(broken: object) -> None:
    chat = StandInChat([broken])
    with pytest.raises(ExternalServiceUnavailable, match=r"extraction.fallback = outline"):
        llm_tree_of(parsed("# A\n\nSome words.\n"), chat, EMBEDDER)
    assert len(chat.asked) == 2
