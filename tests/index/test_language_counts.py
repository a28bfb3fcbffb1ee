"""Every topic and note knows how many of its passages are in a language the model does not know, also after an upgrade."""

import duckdb
import pytest

from tests.index.library_on_disk import write_document, write_topic
from tests.index.notes.conftest import Shelves
from tests.index.test_languages import TOLD
from tests.standins import WordEmbedder
from wiki.index.catalog import select
from wiki.index.language_counts import LanguageCounts, LanguageReader
from wiki.index.rebuild import rebuild
from wiki.index.snapshots import current
from wiki.tenants import Layout, Tenant

DOC = "d_aaaaaaaaaaaa"
FOLDER = f"Technology/P_{DOC}"


class Polyglot(WordEmbedder):
    fingerprint = "stand-in:polyglot:1"
    languages = None


@pytest.fixture
def shelves(root) -> Shelves:
    return Shelves(Layout(root, Tenant()))


def counts(shelves: Shelves) -> LanguageCounts:
    return LanguageReader(shelves.layout.catalog, shelves.index.snapshots).counts()


def by_topic(shelves: Shelves) -> dict[str, dict[str, int] | None]:
    cursor = shelves.index.snapshots.cursor()
    assert cursor is not None
    return {row.topic_id: row.foreign_passages for row in select(cursor, "topics", "TRUE")}


def fill(shelves: Shelves) -> None:
    write_document(shelves.layout, FOLDER, DOC, {"1_Pump.md": TOLD["en"], "2_Pumpe.md": TOLD["de"]})
    shelves.write("work/A.md", TOLD["en"])
    shelves.write("work/B.md", TOLD["ja"])
    shelves.write("user/_inbox/C.md", TOLD["fr"])
    shelves.sync()


def test_topics_and_notes_are_counted_and_hidden_ones_are_not(shelves: Shelves) -> None:
    fill(shelves)
    assert by_topic(shelves) == {f"{DOC}_1": {}, f"{DOC}_2": {"de": 1}}
    assert {path: row.foreign_passages for path, row in shelves.rows().items()} == {
        "work/A.md": {}, "work/B.md": {"ja": 1}, "user/_inbox/C.md": {},
    }  # fmt: skip
    assert counts(shelves) == LanguageCounts(4, {"de": 1, "ja": 1})
    shelves.check()


def test_each_passage_of_a_long_text_counts(shelves: Shelves) -> None:
    write_document(shelves.layout, FOLDER, DOC, {"1_Long.md": "\n\n".join([TOLD["de"]] * 50 + [TOLD["en"]] * 50)})
    shelves.sync()
    (found,) = by_topic(shelves).values()
    assert found is not None
    assert 2 <= found["de"] < counts(shelves).passages
    shelves.check()


def test_an_edit_a_touch_and_a_delete_are_followed(shelves: Shelves) -> None:
    fill(shelves)
    german = shelves.layout.knowledge / FOLDER / "2_Pumpe.md"
    write_topic(shelves.layout.knowledge / FOLDER / "1_Pump.md", DOC, TOLD["tr"])
    german.touch()
    shelves.sync()
    assert counts(shelves) == LanguageCounts(4, {"de": 1, "ja": 1, "tr": 1})
    german.unlink()
    (shelves.home / "work" / "B.md").unlink()
    shelves.sync()
    assert counts(shelves) == LanguageCounts(2, {"tr": 1})
    shelves.check()


def test_a_rebuild_with_a_model_for_all_languages_counts_none(shelves: Shelves) -> None:
    fill(shelves)
    shelves.embedder = Polyglot()
    rebuild(shelves.index, shelves.taxonomy, lambda: shelves.embedder)
    assert counts(shelves) == LanguageCounts(4, {})
    shelves.check()
    shelves.embedder = WordEmbedder()
    rebuild(shelves.index, shelves.taxonomy, lambda: shelves.embedder)
    assert counts(shelves) == LanguageCounts(4, {"de": 1, "ja": 1})


def test_a_snapshot_is_read_once(shelves: Shelves, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(shelves)
    reader = LanguageReader(shelves.layout.catalog, shelves.index.snapshots)
    first = reader.counts()
    monkeypatch.setattr(shelves.index.snapshots, "open", lambda: pytest.fail("read again"))
    assert reader.counts() is first
    monkeypatch.undo()
    shelves.write("work/D.md", TOLD["zh"])
    shelves.sync()
    assert reader.counts().foreign["zh"] == 1


def test_nothing_is_counted_before_there_is_an_index(shelves: Shelves) -> None:
    assert counts(shelves) == LanguageCounts()
    assert LanguageCounts().share == 0


def make_older(shelves: Shelves) -> None:
    """Take from the catalog what this version added."""
    fill(shelves)
    shelves.index.snapshots.close()
    name = current(shelves.layout.catalog)
    assert name is not None
    for file in ("catalog.duckdb", name.file):
        with duckdb.connect(str(shelves.layout.catalog / file)) as connection:
            for table in ("topics", "notes"):
                connection.execute(f"ALTER TABLE {table} DROP COLUMN foreign_passages")
    shelves.index = shelves.open()


def test_an_older_snapshot_answers_and_counts_nothing_yet(shelves: Shelves) -> None:
    make_older(shelves)
    assert by_topic(shelves) == {f"{DOC}_1": None, f"{DOC}_2": None}
    assert counts(shelves) == LanguageCounts(4, {})


def test_an_older_index_is_counted_at_the_next_sync_without_embedding(shelves: Shelves) -> None:
    make_older(shelves)
    shelves.embedder.embedded.clear()
    shelves.sync()
    assert shelves.embedder.embedded == []
    assert counts(shelves) == LanguageCounts(4, {"de": 1, "ja": 1})
    shelves.check()
    assert shelves.sync() == []
