"""The examples that ship with the wiki have trees worth showing, and their script makes them the same each time."""

import re
import runpy
from pathlib import Path

import pytest

from docs import trees
from tests.extraction.documents import tree_of
from tests.standins import WordEmbedder
from wiki.parsing.parser import parse_file

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:docling.*")
"""The PDF and Office converter reads deprecated fields of its own."""

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
FILES = sorted(path for path in EXAMPLES.iterdir() if path.is_file() and path.name[0] != "." and path.suffix != ".md")


def test_there_are_examples_in_eight_formats() -> None:
    suffixes = {path.suffix for path in EXAMPLES.iterdir() if path.name[0] != "."}
    assert suffixes == {".md", ".pdf", ".docx", ".html", ".csv", ".xlsx", ".eml", ".vtt"}


@pytest.mark.parametrize("path", [*FILES, EXAMPLES / "backup-runbook.md"], ids=lambda path: path.name)
def test_an_example_has_a_topic_tree(path: Path, word_embedder: WordEmbedder) -> None:
    document = parse_file(path, path.name)
    tree, _ = tree_of(document, word_embedder, title=document.title or path.stem)
    assert len(tree.topics) >= 2
    if path.suffix not in (".csv", ".xlsx"):
        assert tree.summary


@pytest.mark.real_model
def test_the_trees_in_the_docs_are_current() -> None:
    """Names, places and sizes. Which sentence a summary picks may differ by the processor's last digit."""

    def topics(text: str) -> list[str]:
        return re.findall(r"^ *- [\d.]+ \*\*.*\*\* \(\d+ words\)|^\*\*`examples/.*|^Labels: .*", text, re.MULTILINE)

    made = topics(trees.trees())
    assert len(made) > 30
    assert topics(trees.PAGE.read_text(encoding="utf-8")) == made, "run `make docs`"


def test_the_script_gives_the_same_bytes_each_time(tmp_path: Path) -> None:
    make = runpy.run_path(str(EXAMPLES / ".make_examples.py"))["make_examples"]
    made: list[dict[str, bytes]] = []
    for run in ("first", "second"):
        folder = tmp_path / run
        folder.mkdir()
        make(folder)
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert made[0] == made[1]
    assert set(made[0]) <= {path.name for path in EXAMPLES.iterdir()}
