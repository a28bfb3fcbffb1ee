"""Replies of every sort, one by one: what is asked again, what is mended, what is counted."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.extraction.documents import HARBOUR, KITCHEN, WORKSHOP, parsed, prose
from tests.extraction.llm.models import Asked, GoodModel, StandInChat, llm_tree_of, topic
from tests.standins import WordEmbedder
from wiki.errors import ConfigurationError, ExternalServiceUnavailable
from wiki.extraction.tree import TopicTree
from wiki.models.protocols import Reply
from wiki.settings import ExtractionSettings

EMBEDDER = WordEmbedder()
PLAIN = "\n\n".join(prose(words, 60, seed) for words in (HARBOUR, KITCHEN, WORKSHOP) for seed in range(4)) + "\n"
"""Twelve paragraphs, blocks 0 to 11, of 60 words each, without any heading."""
HEADED = "".join(
    f"# {name}\n\n{prose(KITCHEN, 80)}\n\n## More\n\n{prose(HARBOUR, 80)}\n\n" for name in ("Bread", "Boats")
)
"""Blocks 0 to 7: Bread, its text, More, its text, Boats, its text, More, its text."""

WHOLE = {"summary": "All of it.", "labels": ["sea"], "category": "Food", "confidence": 0.9, "reason": "It bakes."}


def reply(*topics: dict[str, object], **more: object) -> dict[str, object]:
    return {"topics": list(topics), "joined": [], "document": WHOLE, **more}


def three(**changes: Any) -> dict[str, object]:
    listed = [topic(0, 1, "Ferries", "Sea."), topic(4, 1, "Dough", "Bake."), topic(8, 1, "Seals", "Leak.")]
    listed[1] |= changes
    return reply(*listed)


def tree_of(answer: object, markdown: str = PLAIN, **more: Any) -> tuple[TopicTree, StandInChat]:
    chat = StandInChat(answer if callable(answer) else answer if isinstance(answer, list) else [answer])
    tree, _ = llm_tree_of(parsed(markdown), chat, EMBEDDER, **more)
    return tree, chat


def shape(tree: TopicTree) -> list[tuple[int, int, str]]:
    return [(span.start, span.depth, span.name) for span in tree.topics]


def test_a_good_reply_is_taken_as_it_is() -> None:
    tree, chat = tree_of(three())
    assert shape(tree) == [(0, 1, "Ferries"), (4, 1, "Dough"), (8, 1, "Seals")]
    assert [span.summary for span in tree.topics] == ["It says: Sea.", "It says: Bake.", "It says: Leak."]
    assert tree.topics[0].labels == ("pumps",)
    assert (tree.method, tree.model, tree.version) == ("llm", "stand-in", 1)
    assert (tree.summary, tree.category_id, tree.labels) == ("All of it.", "Food", ("sea",))
    assert tree.notes == {
        "category": "It bakes.", "category_confidence": "0.90", "summaries": "llm", "coverage": "1.000",
        "repaired": "0", "calls": "1", "cached": "0",
    }  # fmt: skip
    assert len(chat.asked) == 1


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"start": "4"}, (4, 1, "Dough")),
        ({"start": "[4]"}, (4, 1, "Dough")),
        ({"start": "4-7"}, (4, 1, "Dough")),
        ({"start": 4.0}, (4, 1, "Dough")),
        ({"level": 99}, (4, 2, "Dough")),
        ({"level": "deep"}, (4, 1, "Dough")),
        ({"level": 0}, (4, 1, "Dough")),
        ({"name": "Do\nugh"}, (4, 1, "Do ugh")),
        ({"name": "## **Dough**"}, (4, 1, "Dough")),
        ({"name": "Ferries"}, (4, 1, "Ferries (2)")),
        ({"labels": "dough, bread"}, (4, 1, "Dough")),
        ({"summary": 5}, (4, 1, "Dough")),
        ({"summary": "word " * 200}, (4, 1, "Dough")),
    ],
)
def test_one_thing_wrong_is_mended_and_counted_without_asking_again(
    changes: dict[str, object], expected: tuple[int, int, str]
) -> None:
    tree, chat = tree_of(three(**changes))
    assert shape(tree)[1] == expected
    assert len(shape(tree)) == 3
    assert len(chat.asked) == 1
    if changes != {"name": "## **Dough**"}:
        assert int(tree.notes["repaired"]) >= 1


@pytest.mark.parametrize("name", ["", None, 7, "***", "\n", "x" * 0])
def test_a_missing_name_is_found_by_the_outline(name: object) -> None:
    tree, _ = tree_of(three(name=name))
    assert tree.topics[1].name not in ("", "–")
    assert any(word in tree.topics[1].name.casefold() for word in KITCHEN)
    assert tree.notes["repaired"] != "0"


def test_a_missing_summary_is_found_by_the_outline_and_counted() -> None:
    tree, _ = tree_of(three(summary=""))
    assert tree.topics[1].summary in PLAIN or " … " in tree.topics[1].summary or tree.topics[1].summary
    assert tree.notes["repaired"] != "0"
    assert tree.notes["summaries"].startswith("llm 2 of 3")


BAD_FIRST: list[tuple[object, str]] = [
    ("I would rather not.", "no JSON object"),
    ("", "no JSON object"),
    ("[1, 2]", "no JSON object"),
    ({"sections": []}, "no JSON object with a list `topics`"),
    ({"topics": []}, "starts no topic"),
    ({"topics": [topic(99)]}, "not shown: use 0 to 11 only"),
    ({"topics": [topic(None), topic("x")]}, "no block number"),
    ({"topics": [topic(0), topic(0), topic(0)]}, "overlap"),
    ({"topics": [topic(number % 12) for number in range(400)]}, "overlap"),
    (Reply('{"topics": [{"start": 0, "level": 1, "name": "A", "summ', True), "cut off"),
    (Reply("{", True), "cut off"),
]


@pytest.mark.parametrize(("bad", "said"), BAD_FIRST, ids=[said for _, said in BAD_FIRST])
def test_what_cannot_be_used_is_asked_for_once_more_with_the_reason(bad: object, said: str) -> None:
    tree, chat = tree_of([bad, three()])
    assert len(chat.asked) == 2
    assert chat.asked[1].user.startswith(chat.asked[0].user)
    assert said in chat.asked[1].user.removeprefix(chat.asked[0].user)
    assert shape(tree) == [(0, 1, "Ferries"), (4, 1, "Dough"), (8, 1, "Seals")]
    assert tree.notes["calls"] == "2"
    assert tree.notes["repaired"] != "0"


def test_the_better_of_two_answers_is_taken() -> None:
    tree, chat = tree_of([reply(topic(0, 1, "A", "a"), topic(4, 1, "B", "b"), topic(77)), "nothing"])
    assert [span.name for span in tree.topics] == ["A", "B"]
    assert len(chat.asked) == 2


def test_of_an_answer_that_is_cut_the_whole_topics_are_kept() -> None:
    cut = Reply('{"topics": [{"start": 0, "level": 1, "name": "A"}, {"start": 6, "level": 1, "name": "B"}, {"sta', True)
    tree, chat = tree_of([cut])
    assert [(span.start, span.name) for span in tree.topics] == [(0, "A"), (6, "B")]
    assert len(chat.asked) == 2


@pytest.mark.parametrize("bad", [bad for bad, said in BAD_FIRST if said not in ("overlap",)])
def test_never_usable_is_the_outline_only_when_that_is_set(bad: object) -> None:
    with pytest.raises(ExternalServiceUnavailable, match=r"set extraction\.fallback = outline") as caught:
        tree_of([bad])
    assert caught.value.retryable
    lenient = ExtractionSettings(method="llm", fallback="outline")
    tree, chat = tree_of([bad], settings=lenient)
    assert tree.method == "outline"
    assert "nothing that can be used" in tree.notes["fallback"]
    assert len(chat.asked) == 2


@pytest.mark.parametrize("error", [ExternalServiceUnavailable("down", provider="llm"), ConfigurationError("key")])
@pytest.mark.parametrize("fallback", ["none", "outline"])
def test_a_provider_that_fails_is_never_answered_by_the_outline(error: Exception, fallback: Any) -> None:
    with pytest.raises(type(error)) as caught:
        tree_of([error], settings=ExtractionSettings(method="llm", fallback=fallback))
    assert caught.value is error


def test_topics_that_are_too_small_are_left_to_their_neighbour() -> None:
    absurd = reply(*(topic(number, 1, f"Name {number}", "s") for number in range(12)))
    tree, _ = tree_of(absurd, settings=ExtractionSettings(method="llm", min_topic_words=150))
    assert [span.start for span in tree.topics] == [0, 3, 6, 9]
    assert tree.notes["repaired"] == "8"


def test_headings_stay_topics_and_keep_their_names_whatever_the_model_leaves_out() -> None:
    answer = reply(topic(0, 5, "Other", "About bread."), topic(4, 5, "Other", "About boats."))
    tree, chat = tree_of(answer, HEADED)
    assert shape(tree) == [(0, 1, "Bread"), (2, 2, "More"), (4, 1, "Boats"), (6, 2, "More")]
    assert tree.topics[0].summary == "It says: About bread."
    assert all(span.summary for span in tree.topics)
    assert len(chat.asked) == 1
    assert int(tree.notes["repaired"]) >= 2


def test_a_start_right_behind_a_heading_means_the_heading() -> None:
    tree, _ = tree_of(reply(topic(1, 1, "", "Bread."), topic(3, 2), topic(5, 1), topic(7, 2)), HEADED)
    assert shape(tree) == [(0, 1, "Bread"), (2, 2, "More"), (4, 1, "Boats"), (6, 2, "More")]
    assert tree.topics[0].summary == "It says: Bread."


def test_long_text_under_a_heading_is_split_into_its_children() -> None:
    text = "# Sea\n\n" + PLAIN + "\n# Land\n\n" + prose(KITCHEN, 60) + "\n"
    answer = reply(topic(0, 1, "", "s"), topic(5, 1, "Ovens", "s"), topic(9, 4, "Pumps", "s"), topic(13, 1, "", "s"))
    tree, _ = tree_of(answer, text)
    assert shape(tree) == [(0, 1, "Sea"), (5, 2, "Ovens"), (9, 3, "Pumps"), (13, 1, "Land")]


def test_what_the_model_leaves_far_too_long_is_cut_as_the_outline_cuts() -> None:
    small = ExtractionSettings(method="llm", min_topic_words=20, max_topic_words=200)
    tree, _ = tree_of(reply(topic(0, 1, "All", "s")), settings=small)
    assert tree.topics[0].name == "All"
    assert len(tree.topics) > 2
    assert tree.notes["cuts"] == "embedding"
    assert int(tree.notes["repaired"]) == len(tree.topics) - 1


@pytest.mark.parametrize(
    ("joined", "starts"),
    [
        ([2], [0, 4, 6]),
        ([2, 6], [0, 4]),
        ([4], [0, 2, 4, 6]),
        ([0], [0, 2, 4, 6]),
        ([99, "x", None], [0, 2, 4, 6]),
        (7, [0, 2, 4, 6]),
    ],
    ids=["a leaf joins its parent", "two leaves", "not what has topics below", "not the first", "no block", "no list"],
)
def test_marked_topics_are_joined_where_that_makes_sense(joined: object, starts: list[int]) -> None:
    answer = reply(*(topic(at, 1, "", "s") for at in (0, 2, 4, 6)), joined=joined)
    tree, _ = tree_of(answer, HEADED)
    assert [span.start for span in tree.topics] == starts


def test_topics_are_not_joined_to_more_than_a_topic_may_hold() -> None:
    longer = HEADED.replace("\n\n#", f"\n\n{prose(KITCHEN, 60)}\n\n#")
    answer = reply(*(topic(at, 1, "", "s") for at in (0, 3, 6, 9)), joined=[3, 9])
    tree, _ = tree_of(answer, longer, settings=ExtractionSettings(method="llm", max_topic_words=180))
    assert [span.start for span in tree.topics] == [0, 3, 6, 9]
    assert tree.notes["repaired"] == "2"


def test_a_topic_never_lies_deeper_than_six_levels() -> None:
    deep = "".join(f"{'#' * level} Level {level}\n\n{prose(KITCHEN, 60, level)}\n\n" for level in range(1, 7))
    answer = reply(*(topic(at, 6, "", "s") for at in range(0, 12, 2)), topic(12, 6, "Below", "s"))
    tree, _ = tree_of(answer, deep + prose(HARBOUR, 60) + "\n")
    assert [span.depth for span in tree.topics] == [1, 2, 3, 4, 5, 6, 6]


def test_windows_are_asked_at_the_same_time_and_the_last_call_joins_what_an_edge_cut() -> None:
    text = "\n\n".join(prose(HARBOUR, 100, seed) for seed in range(60))
    seen: list[str] = []

    def answer(asked: Asked) -> dict[str, object]:
        if not asked.is_closing:
            return reply(*(topic(number, 1, f"At {number}", "s") for number, _, _ in asked.entries[::6]))
        edges = [number for number, note, _ in asked.entries if note.endswith("edge")]
        seen.extend(str(number) for number in edges)
        return {"joined": edges[:1], "document": WHOLE}

    chat = StandInChat(answer, context_tokens=8_000)
    tree, _ = llm_tree_of(parsed(text), chat, EMBEDDER)
    assert len(seen) == len(chat.asked) - 2 > 0
    starts = {str(span.start) for span in tree.topics}
    assert seen[0] not in starts
    assert set(seen[1:]) <= starts


def test_one_window_of_several_that_stays_useless_is_named() -> None:
    text = "\n\n".join(prose(HARBOUR, 100, seed) for seed in range(60))

    def answer(asked: Asked) -> object:
        return "no" if "part 2 of" in asked.user else GoodModel(every=6)(asked)

    with pytest.raises(ExternalServiceUnavailable, match=r"part 2 of \d"):
        llm_tree_of(parsed(text), StandInChat(answer, context_tokens=8_000), EMBEDDER)


CATEGORY_CASES: list[tuple[dict[str, object], str, str]] = [
    ({"category": "Food"}, "Food", "0"),
    ({"category": "food "}, "Food", "1"),
    ({"category": "Others"}, "Others", "0"),
    ({"category": "Secret plans"}, "Others", "1"),
    ({"category": ""}, "Others", "1"),
    ({"category": None}, "Others", "1"),
    ({"category": ["Food"]}, "Others", "1"),
    ({"confidence": 7}, "Food", "1"),
    ({"confidence": "sure"}, "Food", "1"),
    ({"reason": "a\n# b"}, "Food", "1"),
]


@pytest.mark.parametrize(("changes", "category", "repaired"), CATEGORY_CASES)
def test_the_category_is_one_of_the_list(changes: dict[str, object], category: str, repaired: str) -> None:
    answer = three() | {"document": WHOLE | changes}
    tree, _ = tree_of(answer, "\n\n".join(prose(HARBOUR, 60, seed) for seed in range(12)))
    assert tree.category_id == category
    assert tree.notes["repaired"] == repaired


def test_a_category_off_the_list_is_the_nearest_one_when_that_is_clear() -> None:
    text = "\n\n".join(prose(KITCHEN, 60, seed) for seed in range(12))
    eager = ExtractionSettings(method="llm", classify_threshold=0.05)
    tree, _ = tree_of(three() | {"document": WHOLE | {"category": "Cuisine"}}, text, settings=eager)
    assert tree.category_id == "Food"
    assert tree.notes["category"].startswith("the model chose none of the list; ")


def test_a_given_category_is_kept_and_not_asked_for() -> None:
    tree, chat = tree_of(three(), category_id="Engineering")
    assert (tree.category_id, tree.notes["category"]) == ("Engineering", "given")
    assert "category" not in chat.asked[0].schema["properties"]["document"]["properties"]
    assert "Machines:" not in chat.asked[0].user


def test_given_labels_win_for_the_document_and_topics_keep_theirs() -> None:
    tree, _ = tree_of(three(), labels=("mine",))
    assert tree.labels == ("mine",)
    assert tree.topics[0].labels == ("pumps",)


@pytest.mark.parametrize(("document", "labels"), [({}, ("pumps",)), (None, ("pumps",)), ("text", ("pumps",))])
def test_what_is_not_said_of_the_document_comes_from_its_topics(document: object, labels: tuple[str, ...]) -> None:
    tree, _ = tree_of(three() | {"document": document})
    assert tree.summary
    assert tree.labels == labels
    assert int(tree.notes["repaired"]) >= 3


def test_progress_is_told_after_each_call() -> None:
    steps: list[str] = []
    chat = StandInChat(GoodModel(every=6), context_tokens=8_000)
    text = "\n\n".join(prose(HARBOUR, 100, seed) for seed in range(60))
    llm_tree_of(parsed(text), chat, EMBEDDER, progress=lambda step: steps.append(str(step)))
    total = len(chat.asked)
    assert steps == [f"window {number} of {total}" for number in range(total + 1)]


@pytest.mark.parametrize("wrap", [lambda text: f"Here:\n```json\n{text}\n```", lambda text: text + "\nDone."])
def test_prose_around_the_object_is_borne(wrap: Callable[[str], str]) -> None:
    import json

    tree, chat = tree_of([wrap(json.dumps(three()))])
    assert len(tree.topics) == 3
    assert len(chat.asked) == 1
