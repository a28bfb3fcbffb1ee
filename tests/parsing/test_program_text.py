import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiki.parsing.parser import parse_file
from wiki.parsing.program_text import fenced_blocks

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=30,
)


def read(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return parse_file(path, name).markdown


def unfenced(markdown: str) -> str:
    """What stands in the fences, whose length may differ from block to block."""
    return "\n".join(
        body for _, _, body in re.findall(r"^(`{3,})(\w*)\n(.*?)\n\1$", markdown, re.MULTILINE | re.DOTALL)
    )


@pytest.mark.parametrize(
    ("name", "language"),
    [("a.py", "python"), ("a.sql", "sql"), ("a.yml", "yaml"), ("a.toml", "toml"), ("a.rs", "rust"), ("a.json", "json")],
)
def test_a_short_file_is_one_fenced_block_in_its_language(tmp_path: Path, name: str, language: str) -> None:
    text = "one = [1,\n   2]\n\n\n\ttwo = '# no heading'\n"
    assert read(tmp_path, name, text) == f"```{language}\n{text}```\n\n"


def test_a_long_file_is_cut_between_definitions(tmp_path: Path) -> None:
    definition = "def f{n}(x):\n    y = x\n\n    return y\n\n\n"
    text = "".join(definition.format(n=n) for n in range(100))
    markdown = read(tmp_path, "long.py", text)
    blocks = markdown.split("```python\n")[1:]
    assert len(blocks) > 3
    assert all(block.startswith("def f") for block in blocks)
    assert all(block.count("\n") <= 124 for block in blocks)
    assert re.sub(r"\s+", " ", unfenced(markdown)) == re.sub(r"\s+", " ", text.strip())


@given(st.text(alphabet="ab`\n {}", max_size=400))
def test_no_line_is_lost_and_no_fence_ends_early(text: str) -> None:
    kept = [line for line in unfenced("".join(fenced_blocks(text, "x"))).splitlines() if line.strip()]
    assert kept == [line for line in text.splitlines() if line.strip()]


@given(JSON)
def test_json_on_one_line_is_laid_out_with_the_same_values(
    tmp_path_factory: pytest.TempPathFactory, values: Any
) -> None:
    text = json.dumps({"padding": "x" * 2_100, "values": values})
    markdown = read(tmp_path_factory.mktemp("json"), "a.json", text)
    assert markdown.count("\n") > 5
    assert json.loads(unfenced(markdown)) == {"padding": "x" * 2_100, "values": values}


def test_numbers_order_and_repeated_keys_of_json_stay(tmp_path: Path) -> None:
    text = '{"b": 1.50, "a": 1e400, "b": 12345678901234567890123, "pad": "' + "x" * 2_100 + '"}'
    lines = unfenced(read(tmp_path, "a.json", text)).splitlines()
    assert [line.strip() for line in lines[1:4]] == ['"b": 1.50,', '"a": 1e400,', '"b": 12345678901234567890123,']


def test_escaped_characters_of_json_are_found_as_words(tmp_path: Path) -> None:
    text = r'{"drink": "caf\u00e9", "face": "\ud83d\ude00", "quote": "\u0022", "path": "c:\\u00e9", "bell": "\u0007"}'
    markdown = read(tmp_path, "a.json", text)
    assert '"café"' in markdown and '"😀"' in markdown
    assert json.loads(unfenced(markdown)) == json.loads(text)


@pytest.mark.parametrize("text", ["{not json", '{"a": ' * 60_000, "[" * 100_000])
def test_broken_or_bottomless_json_is_kept_as_text(tmp_path: Path, text: str) -> None:
    markdown = read(tmp_path, "a.json", text)
    assert re.sub(r"\s", "", unfenced(markdown)) == re.sub(r"\s", "", text)


def test_a_notebook_is_read_cell_by_cell(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Pumps\n", "\n", "How long they run."]},
        {
            "cell_type": "code",
            "source": "print('hours')",
            "outputs": [
                {"output_type": "stream", "text": ["412 hours\n"]},
                {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}},
            ],
        },
        {"cell_type": "code", "source": [], "outputs": []},
    ]
    markdown = read(tmp_path, "a.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    assert markdown == "# Pumps\n\nHow long they run.\n\n```python\nprint('hours')\n```\n\n```text\n412 hours\n```\n\n"


def test_xml_is_kept_and_laid_out_when_it_is_one_line(tmp_path: Path) -> None:
    short = "<note>\n  <to>Ada &amp; Bo</to>\n</note>\n"
    assert read(tmp_path, "a.xml", short) == f"```xml\n{short}```\n\n"
    long = "<list>" + "".join(f"<item>number {n}</item>" for n in range(200)) + "</list>"
    lines = unfenced(read(tmp_path, "b.xml", long)).splitlines()
    assert lines[0] == "<list>" and lines[1] == "<item>number 0</item>"
    assert "".join(lines) == long
