"""Streamable HTTP at ``/mcp``: no sessions, JSON answers, the SDK loaded by the first request."""

import importlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from serving.body import JSON_LIMIT
from serving.deps import Service, merged_tenant, open_tenant
from wiki.library import TenantLibrary

PATH = "/mcp"


class McpEndpoint:
    """The ASGI application behind ``/mcp`` and ``/mcp/``; works while ``running`` is open."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._tasks: TaskGroup | None = None
        self._app: ASGIApp | None = None
        self._starting = anyio.Lock()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        async with anyio.create_task_group() as tasks:
            self._tasks, self._app = tasks, None
            try:
                yield
            finally:
                self._tasks = None
                tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = SimpleNamespace(path=PATH)
        if scope["method"] != "POST":
            raise HTTPException(405, headers={"Allow": "POST"})
        async with self._starting:
            if self._app is None:
                assert self._tasks is not None
                self._app = await self._tasks.start(self._keep)
        await self._app(scope, receive, send)

    async def _keep(self, *, task_status: TaskStatus[ASGIApp]) -> None:
        """Hold the SDK's tasks until the application ends."""
        server = await anyio.to_thread.run_sync(importlib.import_module, "serving.mcp.server")
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        sessions = StreamableHTTPSessionManager(
            server.make_server(self._service.library.root, _tenant_of, scoped=True),
            json_response=True,
            stateless=True,
            max_request_body_size=JSON_LIMIT,
        )
        async with sessions.run():
            task_status.started(sessions.asgi_app)
            await anyio.sleep_forever()


def _tenant_of(request: Any, app_id: str | None, project_id: str | None) -> TenantLibrary:
    return open_tenant(request, merged_tenant(request, app_id, project_id))
