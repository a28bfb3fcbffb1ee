"""Search over topics."""

from fastapi import APIRouter, Request

from serving.deps import ServiceDep, body_tenant
from serving.envelope import Success, success
from serving.errors import documented
from serving.requests import SearchRequest
from serving.schemas import SearchReply

router = APIRouter(prefix="/api/v1/knowledge/search", tags=["search"])


@router.post("", responses=documented(503))
def search(request: Request, service: ServiceDep, body: SearchRequest) -> Success[SearchReply]:
    """The topics that answer a query best, by words, by meaning or by both."""
    query = body.to_query(service.settings.knowledge.search.top_k_cap)
    result = body_tenant(request, body).search(query)
    service.metrics.search(body.method)
    return success(request, SearchReply.model_validate(result))
