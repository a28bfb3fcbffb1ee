"""Runs the jobs of every tenant in the order of acceptance, a few at once, as long as its process serves the root."""

import logging
import threading
import time
from typing import TYPE_CHECKING

from wiki.errors import WikiError
from wiki.jobs.job import Job, utc_now
from wiki.jobs.run import run_job
from wiki.jobs.stages import Stage
from wiki.jobs.store import Claim
from wiki.tenants import Tenant

if TYPE_CHECKING:
    from wiki.library import Library, TenantLibrary

_LOOK_SECONDS = 0.25
_LOOK_SHARE = 20
"""Looking may take a twentieth of the time: with very many tenants it is done less often."""
_TIDY_SECONDS = 3600.0
_FOLLOWING = 8
"""So many further jobs may wait for the index while others are read and written."""
_END_SECONDS = 4.0

log = logging.getLogger(__name__)


class JobWorkers:
    """Any number of processes may have one on the same root: a job's lock lets only one of them run it."""

    def __init__(self, library: "Library") -> None:
        self._library = library
        self._slots = threading.BoundedSemaphore(library.settings.api.job_workers)
        self._threads: set[threading.Thread] = set()
        self._most = library.settings.api.job_workers + _FOLLOWING
        self._tidied = float("-inf")

    def run(self, stop: threading.Event) -> None:
        """Look for jobs and run them until ``stop``; what is not finished then waits for the next process."""
        while not stop.is_set():
            started = time.monotonic()
            try:
                self._tidy()
                while not stop.is_set() and self._begin_next(stop):
                    pass
            except (WikiError, OSError):
                log.exception("the queue of uploads can't be read; looking again")
            stop.wait(max(_LOOK_SECONDS, _LOOK_SHARE * (time.monotonic() - started)))
        deadline = time.monotonic() + _END_SECONDS
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))

    def _begin_next(self, stop: threading.Event) -> bool:
        """Begin the oldest job that is due. False when there is none, or too much is under way."""
        if len(self._threads) >= self._most or not self._slots.acquire(blocking=False):
            return False
        found = self._claim_next()
        if found is None:
            self._slots.release()
            return False
        thread = threading.Thread(
            target=self._work, args=(*found, stop), name=f"job-{found[1].job.job_id}", daemon=True
        )
        self._threads.add(thread)
        thread.start()
        return True

    def _claim_next(self) -> "tuple[TenantLibrary, Claim] | None":
        now = utc_now()
        due: list[tuple[Job, TenantLibrary]] = []
        for tenant in self._library.tenants():
            here = self._here(tenant)
            due.extend((job, here) for job in here.jobs.unfinished() if job.due(now))
        for job, here in sorted(due, key=lambda item: item[0].job_id):
            claim = here.jobs.claim(job.job_id)
            if claim is not None and claim.job.due(now):
                return here, claim
            if claim is not None:
                claim.release()
        return None

    def _work(self, here: "TenantLibrary", claim: Claim, stop: threading.Event) -> None:
        freed = False

        def on_stage(stage: Stage) -> None:
            nonlocal freed
            if stage == "written" and not freed:
                freed = True
                self._slots.release()

        try:
            with claim:
                job = run_job(here, claim, stop=stop, on_stage=on_stage)
            log.info("job %s of %s: %s", job.job_id, job.accepted.request.name, job.state.status)
        except Exception:
            log.exception("job %s could not be noted; it waits for the next process", claim.job.job_id)
        finally:
            if not freed:
                self._slots.release()
            self._threads.discard(threading.current_thread())

    def _tidy(self) -> None:
        if time.monotonic() - self._tidied < _TIDY_SECONDS:
            return
        self._tidied = time.monotonic()
        for tenant in self._library.tenants():
            jobs = self._here(tenant).jobs
            jobs.recover()
            jobs.tidy()

    def _here(self, tenant: Tenant) -> "TenantLibrary":
        return self._library.tenant(tenant.app_id, tenant.project_id)
