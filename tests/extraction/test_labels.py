"""Labels are words of the text itself."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.extraction.documents import HARBOUR, KITCHEN, WORKSHOP, of_blocks, parsed, prose, tree_of
from tests.standins import WordEmbedder
from wiki.extraction.labels import LONGEST_LABEL, MOST_LABELS, MOST_OF_TOPIC
from wiki.parsing.blocks import Block

EMBEDDER = WordEmbedder()


def test_a_topic_is_labelled_by_what_sets_it_apart_and_the_document_by_what_is_all_over_it() -> None:
    lead = "The cellar pump lifts water. "
    text = (
        f"# The cellar pump\n\n{lead * 6}\n\n## Seal\n\n{'The shaft seal keeps oil in; the cellar pump needs oil. ' * 6}\n\n"
        f"## Float\n\n{'The float switch hangs on a cable of the cellar pump. ' * 6}\n"
    )
    tree, _ = tree_of(parsed(text), EMBEDDER)
    assert tree.labels[0] == "cellar pump"
    seal, float_switch = tree.topics[1].labels, tree.topics[2].labels
    assert "shaft seal" in seal and "oil" in seal
    assert "float switch" in float_switch and "cable" in float_switch
    assert not set(seal) & {"float switch", "cable"}


def test_given_labels_stay_alone() -> None:
    from wiki.extraction.outline import outline, prepare
    from wiki.settings import ExtractionSettings

    ready = prepare(parsed(prose(KITCHEN, 200)), ExtractionSettings())
    tree = outline(
        ready, title="A", embedder=EMBEDDER, categories=(), settings=ExtractionSettings(), labels=("Mine", "two")
    )
    assert tree.labels == ("Mine", "two")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Die Straße am Hafen ist gesperrt. Die Straße bleibt bis Mai zu. Am Hafen wird gebaut.", {"straße", "hafen"}),
        ("Насос стоит в подвале. Насос проверяют весной, и подвал сушат.", {"насос"}),
        ("水泵的密封圈在检修时被更换。检修前关闭水泵。密封圈每年更换。", {"水泵", "密封圈", "检修"}),
        ("ポンプの点検は月曜日です。ポンプの点検を忘れないでください。", {"ポンプ", "点検"}),
        ("펌프 점검은 매주 합니다. 펌프 점검은 중요합니다.", {"펌프 점검은"}),
        ("## ปั๊มน้ำ\n\nปั๊มน้ำ ต้องตรวจสอบทุกวัน\n", {"ปั๊มน้ำ"}),
        ("पंप की मरम्मत हर महीने होती है। पंप की मरम्मत ज़रूरी है।", {"पंप", "मरम्मत"}),
    ],
)
def test_labels_are_in_the_language_of_the_text(text: str, labels: set[str]) -> None:
    assert labels <= set(tree_of(parsed(text), EMBEDDER)[0].labels)


def test_function_words_addresses_and_speakers_are_no_labels() -> None:
    text = "".join(
        f"**Mira:** We have put the crane up, see https://example.org/crane/{n}\n\n**Jonas:** That is what we have.\n\n"
        for n in range(8)
    )
    assert tree_of(parsed(text), EMBEDDER)[0].labels == ("crane",)


def test_code_gives_no_labels() -> None:
    text = "```python\n" + "pump = pump.run(valve)\n" * 9 + "```\n"
    assert tree_of(parsed(text), EMBEDDER)[0].labels == ()


words = st.sampled_from(
    [*KITCHEN, *WORKSHOP, *HARBOUR, "The", "and", "Straße", "水泵", "ปั๊ม", "ÉTÉ", "x1", "İ", "|", "."]
)


@given(st.lists(st.lists(words, min_size=1, max_size=60), min_size=1, max_size=8))
@settings(deadline=None, max_examples=60)
def test_labels_are_few_short_lower_case_each_once_and_of_the_text(paragraphs: list[list[str]]) -> None:
    blocks = [Block(" ".join(found) + "\n\n", "paragraph") for found in paragraphs]
    tree, bodies = tree_of(of_blocks(*blocks), EMBEDDER)
    everything = " ".join(" ".join(bodies).lower().split())
    assert len(tree.labels) <= MOST_LABELS
    assert all(len(topic.labels) <= MOST_OF_TOPIC for topic in tree.topics)
    for labels in (tree.labels, *(topic.labels for topic in tree.topics)):
        assert len(set(labels)) == len(labels)
        for label in labels:
            assert label == label.lower().strip() != ""
            assert len(label) <= LONGEST_LABEL
            assert label in everything
