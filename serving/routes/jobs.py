"""Jobs: uploads that were accepted with ``mode=async``."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from serving.deps import JobId, QueryTenant, ServiceDep
from serving.envelope import Success, success
from serving.errors import documented
from serving.events import JobChanges
from serving.requests import JobListing
from serving.schemas import JobDetail, JobList

router = APIRouter(tags=["jobs"])


def job_changes(job_id: JobId, tenant: QueryTenant, service: ServiceDep) -> JobChanges:
    """The job's changes from now on. Raises NotFound before the stream begins."""
    tenant.job(job_id)
    return JobChanges(tenant, job_id, service.stopping)


@router.get("", responses=documented())
def list_jobs(request: Request, tenant: QueryTenant, listing: Annotated[JobListing, Query()]) -> Success[JobList]:
    """A page of jobs, newest first. Finished ones are listed for seven days."""
    return success(request, JobList.model_validate(tenant.list_jobs(**listing.model_dump())))


@router.get("/{job_id}", responses=documented(404))
def get_job(request: Request, job_id: JobId, tenant: QueryTenant) -> Success[JobDetail]:
    """How far a job is, and what became of it. `result` is what a synchronous upload would have answered."""
    return success(request, JobDetail.model_validate(tenant.job(job_id)))


@router.get("/{job_id}/events", response_class=EventSourceResponse, responses=documented(404, envelope=False))
async def job_events(changes: Annotated[JobChanges, Depends(job_changes)]) -> AsyncIterator[ServerSentEvent]:
    """The job as it is now, then each change, as server-sent events named `progress`; `done` or `failed` is the last.

    `data` is the job as `GET /jobs/{job_id}` tells it. After `failed` with a `retry_at` it is tried again by itself.
    """
    async for event, detail in changes:
        yield ServerSentEvent(event=event, data=detail)


@router.post("/{job_id}/retry", status_code=202, responses=documented(404, 409))
def retry_job(request: Request, job_id: JobId, tenant: QueryTenant) -> Success[JobDetail]:
    """Put a failed job into the queue again: its bytes are kept for seven days. One that waits stays as it is."""
    return success(request, JobDetail.model_validate(tenant.retry_job(job_id)))


@router.delete("/{job_id}", status_code=204, response_class=Response, responses=documented(404, 409, envelope=False))
def cancel_job(job_id: JobId, tenant: QueryTenant) -> Response:
    """Forget a job that waits or has failed, with its bytes. One that runs or is done is 409."""
    tenant.cancel_job(job_id)
    return Response(status_code=204)
