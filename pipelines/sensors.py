"""The cascade as two sensors that hand each other a baton, and the sensor of ``incoming/``."""

import dagster as dg

from assets import keys
from assets.sources import IncomingFile
from pipelines.batch_events import INGEST_JOB, requested_in_progress
from pipelines.incoming import plan_runs, waiting_files
from pipelines.live import live_hashes
from pipelines.lost_runs import end_lost_runs
from pipelines.partitions import SOURCE_FILES, add_partitions
from pipelines.resources import process_cascade
from wiki.library import Library
from wiki.tenants import Tenant

BATON_SLACK = 5
"""Seconds a window waits beyond the other's end. Both together stay under the 60 s a tick may take."""


def cascade_sensor(name: str) -> dg.SensorDefinition:
    """A watch window: takes the baton, applies and reports changes as they land, hands over.

    A plain sensor has a hole of up to 5 s between two ticks; two that alternate over one lock have none.
    """

    @dg.sensor(
        name=name,
        target=[keys.LANCEDB_INDEX, keys.DUCKDB_CATALOG],
        minimum_interval_seconds=1,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Keeps LanceDB and DuckDB in step with the Markdown, within a tenth of a second. Each tick watches "
        "for a while and hands over to the other sensor; it always reads SKIPPED, the reason says what it did.",
    )
    def cascade(context: dg.SensorEvaluationContext, library: dg.ResourceParam[Library]) -> dg.SkipReason:
        loop, events = process_cascade(context.instance, library)
        seconds = library.settings.cascade.window_seconds
        summary = loop.window(seconds, wait_for_baton=seconds + BATON_SLACK)
        if not summary.held:
            return dg.SkipReason("another window holds the baton")
        events.heartbeat()
        if not events.reconciled:
            events.reconcile(
                {tenant: live_hashes(library.tenant(tenant.app_id, tenant.project_id)) for tenant in library.tenants()}
            )
        faults = f", {summary.faults} faults" if summary.faults else ""
        return dg.SkipReason(f"watched {summary.seconds:.0f} s, {summary.changes} changes{faults}")

    return cascade


@dg.sensor(
    name="incoming_sensor",
    job_name=INGEST_JOB,
    minimum_interval_seconds=1,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Starts the ingest of files dropped into incoming/ once nobody writes to them any more, "
    "up to 200 in a run.",
)
def incoming_sensor(
    context: dg.SensorEvaluationContext, library: dg.ResourceParam[Library]
) -> dg.SensorResult | dg.SkipReason:
    """Ask for runs; a file that a run has already is left alone until that run ends."""
    end_lost_runs(context.instance)
    waiting = waiting_files(library, requested_in_progress(context.instance))
    requests: list[dg.RunRequest] = []
    for batch in plan_runs(waiting):
        add_partitions(context.instance, SOURCE_FILES, [partition_of(file) for file in batch])
        requests.append(run_request(batch))
    if requests:
        return dg.SensorResult(run_requests=requests)
    left = len(waiting.files)
    return dg.SkipReason(f"{left} files wait, {waiting.busy} are in a run, {waiting.unsettled} are still being written")


def partition_of(file: IncomingFile) -> str:
    return Tenant(file.app_id, file.project_id).partition_key(file.sha256)


def run_request(batch: list[IncomingFile]) -> dg.RunRequest:
    """One run for a batch of files, told by hash and path."""
    config = {"files": [file.model_dump() for file in batch]}
    return dg.RunRequest(run_config={"ops": {"ingest_files": {"config": config}}}, tags={"wiki/files": str(len(batch))})


cascade_a = cascade_sensor("cascade_a")
cascade_b = cascade_sensor("cascade_b")
