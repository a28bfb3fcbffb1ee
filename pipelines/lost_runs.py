"""Ingest runs whose process is gone: nobody ends them in Dagster's eyes, and their files would wait for ever."""

import time

import dagster as dg

from assets import keys
from pipelines.batch_events import GOING, INGEST_JOB
from wiki.supervisor.record import is_alive

START_SECONDS = 180
"""A run that is still starting after this long lost its process before it could say which."""


def end_lost_runs(instance: dg.DagsterInstance) -> int:
    """Mark them failed, so that the sensor asks for their files again. Gives how many."""
    going = instance.get_run_records(dg.RunsFilter(job_name=INGEST_JOB, statuses=list(GOING)), limit=50)
    lost = [record.dagster_run for record in going if _is_lost(record)]
    for run in lost:
        instance.report_run_failed(
            run, "The run's process is gone; its files are still in incoming/ and are taken up again."
        )
    return len(lost)


def _is_lost(record: dg.RunRecord) -> bool:
    run = record.dagster_run
    if run.status in (dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.QUEUED):
        return False
    pid = run.tags.get(keys.PID_TAG, "")
    if pid.isdigit():
        return not is_alive(int(pid))
    return time.time() - record.update_timestamp.timestamp() > START_SECONDS
