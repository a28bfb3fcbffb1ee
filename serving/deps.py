"""What routes ask for: the service, the tenant of the request, ids and headers that were checked."""

import threading
import time
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Header, Path, Query, Request

from serving.metrics import Metrics
from serving.requests import Scoped
from serving.slots import UploadSlots
from wiki.errors import InvalidInput
from wiki.library import Library, TenantLibrary
from wiki.settings import Settings
from wiki.tenants import SCOPE_PATTERN, Tenant

DOC_ID_PATTERN = r"^d_[a-f0-9]{12,32}$"
NOTE_ID_PATTERN = r"^n_[0-9a-f]{12}$"
TOPIC_ID_PATTERN = r"^d_[a-f0-9]{12,32}_([0-9]{1,9}|h[0-9a-f]{8})$"


@dataclass
class Service:
    """What lives as long as the application does."""

    settings: Settings
    library: Library
    metrics: Metrics
    slots: UploadSlots
    started: float = field(default_factory=time.monotonic)
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set when the service is told to stop: streams end then, so that nothing waits for them."""
    models: str = "loading"
    """``loading``, ``loaded``, or why they could not be loaded."""


def service_of(request: Request) -> Service:
    return request.app.state.service


DocId = Annotated[str, Path(pattern=DOC_ID_PATTERN, description="Id of a document.")]
JobId = Annotated[str, Path(max_length=100, description="Id of a job.")]
TopicId = Annotated[str, Path(pattern=TOPIC_ID_PATTERN, description="Id of a topic.")]
Wait = Annotated[
    float | None,
    Query(ge=0, le=60, description="Most seconds to wait for the index; `api.wait_seconds` when absent."),
]
ServiceDep = Annotated[Service, Depends(service_of)]


def open_tenant(request: Request, tenant: Tenant) -> TenantLibrary:
    """The tenant's library; its name goes to the access log."""
    request.state.tenant = f"{tenant.app_id}/{tenant.project_id}"
    return service_of(request).library.tenant(tenant.app_id, tenant.project_id)


def query_tenant(
    request: Request,
    app_id: Annotated[str, Query(pattern=SCOPE_PATTERN)] = "default",
    project_id: Annotated[str, Query(pattern=SCOPE_PATTERN)] = "default",
) -> TenantLibrary:
    """The tenant of a request without a body."""
    return open_tenant(request, Tenant(app_id, project_id))


QueryTenant = Annotated[TenantLibrary, Depends(query_tenant)]


def body_tenant(request: Request, body: Scoped) -> TenantLibrary:
    """The tenant a JSON body names."""
    return open_tenant(request, merged_tenant(request, body.app_id, body.project_id))


def merged_tenant(request: Request, app_id: str | None, project_id: str | None) -> Tenant:
    """The tenant a body names. One named in the query counts too, but the two may not differ."""

    def pick(name: str, given: str | None) -> str:
        asked = request.query_params.get(name)
        if asked is not None and given is not None and asked != given:
            raise InvalidInput(f"{name} is {asked!r} in the query and {given!r} in the body", field=name)
        return next((value for value in (given, asked) if value is not None), "default")

    return Tenant(pick("app_id", app_id), pick("project_id", project_id))


def if_match(value: Annotated[str | None, Header(alias="If-Match")] = None) -> str | None:
    """The bare entity tag of ``If-Match``; None when absent or ``*``."""
    text = (value or "").strip()
    if text in ("", "*"):
        return None
    if text.startswith('"') and text.endswith('"') and text.count('"') == 2:
        return text[1:-1]
    if '"' in text and not text.startswith("W/"):
        raise InvalidInput("If-Match takes one entity tag, as an ETag header gave it", header="If-Match")
    return text


IfMatch = Annotated[str | None, Depends(if_match)]
