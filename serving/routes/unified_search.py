"""One search over the notes of vaults and the library's topics, in the shape agents know: no envelope."""

from fastapi import APIRouter, Request

from serving.deps import ServiceDep, body_tenant
from serving.errors import documented
from serving.unified import UnifiedReply, UnifiedRequest

router = APIRouter(prefix="/search", tags=["search"])


@router.post("", responses=documented(503))
def unified_search(request: Request, service: ServiceDep, body: UnifiedRequest) -> UnifiedReply:
    """The passages that answer a query best, of notes and topics together."""
    result = body_tenant(request, body).unified_search(body.to_query())
    service.metrics.search("hybrid" if body.hybrid else "vector")
    return UnifiedReply.model_validate(result)
