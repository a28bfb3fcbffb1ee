"""The ``.jobs`` folder of one tenant: each upload safe on disk before it is answered, gone when its document stands.

``upload.json`` and ``original`` are the truth; ``job.json`` tells how far it is and may be lost. What is done leaves
``.jobs`` and is remembered below ``.index`` for a while.
"""

import logging
import os
import re
import shutil
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from wiki.documents import ids
from wiki.documents.staging import make_folder
from wiki.errors import InternalError, InvalidInput, NotFound
from wiki.filesystem import FileLock, fsync_dir, fsync_file, remove_tree, rename_noreplace
from wiki.ingest import hash_file
from wiki.jobs.job import Accepted, Job, JobState, StageMark, UploadRequest, is_job_id, new_job_id, utc_now
from wiki.jobs.records import STATE, read_finished, read_job, write_finished, write_job, write_state
from wiki.tenants import Layout

ORIGINAL = "original"
KEPT = timedelta(days=7)
"""How long a finished job is remembered, and a failed one keeps its bytes."""

_STAGED = re.compile(r"(j_[0-9a-f]{18})\.(placing|leaving)")
_SETTLED_SECONDS = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Claim:
    """A job this process alone may work on, until it is released or the process ends."""

    job: Job
    original: Path
    lock: FileLock

    def release(self) -> None:
        self.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class JobStore:
    """Thread safe, and safe between processes."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._seen: dict[str, tuple[tuple[int, int], Job]] = {}
        self._unreadable: set[str] = set()

    def place(self, path: Path, request: UploadRequest, doc_id: str | None, *, take: bool = False) -> Claim:
        """Put an upload on disk for good; gives it claimed. ``doc_id``: the sender's choice, else a new one.
        ``take``: the file at ``path`` may be moved away.

        Raises InvalidInput when it holds no byte, InternalError when the disk refuses it; nothing is left then.
        """
        job_id = new_job_id()
        lock = self._lock(job_id)
        staged, folder = self._layout.staging / f"{job_id}.placing", self._layout.jobs / job_id
        with self._disk():
            if not path.stat().st_size:
                raise InvalidInput(f"{request.name} is empty: it has zero bytes")
            make_folder(folder.parent)
            lock.acquire()
            try:
                staged.mkdir()
                job = _stage(staged, path, request, job_id, doc_id, take=take)
                rename_noreplace(staged, folder)
                fsync_dir(folder.parent)
            except BaseException:
                remove_tree(staged)
                lock.release()
                raise
        return Claim(job, folder / ORIGINAL, lock)

    def claim(self, job_id: str) -> Claim | None:
        """The job, if it is unfinished and nobody else works on it."""
        lock = self._lock(job_id)
        with self._disk():
            if not (self._layout.jobs / job_id).is_dir() or not lock.try_acquire():
                return None
            try:
                job = self._read(job_id)
                if job is not None and self._finished(job_id).exists():
                    # A crash came between remembering it and dropping its bytes.
                    self._remove(job_id)
                    job = None
            except BaseException:
                lock.release()
                raise
            if job is None:
                lock.release()
                return None
        return Claim(job, self._layout.jobs / job_id / ORIGINAL, lock)

    def find(self, job_id: str) -> Job:
        """A job as its files tell it. Raises NotFound."""
        if is_job_id(job_id):
            with self._disk():
                job = self._read(job_id) or read_finished(self._finished(job_id))
            if job is not None:
                return job
        raise NotFound(f"there is no job {job_id[:80]}; finished ones are forgotten after {KEPT.days} days")

    def unfinished(self) -> Iterator[Job]:
        """Those in ``.jobs``, failed ones too, in the order of acceptance. One that can't be read is left out."""
        ids = self._ids(self._layout.jobs)
        for job_id in ids:
            try:
                job = self._read_changed(job_id)
            except (InternalError, OSError) as error:
                if job_id not in self._unreadable:
                    self._unreadable.add(job_id)
                    log.warning("%s", error)
                continue
            if job is not None:
                yield job
        for gone in self._seen.keys() - set(ids):
            self._seen.pop(gone, None)

    def newest(self) -> list[str]:
        """The ids of all that are known, newest first."""
        done = (name.removesuffix(".json") for name in _names(self._layout.finished_jobs))
        return sorted({*filter(is_job_id, done), *self._ids(self._layout.jobs)}, reverse=True)

    def is_claimed(self, job_id: str) -> bool:
        """Whether somebody works on it at this moment."""
        lock = self._lock(job_id)
        if lock.try_acquire():
            lock.release()
            return False
        return True

    def save(self, job: Job) -> None:
        """Note how far a claimed job is."""
        with self._disk():
            write_state(self._layout.jobs / job.job_id, job.state)

    def finish(self, job: Job) -> None:
        """Remember what became of a claimed job, and drop its bytes: the document keeps them."""
        with self._disk():
            write_finished(self._finished(job.job_id), job)
            self._remove(job.job_id)

    def drop(self, job: Job) -> None:
        """Forget a claimed job with its bytes."""
        with self._disk():
            self._remove(job.job_id)

    def source_lock(self, sha256: str) -> FileLock:
        """Held while one job looks for, and makes, the document of some bytes, so that two don't make it twice."""
        return FileLock(self._layout.staging / "locks" / f"{sha256}.source.lock", remove=True)

    def recover(self) -> None:
        """Empty what a crash left half placed or half removed; living processes' are left alone."""
        for name in _names(self._layout.staging):
            if match := _STAGED.fullmatch(name):
                lock = self._lock(match[1])
                if lock.try_acquire():
                    try:
                        remove_tree(self._layout.staging / name)
                    finally:
                        lock.release()

    def tidy(self, now: datetime | None = None) -> None:
        """Forget what finished, and drop the bytes of what failed, longer ago than ``KEPT``."""
        before = (now or utc_now()) - KEPT
        for name in _names(self._layout.finished_jobs):
            path = self._layout.finished_jobs / name
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before.timestamp():
                    path.unlink()
        for job in self.unfinished():
            if job.state.status == "failed" and job.state.updated_at < before:
                claim = self.claim(job.job_id)
                if claim is not None:
                    with claim:
                        self.drop(claim.job)

    def _read_changed(self, job_id: str) -> Job | None:
        """A job, from memory while its state file is the same; one written a moment ago may change unseen."""
        try:
            stat = (self._layout.jobs / job_id / STATE).stat()
        except FileNotFoundError:
            return self._read(job_id)
        signature = stat.st_mtime_ns, stat.st_ino
        known = self._seen.get(job_id)
        if known is not None and known[0] == signature:
            return known[1]
        job = self._read(job_id)
        if job is not None and time.time() - stat.st_mtime > _SETTLED_SECONDS:
            self._seen[job_id] = signature, job
        return job

    def _read(self, job_id: str) -> Job | None:
        return read_job(self._layout.jobs / job_id)

    def _remove(self, job_id: str) -> None:
        leaving = self._layout.staging / f"{job_id}.leaving"
        leaving.parent.mkdir(parents=True, exist_ok=True)
        os.rename(self._layout.jobs / job_id, leaving)
        fsync_dir(self._layout.jobs)
        remove_tree(leaving)

    def _finished(self, job_id: str) -> Path:
        return self._layout.finished_jobs / f"{job_id}.json"

    def _lock(self, job_id: str) -> FileLock:
        return FileLock(self._layout.staging / "locks" / f"{job_id}.job.lock", remove=True)

    def _ids(self, folder: Path) -> list[str]:
        return sorted(filter(is_job_id, _names(folder)))

    @contextmanager
    def _disk(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            reason = error.strerror or str(error)
            where = self._layout.relative(self._layout.jobs)
            raise InternalError(f"{where}: {reason}. Check the free space and the rights of that folder.") from error


def _stage(staged: Path, path: Path, request: UploadRequest, job_id: str, doc_id: str | None, *, take: bool) -> Job:
    original = staged / ORIGINAL
    if take:
        shutil.move(path, original)
    else:
        shutil.copyfile(path, original)
    fsync_file(original)
    now = utc_now()
    accepted = Accepted(
        job_id,
        doc_id or ids.new_doc_id(),
        doc_id is not None,
        request,
        hash_file(original),
        original.stat().st_size,
        now,
    )
    job = Job(accepted, JobState(stages=(StageMark("stored", now),), updated_at=now))
    write_job(staged, job)
    fsync_dir(staged)
    return job


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
