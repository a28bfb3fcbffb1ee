"""Uploads that are accepted at once and become documents in the background."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from wiki.errors import Conflict, NotFound
from wiki.jobs.job import Job, JobState, UploadRequest, utc_now
from wiki.jobs.store import Claim, JobStore
from wiki.library.writing import Writing
from wiki.views import JobCounts, JobPage, JobStatus, JobView, OnDuplicate, UploadResult

INDEX_SECONDS = 120.0
"""A job waits so long for the index before it says ``indexed: false``."""
_INDEX_POLL = 0.1


class Accepting(Writing):
    """Jobs: accepted, looked at, tried again, cancelled. ``wiki.jobs.run`` runs them."""

    @cached_property
    def jobs(self) -> JobStore:
        return JobStore(self.layout)

    def accept(
        self,
        path: Path,
        *,
        name: str,
        title: str | None = None,
        category_id: str | None = None,
        doc_id: str | None = None,
        source_type: str | None = None,
        labels: Sequence[str] = (),
        on_duplicate: OnDuplicate = "new",
        take: bool = False,
    ) -> Claim:
        """Check what can be checked without reading the file, and put it on disk for good. The caller releases the
        claim, or runs it. ``take``: the file at ``path`` may be moved away.

        Raises InvalidInput, Conflict (``doc_id`` exists or is about to), ConfigurationError (a model is needed and not
        set), InternalError; nothing is left behind then.
        """
        self._check_upload(title, category_id, doc_id)
        self._tree_model()
        request = UploadRequest(name, title, category_id, source_type, tuple(labels), on_duplicate)
        if doc_id is None:
            return self.jobs.place(path, request, None, take=take)
        with self.documents.replacing(doc_id):
            self._check_free(doc_id)
            return self.jobs.place(path, request, doc_id, take=take)

    def job(self, job_id: str) -> JobView:
        """How far a job is. Raises NotFound."""
        return self._seen(self.jobs.find(job_id)).view()

    def list_jobs(self, *, status: JobStatus | None = None, page: int = 1, page_size: int = 20) -> JobPage:
        """A page of the jobs that are known, newest first."""
        known = self.jobs.newest()
        if status is not None:
            known = [job_id for job_id in known if self._status(job_id) == status]
        views: list[JobView] = []
        for job_id in known[(page - 1) * page_size : page * page_size]:
            try:
                views.append(self.job(job_id))
            except NotFound:
                continue
        return JobPage(tuple(views), len(known), page, page_size)

    def count_jobs(self) -> JobCounts:
        """Those that are not done."""
        found = [self._seen(job).state.status for job in self.jobs.unfinished()]
        return JobCounts(found.count("queued"), found.count("running"), found.count("failed"))

    def retry_job(self, job_id: str) -> JobView:
        """Put a failed job into the queue again. Raises NotFound, Conflict when it runs or is done."""
        with self._claimed(job_id) as claim:
            job = claim.job
            if job.state.status == "failed":
                state = replace(job.state, status="queued", retries=0, interruptions=0, retry_at=None)
                job = Job(job.accepted, replace(state, updated_at=utc_now()))
                self.jobs.save(job)
        return job.view()

    def cancel_job(self, job_id: str) -> None:
        """Forget a waiting or failed job with its bytes. Raises NotFound, Conflict when it runs or is done."""
        with self._claimed(job_id) as claim:
            self.jobs.drop(claim.job)

    def earlier_attempt(self, job: Job, before: JobState) -> UploadResult | None:
        """The answer for a document that an attempt before this one has written; None when there is none.

        Raises Conflict when it was written and removed since: it is not made again behind its owner's back.
        """
        accepted = job.accepted
        try:
            record = self._record(accepted.doc_id)
        except NotFound:
            if accepted.request.on_duplicate == "new" and any(mark.stage == "written" for mark in before.stages):
                message = f"document {accepted.doc_id} was written and removed again before its job ended"
                raise Conflict(message, doc_id=accepted.doc_id) from None
            return None
        if record.document.source_sha256 != accepted.sha256:
            return None
        twin = self.has_source(accepted.sha256)
        duplicate_of = twin if twin != accepted.doc_id else None
        return self._upload_result(record, False, created=True, duplicate_of=duplicate_of)

    def follow_index(self, result: UploadResult, seconds: float = INDEX_SECONDS) -> UploadResult:
        """The same answer once the index holds the document; ``indexed`` is false when it took longer."""
        folder = self.layout.root / result.md_path
        return replace(result, indexed=self._wait([folder], seconds, poll=_INDEX_POLL))

    def _check_free(self, doc_id: str) -> None:
        if self.documents.find(doc_id):
            raise Conflict(f"document {doc_id} exists already: PUT replaces it", doc_id=doc_id)
        for job in self.jobs.unfinished():
            if job.accepted.doc_id == doc_id and job.state.status != "failed":
                raise Conflict(f"job {job.job_id} is about to make document {doc_id}", doc_id=doc_id, job_id=job.job_id)

    def _claimed(self, job_id: str) -> Claim:
        job = self.jobs.find(job_id)
        claim = self.jobs.claim(job_id)
        if claim is None:
            state = "done" if self.jobs.find(job_id).state.status == "done" else "running"
            raise Conflict(f"job {job.job_id} is {state}: only one that waits or has failed can be changed")
        return claim

    def _status(self, job_id: str) -> JobStatus | None:
        try:
            return self._seen(self.jobs.find(job_id)).state.status
        except NotFound:
            return None

    def _seen(self, job: Job) -> Job:
        """The job as it is: one that nobody works on any more waits, whatever its file says."""
        if job.state.status != "running" or self.jobs.is_claimed(job.job_id):
            return job
        return Job(job.accepted, replace(job.state, status="queued"))
