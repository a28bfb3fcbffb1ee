"""The sensors as the daemon calls them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from assets import keys
from assets.sources import IncomingFile
from pipelines import resources
from pipelines.incoming import MOST_FILES, Waiting, plan_runs
from pipelines.partitions import SOURCE_FILES, TOPIC_FILES
from pipelines.sensors import cascade_a, incoming_sensor
from wiki.library import Library

TEXT = "# Harbour crane\n\nThe crane lifts forty tonnes and is checked every spring.\n"


@pytest.fixture(autouse=True)
def one_cascade_per_test() -> Iterator[None]:
    yield
    resources.close_all()


def tick(
    sensor: dg.SensorDefinition, library: Library, instance: dg.DagsterInstance
) -> dg.SensorResult | dg.SkipReason | None:
    context = dg.build_sensor_context(instance=instance, resources={"library": library})
    return sensor(context)  # pyright: ignore[reportReturnType]


def drop(root: Path, name: str, text: str = TEXT, tenant: str = "default/default") -> Path:
    file = root / tenant / "incoming" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def files(count: int) -> tuple[IncomingFile, ...]:
    return tuple(IncomingFile(path=f"{number}.md", sha256=f"{number:064d}") for number in range(count))


def test_a_settled_file_becomes_one_run_with_its_partition(library: Library, instance: dg.DagsterInstance) -> None:
    file = drop(library.root, "crane.md")
    drop(library.root, ".hidden.md")
    drop(library.root, "_failed/old.md")
    result = tick(incoming_sensor, library, instance)
    assert isinstance(result, dg.SensorResult) and result.run_requests
    (request,) = result.run_requests
    (listed,) = request.run_config["ops"]["ingest_files"]["config"]["files"]
    assert listed["path"] == file.relative_to(library.root).as_posix()
    assert instance.get_dynamic_partitions(SOURCE_FILES) == [listed["sha256"]]


def test_every_tenant_is_looked_into(library: Library, instance: dg.DagsterInstance) -> None:
    drop(library.root, "crane.md")
    drop(library.root, "crane.md", tenant="acme/north")
    result = tick(incoming_sensor, library, instance)
    assert isinstance(result, dg.SensorResult) and result.run_requests
    listed = result.run_requests[0].run_config["ops"]["ingest_files"]["config"]["files"]
    assert {(file["app_id"], file["project_id"]) for file in listed} == {("default", "default"), ("acme", "north")}


def test_a_file_that_a_run_has_is_left_alone(library: Library, instance: dg.DagsterInstance) -> None:
    drop(library.root, "crane.md")
    result = tick(incoming_sensor, library, instance)
    assert isinstance(result, dg.SensorResult) and result.run_requests
    config = result.run_requests[0].run_config
    instance.add_run(dg.DagsterRun("ingest", run_config=config, status=dg.DagsterRunStatus.STARTED))
    reason = tick(incoming_sensor, library, instance)
    assert isinstance(reason, dg.SkipReason) and "1 are in a run" in str(reason.skip_message)


def test_a_file_still_being_written_waits(library: Library, instance: dg.DagsterInstance) -> None:
    settings = library.settings
    slow = settings.model_copy(update={"cascade": settings.cascade.model_copy(update={"settle_seconds": 30})})
    patient = Library(slow, embedder=library.embedder)
    file = drop(library.root, "crane.md")
    reason = tick(incoming_sensor, patient, instance)
    assert isinstance(reason, dg.SkipReason) and "1 are still being written" in str(reason.skip_message)
    os.utime(file, (time.time() - 3600, time.time() - 3600))
    assert isinstance(tick(incoming_sensor, patient, instance), dg.SkipReason)


def test_a_thousand_files_need_at_most_ten_runs() -> None:
    batches = list(plan_runs(Waiting(files(1000), unsettled=0, busy=0)))
    assert [len(batch) for batch in batches] == [MOST_FILES] * 5
    trickle = list(plan_runs(Waiting(files(250), unsettled=40, busy=200)))
    assert [len(batch) for batch in trickle] == [MOST_FILES]


def test_copies_of_the_same_bytes_go_into_the_same_run() -> None:
    twins = [IncomingFile(path=f"copy-{number}.md", sha256="0" * 64) for number in range(3)]
    listed = (twins[0], *files(250)[1:], *twins[1:])
    first = next(iter(plan_runs(Waiting(listed, unsettled=0, busy=0))))
    assert [file.path for file in first[:3]] == ["copy-0.md", "copy-1.md", "copy-2.md"]


def test_a_window_applies_changes_and_tells_what_it_did(library: Library, instance: dg.DagsterInstance) -> None:
    source = drop(library.root, "crane.md")
    library.tenant().upload(source, name="crane.md", wait=0)
    reason = tick(cascade_a, library, instance)
    assert isinstance(reason, dg.SkipReason)
    assert str(reason.skip_message).startswith("watched ") and ", 1 changes" in str(reason.skip_message)
    _, events = resources.process_cascade(instance, library)
    deadline = time.monotonic() + 20
    while not instance.get_dynamic_partitions(TOPIC_FILES) and time.monotonic() < deadline:
        events.flush(1)
    assert events.flush(20)
    latest = instance.get_latest_materialization_event(keys.TOPIC_VECTORS)
    assert latest is not None and latest.asset_materialization is not None
    assert [latest.asset_materialization.partition] == instance.get_dynamic_partitions(TOPIC_FILES)


def test_a_window_without_changes_leaves_a_heartbeat(library: Library, instance: dg.DagsterInstance) -> None:
    reason = tick(cascade_a, library, instance)
    assert isinstance(reason, dg.SkipReason) and str(reason.skip_message).endswith(" s, 0 changes")
    _, events = resources.process_cascade(instance, library)
    assert events.flush(10)
    assert instance.get_latest_materialization_event(keys.LANCEDB_INDEX) is not None


def test_files_of_a_run_whose_process_is_gone_are_taken_up_again(
    library: Library, instance: dg.DagsterInstance
) -> None:
    drop(library.root, "crane.md")
    result = tick(incoming_sensor, library, instance)
    assert isinstance(result, dg.SensorResult) and result.run_requests
    config = result.run_requests[0].run_config
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    lost = dg.DagsterRun(
        "ingest", run_config=config, status=dg.DagsterRunStatus.STARTED, tags={keys.PID_TAG: str(gone.pid)}
    )
    instance.add_run(lost)
    again = tick(incoming_sensor, library, instance)
    assert isinstance(again, dg.SensorResult) and again.run_requests
    ended = instance.get_run_by_id(lost.run_id)
    assert ended is not None and ended.status is dg.DagsterRunStatus.FAILURE
