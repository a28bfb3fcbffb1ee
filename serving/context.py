"""The outermost layer: a request id, an answer to whatever failed, a log line and a measurement."""

import asyncio
import logging
import re
import time
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.envelope import failure
from serving.metrics import Metrics

ACCESS = logging.getLogger("serving.access")
LOG = logging.getLogger("serving.errors")
REQUEST_ID_HEADER = "X-Request-ID"
CLIENT_GONE = 499
RETRY = {"Retry-After": "5"}
_SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestContext:
    """Wraps every request. Nothing below it can leave a request without an envelope or a log line."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        request_id = given if _SANE_ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 0

        async def sender(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID_HEADER] = request_id
                headers.setdefault("X-Content-Type-Options", "nosniff")
            await send(message)

        try:
            await self.app(scope, receive, sender)
        except ClientDisconnect:
            status = CLIENT_GONE
        except asyncio.CancelledError:
            if status:
                raise
            message = "the service is stopping; read what you wrote once it is back, it may have been finished"
            await failure(scope, 503, "SERVICE_STOPPING", message, headers=RETRY)(scope, receive, sender)
        except Exception:
            LOG.exception("request_id=%s %s %s failed", request_id, scope["method"], scope["path"])
            if status:
                raise
            message = f"the service failed on this request; its log tells more under request id {request_id}"
            await failure(scope, 500, "INTERNAL_ERROR", message)(scope, receive, sender)
        finally:
            self._record(scope, request_id, status, time.perf_counter() - started)

    def _record(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        route = route_of(scope)
        self.metrics.request(route, scope["method"], status, seconds)
        ACCESS.info(
            "request_id=%s tenant=%s method=%s route=%s status=%d ms=%.1f doc_id=%s",
            request_id,
            scope["state"].get("tenant", "-"),
            scope["method"],
            route,
            status,
            seconds * 1000,
            scope["state"].get("doc_id") or scope.get("path_params", {}).get("doc_id", "-"),
        )


def route_of(scope: Scope) -> str:
    """The route's template, so that ids never become label values."""
    return getattr(scope.get("route"), "path", "unmatched")
