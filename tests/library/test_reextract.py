"""``reextract``: what was generated is generated again; the text, and what a person chose, stay."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.extraction.llm.models import GoodModel, StandInChat
from tests.library.conftest import HANDBOOK
from tests.standins import WordEmbedder
from wiki.errors import Conflict, ExternalServiceUnavailable, ExtractionEmpty, NotFound
from wiki.library import Library, TenantLibrary
from wiki.settings import ApiSettings, ExtractionSettings, Settings

Open = Callable[..., TenantLibrary]
SMALL: dict[str, Any] = {"min_topic_words": 5}
MANUAL = "# Manual\n\nWhat each part does and who looks after it in the week.\n\n" + "".join(
    f"## Part {n}\n\nPart {n} is looked at on day {n}, and somebody writes down what it weighs and how it sounds.\n\n"
    for n in range(1, 19)
)


@pytest.fixture
def opened(root: Path) -> Iterator[Open]:
    """Makes a library on the temporary root with these extraction settings, as a later start of the service would."""
    made: list[Library] = []

    def make(chat: StandInChat | None = None, **extraction: Any) -> TenantLibrary:
        method: Any = "llm" if chat is not None else "outline"
        chosen = Settings(
            root=root, api=ApiSettings(wait_seconds=30), extraction=ExtractionSettings(method=method, **extraction)
        )
        made.append(Library(chosen, embedder=WordEmbedder(), chat=chat))
        return made[-1].tenant()

    yield make
    for library in made:
        library.close()


@pytest.fixture
def manual(tmp_path: Path) -> Path:
    """A document of so many small parts that settings decide which stand alone."""
    path = tmp_path / "manual.md"
    path.write_text(MANUAL, encoding="utf-8")
    return path


def names(here: TenantLibrary, doc_id: str) -> list[str]:
    return [topic.topic_name for topic in here.document(doc_id).topics]


def folder_of(here: TenantLibrary, doc_id: str) -> Path:
    return here.layout.root / here.document(doc_id).md_path


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir() if p.is_file()}


def test_the_same_again_touches_no_file(opened: Open, note: Path) -> None:
    here = opened()
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    before = snapshot(folder)
    again = here.reextract(made.doc_id)
    assert (again.changed, again.topic_count, again.kept) == (False, made.topic_count, ())
    assert snapshot(folder) == before


def test_other_settings_give_another_tree_over_the_same_text(opened: Open, manual: Path) -> None:
    coarse = opened(min_topic_words=900)
    made = coarse.upload(manual, name="manual.md", labels=["mine"], title="The book")
    assert made.topic_count == 2
    folder = folder_of(coarse, made.doc_id)
    index = folder / "index.md"
    index.write_text(
        index.read_text(encoding="utf-8").replace("schema_version: 1", "schema_version: 1\nowner: Mira  # asks")
    )
    here = opened(**SMALL)
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


def test_a_model_takes_over_a_document_of_the_outline(opened: Open, note: Path) -> None:
    made = opened(**SMALL).upload(note, name="handbook.md")
    here = opened(StandInChat(GoodModel()), **SMALL)
    result = here.reextract(made.doc_id)
    view = here.document(made.doc_id)
    assert (result.changed, result.method) == (True, "llm")
    assert (view.summary, view.category_id, view.labels) == ("It tells of pumps.", "Engineering", ("pumps", "repair"))
    assert here.markdown(made.doc_id) == HANDBOOK
    assert here.verify().ok
    silent = opened(StandInChat([AssertionError("asked again")]), **SMALL)
    assert silent.reextract(made.doc_id).changed is False


def test_names_labels_and_category_of_a_person_stay(opened: Open, note: Path) -> None:
    here = opened(**SMALL)
    made = here.upload(note, name="handbook.md")
    seals = next(topic for topic in here.document(made.doc_id).topics if topic.topic_name == "Seals")
    here.patch_topic(seals.topic_id, name="When it drips", labels=["urgent"])
    motors = next(folder_of(here, made.doc_id).glob("*Motors*.md"))
    text = motors.read_text(encoding="utf-8")
    motors.write_text(text.replace("topic_name: Motors", "topic_name: My motors\nchecked_by: Ayo"), encoding="utf-8")
    here.patch_document(made.doc_id, category_id="Food", labels=["kept"])
    here.sync()
    changed = opened(StandInChat(GoodModel()), **SMALL)
    result = changed.reextract(made.doc_id)
    assert set(result.kept) == {"category", "labels", "When it drips", "My motors"}
    view = changed.document(made.doc_id)
    assert (view.category_id, view.labels) == ("Food", ("kept",))
    assert names(changed, made.doc_id) == ["Pump handbook", "When it drips", "My motors"]
    assert next(t for t in view.topics if t.topic_name == "When it drips").labels == ("urgent",)
    [motors] = folder_of(changed, made.doc_id).glob("*My_motors*.md")
    assert "checked_by: Ayo" in motors.read_text(encoding="utf-8")
    again = changed.reextract(made.doc_id)
    assert (again.changed, set(again.kept)) == (False, set(result.kept))


def test_a_named_topic_keeps_its_place_in_a_coarser_tree(opened: Open, manual: Path) -> None:
    fine = opened(**SMALL)
    made = fine.upload(manual, name="manual.md")
    part = next(topic for topic in fine.document(made.doc_id).topics if topic.topic_name == "Part 7")
    fine.patch_topic(part.topic_id, name="What hums")
    here = opened(min_topic_words=900)
    here.reextract(made.doc_id)
    topics = here.document(made.doc_id).topics
    assert [(topic.topic_name, topic.depth) for topic in topics] == [
        ("Manual", 1), ("Part 1 – Part 18", 2), ("What hums", 3),
    ]  # fmt: skip
    assert here.topic(topics[2].topic_id).content.startswith("## Part 7")
    assert here.topic(topics[2].topic_id).summary
    assert here.markdown(made.doc_id) == MANUAL
    assert here.verify().ok


def test_edited_bodies_stay_and_get_fresh_summaries(opened: Open, note: Path) -> None:
    here = opened(**SMALL)
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


def test_topics_written_by_hand_stay_and_bodies_that_stay_keep_their_ids(opened: Open, note: Path) -> None:
    fine = opened(**SMALL)
    made = fine.upload(note, name="handbook.md")
    folder = folder_of(fine, made.doc_id)
    (folder / "Remarks of mine.md").write_bytes(b"Never oil the float.\r\n")
    fine.sync()
    before = {topic.topic_name: topic.topic_id for topic in fine.document(made.doc_id).topics}
    head = next(folder.glob("*Pump_handbook*.md"))
    head.write_bytes(
        head.read_bytes() + b"## Floats\n\nThe float must hang free over the pit, or the pump runs dry.\n\n"
    )
    fine.sync()
    result = fine.reextract(made.doc_id)
    assert result.changed
    after = {topic.topic_name: topic.topic_id for topic in fine.document(made.doc_id).topics}
    assert {name: after[name] for name in ("Seals", "Motors", "Remarks of mine")} == {
        name: before[name] for name in ("Seals", "Motors", "Remarks of mine")
    }
    assert after["Floats"] not in before.values()
    assert (folder / "Remarks of mine.md").read_bytes() == b"Never oil the float.\r\n"
    assert result.topic_count == len(after)


def test_a_numbered_topic_written_by_hand_keeps_its_number_and_file(opened: Open, note: Path) -> None:
    here = opened(**SMALL)
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


def test_a_folder_moved_by_hand_decides_the_category(opened: Open, note: Path) -> None:
    here = opened(**SMALL)
    made = here.upload(note, name="handbook.md")
    target = here.layout.knowledge / "Travel"
    target.mkdir()
    shutil.move(folder_of(here, made.doc_id), target)
    here.sync()
    model = opened(StandInChat(GoodModel()), **SMALL)
    model.reextract(made.doc_id)
    view = model.document(made.doc_id)
    assert (view.category_id, view.md_path.split("/")[-2]) == ("Travel", "Travel")


def test_a_model_that_fails_and_an_edit_meanwhile_change_nothing(opened: Open, note: Path) -> None:
    here = opened(**SMALL)
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    before = snapshot(folder)
    failing = opened(StandInChat([ExternalServiceUnavailable("busy", provider="llm")]), **SMALL)
    with pytest.raises(ExternalServiceUnavailable, match="busy"):
        failing.reextract(made.doc_id)
    assert snapshot(folder) == before

    seals = next(folder.glob("*Seals*.md"))

    class Meddling(GoodModel):
        def __call__(self, *args: Any, **named: Any) -> Any:
            seals.write_bytes(seals.read_bytes() + b"And a word more.\n")
            return super().__call__(*args, **named)

    with pytest.raises(Conflict, match="edited meanwhile"):
        opened(StandInChat(Meddling()), **SMALL).reextract(made.doc_id)
    assert {name for name, (data, _) in snapshot(folder).items() if data != before[name][0]} == {seals.name}
    with pytest.raises(Conflict, match="has changed since"):
        here.reextract(made.doc_id, if_match="0" * 32)
    with pytest.raises(NotFound):
        here.reextract("d_000000000000")


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    bodies=st.lists(st.text("ab #\n.-|`>\r\t€", max_size=120), min_size=1, max_size=4),
    least=st.sampled_from([1, 5, 40, 900]),
)  # fmt: skip
def test_whatever_the_bodies_were_edited_to_the_text_stays(
    opened: Open, tmp_path: Path, bodies: list[str], least: int
) -> None:
    here = opened(min_topic_words=5)
    source = tmp_path / "parts.md"
    source.write_text(
        "".join(f"## Part {i}\n\nSome words about matter {i} and its many uses.\n\n" for i in range(len(bodies)))
    )
    made = here.upload(source, name="parts.md", on_duplicate="new")
    for path, body in zip(sorted(folder_of(here, made.doc_id).glob("[0-9]*.md")), bodies, strict=False):
        front = re.match(rb"---\n.*?\n---\n", path.read_bytes(), re.DOTALL)
        assert front
        path.write_bytes(front[0] + body.encode())
    here.sync()
    text = here.markdown(made.doc_id)
    later = opened(min_topic_words=least)
    if text.strip():
        later.reextract(made.doc_id, wait=10)
    else:
        with pytest.raises(ExtractionEmpty):
            later.reextract(made.doc_id)
    assert later.markdown(made.doc_id) == text
    assert later.verify().ok
