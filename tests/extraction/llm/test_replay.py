"""Replies are kept on disk: asked once, answered for ever, and never trusted when torn."""

import json
from pathlib import Path

import pytest

from tests.extraction.documents import HARBOUR, KITCHEN, parsed, prose
from tests.extraction.llm.models import GoodModel, StandInChat, llm_tree_of
from tests.standins import WordEmbedder
from wiki.errors import ExternalServiceUnavailable
from wiki.extraction.tree import TopicTree

EMBEDDER = WordEmbedder()
ONE = f"# Boats\n\n{prose(HARBOUR, 120)}\n\n# Ovens\n\n{prose(KITCHEN, 120)}\n"
SEVERAL = "\n\n".join(prose(HARBOUR, 100, seed) for seed in range(60))


def ask(
    folder: Path, markdown: str = ONE, *, name: str = "stand-in", context: int = 80_000, **more: str
) -> tuple[TopicTree, int]:
    chat = StandInChat(GoodModel(every=6), context_tokens=context, name=name)
    tree, _ = llm_tree_of(parsed(markdown), chat, EMBEDDER, replies=folder, **more)
    return tree, len(chat.asked)


@pytest.mark.parametrize(("markdown", "context"), [(ONE, 80_000), (SEVERAL, 8_000)], ids=["one window", "several"])
def test_a_replay_costs_nothing_and_gives_the_same_tree(tmp_path: Path, markdown: str, context: int) -> None:
    first, calls = ask(tmp_path, markdown, context=context)
    again, more = ask(tmp_path, markdown, context=context, title="Another title")
    assert calls >= 1
    assert more == 0
    assert again.topics == first.topics
    assert (again.summary, again.labels, again.category_id) == (first.summary, first.labels, first.category_id)
    assert (again.notes["calls"], again.notes["cached"]) == ("0", str(calls))
    assert len(list(tmp_path.iterdir())) == calls


def test_a_given_category_is_answered_by_the_reply_that_has_one_too(tmp_path: Path) -> None:
    ask(tmp_path)
    tree, calls = ask(tmp_path, category_id="Food")
    assert calls == 0
    assert tree.category_id == "Food"
    tree, calls = ask(tmp_path, SEVERAL, context=8_000, category_id="Food")
    tree, more = ask(tmp_path, SEVERAL, context=8_000)
    assert (more, tree.category_id) == (1, "Engineering")


def test_other_text_another_model_and_other_categories_are_asked_anew(tmp_path: Path) -> None:
    ask(tmp_path)
    assert ask(tmp_path, ONE + "\nMore words.\n")[1] == 1
    assert ask(tmp_path, name="another")[1] == 1
    chat = StandInChat(GoodModel())
    llm_tree_of(
        parsed(ONE), chat, EMBEDDER, replies=tmp_path, categories=[("Engineering", "Machines."), ("Others", "")]
    )
    assert len(chat.asked) == 1


@pytest.mark.parametrize(
    "torn", [b"", b'{"text": "{', b"[]", b'{"text": 3, "cut": false}', b"\xff\xfe", b'{"cut": true}']
)
def test_a_torn_file_is_asked_again_and_mended(tmp_path: Path, torn: bytes) -> None:
    ask(tmp_path)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(torn)
    assert ask(tmp_path)[1] == 1
    assert json.loads(kept.read_bytes())["cut"] is False
    assert ask(tmp_path)[1] == 0


def test_a_kept_reply_that_says_nothing_is_asked_again(tmp_path: Path) -> None:
    ask(tmp_path)
    (kept,) = tmp_path.iterdir()
    kept.write_text(json.dumps({"model": "stand-in", "text": "no", "cut": False}))
    assert ask(tmp_path)[1] == 1


def test_what_cannot_be_used_is_not_kept_and_the_second_answer_is(tmp_path: Path) -> None:
    with pytest.raises(ExternalServiceUnavailable):
        llm_tree_of(parsed(ONE), StandInChat(["no"]), EMBEDDER, replies=tmp_path)
    assert list(tmp_path.iterdir()) == []
    chat = StandInChat(["no", GoodModel()])
    llm_tree_of(parsed(ONE), chat, EMBEDDER, replies=tmp_path)
    assert len(chat.asked) == 2
    assert ask(tmp_path)[1] == 0


def test_a_part_that_failed_is_all_that_is_asked_when_it_is_tried_again(tmp_path: Path) -> None:
    good = GoodModel(every=6)

    def failing(asked: object) -> object:
        return ExternalServiceUnavailable("busy", provider="llm") if asked.is_closing else good(asked)  # type: ignore[attr-defined,arg-type]

    chat = StandInChat(failing, context_tokens=8_000)
    with pytest.raises(ExternalServiceUnavailable, match="busy"):
        llm_tree_of(parsed(SEVERAL), chat, EMBEDDER, replies=tmp_path)
    assert ask(tmp_path, SEVERAL, context=8_000)[1] == 1


def test_nothing_is_kept_without_a_folder() -> None:
    chat = StandInChat(GoodModel())
    for _ in range(2):
        llm_tree_of(parsed(ONE), chat, EMBEDDER)
    assert len(chat.asked) == 2
