import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki.parsing.blocks import ParsedDocument
from wiki.parsing.delimited import read_records, sniff_delimiter
from wiki.parsing.parser import parse_file
from wiki.parsing.tables import render_tables


def parse(folder: Path, name: str, text: str) -> ParsedDocument:
    path = folder / "upload"
    path.write_text(text, newline="")
    return parse_file(path, name)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_on_whole_records(delimiter: str) -> None:
    rows = [["name", "note", "amount"], ["a", f"one{delimiter} two\nthree", "1,5"], ["b", 'say "hi"', "2,5"]]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    assert sniff_delimiter(buffer.getvalue()) == delimiter
    assert read_records(buffer.getvalue()) == rows


def test_one_column_is_a_table(tmp_path: Path) -> None:
    assert parse(tmp_path, "a.csv", "fruit\napple\npear\n").markdown == "| fruit |\n| --- |\n| apple |\n| pear |\n\n"


def test_ragged_rows_pipes_and_line_breaks(tmp_path: Path) -> None:
    found = parse(tmp_path, "a.csv", 'a,b,c\r\n1,"x\ny|z"\r\n\r\n2,3,4\r\n').markdown
    assert found == "| a | b | c |\n| --- | --- | --- |\n| 1 | x<br>y\\|z |  |\n| 2 | 3 | 4 |\n\n"


def test_a_title_line_stands_above_the_table(tmp_path: Path) -> None:
    found = parse(tmp_path, "a.csv", "Harvest,,\nField,Crop,Tons\nNorth,Rye,3\n")
    assert [block.kind for block in found.blocks] == ["paragraph", "table"]
    assert found.title == "Harvest"


def test_long_tables_are_cut_with_the_header_in_each_piece(tmp_path: Path) -> None:
    found = parse(tmp_path, "a.csv", "id,word\n" + "".join(f"{n},w{n}\n" for n in range(120)))
    assert [block.kind for block in found.blocks] == ["table"] * 3
    assert all(block.text.startswith("| id | word |\n") for block in found.blocks)
    assert [block.text.count("w") - 1 for block in found.blocks] == [50, 50, 20]


def test_370_columns_and_a_very_long_field(tmp_path: Path) -> None:
    wide = ";".join(f"c{n}" for n in range(370)) + "\n" + ";".join(str(n) for n in range(370)) + "\n"
    assert "| 369 |" in parse(tmp_path, "a.csv", wide).markdown
    assert "x" * 300_000 in parse(tmp_path, "b.csv", "a,b\n1," + "x" * 300_000 + "\n").markdown


@settings(deadline=None, max_examples=100)
@given(st.lists(st.lists(st.text(st.characters(codec="utf-8"), max_size=12), min_size=1, max_size=5), min_size=1))
def test_every_rendered_row_stays_on_one_line(rows: list[list[str]]) -> None:
    for table in render_tables(rows):
        assert table.endswith("\n\n") and all(line.startswith("|") for line in table.rstrip("\n").split("\n"))


VTT = """WEBVTT

NOTE not to be read

STYLE
::cue { color: red }

1
00:01.000 --> 00:03.000 align:right
<v Ada>The pump runs &amp;

00:03.000 --> 00:05.500
<v Ada>at <i>night</i>.</v>

01:10:00.000 --> 01:10:02.000
<v.loud Ben>It stops</v> <v Ada>now
"""


def test_cues_become_paragraphs_with_speakers_and_seconds(tmp_path: Path) -> None:
    found = parse(tmp_path, "talk.vtt", VTT)
    assert found.markdown == (
        "## 0:00 to 5:00\n\n**Ada:** The pump runs & at night.\n\n"
        "## 1:10:00 to 1:15:00\n\n**Ben:** It stops\n\n**Ada:** now\n\n"
    )
    seconds = [block.provenance.seconds for block in found.blocks if block.provenance]
    assert seconds[1] == (1.0, 5.5)
    assert seconds[-1] == (4200.0, 4202.0)


def test_a_short_recording_needs_no_headings(tmp_path: Path) -> None:
    found = parse(
        tmp_path, "a.vtt", "1\n00:00:01,000 --> 00:00:02,000\nOne\n\n2\n00:00:02,000 --> 00:00:03,000\ntwo.\n"
    )
    assert found.markdown == "One two.\n\n"


def test_rolling_captions_are_said_once_and_an_echo_is_kept(tmp_path: Path) -> None:
    lines = ["the pump of hall two", "the pump of hall two was stopped", "was stopped on a cold", "on a cold morning."]
    cues = "".join(f"00:{n:02}.000 --> 00:{n + 1:02}.000\n{line}\n\n" for n, line in enumerate(lines))
    assert parse(tmp_path, "a.vtt", "WEBVTT\n\n" + cues).markdown == (
        "the pump of hall two was stopped on a cold morning.\n\n"
    )
    lines = ["Yes.", "Yes.", "It was the pump.", "Which one?", "Of hall two.", "When?", "At night."]
    cues = "".join(f"00:{n:02}.000 --> 00:{n + 1:02}.000\n{line}\n\n" for n, line in enumerate(lines))
    assert parse(tmp_path, "a.vtt", "WEBVTT\n\n" + cues).markdown.startswith("Yes. Yes. It was")


def test_names_before_a_colon_are_speakers_but_other_words_are_not(tmp_path: Path) -> None:
    lines = ["ADA: The pump stopped.", "It was cold.", ">> BEN: Note this: all of it.", "Remember: twice."]
    cues = "".join(f"00:{n:02}.000 --> 00:{n + 1:02}.000\n{line}\n\n" for n, line in enumerate(lines))
    assert parse(tmp_path, "a.vtt", "WEBVTT\n\n" + cues).markdown == (
        "**ADA:** The pump stopped. It was cold.\n\n**BEN:** Note this: all of it. Remember: twice.\n\n"
    )
