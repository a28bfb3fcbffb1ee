from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki.errors import ExtractionEmpty, InvalidInput
from wiki.parsing.blocks import ParsedDocument
from wiki.parsing.parser import parse_file
from wiki.parsing.text import split_paragraphs


def parse(folder: Path, name: str, data: bytes | str) -> ParsedDocument:
    path = folder / "upload"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return parse_file(path, name)


def test_markdown_body_is_kept_byte_for_byte(tmp_path: Path) -> None:
    body = "\n# Title\n\n```py\n\tx = 1\n\n\n```\n\n* a\n    * b  \n\n| x |\n|---|\n\n\n"
    assert parse(tmp_path, "a.md", body).markdown == body


def test_line_ends_mark_and_nul_are_normalised(tmp_path: Path) -> None:
    assert parse(tmp_path, "a.md", b"\xef\xbb\xbf# A\r\nb\rc\x00\n").markdown == "# A\nb\nc\n"


def test_front_matter_is_taken_out_and_gives_title_and_date(tmp_path: Path) -> None:
    found = parse(tmp_path, "a.md", "---\ntitle: Tide tables\ndate: 2026-03-04\ntags: [a, b]\n---\n\n# Other\n")
    assert found.markdown == "\n# Other\n"
    assert (found.title, found.document_date) == ("Tide tables", "2026-03-04")
    assert found.front_matter == {"title": "Tide tables", "date": "2026-03-04", "tags": ["a", "b"]}


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: [broken\n---\nbody\n",
        "---\njust words\n---\nbody\n",
        "---\nno end\n",
        "---\n\nA rule, then text.\n\n---\n",
        "---\na: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(8))
        + "---\nbomb\n",
    ],
    ids=["bad yaml", "no mapping", "no end", "rules", "alias bomb"],
)
def test_malformed_front_matter_stays_text(tmp_path: Path, text: str) -> None:
    found = parse(tmp_path, "a.md", text)
    assert (found.markdown, found.front_matter) == (text, {})


@settings(deadline=None, max_examples=100)
@given(st.text())
def test_paragraphs_partition_every_text(text: str) -> None:
    assert "".join(block.text for block in split_paragraphs(text)) == text


def test_plain_text_is_no_markdown_and_chapter_lines_are_headings(tmp_path: Path) -> None:
    found = parse(tmp_path, "a.txt", "CHAPTER II\n\n# not a heading\n* nor a list\n\nPart of the way, he stopped.\n")
    assert [(b.kind, b.heading) for b in found.blocks] == [
        ("heading", "CHAPTER II"),
        ("paragraph", None),
        ("paragraph", None),
    ]


def test_empty_files_are_invalid_and_files_without_text_are_empty(tmp_path: Path) -> None:
    for data in (b"", b" \r\n\t ", b"\xef\xbb\xbf\n"):
        with pytest.raises(InvalidInput):
            parse(tmp_path, "a.txt", data)
    with pytest.raises(ExtractionEmpty):
        parse(tmp_path, "a.md", "---\ntitle: x\n---\n\n")
