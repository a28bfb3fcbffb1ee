"""``reextract``: what was generated is generated again; the text, and what a person chose, stay."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.extraction.llm.models import GoodModel, StandInChat
from tests.library.conftest import HANDBOOK
from tests.library.reextraction import MANUAL, SMALL, Open, edit, folder_of, ids_of, names, snapshot
from wiki.errors import Conflict, ExternalServiceUnavailable, ExtractionEmpty, NotFound


def test_the_same_again_touches_no_file(opened_with: Open, note: Path) -> None:
    here = opened_with()
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    before = snapshot(folder)
    again = here.reextract(made.doc_id)
    assert (again.changed, again.topic_count, again.kept) == (False, made.topic_count, ())
    assert snapshot(folder) == before


def test_other_settings_give_another_tree_over_the_same_text(opened_with: Open, manual: Path) -> None:
    coarse = opened_with(min_topic_words=900)
    made = coarse.upload(manual, name="manual.md", labels=["mine"], title="The book")
    assert made.topic_count == 2
    folder = folder_of(coarse, made.doc_id)
    index = folder / "index.md"
    index.write_text(
        index.read_text(encoding="utf-8").replace("schema_version: 1", "schema_version: 1\nowner: Mira  # asks")
    )
    here = opened_with(**SMALL)
    here.sync()
    result = here.reextract(made.doc_id)
    assert result.changed and result.indexed
    assert names(here, made.doc_id) == ["Manual", *(f"Part {n}" for n in range(1, 19))]
    assert here.markdown(made.doc_id) == MANUAL
    view = here.document(made.doc_id)
    assert (view.title, view.labels) == ("The book", ("mine",))
    assert "owner: Mira  # asks" in (folder_of(here, made.doc_id) / "index.md").read_text(encoding="utf-8")
    assert here.verify().ok
    assert here.reextract(made.doc_id).changed is False


def test_a_model_takes_over_a_document_of_the_outline(opened_with: Open, note: Path) -> None:
    made = opened_with(**SMALL).upload(note, name="handbook.md")
    here = opened_with(StandInChat(GoodModel()), **SMALL)
    result = here.reextract(made.doc_id)
    view = here.document(made.doc_id)
    assert (result.changed, result.method) == (True, "llm")
    assert (view.summary, view.category_id, view.labels) == ("It tells of pumps.", "Engineering", ("pumps", "repair"))
    assert here.markdown(made.doc_id) == HANDBOOK
    assert here.verify().ok
    silent = opened_with(StandInChat([AssertionError("asked again")]), **SMALL)
    assert silent.reextract(made.doc_id).changed is False


def test_edited_bodies_stay_and_get_fresh_summaries(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    seals = next(folder_of(here, made.doc_id).glob("*Seals*.md"))
    seals.write_bytes(seals.read_bytes().replace(b"Replace the spring first", b"Call the harbour master first"))
    here.sync()
    topic = next(topic for topic in here.document(made.doc_id).topics if topic.topic_name == "Seals")
    assert here.topic(topic.topic_id).summary_stale
    text = here.markdown(made.doc_id)
    assert here.reextract(made.doc_id).changed
    assert here.markdown(made.doc_id) == text
    view = here.topic(topic.topic_id)
    assert not view.summary_stale
    assert "harbour master" in view.content
    assert here.verify().ok


def test_no_topic_gets_a_number_that_another_one_has_or_had(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    next(folder.glob("3_*.md")).unlink()
    (folder / "4_Mine.md").write_text("Never oil the float.\n", encoding="utf-8")
    head = next(folder.glob("1_*.md"))
    floats = "## Floats\n\nThe float must hang free over the pit, or the pump runs dry.\n\n"
    head.write_text(head.read_text(encoding="utf-8") + floats, encoding="utf-8")
    here.sync()
    here.reextract(made.doc_id)
    assert ids_of(here, made.doc_id) == {"Pump handbook": "5", "Floats": "6", "Seals": "2", "Mine": "4"}
    assert here.verify().ok


def test_a_numbered_topic_written_by_hand_keeps_its_number_and_file(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    (folder / "4_Floats.md").write_text("Floats hang free.\n", encoding="utf-8")
    head = next(folder.glob("*Pump_handbook*.md"))
    head.write_bytes(
        head.read_bytes() + b"## Floats\n\nThe float must hang free over the pit, or the pump runs dry.\n\n"
    )
    here.sync()
    text = here.markdown(made.doc_id)
    assert here.reextract(made.doc_id).changed
    assert (folder / "4_Floats.md").read_text(encoding="utf-8") == "Floats hang free.\n"
    [made_anew] = [path for path in folder.glob("*_Floats.md") if path.name != "4_Floats.md"]
    assert made_anew.read_text(encoding="utf-8").endswith("or the pump runs dry.\n\n")
    assert here.markdown(made.doc_id) == text
    assert here.verify().ok


def test_a_number_stays_taken_when_its_topic_was_deleted(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    edit(next(folder.glob("2_*.md")), "A seal leaks", "Every seal leaks")
    next(folder.glob("3_*.md")).unlink()
    here.sync()
    coarse = opened_with(min_topic_words=900)
    coarse.reextract(made.doc_id)
    assert set(ids_of(coarse, made.doc_id).values()) == {"4"}
    for path in folder.glob("[0-9]*.md"):
        edit(path, "Every seal", "Some seal")
    here.sync()
    here.reextract(made.doc_id)
    assert ids_of(here, made.doc_id) == {"Pump handbook": "5", "Seals": "6"}


def test_topics_of_an_edited_text_tell_the_pages_of_those_they_lie_in(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    for number, pages in ((1, "[1, 2]"), (2, "[3, 7]"), (3, "[7, 9]")):
        edit(next(folder.glob(f"{number}_*.md")), "source: {", f"source: {{pages: {pages}, ")
    edit(next(folder.glob("2_*.md")), "After the repair", "## Trial\n\nAfter the repair")
    here.sync()
    here.reextract(made.doc_id)
    sources = {t.topic_name: here.topic(t.topic_id).source for t in here.document(made.doc_id).topics}
    assert {name: source["pages"] for name, source in sources.items()} == {
        "Pump handbook": [1, 2], "Seals": [3, 7], "Trial": [3, 7], "Motors": [7, 9],
    }  # fmt: skip
    lines = here.markdown(made.doc_id).splitlines()
    assert [lines[source["lines"][0] - 1] for source in sources.values()] == [
        "# Pump handbook", "## Seals", "## Trial", "## Motors",
    ]  # fmt: skip
    edit(next(folder.glob("3_*.md")), "## Motors\n\n", "")
    here.sync()
    here.reextract(made.doc_id)
    last = here.document(made.doc_id).topics[-1]
    assert (last.topic_name, here.topic(last.topic_id).source["pages"]) == ("Trial", [3, 9])


def test_a_file_of_the_same_name_elsewhere_is_not_taken_for_a_lost_original(
    opened_with: Open, note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    shutil.rmtree(folder_of(here, made.doc_id) / "_original")
    shutil.rmtree(here.layout.parsed)
    here.sync()
    (tmp_path / "handbook.md").write_text("# Something else\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert not here.reextract(made.doc_id).changed
    assert not list(here.layout.parsed.rglob("*.json"))


def test_a_model_that_fails_and_an_edit_meanwhile_change_nothing(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    before = snapshot(folder)
    failing = opened_with(StandInChat([ExternalServiceUnavailable("busy", provider="llm")]), **SMALL)
    with pytest.raises(ExternalServiceUnavailable, match="busy"):
        failing.reextract(made.doc_id)
    assert snapshot(folder) == before

    seals = next(folder.glob("*Seals*.md"))

    class Meddling(GoodModel):
        def __call__(self, *args: Any, **named: Any) -> Any:
            seals.write_bytes(seals.read_bytes() + b"And a word more.\n")
            return super().__call__(*args, **named)

    with pytest.raises(Conflict, match="edited meanwhile"):
        opened_with(StandInChat(Meddling()), **SMALL).reextract(made.doc_id)
    assert {name for name, (data, _) in snapshot(folder).items() if data != before[name][0]} == {seals.name}
    with pytest.raises(Conflict, match="has changed since"):
        here.reextract(made.doc_id, if_match="0" * 32)
    with pytest.raises(NotFound):
        here.reextract("d_000000000000")


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    bodies=st.lists(st.text("ab #\n.-|`>\r\t\x0c\u2028\ufeff€", max_size=120), min_size=1, max_size=4),
    least=st.sampled_from([1, 5, 40, 900]),
)  # fmt: skip
def test_whatever_the_bodies_were_edited_to_the_text_stays(
    opened_with: Open, tmp_path: Path, bodies: list[str], least: int
) -> None:
    here = opened_with(min_topic_words=5)
    source = tmp_path / "parts.md"
    source.write_text(
        "".join(f"## Part {i}\n\nSome words about matter {i} and its many uses.\n\n" for i in range(len(bodies)))
    )
    made = here.upload(source, name="parts.md", wait=0)
    for path, body in zip(sorted(folder_of(here, made.doc_id).glob("[0-9]*.md")), bodies, strict=False):
        front = re.match(rb"---\n.*?\n---\n", path.read_bytes(), re.DOTALL)
        assert front
        path.write_bytes(front[0] + body.encode())
    here.sync()
    text = here.markdown(made.doc_id)
    later = opened_with(min_topic_words=least)
    if text.strip():
        later.reextract(made.doc_id, wait=0)
    else:
        with pytest.raises(ExtractionEmpty):
            later.reextract(made.doc_id)
    assert later.markdown(made.doc_id) == text
    later.sync()
    assert later.verify().ok
