"""The asset checks over a real library: right, then with a row taken away."""

from pathlib import Path

import dagster as dg

from assets import keys
from assets.checks import SPECS, check_indexes, golden_topics
from wiki.index.catalog import select
from wiki.library import Library

CRANE = "# Harbour crane\n\nThe crane lifts forty tonnes and is checked every spring by the harbour master.\n\n"
ROPE = "## Steel rope\n\nThe steel rope is greased twice a year; a worn rope is cut and sold for scrap.\n"


def upload(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "crane.md"
    file.write_text(CRANE * 12 + ROPE * 12)
    library.tenant().upload(file, name="crane.md")


def results(library: Library) -> dict[tuple[str, str], dg.AssetCheckResult]:
    context = dg.build_op_context()
    specs = list(check_indexes.check_specs)
    assert {(spec.asset_key, spec.name) for spec in specs} == {(spec.asset_key, spec.name) for spec in SPECS}
    done = dg.materialize(
        [check_indexes, *(dg.AssetSpec(key) for key in keys.INDEXES)],
        resources={"library": library},
        selection=dg.AssetSelection.all_asset_checks(),
        instance=context.instance,
    )
    return {
        (evaluation.asset_key.to_user_string(), evaluation.check_name): evaluation  # pyright: ignore[reportReturnType]
        for evaluation in done.get_asset_check_evaluations()
    }


def test_a_library_in_step_passes_every_check(library: Library, tmp_path: Path) -> None:
    upload(library, tmp_path)
    found = results(library)
    assert {key: value.passed for key, value in found.items()} == dict.fromkeys(found, True)
    assert len(found) == len(SPECS)


def test_a_row_taken_out_of_lancedb_fails_its_check_with_a_remedy(library: Library, tmp_path: Path) -> None:
    upload(library, tmp_path)
    store = library.tenant().index.store()
    record = store.rows(["record_id"]).column("record_id").to_pylist()[0]
    store.replace_records([], [record])
    found = results(library)
    failed = {key for key, value in found.items() if not value.passed}
    assert ("lancedb_index", "rows_equal_markdown") in failed
    assert ("duckdb_catalog", "rows_equal_markdown") not in failed
    assert "wiki rebuild" in str(found["lancedb_index", "rows_equal_markdown"].metadata["remedy"].value)


def test_the_golden_set_is_the_librarys_own_topics(library: Library, tmp_path: Path) -> None:
    upload(library, tmp_path)
    cursor = library.tenant().index.snapshots.cursor()
    assert cursor is not None
    names = {row.topic_id: row.name for row in select(cursor, "topics", "TRUE")}
    golden = golden_topics(library.tenant())
    assert all(names[topic_id] == name for topic_id, name in golden)
    assert len({name.casefold() for _, name in golden}) == len(golden)
