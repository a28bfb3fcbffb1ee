"""``python -m serving.mcp``: the server over stdin and stdout, for a client that starts it itself."""

import argparse
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server

from serving.mcp.server import fixed_tenant, make_server
from wiki.errors import WikiError
from wiki.library import Library, TenantLibrary
from wiki.settings_sources import load_settings

LOG = logging.getLogger("serving.mcp")
WRONG_USE = 2
LAST_SECONDS = 5.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until stdin ends, SIGTERM or Ctrl-C. Gives the exit code: 0 after that, 2 for settings that cannot be."""
    parser = argparse.ArgumentParser(
        prog="python -m serving.mcp", description="The Knowledge Wiki MCP server on stdio."
    )
    parser.add_argument("--root", type=Path, default=None, help="the library's folder")
    parser.add_argument("--app", default="default", help="application of the tenant")
    parser.add_argument("--project", default="default", help="project of the tenant")
    options = parser.parse_args(arguments)
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr
    )
    try:
        library = Library(load_settings(options.root))
        tenant = library.tenant(options.app, options.project)
        tenant.contract()
    except WikiError as error:
        sys.stderr.write(f"error {error.code}: {error.message}\n")
        return WRONG_USE
    serve(library, tenant)
    return 0


def serve(library: Library, tenant: TenantLibrary) -> None:
    """Serve this tenant until stdin ends; closes the library."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: _leave(library))
    threading.Thread(target=_warm, args=(library,), name="warm", daemon=True).start()
    anyio.run(_serve, library, tenant)
    library.close()


async def _serve(library: Library, tenant: TenantLibrary) -> None:
    server = make_server(library.root, fixed_tenant(tenant), scoped=False)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _leave(library: Library) -> None:
    """End although a thread waits for the next line of stdin, which nothing can interrupt."""
    closing = threading.Thread(target=library.close, daemon=True)
    closing.start()
    closing.join(LAST_SECONDS)
    os._exit(0)


def _warm(library: Library) -> None:
    try:
        library.warm()
    except Exception as error:
        LOG.warning("the models could not be loaded: %s", error)
