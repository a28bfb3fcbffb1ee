"""A job's changes, read from its files: whichever process runs it, and however often that one is started again."""

import threading
from collections.abc import AsyncIterator
from typing import Literal

import anyio
import anyio.to_thread

from serving.schemas import JobDetail
from wiki.errors import NotFound
from wiki.jobs.stages import fraction
from wiki.library import TenantLibrary

POLL_SECONDS = 0.1
_READERS = 4

Event = Literal["progress", "done", "failed"]


class JobChanges:
    """``(event, job)`` for the present state and each change, until the job ends, is forgotten, or ``stopping``."""

    def __init__(self, tenant: TenantLibrary, job_id: str, stopping: threading.Event) -> None:
        self._tenant = tenant
        self._job_id = job_id
        self._stopping = stopping

    async def __aiter__(self) -> AsyncIterator[tuple[Event, JobDetail]]:
        last: JobDetail | None = None
        readers = anyio.CapacityLimiter(_READERS)
        while not self._stopping.is_set():
            try:
                now = await anyio.to_thread.run_sync(self._read, limiter=readers)
            except NotFound:
                return
            for detail in _changes(last, now):
                yield _name(detail), detail
            if now.status in ("done", "failed"):
                return
            last = now
            await anyio.sleep(POLL_SECONDS)

    def _read(self) -> JobDetail:
        return JobDetail.model_validate(self._tenant.job(self._job_id))


def _changes(last: JobDetail | None, now: JobDetail) -> list[JobDetail]:
    """What is new since ``last``: the stages passed in between, then the present state."""
    if last is None:
        return [now]
    same_attempt = last.attempts == now.attempts
    known = len(last.stages) if same_attempt else 0
    passed: list[JobDetail] = []
    for count in range(known + 1, len(now.stages) + (now.status in ("done", "failed"))):
        mark = now.stages[count - 1]
        then = {"status": "running", "step": None, "result": None, "error": None, "updated_at": mark.at}
        told = {"stage": mark.stage, "stages": now.stages[:count], "progress": fraction(mark.stage, None)}
        passed.append(now.model_copy(update={**then, **told}))
    return [*passed, now] if now != last else []


def _name(detail: JobDetail) -> Event:
    return detail.status if detail.status in ("done", "failed") else "progress"
