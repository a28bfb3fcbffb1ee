"""The nearest category wins, and none does when nothing is near."""

import pytest

from tests.extraction.documents import CATEGORIES, KITCHEN, WORKSHOP, parsed, prose, tree_of
from tests.standins import WordEmbedder
from wiki.documents.taxonomy import default_taxonomy
from wiki.extraction.categories import Classification, classify, warm_categories
from wiki.extraction.outline import outline
from wiki.models.factory import make_embedder
from wiki.models.protocols import Embedder
from wiki.settings import EmbeddingSettings, ExtractionSettings


def test_a_document_goes_where_its_words_are_described(word_embedder: WordEmbedder) -> None:
    near = ExtractionSettings(classify_threshold=0.05)
    assert tree_of(parsed(prose(KITCHEN, 200)), word_embedder, near, title="Bread")[0].category_id == "Food"
    assert tree_of(parsed(prose(WORKSHOP, 200)), word_embedder, near, title="Pumps")[0].category_id == "Engineering"


def test_what_is_near_to_nothing_goes_to_others(word_embedder: WordEmbedder) -> None:
    tree, _ = tree_of(parsed("Qwx zyp vok blem drin. Tarf gollu menk.\n"), word_embedder, title="Zzz")
    assert tree.category_id == "Others"
    assert tree.notes["category"].startswith("nothing is near")


def test_without_others_the_last_category_is_the_fallback(word_embedder: WordEmbedder) -> None:
    found = classify("Zzz", "qwx zyp", [], None, categories=CATEGORIES[:2], embedder=word_embedder, threshold=0.3)
    assert found.category_id == "Engineering"


def test_an_empty_taxonomy_gives_others(word_embedder: WordEmbedder) -> None:
    found = classify("A", "b", [], None, categories=(), embedder=word_embedder, threshold=0.18)
    assert found.category_id == "Others"
    assert found.confidence is None


def test_a_given_category_and_labels_are_kept(word_embedder: WordEmbedder) -> None:
    tree = outline(
        parsed(prose(KITCHEN, 100)),
        title="Bread",
        embedder=word_embedder,
        categories=CATEGORIES,
        settings=ExtractionSettings(),
        category_id="Music",
        labels=("loud",),
    )
    assert (tree.category_id, tree.labels, tree.notes["category"]) == ("Music", ("loud",), "given")


def test_two_far_categories_in_a_tie_decide_nothing(word_embedder: WordEmbedder) -> None:
    twins = (("North", "ferry harbour"), ("South", "harbour ferry"), ("Others", "-"))

    def found(threshold: float) -> Classification:
        return classify("", "harbour ferry", [], None, categories=twins, embedder=word_embedder, threshold=threshold)

    near = found(0.1)
    assert near.category_id == "North"
    assert near.nearness is not None
    far = found(near.nearness - 0.01)
    assert (far.category_id, far.reason) == ("Others", "North and South tie and neither is near")


def test_descriptions_are_embedded_once_and_again_only_when_edited() -> None:
    embedder = WordEmbedder()
    embedder.fingerprint = "stand-in:test_descriptions"
    warm_categories(CATEGORIES, embedder)
    before = len(embedder.embedded)
    tree_of(parsed(prose(KITCHEN, 100)), embedder)
    assert not any(text.startswith(("Food:", "Engineering:")) for text in embedder.embedded[before:])
    before = len(embedder.embedded)
    warm_categories([("Food", "Cooking and noodles."), CATEGORIES[1]], embedder)
    assert embedder.embedded[before:] == ["Food: noodles"]


@pytest.fixture(scope="module")
def bundled() -> Embedder:
    return make_embedder(EmbeddingSettings())


@pytest.mark.real_model
@pytest.mark.parametrize(
    ("category", "title", "text"),
    [
        ("Food", "Sourdough", "Knead the dough, let it rise overnight in the fridge and bake it hot in a closed pot."),
        (
            "Medical",
            "Ward round",
            "Bed four has had fever since Tuesday. The chest X-ray is clear; antibiotics started.",
        ),
        (
            "Agriculture",
            "Herd notes",
            "The cows give 28 litres a day on grass silage. Vaccinate calves at three weeks.",
        ),
        ("Sports", "Autumn season", "The home team won the final after extra time. Training starts on Monday."),
        ("Finance", "Fund letter", "The fund lost two percent as bond yields rose. We kept the dividend unchanged."),
        ("Security", "Incident 12", "The attacker used a stolen password. Reset all tokens and enforce two factors."),
        ("Others", "asdf", "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor."),
        ("Others", "List", "Remember: birthday card for Joe, batteries, call mum, pick up the coat."),
    ],
)
def test_the_bundled_model_finds_the_category(bundled: Embedder, category: str, title: str, text: str) -> None:
    categories = [(entry.id, entry.description) for entry in default_taxonomy().categories]
    tree = outline(
        parsed(text),
        title=title,
        embedder=bundled,
        categories=categories,
        settings=ExtractionSettings(),
    )
    assert tree.category_id == category, tree.notes
