"""``wiki up`` and ``wiki serve``: the processes."""

import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wiki.cli.output import say
from wiki.cli.scope import AppOption, ProjectOption, RootOption, Scope, scope, settings_of
from wiki.errors import ConfigurationError

if TYPE_CHECKING:
    from wiki.settings import Settings
    from wiki.supervisor.record import RunRecord

CHILD_LINE = re.compile(r"[\w-]+ \| ")
TROUBLE = re.compile(r"\b(WARNING|ERROR|CRITICAL)\b")

HostOption = Annotated[
    str | None,
    typer.Option("--host", help="Address to listen on. Else api.host: 127.0.0.1.", show_default=False),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port", min=0, max=65535, help="Port of the API, 0 for a free one. Else api.port: 8000.", show_default=False
    ),
]


def register(app: typer.Typer) -> None:
    app.command("up")(up)
    app.command("serve")(serve)


def up(
    host: HostOption = None,
    port: PortOption = None,
    dagster_port: Annotated[
        int, typer.Option("--dagster-port", min=0, max=65535, help="Port of Dagster's page, 0 for a free one.")
    ] = 3000,
    lite: Annotated[bool, typer.Option("--lite", help="One process, without Dagster.")] = False,
    add: Annotated[
        list[Path] | None,
        typer.Option("--add", help="Put this file or folder in once ready; may be repeated.", show_default=False),
    ] = None,
    ask: Annotated[
        str | None, typer.Option("--ask", help="Then search for this and print the first result.", show_default=False)
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show every line the processes log.")] = False,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
) -> None:
    """Start everything on a library, and stay up.

    The API, Dagster, and the cascade that follows your files; a process that dies is
    started again. Ctrl-C ends all of it. Logs are in .index/logs below the root;
    warnings and errors among them are shown here as well.

    \b
    Examples:
        wiki up --root library
        wiki up --root library --add examples --ask "how long are backups kept"
        wiki up --root library --lite --port 0
    """
    from wiki.supervisor.supervisor import Supervisor

    where = scope(root, app, project, create=True)
    settings = settings_of(where, {"api.host": host, "api.port": port})
    refuse_open_bind(settings)
    where.root.mkdir(parents=True, exist_ok=True)
    tell = everything if verbose else child_lines_only_in_trouble
    supervisor = Supervisor(settings, dagster_port=dagster_port, lite=lite, tell=tell)
    raise typer.Exit(supervisor.run(_first_steps(where, add or [], ask, supervisor.stopping)))


def serve(
    host: HostOption = None,
    port: PortOption = None,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
) -> None:
    """Serve the HTTP API of a library, and nothing else.

    For when something else supervises processes: `wiki sync --watch` or Dagster then
    keeps the indexes in step. --app and --project are told by each request.

    \b
    Example:
        wiki serve --root library --port 8100
    """
    where = scope(root, app, project, create=True)
    refuse_open_bind(settings_of(where, {"api.host": host, "api.port": port}))
    where.root.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "serving", "--root", str(where.root)]
    command += ["--host", host] if host is not None else []
    command += ["--port", str(port)] if port is not None else []
    sys.stdout.flush()
    os.execv(sys.executable, command)


def refuse_open_bind(settings: "Settings") -> None:
    """Other machines may not reach a service without keys. Raises ConfigurationError."""
    if not settings.api.loopback:
        raise ConfigurationError(
            f"api.host is {settings.api.host!r}, which other machines can reach, and there are no keys; use --host 127.0.0.1 "
            "and put a proxy that checks callers in front of it",
            setting="api.host",
        )


def everything(line: str) -> None:
    """Print at once, for whoever reads over a pipe."""
    typer.echo(line)
    sys.stdout.flush()


def child_lines_only_in_trouble(line: str) -> None:
    """Print what the supervisor says, but of its processes' own lines (``api | ...``) only warnings and errors."""
    if not CHILD_LINE.match(line) or TROUBLE.search(line):
        everything(line)


def _first_steps(
    where: Scope, paths: list[Path], question: str | None, stopping: threading.Event
) -> "Callable[[RunRecord], None] | None":
    if not paths and not question:
        return None

    def take(record: "RunRecord") -> None:
        from httpx import HTTPError

        from wiki.cli.first_steps import take_first_steps

        try:
            take_first_steps(record.api_url, where, paths, question, everything)
        except (HTTPError, OSError) as error:
            if not stopping.is_set():
                say(f"the first steps were cut short: {error}; `wiki add` and `wiki search` do the same")
            return
        everything(f"\nAPI      {record.api_url} (try {record.api_url}/docs)")
        everything(f"Dagster  {record.dagster_url or 'not running (--lite)'}")
        everything("Ctrl-C ends everything.")

    return take
