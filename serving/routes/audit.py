"""The audit of the vaults. Part of the routes of vaults."""

from fastapi import APIRouter, Request

from serving.audit import AuditFilter, ListedDecisions
from serving.deps import QueryTenant
from serving.envelope import Success, success
from serving.errors import documented

router = APIRouter()


@router.get("/audit", responses=documented())
def audit(request: Request, tenant: QueryTenant, asked: AuditFilter) -> Success[ListedDecisions]:
    """Who was allowed or refused what, the newest first. No word of a note that cannot be found."""
    return success(request, ListedDecisions.model_validate(tenant.decisions(asked.to_query(), wait=asked.wait)))
