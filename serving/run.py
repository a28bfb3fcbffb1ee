"""``python -m serving``: the HTTP service as a process of its own."""

import argparse
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import uvicorn

from serving.app import create_app, end_streams
from serving.security import check_bind
from wiki.errors import ConfigurationError, WikiError
from wiki.index.cascade import Cascade
from wiki.library import Library
from wiki.settings_sources import load_settings

LOG = logging.getLogger("serving")
WRONG_USE = 2
GRACE_SECONDS = 5
"""Running requests get so long to end once the service is told to stop."""
LAST_SECONDS = 12
"""After so long it ends whatever still runs. A half-done upload has written nothing but its staging folder."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or Ctrl-C. Gives the exit code: 0 after a clean stop, 2 for settings that cannot be."""
    parser = argparse.ArgumentParser(prog="python -m serving", description="The Knowledge Wiki HTTP service.")
    parser.add_argument("--root", type=Path, default=None, help="the library's folder")
    parser.add_argument("--host", default=None, help="address to bind (api.host)")
    parser.add_argument("--port", type=int, default=None, help="port to bind (api.port); 0 picks a free one")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr)
    try:
        settings = load_settings(options.root, overrides={"api.host": options.host, "api.port": options.port})
        check_bind(settings)
        listener = listen(settings.api.host, settings.api.port)
        library = Library(settings)
        for tenant in library.tenants():
            library.tenant(tenant.app_id, tenant.project_id).contract()
        cascade = Cascade(library)
        app = create_app(settings, library, cascade.stand_by)
    except WikiError as error:
        sys.stderr.write(f"{error.message}\n")
        return WRONG_USE
    sys.stdout.write(f"Knowledge Wiki API: {url_of(listener)}\n")
    sys.stdout.flush()
    config = uvicorn.Config(app, access_log=False, log_config=None, timeout_graceful_shutdown=GRACE_SECONDS)
    server = EndingServer(config, before=partial(end_streams, app))
    server.run(sockets=[listener])
    cascade.close()
    library.close()
    return 0 if server.started else 1


class EndingServer(uvicorn.Server):
    """A server that does end: a thread that is deep in a model cannot be cancelled, only left behind."""

    def __init__(self, config: uvicorn.Config, before: Callable[[], None]) -> None:
        """``before``: called when it is told to stop."""
        super().__init__(config)
        self._before = before

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        deadline = threading.Timer(LAST_SECONDS, _leave)
        deadline.daemon = True
        deadline.start()
        self._before()
        await super().shutdown(sockets)


def _leave() -> None:
    LOG.warning("requests still ran %d seconds after the order to stop; they end unfinished", LAST_SECONDS)
    os._exit(0)


def listen(host: str, port: int) -> socket.socket:
    """A bound socket, so that a free port is known before anything starts. Raises ``ConfigurationError``."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
    except OSError as error:
        listener.close()
        raise ConfigurationError(
            f"{host}:{port} cannot be bound: {error.strerror}; choose another with --port", setting="api.port"
        ) from error
    listener.set_inheritable(True)
    return listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
