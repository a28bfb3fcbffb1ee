"""What a tenant's library promises: whole documents in, whole documents out, in step with the index."""

import threading
from pathlib import Path

import pytest

from tests.library.conftest import HANDBOOK
from wiki.errors import Conflict, InvalidInput, NotFound
from wiki.library import Library, TenantLibrary
from wiki.views import SearchFilters, SearchQuery


def snapshot_of(root: Path) -> set[str]:
    return {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and ".index" not in p.parts}


def test_an_upload_comes_back_byte_for_byte_and_is_found(here: TenantLibrary, note: Path) -> None:
    result = here.upload(note, name="handbook.md")
    assert result.indexed
    assert result.topic_count == 3
    assert here.markdown(result.doc_id) == HANDBOOK
    hits = here.search(SearchQuery("tired spring", method="keyword")).hits
    assert hits[0].topic_name == "Seals"
    assert hits[0].document.title == "Pump handbook"
    assert here.topic(hits[0].topic_id).content in HANDBOOK
    assert here.verify().ok


def test_the_same_bytes_twice(here: TenantLibrary, note: Path) -> None:
    first = here.upload(note, name="handbook.md")
    second = here.upload(note, name="again.md")
    assert second.duplicate_of == first.doc_id
    assert second.doc_id != first.doc_id
    returned = here.upload(note, name="again.md", on_duplicate="return")
    # Times are whole seconds: of two made within one, either is the oldest.
    assert returned.doc_id in (first.doc_id, second.doc_id)
    assert not returned.created


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"title": "  "}, InvalidInput),
        ({"title": "x" * 501}, InvalidInput),
        ({"category_id": "Nowhere"}, InvalidInput),
        ({"doc_id": "d_short"}, InvalidInput),
    ],
)
def test_a_refused_upload_leaves_nothing(
    here: TenantLibrary, note: Path, root: Path, given: dict[str, str], error: type[Exception]
) -> None:
    before = snapshot_of(root)
    with pytest.raises(error):
        here.upload(note, name="handbook.md", **given)  # type: ignore[arg-type]
    assert snapshot_of(root) == before


def test_an_empty_file_is_refused(here: TenantLibrary, tmp_path: Path, root: Path) -> None:
    (tmp_path / "empty.md").write_bytes(b"")
    (tmp_path / "blank.md").write_bytes(b" \n\t\n")
    for name in ("empty.md", "blank.md"):
        with pytest.raises(InvalidInput):
            here.upload(tmp_path / name, name=name)
    assert snapshot_of(root) == set()


def test_a_taken_id_is_a_conflict(here: TenantLibrary, note: Path) -> None:
    here.upload(note, name="a.md", doc_id="d_aaaaaaaaaaaa")
    with pytest.raises(Conflict):
        here.upload(note, name="a.md", doc_id="d_aaaaaaaaaaaa")


def test_replace_keeps_id_category_and_creation_time(here: TenantLibrary, note: Path, tmp_path: Path) -> None:
    first = here.upload(note, name="a.md", category_id="Food", labels=["kept"])
    before = here.document(first.doc_id)
    other = tmp_path / "new.md"
    other.write_text("# Valves\n\nValves stick in winter when the grease is old.\n")
    here.replace(first.doc_id, other, name="new.md")
    after = here.document(first.doc_id)
    assert (after.category_id, after.labels, after.created_at) == ("Food", ("kept",), before.created_at)
    assert here.markdown(first.doc_id) == other.read_text()
    assert here.original(first.doc_id)[0].read_bytes() == other.read_bytes()
    assert here.search(SearchQuery("tired spring", method="keyword")).hits == ()
    assert here.search(SearchQuery("valves", method="keyword")).hits[0].document.doc_id == first.doc_id
    assert here.verify().ok


def test_a_failed_replace_leaves_the_old_version(here: TenantLibrary, note: Path, tmp_path: Path) -> None:
    first = here.upload(note, name="a.md")
    blank = tmp_path / "blank.md"
    blank.write_text("\n\n")
    with pytest.raises(InvalidInput):
        here.replace(first.doc_id, blank, name="blank.md")
    assert here.markdown(first.doc_id) == HANDBOOK


