"""How ``wiki add`` makes a document of one file: a small one in one go, a large one as a job that outlives a stop."""

from pathlib import Path
from typing import TYPE_CHECKING

from wiki.cli.output import say

if TYPE_CHECKING:
    from wiki.jobs.job import Job
    from wiki.library import TenantLibrary
    from wiki.parsing.source import Progress
    from wiki.views import OnDuplicate, UploadResult

LARGE_BYTES = 5 * 1024 * 1024


class JobFailed(Exception):
    """The file could not be made a document; ``code`` and ``message`` are those of the error that a job notes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def add_directly(
    library: "TenantLibrary",
    path: Path,
    *,
    title: str | None,
    category_id: str | None,
    labels: tuple[str, ...],
    on_duplicate: "OnDuplicate",
    progress: "Progress",
) -> "UploadResult":
    """Make a document of a file in one go; does not wait for the index. Stopped, it leaves nothing behind."""
    return library.upload(
        path, name=path.name, title=title, category_id=category_id, labels=labels, on_duplicate=on_duplicate, wait=0,
        progress=progress,
    )  # fmt: skip


def add_as_job(
    library: "TenantLibrary",
    path: Path,
    *,
    title: str | None,
    category_id: str | None,
    labels: tuple[str, ...],
    on_duplicate: "OnDuplicate",
    progress: "Progress",
) -> "UploadResult":
    """Make a document of a file that would be costly to read twice; does not wait for the index.

    Killed in the middle, its job is finished by the service or the next ``wiki add``. Raises JobFailed, and what
    accepting raises; the job is forgotten then, as the file itself is still where it was.
    """
    from wiki.jobs.run import run_job

    with library.accept(
        path, name=path.name, title=title, category_id=category_id, labels=labels, on_duplicate=on_duplicate
    ) as claim:
        job = run_job(library, claim, index_seconds=0, progress=progress)
        if job.state.status == "failed":
            library.jobs.drop(job)
    return _result(job)


def finish_interrupted(library: "TenantLibrary") -> None:
    """Run what an earlier ``wiki add`` or a service that is gone has left unfinished, unless one is there to do it."""
    from wiki.jobs.job import utc_now
    from wiki.jobs.run import run_job
    from wiki.presence import Presence

    if Presence(library.layout.root).run():
        return
    library.jobs.recover()
    for waiting in library.jobs.unfinished():
        claim = library.jobs.claim(waiting.job_id) if waiting.due(utc_now()) else None
        if claim is None:
            continue
        with claim:
            say(f"finishing {waiting.accepted.request.name}, which was accepted before")
            job = run_job(library, claim, index_seconds=0)
        if job.state.error:
            say(f"error {job.state.error.code}: {job.accepted.request.name}: {job.state.error.message}")


def _result(job: "Job") -> "UploadResult":
    if job.state.error:
        raise JobFailed(job.state.error.code, job.state.error.message)
    assert job.state.result is not None
    return job.state.result
