"""Is it up, is it ready, how is it doing. None of these is wrapped in an envelope."""

import time

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from serving.deps import ServiceDep
from serving.schemas import Health, Readiness
from wiki import __version__

router = APIRouter(tags=["service"])


@router.get("/health")
def health(service: ServiceDep) -> Health:
    """200 as long as the process answers."""
    uptime = time.monotonic() - service.started
    return Health(status="ok", version=__version__, uptime_seconds=round(uptime, 3))


@router.get("/ready", responses={503: {"model": Readiness, "description": "not yet"}})
def ready(response: Response, service: ServiceDep) -> Readiness:
    """200 once the service, the catalog and the first reconcile are up. Calls no remote provider."""
    state = Readiness(models=service.models, **service.library.ready())
    response.status_code = 200 if state.ready else 503
    return state


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(service: ServiceDep) -> Response:
    """Counters and sizes for Prometheus."""
    return Response(service.metrics.render(), media_type=CONTENT_TYPE_LATEST)
