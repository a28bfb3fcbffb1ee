"""Topics: read one, edit one."""

from typing import Any

from fastapi import APIRouter, Request, Response

from serving.deps import IfMatch, QueryTenant, TopicId, Wait, body_tenant
from serving.envelope import Success, success
from serving.errors import documented
from serving.requests import TopicPatch
from serving.schemas import TopicDetail, TopicPatched

router = APIRouter(prefix="/api/v1/knowledge/topics", tags=["topics"])


@router.get("/{topic_id}", responses=documented(404))
def get_topic(request: Request, response: Response, topic_id: TopicId, tenant: QueryTenant) -> Success[TopicDetail]:
    """A topic with its body, its place in the tree and where in the source it came from."""
    view = tenant.topic(topic_id)
    request.state.doc_id = view.doc_id
    response.headers["ETag"] = f'"{view.etag}"'
    return success(request, TopicDetail.model_validate(view))


@router.patch("/{topic_id}", responses=documented(404, 409))
def patch_topic(
    request: Request, topic_id: TopicId, body: TopicPatch, tag: IfMatch, wait: Wait = None
) -> Success[TopicPatched]:
    """Edit a topic's Markdown file. The index follows."""
    changes: dict[str, Any] = body.model_dump(exclude={"app_id", "project_id"})
    result = body_tenant(request, body).patch_topic(topic_id, **changes, if_match=tag, wait=wait)
    return success(request, TopicPatched.model_validate(result))
