"""``wiki sync``, ``rebuild``, ``verify``, ``status``: the indexes against the Markdown."""

import signal
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from wiki.cli.boundary import FOUND_TROUBLE
from wiki.cli.output import print_json, say
from wiki.cli.progress import Progress
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, make_library, opened, scope, settings_of
from wiki.errors import InvalidInput

if TYPE_CHECKING:
    from wiki.cli.scope import Scope
    from wiki.views import StatusView


def register(app: typer.Typer) -> None:
    for command in (sync, rebuild, verify, status):
        app.command(command.__name__)(command)


def sync(
    once: Annotated[bool, typer.Option("--once", help="Compare once and stop (the default).")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and follow every tenant's changes.")] = False,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Bring the indexes in step with the Markdown.

    `wiki up` does this all the time by itself.

    \b
    Examples:
        wiki sync --once
        wiki sync --watch --root library
    """
    if once and watch:
        raise InvalidInput("--once and --watch exclude each other; give one of them")
    where = scope(root, app, project)
    if watch:
        _watch(where)
        return
    with opened(where) as library:
        changes = library.sync()
    if as_json:
        print_json({"changes": changes})
    else:
        typer.echo(f"{changes} changed files indexed" if changes else "the indexes were in step already")


def rebuild(
    cold: Annotated[bool, typer.Option("--cold", help="Embed everything again, reuse no vector.")] = False,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Build the indexes anew from the Markdown.

    The new ones are built beside the old, which answer until they are complete.

    \b
    Example:
        wiki rebuild --root library
    """
    with opened(scope(root, app, project)) as library, Progress("rebuilding") as progress:
        result = library.rebuild(cold=cold, progress=progress.update)
    if as_json:
        print_json(result)
        return
    typer.echo(
        f"{result.documents} documents, {result.topics} topics, {result.passages} passages"
        f" ({result.embedded} embedded) in {result.seconds:.1f} s"
    )


def verify(
    root: RootOption = None, app: AppOption = "default", project: ProjectOption = "default", as_json: JsonOption = False
) -> None:
    """Compare the indexes with the Markdown; exit 1 if they differ.

    Lets pending changes finish first, and works whether or not the wiki is up.

    \b
    Example:
        wiki verify --root library && echo in step
    """
    with opened(scope(root, app, project)) as library:
        result = library.verify()
    if as_json:
        print_json(result)
    else:
        for difference in result.differences:
            typer.echo(f"{difference.kind}: {difference.id} {difference.path}".rstrip())
        remedy = "" if result.ok else "; `wiki sync` or `wiki rebuild` puts it right"
        typer.echo(f"{result.checked} checked, {len(result.differences)} differences{remedy}")
    if not result.ok:
        raise typer.Exit(FOUND_TROUBLE)


def status(
    root: RootOption = None, app: AppOption = "default", project: ProjectOption = "default", as_json: JsonOption = False
) -> None:
    """Show what the library holds, what is pending or at fault.

    \b
    Example:
        wiki status --json
    """
    with opened(scope(root, app, project)) as library:
        view = library.status()
    if as_json:
        print_json(view)
    else:
        _print_status(view)


def _watch(where: "Scope") -> None:
    from wiki.index.cascade import Cascade

    stop = threading.Event()
    library = make_library(settings_of(where))
    cascade = Cascade(library)

    def ask_to_stop(*_: object) -> None:
        stop.set()

    previous = {number: signal.signal(number, ask_to_stop) for number in (signal.SIGINT, signal.SIGTERM)}
    say(f"following {where.root}; Ctrl-C stops")
    try:
        cascade.run(stop)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        cascade.close()
        library.close()
    say("stopped; every change seen so far is indexed")


def _print_status(view: "StatusView") -> None:
    for name in ("documents", "topics", "notes", "passages", "pending"):
        typer.echo(f"{name:<10} {getattr(view, name)}")
    if any((view.jobs.queued, view.jobs.running, view.jobs.failed)):
        typer.echo(f"jobs       {view.jobs.queued} queued, {view.jobs.running} running, {view.jobs.failed} failed")
    for name, process in view.processes.items():
        typer.echo(f"{name:<10} {process}")
    for warning in view.warnings:
        typer.echo(f"warning    {warning.message}; {warning.remedy}")
    for fault in view.faults:
        line = f":{fault.line}" if fault.line else ""
        typer.echo(f"fault      {fault.path}{line}: {fault.reason} (since {fault.since}); {fault.remedy}")
