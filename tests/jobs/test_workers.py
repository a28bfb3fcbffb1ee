"""Who runs jobs: a few at once, the oldest first, each by one process, again after a restart."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.jobs.conftest import File, MoodyEmbedder, accepted
from tests.serving.server import wait_until
from wiki.errors import ExternalServiceUnavailable
from wiki.jobs import workers
from wiki.jobs.job import Job, utc_now
from wiki.jobs.workers import JobWorkers
from wiki.library import Library, TenantLibrary

Working = Callable[[Library], AbstractContextManager[threading.Event]]


@pytest.fixture
def working() -> Working:
    """Workers in a thread of their own, as each process that serves a root has them."""

    @contextmanager
    def start(library: Library) -> Iterator[threading.Event]:
        stop = threading.Event()
        thread = threading.Thread(target=JobWorkers(library).run, args=(stop,))
        thread.start()
        try:
            yield stop
        finally:
            stop.set()
            thread.join(30)
            assert not thread.is_alive()

    return start


def status(here: TenantLibrary, job_id: str) -> str:
    return here.job(job_id).status


def test_jobs_of_every_tenant_are_run_the_oldest_first_and_no_more_at_once_than_set(
    library: Library, here: TenantLibrary, embedder: MoodyEmbedder, file: File, working: Working
) -> None:
    library.warm()
    embedder.open.clear()
    there = library.tenant("shop", "east")
    jobs = [(at, accepted(at, file(f"# N{n}\n\nText {n}.\n", f"{n}.md"))) for n in range(3) for at in (here, there)]
    embedder.most_waiting = 0
    with working(library):
        wait_until(lambda: embedder.waiting == 2, 20)
        assert [status(*job) for job in jobs] == ["running"] * 2 + ["queued"] * 4
        embedder.open.set()
        wait_until(lambda: all(status(*job) == "done" for job in jobs), 30)
    begun = [at.jobs.find(job_id).state.stages[1].at for at, job_id in jobs]
    assert max(begun[:2]) < min(begun[2:])
    assert embedder.most_waiting <= 3, "two jobs, and the index in the background"
    assert here.status().documents == there.status().documents == 3


def test_two_processes_on_one_root_run_each_job_once(
    library: Library, here: TenantLibrary, embedder: MoodyEmbedder, file: File, working: Working
) -> None:
    other = Library(library.settings, embedder=embedder)
    ids = [accepted(here, file(f"# N{n}\n\nText {n}.\n", f"{n}.md")) for n in range(8)]
    with working(library), working(other):
        wait_until(lambda: all(status(here, job_id) == "done" for job_id in ids), 30)
    other.close()
    assert [here.job(job_id).attempts for job_id in ids] == [1] * 8
    here.sync()
    assert here.status().documents == 8
    assert here.verify().ok


def test_what_an_ended_process_left_is_picked_up_and_done_once(
    library: Library, here: TenantLibrary, file: File, working: Working
) -> None:
    job_id = accepted(here, file())
    job = here.jobs.find(job_id)
    here.jobs.save(Job(job.accepted, replace(job.state, status="running", attempts=1)))
    with working(library):
        wait_until(lambda: status(here, job_id) == "done", 30)
    view = here.job(job_id)
    assert (view.attempts, here.status().documents) == (2, 1)


def test_a_stop_puts_what_runs_back_and_the_next_process_finishes_it(
    library: Library, here: TenantLibrary, embedder: MoodyEmbedder, file: File, working: Working
) -> None:
    library.warm()
    job_id = accepted(here, file())
    embedder.open.clear()
    with working(library) as stop:
        wait_until(lambda: embedder.waiting > 0, 20)
        stop.set()
        embedder.error = RuntimeError("the model is unloaded under it")
        embedder.open.set()
    assert (status(here, job_id), here.job(job_id).error) == ("queued", None)
    embedder.error = None
    with working(library):
        wait_until(lambda: status(here, job_id) == "done", 30)


def test_a_job_that_an_orderly_end_cuts_off_is_not_held_responsible(
    library: Library,
    here: TenantLibrary,
    embedder: MoodyEmbedder,
    file: File,
    working: Working,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "_END_SECONDS", 0.1)
    library.warm()
    job_id = accepted(here, file())
    embedder.open.clear()
    with working(library):
        wait_until(lambda: embedder.waiting > 0, 20)
    assert (here.jobs.find(job_id).state.status, here.jobs.claim(job_id)) == ("queued", None)
    embedder.open.set()
    wait_until(lambda: status(here, job_id) == "done", 30)


def test_a_tenant_whose_disk_refuses_holds_up_no_other_and_is_told_once(
    library: Library,
    here: TenantLibrary,
    file: File,
    working: Working,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    there = library.tenant("shop", "east")
    lost, good = accepted(there, file()), accepted(here, file())

    def refuse() -> Iterator[Job]:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(there.jobs, "unfinished", refuse)
        with working(library):
            wait_until(lambda: status(here, good) == "done", 30)
    assert sum("shop/east" in record.message for record in caplog.records) == 1
    with working(library):
        wait_until(lambda: status(there, lost) == "done", 30)


def test_a_failed_job_whose_time_has_come_is_tried_again_and_another_is_not(
    library: Library, here: TenantLibrary, embedder: MoodyEmbedder, file: File, working: Working
) -> None:
    library.warm()
    ids = [accepted(here, file(f"# N{n}\n\nText {n}.\n", f"{n}.md")) for n in range(2)]
    embedder.error = ExternalServiceUnavailable("the endpoint does not answer")
    with working(library):
        wait_until(lambda: all(status(here, job_id) == "failed" for job_id in ids), 20)
    embedder.error = None
    job = here.jobs.find(ids[1])
    assert job.state.retry_at is not None and job.state.retry_at > utc_now()
    here.jobs.save(Job(job.accepted, replace(job.state, retry_at=utc_now() - timedelta(seconds=1))))
    with working(library):
        wait_until(lambda: status(here, ids[1]) == "done", 20)
    assert (status(here, ids[0]), here.jobs.find(ids[1]).state.retries) == ("failed", 1)
    assert here.count_jobs().failed == here.status().jobs.failed == 1


def test_nothing_below_jobs_becomes_a_document(library: Library, here: TenantLibrary, file: File) -> None:
    accepted(here, file())
    here.sync()
    assert here.status().documents == 0
    assert here.verify().checked == 0
    assert [job.accepted.request.name for job in library.tenant().jobs.unfinished()] == ["kilns.md"]
