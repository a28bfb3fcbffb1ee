"""The files of a job: ``upload.json``, which never changes, ``job.json``, which may be lost, and what is remembered."""

import os
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from wiki.errors import InternalError
from wiki.filesystem import write_atomic, write_new
from wiki.jobs.job import Accepted, Job, JobState

ACCEPTED, STATE = "upload.json", "job.json"

_LOST = JobState(attempts=1)
"""Of a job whose state can't be read: it may have been begun."""
_accepted = TypeAdapter(Accepted)
_state = TypeAdapter(JobState)
_job = TypeAdapter(Job)


def write_job(folder: Path, job: Job) -> None:
    """A new job's files, forced to disk."""
    write_new(folder / ACCEPTED, _accepted.dump_json(job.accepted))
    write_new(folder / STATE, _state.dump_json(job.state))


def write_state(folder: Path, state: JobState) -> None:
    """Replace ``job.json`` in one step. Not forced to disk: lost, the job is run again and finds its document."""
    temporary = folder / f".{uuid4().hex}.tmp"
    temporary.write_bytes(_state.dump_json(state))
    os.replace(temporary, folder / STATE)


def read_job(folder: Path) -> Job | None:
    """The job in a folder; None when there is none. Raises InternalError when ``upload.json`` is damaged."""
    try:
        accepted = _accepted.validate_json((folder / ACCEPTED).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:
        raise InternalError(
            f".jobs/{folder.name}/{ACCEPTED} is damaged, so its upload can't be finished: upload `original` beside it "
            "again, then remove the folder"
        ) from error
    try:
        return Job(accepted, _state.validate_json((folder / STATE).read_bytes()))
    except (FileNotFoundError, ValidationError):
        return Job(accepted, replace(_LOST, updated_at=accepted.created_at))


def write_finished(path: Path, job: Job) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, _job.dump_json(job))


def read_finished(path: Path) -> Job | None:
    """A job that is done; None when it is forgotten."""
    try:
        return _job.validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
