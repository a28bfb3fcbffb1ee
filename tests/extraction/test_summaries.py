"""Summaries are sentences of the text itself."""

import re

import pytest

from tests.extraction.documents import HARBOUR, KITCHEN, WORKSHOP, parsed, prose, tree_of
from tests.standins import WordEmbedder
from wiki.extraction.prose import plain, sentence_ends, split_sentences


def test_every_summary_sentence_stands_in_the_topic(word_embedder: WordEmbedder) -> None:
    text = f"# Guide\n\n{prose(KITCHEN, 300)}\n\n## Pumps\n\n{prose(WORKSHOP, 90)}\n"
    tree, bodies = tree_of(parsed(text), word_embedder)
    for topic, body in zip(tree.topics, bodies, strict=True):
        assert topic.summary
        assert all(sentence in body for sentence in split_sentences(topic.summary))
    assert 1 <= len(split_sentences(tree.topics[0].summary)) <= 3
    assert all(sentence in text for sentence in split_sentences(tree.summary))


def test_the_sentence_about_the_subject_wins_over_an_aside(word_embedder: WordEmbedder) -> None:
    text = (
        "By the way Tuesday was sunny again. The pump seal leaks when the shaft seal is worn. Change the pump seal when "
        "the seal leaks. A worn shaft makes the seal leak again."
    )
    tree, _ = tree_of(parsed(text), word_embedder)
    assert "sunny" not in tree.topics[0].summary
    assert "seal" in tree.topics[0].summary


def test_code_tables_and_pictures_give_no_sentence(word_embedder: WordEmbedder) -> None:
    text = "# A\n\n```\nThis is not a sentence of prose.\n```\n\n| This is | not a sentence. |\n| --- | --- |\n\n![No words.](a.png)\n"
    tree, _ = tree_of(parsed(text), word_embedder)
    assert tree.topics[0].summary == tree.summary == ""


def test_the_marks_of_markdown_are_left_out(word_embedder: WordEmbedder) -> None:
    text = "# A\n\nThe **main** pump is [described here](http://x.example/a) and `stop_now()` halts it.[^1]\n"
    tree, _ = tree_of(parsed(text), word_embedder)
    assert tree.topics[0].summary == "The main pump is described here and stop_now() halts it."


def test_list_items_serve_when_there_is_no_sentence(word_embedder: WordEmbedder) -> None:
    tree, _ = tree_of(parsed("# A\n\n- check the oil of the pump\n- close the valve of the tank\n"), word_embedder)
    assert tree.topics[0].summary == "check the oil of the pump"


def test_chinese_and_japanese_are_summed_up_without_spaces_between(word_embedder: WordEmbedder) -> None:
    text = "".join(f"水泵的密封圈需要每年更换第{n}次检查。" for n in range(30))
    tree, _ = tree_of(parsed(text), word_embedder)
    assert re.fullmatch(r"(水泵的密封圈需要每年更换第\d+次检查。)+", tree.topics[0].summary)


def test_the_model_reads_at_most_two_hundred_sentences() -> None:
    embedder = WordEmbedder()
    sections = "".join(f"## S{n}\n\n{prose(HARBOUR, 150, n)}\n\n" for n in range(120))
    tree, _ = tree_of(parsed(f"# All\n\n{sections}"), embedder)
    assert len([text for text in embedder.embedded if text.startswith("The ")]) <= 200
    assert all(topic.summary for topic in tree.topics[1:])
    assert tree.notes["summaries"] == "embedding, words"


def test_the_same_document_gives_the_same_tree(word_embedder: WordEmbedder) -> None:
    document = parsed(f"# Guide\n\n{prose(KITCHEN, 1500)}\n\n## Pumps\n\n{prose(WORKSHOP, 3000)}\n")
    assert tree_of(document, word_embedder) == tree_of(document, WordEmbedder())


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It cost 3.5 million. That was a lot.", ["It cost 3.5 million.", "That was a lot."]),
        ("Ask Dr. Meyer, e.g. by mail. He knows!", ["Ask Dr. Meyer, e.g. by mail.", "He knows!"]),
        ("Pump No. 451. Then 452.", ["Pump No. 451.", "Then 452."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("这是第一句。这是第二句！好", ["这是第一句。", "这是第二句！", "好"]),
        ("これは「文です。」次の文です。", ["これは「文です。」", "次の文です。"]),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("هل هذا سؤال؟ نعم.", ["هل هذا سؤال؟", "نعم."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences
    assert sentence_ends(text)[-1] == len(text)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("`__init__` and `a*b*c`", "__init__ and a*b*c"),
        ("snake_case_name stays", "snake_case_name stays"),
        ("5 * 3 * 2", "5 * 3 * 2"),
        (r"a \*star\*", "a *star*"),
        ("A &amp; B<br>c <!-- hidden --> d", "A & Bc d"),
        ("[one [27]](#x) two[3]", "one two"),
    ],
)
def test_plain_text_keeps_what_is_no_mark(markdown: str, text: str) -> None:
    assert plain(markdown) == text
