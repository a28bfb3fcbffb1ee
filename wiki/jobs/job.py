"""An upload that was accepted: what was asked for, and how far it is."""

import re
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from wiki.errors import WikiError
from wiki.jobs.stages import Stage, fraction
from wiki.parsing.source import Step
from wiki.views import JobErrorView, JobStatus, JobView, OnDuplicate, StageView, UploadResult

_JOB_ID = re.compile(r"j_[0-9a-f]{18}")


@dataclass(frozen=True)
class UploadRequest:
    """What the sender said of the file."""

    name: str
    title: str | None = None
    category_id: str | None = None
    source_type: str | None = None
    labels: tuple[str, ...] = ()
    on_duplicate: OnDuplicate = "new"


@dataclass(frozen=True)
class Accepted:
    """Never changes once the upload is accepted. ``doc_id`` is fixed here, so a redo can't make a second document."""

    job_id: str
    doc_id: str
    own_id: bool
    """The sender chose the ``doc_id``, so another document may have it."""
    request: UploadRequest
    sha256: str
    size: int
    created_at: datetime


@dataclass(frozen=True)
class JobError:
    """Why it failed, as the error table names it. ``retryable``: trying again may help as it is."""

    code: str
    message: str
    retryable: bool
    details: dict[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def of(cls, error: WikiError, root: Path) -> "JobError":
        """What a person may read of an error: nothing of where the root lies."""
        details = to_jsonable_python(error.details, fallback=str, inf_nan_mode="null")
        return cls(error.code, _without(root, error.message), error.retryable, _without(root, details))


@dataclass(frozen=True)
class StageMark:
    stage: Stage
    at: datetime


@dataclass(frozen=True)
class JobState:
    """How far it is. ``stages`` are those of the latest attempt; ``step`` counts within the stage."""

    status: JobStatus = "queued"
    stage: Stage = "stored"
    step: Step | None = None
    stages: tuple[StageMark, ...] = ()
    attempts: int = 0
    interruptions: int = 0
    """Attempts whose process ended in the middle."""
    retries: int = 0
    """Attempts made by themselves after a failure that passes."""
    updated_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    retry_at: datetime | None = None
    """When a failed one is tried again by itself; None when it is not."""
    result: UploadResult | None = None
    error: JobError | None = None


@dataclass(frozen=True)
class Job:
    accepted: Accepted
    state: JobState

    @property
    def job_id(self) -> str:
        return self.accepted.job_id

    def due(self, now: datetime) -> bool:
        """Whether somebody should run it: it waits, its process is gone, or its time to try again has come."""
        state = self.state
        return state.status in ("queued", "running") or (state.retry_at is not None and state.retry_at <= now)

    def view(self) -> JobView:
        """As HTTP and the command line tell it."""
        accepted, state, error = self.accepted, self.state, self.state.error
        return JobView(
            job_id=accepted.job_id,
            doc_id=accepted.doc_id,
            source_name=accepted.request.name,
            size=accepted.size,
            status=state.status,
            stage=state.stage,
            step=state.step,
            stages=tuple(StageView(mark.stage, mark.at) for mark in state.stages),
            progress=1.0 if state.status == "done" else fraction(state.stage, state.step),
            created_at=accepted.created_at,
            updated_at=max(state.updated_at, accepted.created_at),
            attempts=state.attempts,
            retry_at=state.retry_at,
            result=state.result,
            error=error and JobErrorView(error.code, error.message, error.details, error.retryable),
        )


def new_job_id() -> str:
    """``j_`` and 18 hex digits that begin with the time, so that ids sort in the order of acceptance."""
    return f"j_{time.time_ns() // 1000:013x}{secrets.token_hex(3)[:5]}"


def is_job_id(text: str) -> bool:
    return _JOB_ID.fullmatch(text) is not None


def utc_now() -> datetime:
    return datetime.now(UTC)


def _without(root: Path, value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(f"{root}/", "").replace(str(root), "the root")
    if isinstance(value, dict):
        return {key: _without(root, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(root, item) for item in value]
    return value
