"""Documents for the extraction tests: Markdown in, blocks out, with the real block splitter."""

import random
import unicodedata

from wiki.extraction.outline import outline, prepare
from wiki.extraction.tree import TopicTree
from wiki.models.protocols import Embedder
from wiki.parsing.blocks import Block, ParsedDocument
from wiki.parsing.markdown import split_blocks
from wiki.settings import ExtractionSettings

CATEGORIES = (
    ("Food", "Cooking: recipe and bread, dough, oven, kitchen."),
    ("Engineering", "Machines: pump and seal, bearing, valve, shaft."),
    ("Others", "Everything else."),
)

KITCHEN = "dough oven flour yeast bake bread crust kitchen recipe butter salt rise knead loaf".split()
WORKSHOP = "pump seal bearing valve gasket shaft impeller leak motor flange torque pressure pipe bolt".split()
HARBOUR = "harbour ferry rope sail anchor mast wind tide dock crew captain storm lighthouse deck".split()


def parsed(markdown: str) -> ParsedDocument:
    return ParsedDocument(split_blocks(markdown), "text/markdown", "test 1")


def of_blocks(*blocks: Block) -> ParsedDocument:
    return ParsedDocument(blocks, "text/plain", "test 1")


def prose(words: list[str], count: int, seed: int = 1) -> str:
    """``count`` words in sentences of ten."""
    rng = random.Random(seed)
    sentences: list[str] = []
    for _ in range(count // 10):
        picked = [rng.choice(words) for _ in range(6)]
        sentences.append(f"The {picked[0]} and {picked[1]} with {' '.join(picked[2:])} here.")
    return " ".join(sentences)


def tree_of(
    document: ParsedDocument, embedder: Embedder, settings: ExtractionSettings | None = None, title: str = "A title"
) -> tuple[TopicTree, list[str]]:
    """The tree and its bodies, the rules every tree keeps checked."""
    settings = settings or ExtractionSettings()
    ready = prepare(document, settings)
    tree = outline(ready, title=title, embedder=embedder, categories=CATEGORIES, settings=settings)
    bodies = ["".join(block.text for block in ready.blocks[topic.start : topic.end]) for topic in tree.topics]
    assert "".join(bodies) == document.markdown
    at = 0
    names: set[tuple[int | None, str]] = set()
    for number, topic in enumerate(tree.topics):
        assert topic.start == at < topic.end
        at = topic.end
        assert topic.parent is None or topic.parent < number
        assert topic.depth == (1 if topic.parent is None else tree.topics[topic.parent].depth + 1) <= 6
        assert topic.name.strip() == topic.name != ""
        assert len(topic.name) <= 120
        assert len(topic.summary) <= 500
        assert any(char.isalnum() for char in topic.name) or not any(char.isalnum() for char in title)
        key = (topic.parent, unicodedata.normalize("NFC", topic.name).casefold())
        assert key not in names
        names.add(key)
    assert at == len(ready.blocks)
    assert len(tree.summary) <= 500
    return tree, bodies


def shape(tree: TopicTree) -> list[tuple[str, str]]:
    return list(zip(tree.positions(), (topic.name for topic in tree.topics), strict=True))
