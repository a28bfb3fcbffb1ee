"""A run of the ingest step: real files, a real instance, the real library."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from assets import keys
from assets.ingest import ingest_asset
from assets.versions import code_versions
from wiki.ingest import hash_file
from wiki.library import Library
from wiki.parsing.worker import ParserPool

REPOSITORY = Path(__file__).resolve().parents[2]

TEXT = "# Harbour crane\n\nThe crane lifts forty tonnes and is checked every spring.\n\n## Rope\n\nThe rope is steel.\n"


@pytest.fixture
def incoming(root: Path) -> Path:
    folder = root / "default/default/incoming"
    folder.mkdir(parents=True)
    return folder


def run(
    library: Library, instance: dg.DagsterInstance, files: list[Path], *, raises: bool = True, **options: Any
) -> dg.ExecuteInProcessResult:
    asset = ingest_asset(code_versions(library.settings))
    defs = dg.Definitions(
        assets=[asset],
        jobs=[dg.define_asset_job("ingest", selection=list(keys.INGEST))],
        resources={"library": dg.ResourceDefinition.hardcoded_resource(library)},
    )
    listed = [{"path": file.relative_to(library.root).as_posix(), "sha256": hash_file(file)} for file in files]
    instance.add_dynamic_partitions("source_files", sorted({file["sha256"] for file in listed}))
    config = {"ops": {"ingest_files": {"config": {"files": listed}}}}
    return defs.resolve_job_def("ingest").execute_in_process(
        instance=instance, run_config=config, raise_on_error=raises, **options
    )


def materialized(result: dg.ExecuteInProcessResult) -> list[tuple[str, str | None]]:
    events = [
        event.step_materialization_data.materialization for event in result.all_events if event.is_step_materialization
    ]
    return [(event.asset_key.to_user_string(), event.partition) for event in events]


def test_a_dropped_file_becomes_a_document_and_leaves_incoming(
    library: Library, instance: dg.DagsterInstance, incoming: Path
) -> None:
    file = incoming / "crane.md"
    file.write_text(TEXT)
    sha256 = hash_file(file)
    result = run(library, instance, [file])
    assert materialized(result) == [(key.to_user_string(), sha256) for key in keys.INGEST]
    assert not file.exists()
    (original,) = (library.root / "default/default/knowledge").rglob("_original/crane.md")
    assert original.read_text() == TEXT
    event = instance.get_latest_materialization_event(keys.MARKDOWN_TOPICS)
    assert event is not None and event.asset_materialization is not None
    shown = event.asset_materialization.metadata
    assert (library.root / str(shown["path"].value)).is_dir()
    assert shown["doc_id"].value == (event.asset_materialization.tags or {})["wiki/doc_id"]
    stored = instance.get_run_by_id(result.run_id)
    assert stored is not None and stored.tags["wiki/doc_id"] == shown["doc_id"].value


def test_one_bad_file_does_not_fail_its_batch(library: Library, instance: dg.DagsterInstance, incoming: Path) -> None:
    good, bad = incoming / "crane.md", incoming / "blank.txt"
    good.write_text(TEXT)
    bad.write_text("  \n")
    good_hash = hash_file(good)
    result = run(library, instance, [bad, good])
    assert result.success
    assert {partition for _, partition in materialized(result)} == {good_hash}
    assert (incoming / "_failed/blank.txt").read_text() == "  \n"
    code, message, remedy = (incoming / "_failed/blank.txt.reason.txt").read_text().splitlines()
    assert code in {"INVALID_INPUT", "EXTRACTION_EMPTY"} and message and remedy


def test_the_same_bytes_twice_are_one_document(library: Library, instance: dg.DagsterInstance, incoming: Path) -> None:
    first, second = incoming / "crane.md", incoming / "copy of crane.md"
    first.write_text(TEXT)
    second.write_text(TEXT)
    result = run(library, instance, [first, second])
    assert len(materialized(result)) == 3
    assert list(incoming.iterdir()) == []
    again = incoming / "crane.md"
    again.write_text(TEXT)
    assert materialized(run(library, instance, [again])) == []
    assert not again.exists()
    assert len(list((library.root / "default/default/knowledge").rglob("_original"))) == 1


def test_a_backfill_of_a_standing_document_reports_it_and_changes_nothing(
    library: Library, instance: dg.DagsterInstance, incoming: Path
) -> None:
    file = incoming / "crane.md"
    file.write_text(TEXT)
    sha256 = hash_file(file)
    run(library, instance, [file])
    library.tenant().sync()
    before = {path: path.read_bytes() for path in (library.root / "default").rglob("*") if path.is_file()}
    result = run(library, instance, [], partition_key=sha256)
    assert [key for key, _ in materialized(result)] == [key.to_user_string() for key in keys.INGEST]
    assert {path: path.read_bytes() for path in (library.root / "default").rglob("*") if path.is_file()} == before


def test_a_backfill_of_a_hash_whose_bytes_are_gone_says_so(library: Library, instance: dg.DagsterInstance) -> None:
    instance.add_dynamic_partitions("source_files", ["f" * 64])
    result = run(library, instance, [], raises=False, partition_key="f" * 64)
    assert not result.success
    (failure,) = [event for event in result.all_events if event.is_step_failure]
    assert "bytes behind 1 partition(s) are gone" in str(failure.step_failure_data.user_failure_data)


def test_another_tenants_file_stays_in_its_own_folder(
    library: Library, instance: dg.DagsterInstance, root: Path
) -> None:
    folder = root / "acme/north/incoming"
    folder.mkdir(parents=True)
    (folder / "crane.md").write_text(TEXT)
    asset = ingest_asset(code_versions(library.settings))
    listed = [
        {
            "app_id": "acme",
            "project_id": "north",
            "path": "acme/north/incoming/crane.md",
            "sha256": hash_file(folder / "crane.md"),
        }
    ]
    result = dg.materialize(
        [asset],
        instance=instance,
        resources={"library": library},
        run_config={"ops": {"ingest_files": {"config": {"files": listed}}}},
    )
    assert {partition for _, partition in materialized(result)} == {f"acme.north:{listed[0]['sha256']}"}
    assert list((root / "acme/north/knowledge").rglob("_original/crane.md"))
    assert not (root / "default").exists()


def test_the_pages_of_a_long_file_stand_in_the_log_of_its_run(
    library: Library, tmp_path: Path, incoming: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wiki.parsing.worker._LOG_SECONDS", 0)
    monkeypatch.setattr("wiki.parsing.worker._QUICK_BYTES", 0)
    monkeypatch.setattr(
        Library, "parser", ParserPool(library.settings.parsing, child="tests.parsing.faulty_child"), raising=False
    )
    file = incoming / "steady.md"
    file.write_text(TEXT)
    settings = yaml.safe_load((REPOSITORY / "dagster.yaml").read_text())["python_logs"]
    home = tmp_path / "home"
    home.mkdir()
    with dg.instance_for_test(temp_dir=str(home), overrides={"python_logs": settings}) as instance:
        result = run(library, instance, [file])
        said = [entry.user_message for entry in instance.all_logs(result.run_id)]
    library.parser.close()
    assert "reading steady.md: page 12 of 12" in said
