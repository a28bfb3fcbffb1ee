"""``wiki up --lite``: library, cascade, ``incoming/`` and HTTP in one process, without Dagster.

The HTTP service is loaded by its name when asked for, as the full stack starts it by its name: the wiki
itself stays usable without it.
"""

import importlib
import logging
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from wiki.errors import ConfigurationError
from wiki.incoming import IncomingOutcome, ingest_incoming, settled_files
from wiki.index.cascade import Cascade
from wiki.library import Library
from wiki.supervisor.ports import choose_port
from wiki.supervisor.record import RunRecord
from wiki.supervisor.signals import catch_signals, restore_signals

if TYPE_CHECKING:
    from wiki.supervisor.supervisor import Supervisor

LOOK_SECONDS = 1.0

_log = logging.getLogger("wiki.lite")


def run_lite(supervisor: "Supervisor", on_ready: Callable[[RunRecord], None] | None) -> int:
    """Serve until a signal or ``supervisor.stopping``. Gives the exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr)
    supervisor.take_root()
    library = Library(supervisor.settings.model_copy(update={"root": supervisor.root}))
    server: Any = None
    handlers = catch_signals(supervisor.stopping)
    try:
        port = choose_port(supervisor.settings.api.host, supervisor.settings.api.port, "--port")
        record = supervisor.make_record({"api": port})
        supervisor.publish(record)
        server, end_streams = _make_server(library, port)
        _thread(supervisor.announce, record, on_ready, 120.0)
        _thread(ingest_while, library, supervisor.stopping)
        _thread(_end_with, supervisor, server, end_streams)
        server.run()
    finally:
        supervisor.stopping.set()
        library.close()
        supervisor.stop()
        restore_signals(handlers)
    return 0 if server.started else 1


def ingest_while(library: Library, stop: threading.Event) -> None:
    """Take settled files out of every tenant's ``incoming/`` until ``stop``."""
    made: dict[str, str] = {}
    while not stop.wait(LOOK_SECONDS):
        try:
            for outcome in ingest_once(library, made):
                _log.info("incoming: %s %s %s", outcome.name, outcome.status, outcome.message)
        except OSError:
            _log.exception("incoming/ can't be read; looking again")


def ingest_once(library: Library, made: dict[str, str]) -> list[IncomingOutcome]:
    """One look into every ``incoming/``. ``made`` keeps documents the catalog may not have yet, by tenant and hash."""
    outcomes: list[IncomingOutcome] = []
    for tenant in library.tenants():
        here = library.tenant(tenant.app_id, tenant.project_id)
        for file in settled_files(here.layout, library.settings.cascade.settle_seconds):
            prefix = tenant.partition_key("")
            standing = {key.removeprefix(prefix): doc_id for key, doc_id in made.items() if key.startswith(prefix)}
            outcome = ingest_incoming(library, here, file, standing=standing)
            if outcome.status == "added" and outcome.doc_id:
                made[tenant.partition_key(outcome.sha256)] = outcome.doc_id
            outcomes.append(outcome)
    return outcomes


def _make_server(library: Library, port: int) -> tuple[Any, Callable[[], None]]:
    """The server, and what to call when it is about to be told to end."""
    try:
        application: Any = importlib.import_module("serving.app")
        uvicorn: Any = importlib.import_module("uvicorn")
    except ModuleNotFoundError as missing:
        raise ConfigurationError(
            f"the HTTP service is not installed ({missing.name}): install knowledge-wiki whole"
        ) from missing
    app = application.create_app(library.settings, library, Cascade(library).run)
    config = uvicorn.Config(
        app, host=library.settings.api.host, port=port, access_log=False, log_config=None, timeout_graceful_shutdown=5
    )
    return uvicorn.Server(config), partial(application.end_streams, app)


def _end_with(supervisor: "Supervisor", server: Any, end_streams: Callable[[], None]) -> None:
    supervisor.stopping.wait()
    end_streams()
    server.should_exit = True


def _thread(target: Callable[..., None], *arguments: Any) -> None:
    threading.Thread(target=target, args=arguments, daemon=True, name=target.__name__).start()
