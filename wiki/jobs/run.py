"""One job from its bytes to its document, told stage by stage."""

import logging
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from wiki.errors import InternalError, WikiError
from wiki.jobs.job import Job, JobError, JobState, StageMark, utc_now
from wiki.jobs.stages import OnStage, Stage, no_stage
from wiki.jobs.store import Claim
from wiki.parsing.source import Progress, Step, no_progress
from wiki.views import UploadResult

if TYPE_CHECKING:
    from wiki.library import TenantLibrary

BACK_OFF = (30.0, 120.0, 600.0)
"""Seconds until what failed in a way that passes is tried again by itself, time after time."""
MOST_INTERRUPTIONS = 5
"""A job whose process ended in the middle of it so often is not begun again: it may be what ends it."""
_TELL_SECONDS = 0.2
_FEW = 50
"""Each of so many steps is told, of more only some: a call of a model takes long, a page does not."""
_POLL = 0.05

log = logging.getLogger(__name__)


def run_job(
    tenant: "TenantLibrary",
    claim: Claim,
    *,
    stop: threading.Event | None = None,
    index_seconds: float | None = None,
    progress: Progress = no_progress,
    on_stage: OnStage = no_stage,
) -> Job:
    """Run a claimed job; gives it done or failed. The caller releases the claim.

    A failure is noted in the job and not raised. When ``stop`` is set, or this is interrupted, the job goes back
    into the queue as it was. ``index_seconds``: how long it waits for the index at most.
    """
    before = claim.job.state
    running = _Running(tenant, _begun(claim.job), progress, on_stage)
    try:
        if running.job.state.interruptions > MOST_INTERRUPTIONS:
            raise InternalError(
                f"the process ended {MOST_INTERRUPTIONS + 1} times in the middle of this file; see its log"
            )
        running.save()
        with _alone(tenant, running.job, stop):
            result = tenant.earlier_attempt(running.job, before) if running.job.state.attempts > 1 else None
            if result is None:
                result = _upload(tenant, claim, running)
            else:
                running.reached("written")
            result = (
                tenant.follow_index(result) if index_seconds is None else tenant.follow_index(result, index_seconds)
            )
        return running.done(result)
    except Exception as error:
        if stop is not None and stop.is_set():
            return running.put_back(before)
        if not isinstance(error, WikiError):
            log.exception("job %s failed", claim.job.job_id)
            error = InternalError(f"{type(error).__name__}: {error}")
        return running.failed(error)
    except BaseException:
        running.put_back(before)
        raise


class _Running:
    """A job under way; whatever changes is noted on disk, steps a few times a second."""

    def __init__(self, tenant: "TenantLibrary", job: Job, progress: Progress, on_stage: OnStage) -> None:
        self._tenant = tenant
        self._progress = progress
        self._on_stage = on_stage
        self._told = 0.0
        self.job = job

    def save(self) -> None:
        self._tenant.jobs.save(self.job)
        self._told = time.monotonic()

    def reached(self, stage: Stage) -> None:
        mark = StageMark(stage, utc_now())
        self._change(stage=stage, step=None, stages=(*self.job.state.stages, mark))
        self.save()
        self._on_stage(stage)

    def stepped(self, step: Step) -> None:
        self._change(step=step)
        few = step.total is not None and step.total <= _FEW
        if few or time.monotonic() - self._told >= _TELL_SECONDS:
            self.save()
        self._progress(step)

    def done(self, result: UploadResult) -> Job:
        if result.indexed:
            self.reached("indexed")
        self._change(status="done", result=result)
        self._tenant.jobs.finish(self.job)
        return self.job

    def failed(self, error: WikiError) -> Job:
        retries = self.job.state.retries
        retry_at = None
        if error.retryable and retries < len(BACK_OFF):
            seconds = max(BACK_OFF[retries], float(error.details.get("retry_after", 0)))
            retry_at = utc_now() + timedelta(seconds=seconds)
        found = JobError.of(error, self._tenant.layout.root)
        self._change(status="failed", error=found, retry_at=retry_at)
        self.save()
        return self.job

    def put_back(self, before: JobState) -> Job:
        """Into the queue again, as if it had not been begun, but for what it may have written."""
        self._change(status="queued", interruptions=before.interruptions, step=None)
        self.save()
        return self.job

    def _change(self, **values: object) -> None:
        self.job = Job(self.job.accepted, replace(self.job.state, updated_at=utc_now(), **values))  # type: ignore[arg-type]


def _begun(job: Job) -> Job:
    before, now = job.state, utc_now()
    state = JobState(
        status="running",
        stages=(StageMark("stored", job.accepted.created_at),),
        attempts=before.attempts + 1,
        interruptions=before.interruptions + (before.status == "running"),
        retries=before.retries + (before.status == "failed"),
        updated_at=now,
    )
    return Job(job.accepted, state)


def _upload(tenant: "TenantLibrary", claim: Claim, running: _Running) -> UploadResult:
    request = claim.job.accepted.request
    return tenant.upload(
        claim.original,
        name=request.name,
        title=request.title,
        category_id=request.category_id,
        doc_id=claim.job.accepted.doc_id,
        new_id=not claim.job.accepted.own_id,
        source_type=request.source_type,
        labels=request.labels,
        on_duplicate=request.on_duplicate,
        wait=0,
        progress=running.stepped,
        on_stage=running.reached,
    )


@contextmanager
def _alone(tenant: "TenantLibrary", job: Job, stop: threading.Event | None) -> Generator[None]:
    """Whoever asks what to do with a duplicate waits until a job with the same bytes has ended."""
    if job.accepted.request.on_duplicate == "new":
        yield
        return
    lock = tenant.jobs.source_lock(job.accepted.sha256)
    while not lock.acquire(_POLL):
        if stop is not None and stop.is_set():
            raise InternalError("stopped while another job had the same bytes")
    try:
        yield
    finally:
        lock.release()
