"""Runs the jobs of every tenant in the order of acceptance, a few at once, as long as its process serves the root."""

import logging
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from wiki.errors import NotFound, WikiError
from wiki.jobs.job import Job, utc_now
from wiki.jobs.run import run_job
from wiki.jobs.stages import Stage
from wiki.jobs.store import Claim

if TYPE_CHECKING:
    from wiki.library import Library, TenantLibrary

_LOOK_SECONDS = 0.25
_LOOK_SHARE = 20
"""Looking may take a twentieth of the time: with very many tenants it is done less often."""
_TIDY_SECONDS = 3600.0
_FOLLOWING = 8
"""So many further jobs may wait for the index while others are read and written."""
_END_SECONDS = 4.0
_REFUSED_SECONDS = 5.0

log = logging.getLogger(__name__)


class JobWorkers:
    """Any number of processes may have one on the same root: a job's lock lets only one of them run it."""

    def __init__(self, library: "Library") -> None:
        self._library = library
        self._guard = threading.Lock()
        self._working = 0
        self._room = threading.Event()
        self._threads: dict[threading.Thread, tuple[TenantLibrary, str]] = {}
        self._most = library.settings.api.job_workers + _FOLLOWING
        self._tidied = float("-inf")
        self._refused: set[str] = set()

    def run(self, stop: threading.Event) -> None:
        """Look for jobs and run them until ``stop``; what is not finished then waits for the next process."""
        while not stop.is_set():
            started = time.monotonic()
            self._tidy()
            due = self._due()
            again = time.monotonic() + max(_LOOK_SECONDS, _LOOK_SHARE * (time.monotonic() - started))
            while not stop.is_set() and time.monotonic() < again:
                self._room.clear()
                while due and not stop.is_set() and self._has_room():
                    self._begin(*due.popleft(), stop)
                self._room.wait(min(_LOOK_SECONDS, max(0.0, again - time.monotonic())))
        deadline = time.monotonic() + _END_SECONDS
        for thread, (here, job_id) in list(self._threads.items()):
            thread.join(max(0.0, deadline - time.monotonic()))
            if thread.is_alive():
                self._put_back(here, job_id)

    def _put_back(self, here: "TenantLibrary", job_id: str) -> None:
        """Note that a job will be cut off by an orderly end, which is not held against it."""
        with self._told(here), suppress(NotFound):
            job = here.jobs.find(job_id)
            if job.state.status == "running":
                here.jobs.save(Job(job.accepted, replace(job.state, status="queued")))

    def _due(self) -> "deque[tuple[Job, TenantLibrary]]":
        """What somebody should run, the oldest first."""
        now = utc_now()
        found: list[tuple[Job, TenantLibrary]] = []
        for here in self._here():
            with self._told(here):
                found.extend((job, here) for job in here.jobs.unfinished() if job.due(now))
        return deque(sorted(found, key=lambda item: item[0].job_id))

    def _has_room(self) -> bool:
        return self._working < self._library.settings.api.job_workers and len(self._threads) < self._most

    def _begin(self, job: Job, here: "TenantLibrary", stop: threading.Event) -> None:
        """Run the job in a thread of its own, unless somebody else does or it has ended meanwhile."""
        with self._told(here):
            claim = here.jobs.claim(job.job_id)
            if claim is None or not claim.job.due(utc_now()):
                if claim is not None:
                    claim.release()
                return
            thread = threading.Thread(
                target=self._work, args=(here, claim, stop), name=f"job-{job.job_id}", daemon=True
            )
            self._threads[thread] = here, job.job_id
            self._count(+1)
            thread.start()

    def _count(self, change: int) -> None:
        with self._guard:
            self._working += change
        if change < 0:
            self._room.set()

    @contextmanager
    def _told(self, here: "TenantLibrary") -> Generator[None]:
        """A tenant whose disk refuses us holds up no other; it is told once until it works again."""
        name = f"{here.tenant.app_id}/{here.tenant.project_id}"
        try:
            yield
        except (WikiError, OSError) as error:
            if name not in self._refused:
                self._refused.add(name)
                log.warning("%s: its accepted uploads can't be read; looking again: %s", name, error)
        else:
            self._refused.discard(name)

    def _work(self, here: "TenantLibrary", claim: Claim, stop: threading.Event) -> None:
        freed = False

        def on_stage(stage: Stage) -> None:
            nonlocal freed
            if stage == "written" and not freed:
                freed = True
                self._count(-1)

        try:
            job = run_job(here, claim, stop=stop, on_stage=on_stage)
            log.info("job %s of %s: %s", job.job_id, job.accepted.request.name, job.state.status)
        except Exception:
            log.exception("how far job %s is can't be written; it is run again", claim.job.job_id)
            stop.wait(_REFUSED_SECONDS)
        finally:
            claim.release()
            self._threads.pop(threading.current_thread(), None)
            if not freed:
                self._count(-1)

    def _tidy(self) -> None:
        if time.monotonic() - self._tidied < _TIDY_SECONDS:
            return
        self._tidied = time.monotonic()
        for here in self._here():
            with self._told(here):
                here.jobs.recover()
                here.jobs.tidy()

    def _here(self) -> "Iterator[TenantLibrary]":
        for tenant in self._library.tenants():
            yield self._library.tenant(tenant.app_id, tenant.project_id)
