"""The application: middleware, routes and what lives as long as they do."""

import logging
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.routing import Route

from serving import errors
from serving.body import RequestBody
from serving.context import REQUEST_ID_HEADER, RequestContext
from serving.deps import Service
from serving.mcp.http import PATH, McpEndpoint
from serving.metrics import Metrics
from serving.routes import (
    categories,
    documents,
    health,
    inbox,
    jobs,
    note_edits,
    search,
    topics,
    unified_search,
    vaults,
)
from serving.security import HostGuard, check_bind
from serving.slots import UploadSlots
from serving.uploads import clear_abandoned
from wiki import __version__
from wiki.jobs.workers import JobWorkers
from wiki.library import Library
from wiki.settings import Settings

LOG = logging.getLogger("serving")
STOP_SECONDS = 5.0
REQUEST_THREADS = 40
"""Threads for requests that are no uploads; each upload has one of its own beside them."""

DESCRIPTION = """Files become trees of Markdown topics, indexed and searchable.

Every knowledge reply is `{request_id, data}` or `{request_id, error}`. `app_id` and `project_id` name the tenant.
(The page under `/docs` loads its script from a public CDN; `/openapi.json` needs no network.)"""

Cascade = Callable[[threading.Event], None]
"""Keeps the indexes in step until the event is set, e.g. ``wiki.index.cascade.Cascade(library).run``."""


def create_app(settings: Settings, library: Library | None = None, cascade: Cascade | None = None) -> FastAPI:
    """The service over one root.

    ``library``: the caller's, left open at the end; without one the application opens and closes its own.
    ``cascade``: run in a thread while the application is up. Raises ``ConfigurationError`` for an open bind.
    """
    check_bind(settings)
    owned = library is None
    library = library or Library(settings)
    service = Service(settings, library, Metrics(library), UploadSlots(settings.api.max_concurrent_uploads))

    mcp = McpEndpoint(service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        await anyio.to_thread.run_sync(library.recover)
        await anyio.to_thread.run_sync(clear_abandoned, settings.root)
        limiter = anyio.to_thread.current_default_thread_limiter()
        limiter.total_tokens = REQUEST_THREADS + settings.api.max_concurrent_uploads
        stop = threading.Event()
        threads = [
            threading.Thread(target=_warm, args=(service,), name="warm", daemon=True),
            threading.Thread(target=JobWorkers(library).run, args=(stop,), name="jobs", daemon=True),
        ]
        if cascade is not None:
            threads.append(threading.Thread(target=_keep_in_step, args=(cascade, stop), name="cascade", daemon=True))
        for thread in threads:
            thread.start()
        try:
            async with mcp.running():
                yield
        finally:
            end_streams(app)
            stop.set()
            for thread in threads:
                await anyio.to_thread.run_sync(thread.join, STOP_SECONDS)
            if owned:
                await anyio.to_thread.run_sync(library.close)

    app = FastAPI(title="Knowledge Wiki", version=__version__, description=DESCRIPTION, lifespan=lifespan)
    app.state.service = service
    errors.install(app)
    for noun in (documents, topics, categories, search, unified_search, vaults, note_edits, inbox, health):
        app.include_router(noun.router)
    app.include_router(jobs.router, prefix="/api/v1/knowledge/jobs")
    app.include_router(jobs.router, prefix="/api/v1/jobs", include_in_schema=False)
    for path in (PATH, f"{PATH}/"):
        app.router.routes.append(Route(path, mcp))
    _add_middleware(app, service)
    return app


def end_streams(app: FastAPI) -> None:
    """Let event streams end: the service is about to stop, and waits for every open answer."""
    service: Service = app.state.service
    service.stopping.set()


def _add_middleware(app: FastAPI, service: Service) -> None:
    api = service.settings.api
    if api.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(api.allowed_origins),
            allow_methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Content-Type", "If-Match", "Range", "Mcp-Protocol-Version", REQUEST_ID_HEADER],
            expose_headers=["ETag", "Content-Disposition", "Content-Range", "Retry-After", REQUEST_ID_HEADER],
        )
    app.add_middleware(HostGuard, api=api)
    app.add_middleware(RequestBody, max_upload_bytes=service.settings.knowledge.max_upload_bytes)
    app.add_middleware(RequestContext, metrics=service.metrics)


def _warm(service: Service) -> None:
    try:
        service.library.warm()
    except Exception as error:
        LOG.exception("the models could not be loaded")
        service.models = f"failed: {error}"
    else:
        service.models = "loaded"


def _keep_in_step(cascade: Cascade, stop: threading.Event) -> None:
    try:
        cascade(stop)
    except Exception:
        LOG.exception("the cascade stopped; the indexes no longer follow the Markdown until a restart")