def test_patching_a_document_moves_it_and_touches_no_body(here: TenantLibrary, note: Path) -> None:
    first = here.upload(note, name="a.md", category_id="Food")
    result = here.patch_document(
        first.doc_id,
        title="Pumps",
        category_id="Science",
        labels=["x"],
        document_date="2026-11",
        fields={"team": "ops"},
    )
    assert set(result.updated_fields) == {"title", "category_id", "labels", "document_date", "fields"}
    view = here.document(first.doc_id)
    assert view.md_path == f"default/default/knowledge/Science/Pumps_{first.doc_id}"
    assert view.topics[0].topic_path.startswith("Pumps > ")
    assert here.markdown(first.doc_id) == HANDBOOK
    found = here.search(SearchQuery("spring", filters=SearchFilters(fields={"team": "ops"}))).hits
    assert found[0].category_id == "Science"
    assert here.patch_document(first.doc_id, title="Pumps").updated_fields == ()
    assert here.verify().ok


def test_an_old_etag_is_a_conflict(here: TenantLibrary, note: Path) -> None:
    first = here.upload(note, name="a.md")
    old = here.document(first.doc_id).etag
    here.patch_document(first.doc_id, title="Pumps", if_match=old)
    with pytest.raises(Conflict):
        here.patch_document(first.doc_id, title="Valves", if_match=old)
    topic = here.topic(f"{first.doc_id}_1")
    here.patch_topic(topic.topic_id, content="new\n", if_match=topic.etag)
    with pytest.raises(Conflict):
        here.patch_topic(topic.topic_id, content="newer\n", if_match=topic.etag)


def test_editing_a_topic_makes_its_summary_stale(here: TenantLibrary, note: Path) -> None:
    first = here.upload(note, name="a.md")
    here.patch_topic(f"{first.doc_id}_2", content="Zebras graze.\n")
    view = here.topic(f"{first.doc_id}_2")
    assert (view.content, view.summary_stale) == ("Zebras graze.\n", True)
    hit = here.search(SearchQuery("zebras", method="keyword")).hits[0]
    assert (hit.topic_id, hit.summary) == (view.topic_id, "")


def test_delete_is_gone_everywhere_before_it_answers(here: TenantLibrary, note: Path, root: Path) -> None:
    first = here.upload(note, name="a.md")
    assert here.delete_document(first.doc_id) == 3
    assert here.search(SearchQuery("spring")).hits == ()
    assert here.list_documents().total == 0
    assert not list(root.rglob("*handbook*"))
    assert here.delete_document(first.doc_id) is None
    for read in (here.document, here.original, here.markdown):
        with pytest.raises(NotFound):
            read(first.doc_id)


def test_tenants_are_walls(library: Library, note: Path) -> None:
    one, two = library.tenant("acme", "x"), library.tenant("acme", "y")
    first, second = one.upload(note, name="a.md"), two.upload(note, name="a.md")
    with pytest.raises(NotFound):
        two.document(first.doc_id)
    assert two.delete_document(first.doc_id) is None
    one.delete_document(first.doc_id)
    assert two.document(second.doc_id).indexed
    assert two.search(SearchQuery("spring")).hits[0].document.doc_id == second.doc_id
    assert two.verify().ok


def test_categories_count_every_document(here: TenantLibrary, note: Path, root: Path) -> None:
    here.upload(note, name="a.md", category_id="Food")
    folder = root / "default/default/knowledge/Hand_made/Doc"
    folder.mkdir(parents=True)
    (folder / "1_x.md").write_text("By hand.\n")
    here.sync()
    counts = {c.category_id: (c.document_count, c.defined) for c in here.categories()}
    assert counts["Food"] == (1, True)
    assert counts["Hand_made"] == (1, False)
    assert sum(count for count, _ in counts.values()) == here.list_documents().total


def test_uploads_at_the_same_moment_all_stand(here: TenantLibrary, tmp_path: Path) -> None:
    errors: list[Exception] = []

    def upload(number: int) -> None:
        path = tmp_path / f"{number}.md"
        path.write_text(f"# Part {number}\n\nUnique word{number} here.\n")
        try:
            here.upload(path, name=path.name, wait=30)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=upload, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert here.list_documents().total == 8
    assert here.verify().ok
