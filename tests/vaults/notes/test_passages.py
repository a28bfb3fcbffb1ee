"""What of a note is embedded, and that nothing of it is left out."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.test_passages import uncovered
from tests.standins import WordEmbedder
from tests.vaults.notes.texts import BODIES, NOTES
from wiki.index.passages import cut_many
from wiki.index.rows import Passage
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.notes.passages import note_text


class SmallWindow(WordEmbedder):
    max_tokens = 24


def cut(text: str, embedder: WordEmbedder | None = None) -> tuple[Passage, ...]:
    return cut_many([note_text(parse_note("Home/Lamp.md", text.encode()))], embedder or SmallWindow())[0]


def filler(stem: str, count: int = 18) -> str:
    return " ".join(f"{stem}{number}" for number in range(count))


@given(st.one_of(NOTES, st.lists(BODIES, max_size=4).map("\n".join)))
@settings(deadline=2000, max_examples=200)
def test_every_character_of_the_body_is_in_a_passage(text: str) -> None:
    note = parse_note("Home/Lamp.md", text.encode())
    source = note_text(note)
    assert source.units is not None
    assert "".join(note.body[unit.start : unit.end] for unit in source.units) == note.body
    for embedder in (SmallWindow(), WordEmbedder()):
        passages = cut_many([source], embedder)[0]
        assert uncovered(note.body, [passage.text for passage in passages]) == ""
        last = note.body_line + note.body.count("\n")
        assert all(note.body_line <= p.line_start <= p.line_end <= last for p in passages)


def test_front_matter_is_not_embedded() -> None:
    (passage,) = cut("---\ntitle: Lamp\nsecretkey: secretvalue\n---\nIt gives light.\n")
    assert "secret" not in passage.embedded_text
    assert passage.embedded_text == "Lamp\nIt gives light."
    assert (passage.line_start, passage.line_end) == (5, 5)


def test_title_and_headings_stand_above_each_passage() -> None:
    text = (
        f"---\ntitle: House\n---\n# Attic\n\n{filler('a')}\n\n### Box\n\n{filler('b')}\n\n## Cellar\n\n{filler('c')}\n"
    )
    passages = cut(text)
    above = {passage.text[-3:]: passage.embedded_text.split("\n")[:2] for passage in passages}
    assert above == {"a17": ["House", "# Attic"], "b17": ["House", "Attic"], "c17": ["House", "Attic"]}
    assert [passage.heading_path for passage in passages] == [(), ("Attic",), ("Attic",)]


def test_a_short_section_is_kept() -> None:
    passages = cut(f"# Facts\n\n{filler('a', 30)}\n\n## Tools\n\nI use pnpm.\n\n## Other\n\n{filler('b', 30)}\n")
    assert any("I use pnpm." in passage.embedded_text for passage in passages)


def test_comments_and_queries_are_shown_but_neither_embedded_nor_searched() -> None:
    text = f"It gives light. %%hush%%\n\n```dataview\nLIST FROM hush\n```\n\n{filler('a', 40)} %%hush%% end\n"
    for passages in (cut(text), cut(text, WordEmbedder())):
        assert any("hush" in passage.text for passage in passages)
        assert not any("hush" in passage.embedded_text + passage.searched_text for passage in passages)
        assert any("end" in passage.searched_text for passage in passages)


def test_a_heading_in_a_comment_is_above_nothing() -> None:
    passages = cut(f"{filler('a', 30)}\n\n%%\n\n# hush\n\n%%\n\n{filler('b', 30)}\n")
    assert all("hush" not in passage.heading_path for passage in passages)


def test_hash_signs_in_html_and_lists_are_above_nothing() -> None:
    passages = cut(f"# Real\n\n<div>\n# html\n</div>\n\n- x\n  # listed\n\n{filler('b', 30)}\n")
    assert {part for passage in passages for part in passage.heading_path} <= {"Real"}


def test_windows_line_ends_cut_alike() -> None:
    text = "# A\n\n| a | b |\n| --- | --- |\n" + "".join(f"| {n} one | two |\n" for n in range(12)) + "\n## B\n\nword\n"
    unix, windows = cut(text), cut(text.replace("\n", "\r\n"))
    assert [passage.text for passage in unix] == [passage.text.replace("\r", "") for passage in windows]
    assert [passage.heading_path for passage in unix] == [passage.heading_path for passage in windows]


def test_a_note_of_front_matter_only_is_found_by_title_aliases_and_tags() -> None:
    (passage,) = cut("---\ntitle: Lamp\naliases: [Lantern]\ntags: [light]\n---\n")
    assert passage.embedded_text == "Lamp\nLantern\nlight"
    assert passage.text == ""
    (passage,) = cut("---\naliases: [Lantern]\n---\n%% only an aside %%\n")
    assert passage.embedded_text == "Lamp\nLantern"
    assert passage.text == "%% only an aside %%"
