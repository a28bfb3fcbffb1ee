"""What is rendered is read back as it was, body byte for byte."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.documents.builders import DOC_ID, new_document, new_topic
from wiki.documents.front_matter import split
from wiki.documents.reader import body_sha256, read_index, read_topic
from wiki.documents.render import render_index, render_topic

TIME = "2026-11-30T19:40:52Z"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
LINE = TEXT.map(str.strip).filter(bool)

INDEX = """---
kind: knowledge_document
doc_id: d_a1b2c3d4e5f6
title: Q1 Engineering Report
aliases: [Q1 Engineering Report]
category_id: Technology
source_name: my-report.pdf
source_type: application/pdf
source_sha256: abababababababababababababababababababababababababababababababab
created_at: 2026-11-30T19:40:52Z
updated_at: 2026-11-30T19:40:52Z
extraction: {method: outline, model: null, version: 1}
schema_version: 1
---
What the quarter brought.
"""

TOPIC = """---
kind: knowledge_topic
topic_id: d_a1b2c3d4e5f6_2
doc_id: d_a1b2c3d4e5f6
topic_name: Infrastructure Costs
position: "1.10"
depth: 2
parent_id: d_a1b2c3d4e5f6_1
labels: [cost, cloud]
summary: About topic 2.
summary_of: 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881
source: {pages: [3, 4], lines: [120, 188]}
generated: {name: "4d518d25", labels: c2969d04}
schema_version: 1
---
x"""


def test_index_md_has_the_keys_of_the_contract_in_their_order() -> None:
    assert render_index(new_document(), created_at=TIME, updated_at=TIME).decode() == INDEX


def test_a_topic_file_has_the_keys_of_the_contract_in_their_order() -> None:
    topic = new_topic(
        2,
        "x",
        name="Infrastructure Costs",
        position="1.10",
        depth=2,
        parent=1,
        source={"pages": [3, 4], "lines": [120, 188]},
    )
    assert render_topic(topic, DOC_ID).decode() == TOPIC


@settings(max_examples=100, deadline=None)
@given(TEXT, LINE, TEXT, st.lists(LINE, unique=True, max_size=4))
@example("", "a", "", [])
@example("\n\n---\nfirst lines\n", "---", "---", ["---"])
@example("no end of line", "key: value", "a: b", ["# x"])
@example("one\rtwo\r\nthree\x85\u2028\ufeff\x00\x0b", "[x]", "{y}", ["~", "null", "1.0"])
@example("\ufeffbom", "'", '"', ["\\"])
def test_any_topic_comes_back_as_it_was(body: str, name: str, summary: str, labels: list[str]) -> None:
    topic = new_topic(3, name=name, summary=summary, labels=tuple(labels), source={"sheet": name, "lines": [1, 2]})
    data = render_topic(replace(topic, body=body), DOC_ID)
    read = read_topic(Path("3_x.md"), data)
    assert read.body == body
    assert data.endswith(body.encode())
    assert read.body_line == data[: len(data) - len(body.encode())].count(b"\n") + 1
    assert (read.name, read.summary, read.labels) == (name, summary.strip(), tuple(labels))
    assert (read.claim, read.position, read.depth, read.parent_id) == (f"{DOC_ID}_3", "3", 1, None)
    assert read.source == {"sheet": name, "lines": [1, 2]}
    assert read.problems == ()
    assert not read.summary_stale


@settings(max_examples=100, deadline=None)
@given(LINE, LINE, TEXT, st.dictionaries(LINE, TEXT | st.integers() | st.lists(TEXT, max_size=3), max_size=4))
def test_any_document_comes_back_as_it_was(
    title: str, source_name: str, summary: str, fields: dict[str, object]
) -> None:
    new = new_document(
        title=title, source_name=source_name, summary=summary, fields=fields, labels=(title,), language="de",
        document_date="2026-02-03", source_front_matter={"tags": [title], **fields},
    )  # fmt: skip
    data = render_index(new, created_at=TIME, updated_at=TIME)
    read = read_index(Path("index.md"), data)
    assert (read.claim, read.title, read.category_id) == (DOC_ID, title, "Technology")
    assert (read.source_name, read.summary, read.fields) == (source_name, summary.strip(), fields)
    assert (read.created_at, read.document_date, read.labels, read.language) == (TIME, "2026-02-03", (title,), "de")
    assert read.extraction == {"method": "outline", "model": None, "version": 1}
    assert read.problems == ()
    values = split(data.decode()).tree().values
    assert values["aliases"] == [title]
    assert values["source_front_matter"] == {"tags": [title], **fields}


@pytest.mark.parametrize("date", ["2026", "2026-11", "autumn"])
def test_a_partial_date_is_kept_as_text(date: str) -> None:
    data = render_index(new_document(document_date=date), created_at=TIME, updated_at=TIME)
    assert f"document_date: {'autumn' if date == 'autumn' else chr(34) + date + chr(34)}\n" in data.decode()


def test_the_summary_hash_is_that_of_the_body() -> None:
    read = read_topic(Path("1_x.md"), render_topic(new_topic(1, "body\n"), DOC_ID))
    assert read.summary_of == body_sha256("body\n") == body_sha256(b"body\n")
