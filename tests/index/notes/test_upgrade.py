"""An index made before there were notes is mended where it lies: nothing is embedded again, searches go on meanwhile."""

import duckdb
import lancedb

from tests.index.library_on_disk import write_document
from tests.index.notes.conftest import Shelves
from wiki.index.snapshots import current

DOC = "d_aaaaaaaaaaaa"


def make_older(shelves: Shelves) -> None:
    """Take from both stores what this version added."""
    write_document(shelves.layout, f"Technology/P_{DOC}", DOC, {"1_Disks.md": "Disks spin.\n"})
    shelves.sync()
    table = lancedb.connect(shelves.layout.lance).open_table("passages")
    table.drop_index("vault_idx")
    table.drop_columns(["vault"])
    shelves.index.snapshots.close()
    name = current(shelves.layout.catalog)
    assert name is not None
    for file in ("catalog.duckdb", name.file):
        with duckdb.connect(str(shelves.layout.catalog / file)) as connection:
            for gone in ("notes", "links", "note_queue", "decisions", "audit_files"):
                connection.execute(f"DROP TABLE {gone}")
            connection.execute("DELETE FROM meta WHERE key = 'vaults'")
    shelves.index = shelves.open()


def test_an_older_snapshot_answers_until_it_is_replaced(shelves: Shelves) -> None:
    make_older(shelves)
    cursor = shelves.index.snapshots.cursor()
    assert cursor is not None
    assert cursor.execute("SELECT count(*) FROM notes").fetchone() == (0,)
    assert cursor.execute("SELECT count(*) FROM topics").fetchone() == (1,)
    assert shelves.index.store().keyword("disks", 5)[0].record_id == f"{DOC}_1"
    assert shelves.index.drift().pending == 0


def test_notes_join_an_older_index(shelves: Shelves) -> None:
    make_older(shelves)
    shelves.embedder.embedded.clear()
    shelves.write("work/A.md", "Whales sing.\n")
    shelves.sync()
    assert shelves.found("whales") == ["work/A.md"]
    assert len(shelves.embedder.embedded) == 1
    vaults = shelves.index.store().rows(["record_id", "vault"]).to_pylist()
    assert sorted(str(row["vault"]) for row in vaults) == ["None", "work"]
    shelves.check()


def test_the_column_is_there_before_the_first_note(shelves: Shelves) -> None:
    make_older(shelves)
    shelves.sync()
    assert shelves.index.store().rows(["vault"], "vault IN ('work')").num_rows == 0
    shelves.check()
