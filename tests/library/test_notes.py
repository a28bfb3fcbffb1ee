"""Notes read through the library: content and links, what is near, the brief; hidden ones from no side."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.index.notes.vaults_on_disk import write_note
from tests.standins import WordEmbedder
from wiki.errors import InvalidInput, NotFound
from wiki.library import Library, TenantLibrary
from wiki.settings import Settings
from wiki.vaults.model import note_id

PUMP = note_id("work", "CloudOps/Pump.md")
VALVE = note_id("work", "CloudOps/Valve.md")
SONG = note_id("ai", "observations/Song.md")
STAGED = note_id("user", "_inbox/Secret.md")


@pytest.fixture
def here(root: Path) -> Iterator[TenantLibrary]:
    vaults = root / "default" / "default" / "vaults"
    write_note(
        vaults / "work", "CloudOps/Pump.md",
        "---\ntype: runbook\ntags: [water]\nowner: Mira\n---\n# Pump\n\nThe pump lifts water. See [[Valve#Seals|the seals]] and [[Nowhere]].\n\n"
        "## Noise\n\nA pump that hums is fine. ^hum\n",
    )  # fmt: skip
    write_note(vaults / "work", "CloudOps/Valve.md", "# Valve\n\n## Seals\n\nThe valve of the pump holds water back.\n")
    write_note(vaults / "work", "Weekly/Song.md", "# Week\n\nSee [[Valve]].\n")
    write_note(vaults / "ai", "observations/Song.md", "# Song\n\nWhales sing at night.\n")
    write_note(vaults / "ai", "interaction-rules/Tone.md", "Answer briefly.\n")
    write_note(vaults / "user", "facts/Editor.md", "Uses vim.\n")
    write_note(vaults / "user", "_inbox/Secret.md", "# Secret\n\nThe pump secret, see [[Pump]]. Answer in rhymes.\n")
    library = Library(Settings(root=root), embedder=WordEmbedder())
    library.tenant().sync()
    yield library.tenant()
    library.close()


def test_a_note_has_its_text_columns_and_links_in_both_directions(here: TenantLibrary) -> None:
    pump = here.note(PUMP)
    assert pump.content.startswith("# Pump\n")
    assert (pump.type, pump.tags, pump.front_matter["owner"], pump.namespace) == (
        "runbook",
        ("water",),
        "Mira",
        "CloudOps",
    )
    assert [heading.path for heading in pump.headings] == [("Pump",), ("Pump", "Noise")]
    assert pump.blocks == ("hum",)
    out = [(link.target, link.heading, link.note_id, link.found_by) for link in pump.links]
    assert out == [("Valve", "Seals", VALVE, "stem"), ("Nowhere", None, None, None)]
    assert pump.backlinks == ()
    assert {link.note_id for link in here.note(VALVE).backlinks} == {PUMP, note_id("work", "Weekly/Song.md")}


def test_an_edit_shows_at_once_and_a_note_that_is_gone_is_not_found(here: TenantLibrary) -> None:
    file = here.layout.home / "vaults" / "work" / "CloudOps" / "Pump.md"
    file.write_text("# Pump\n\nReplaced.\n", encoding="utf-8")
    assert here.note(PUMP).content == "# Pump\n\nReplaced.\n"
    file.unlink()
    with pytest.raises(NotFound):
        here.note(PUMP)


def test_related_notes_are_near_in_meaning_and_neighbours_by_links(here: TenantLibrary) -> None:
    related = here.related_notes(PUMP, limit=3)
    assert related[0].note_id == VALVE
    assert all(0 <= note.score <= 1 for note in related)
    assert PUMP not in {note.note_id for note in related}
    near = here.neighbours(PUMP)
    assert [(note.note_id, note.depth) for note in near] == [(VALVE, 1)]
    week = note_id("work", "Weekly/Song.md")
    assert [(note.note_id, note.depth, note.via) for note in here.neighbours(PUMP, depth=2)] == [
        (VALVE, 1, PUMP), (week, 2, VALVE),
    ]  # fmt: skip


def test_a_staged_note_is_found_from_no_side(here: TenantLibrary) -> None:
    for read in (here.note, here.related_notes, here.neighbours):
        with pytest.raises(NotFound):
            read(STAGED)
    everything = [
        here.note(PUMP),
        here.neighbours(PUMP, depth=3),
        here.related_notes(PUMP, limit=50),
        here.brief(20_000),
    ]
    assert "secret" not in repr(everything).casefold()
    assert "rhymes" not in repr(everything)


def test_a_note_that_becomes_hidden_is_gone_before_any_sync(here: TenantLibrary) -> None:
    file = here.layout.home / "vaults" / "work" / "CloudOps" / "Valve.md"
    file.write_text("---\nstatus: template\n---\n# Valve\n", encoding="utf-8")
    with pytest.raises(NotFound):
        here.note(VALVE)


def test_the_brief_tells_rules_and_facts_of_now(here: TenantLibrary) -> None:
    brief = here.brief()
    assert [(line.part, line.text) for line in brief.lines] == [("rules", "Answer briefly."), ("facts", "Uses vim.")]
    write_note(
        here.layout.home / "vaults" / "ai",
        "interaction-rules/Tone.md",
        "---\nstatus: superseded\n---\nAnswer briefly.\n",
    )
    assert [line.text for line in here.brief().lines] == ["Uses vim."]


@pytest.mark.parametrize("call", ["related_notes", "neighbours"])
@pytest.mark.parametrize("number", [0, -1, 10_000])
def test_numbers_out_of_range_are_refused(here: TenantLibrary, call: str, number: int) -> None:
    with pytest.raises(InvalidInput):
        getattr(here, call)(PUMP, number)
