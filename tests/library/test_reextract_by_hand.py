"""``reextract``: what a person wrote or chose stays."""

import shutil
from pathlib import Path

import pytest

from tests.extraction.llm.models import GoodModel, StandInChat
from tests.library.conftest import HANDBOOK
from tests.library.reextraction import MANUAL, SMALL, Open, edit, folder_of, ids_of, names, snapshot
from wiki.errors import InvalidInput


def test_names_labels_and_category_of_a_person_stay(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    seals = next(topic for topic in here.document(made.doc_id).topics if topic.topic_name == "Seals")
    here.patch_topic(seals.topic_id, name="When it drips", labels=["urgent"])
    motors = next(folder_of(here, made.doc_id).glob("*Motors*.md"))
    text = motors.read_text(encoding="utf-8")
    motors.write_text(text.replace("topic_name: Motors", "topic_name: My motors\nchecked_by: Ayo"), encoding="utf-8")
    here.patch_document(made.doc_id, category_id="Food", labels=["kept"])
    here.sync()
    changed = opened_with(StandInChat(GoodModel()), **SMALL)
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


def test_a_named_topic_keeps_its_place_in_a_coarser_tree(opened_with: Open, manual: Path) -> None:
    fine = opened_with(**SMALL)
    made = fine.upload(manual, name="manual.md")
    part = next(topic for topic in fine.document(made.doc_id).topics if topic.topic_name == "Part 7")
    fine.patch_topic(part.topic_id, name="What hums")
    here = opened_with(min_topic_words=900)
    here.reextract(made.doc_id)
    topics = here.document(made.doc_id).topics
    assert [(topic.topic_name, topic.depth) for topic in topics] == [
        ("Manual", 1), ("Part 1 – Part 18", 2), ("What hums", 3),
    ]  # fmt: skip
    assert here.topic(topics[2].topic_id).content.startswith("## Part 7")
    assert here.topic(topics[2].topic_id).summary
    assert here.markdown(made.doc_id) == MANUAL
    assert here.verify().ok


def test_topics_written_by_hand_stay_and_bodies_that_stay_keep_their_ids(opened_with: Open, note: Path) -> None:
    fine = opened_with(**SMALL)
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


def test_a_folder_moved_by_hand_decides_the_category(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    target = here.layout.knowledge / "Travel"
    target.mkdir()
    shutil.move(folder_of(here, made.doc_id), target)
    here.sync()
    model = opened_with(StandInChat(GoodModel()), **SMALL)
    model.reextract(made.doc_id)
    view = model.document(made.doc_id)
    assert (view.category_id, view.md_path.split("/")[-2]) == ("Travel", "Travel")


def test_a_file_of_a_person_is_never_overwritten_by_a_topic_of_the_same_name(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    (folder / "2_Seals.md").rename(folder / "renamed.md")
    (folder / "2_seals.md").write_text("My own note on seals.\n", encoding="utf-8")
    (folder / "elsewhere.md").symlink_to("not mounted now.md")
    edit(folder / "3_Motors.md", "Motors are checked in autumn", "Motors are checked in spring")
    here.sync()
    text = here.markdown(made.doc_id)
    assert here.reextract(made.doc_id).changed
    assert here.markdown(made.doc_id) == text
    assert (folder / "2_seals.md").read_text(encoding="utf-8") == "My own note on seals.\n"
    assert (folder / "2_Seals_2.md").is_file()
    assert (folder / "elsewhere.md").is_symlink()


def test_what_a_person_wrote_into_a_topic_stays_when_its_text_was_taken_out(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    seals = folder / "2_Seals.md"
    front = seals.read_text(encoding="utf-8").partition("\n---\n")[0].replace("topic_name: Seals", "topic_name: Later")
    seals.write_text(f"{front}\nasked_by: Ayo\n---\n", encoding="utf-8")
    motors = folder / "3_Motors.md"
    motors.write_text(motors.read_text(encoding="utf-8").partition("\n---\n")[0] + "\n---\n", encoding="utf-8")
    here.sync()
    result = here.reextract(made.doc_id)
    assert (result.kept, ids_of(here, made.doc_id)) == (("Later",), {"Pump handbook": "1", "Later": "2"})
    assert "asked_by: Ayo" in (folder / "2_Later.md").read_text(encoding="utf-8")
    assert not here.reextract(made.doc_id).changed
    assert here.verify().ok


def test_a_value_set_back_by_a_person_to_what_was_generated_is_a_choice(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    for category in ("Food", made.category_id):
        here.patch_document(made.doc_id, category_id=category)
    seals = here.document(made.doc_id).topics[1]
    for name in ("Drips", seals.topic_name):
        here.patch_topic(seals.topic_id, name=name)
    model = opened_with(StandInChat(GoodModel()), **SMALL)
    assert set(model.reextract(made.doc_id).kept) == {"category", seals.topic_name}
    assert model.document(made.doc_id).category_id == made.category_id


def test_a_new_version_does_not_make_generated_values_a_choice(opened_with: Open, note: Path, tmp_path: Path) -> None:
    here = opened_with(StandInChat(GoodModel()), **SMALL)
    made = here.upload(note, name="handbook.md")
    longer = tmp_path / "longer.md"
    longer.write_text(HANDBOOK + "\nOne more line.\n", encoding="utf-8")
    here.replace(made.doc_id, longer, name="handbook.md")
    assert here.reextract(made.doc_id).kept == ()
    here.replace(made.doc_id, longer, name="handbook.md", category_id="Food", labels=["mine"])
    assert set(here.reextract(made.doc_id).kept) == {"category", "labels"}


def test_a_folder_moved_to_one_that_is_no_category_stays_there(opened_with: Open, note: Path) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    target = here.layout.knowledge / "My things"
    target.mkdir()
    shutil.move(folder_of(here, made.doc_id), target)
    here.sync()
    model = opened_with(StandInChat(GoodModel()), **SMALL)
    result = model.reextract(made.doc_id)
    assert (result.changed, result.kept) == (True, ("category",))
    assert folder_of(model, made.doc_id).parent == target


@pytest.mark.parametrize("name", ["index.md", "2_Seals.md"])
def test_front_matter_that_cannot_be_read_is_left_for_its_writer(opened_with: Open, note: Path, name: str) -> None:
    here = opened_with(**SMALL)
    made = here.upload(note, name="handbook.md")
    folder = folder_of(here, made.doc_id)
    edit(folder / name, "schema_version", "owner: [Mira\nschema_version")
    edit(folder / "1_Pump_handbook.md", "small", "little")
    here.sync()
    before = snapshot(folder)
    with pytest.raises(InvalidInput, match=rf"{name}:\d+: .*mend the YAML"):
        here.reextract(made.doc_id)
    assert snapshot(folder) == before


def test_a_document_written_by_hand_has_nothing_to_be_made_anew(opened_with: Open) -> None:
    here = opened_with()
    folder = here.layout.knowledge / "Food" / "Bread_d_aaaaaaaaaaaa"
    folder.mkdir(parents=True)
    (folder / "Crust.md").write_text("Bake it hot.\n", encoding="utf-8")
    here.sync()
    result = here.reextract("d_aaaaaaaaaaaa")
    assert (result.changed, result.method, result.topic_count) == (False, "by hand", 1)
    assert [path.name for path in folder.iterdir()] == ["Crust.md"]
