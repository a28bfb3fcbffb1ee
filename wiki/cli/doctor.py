"""``wiki doctor``: what is ready, what is not, and what to do about it."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from wiki.cli.boundary import FOUND_TROUBLE
from wiki.cli.output import print_json
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, make_library, scope, settings_of

if TYPE_CHECKING:
    from wiki.diagnosis import Diagnosis


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    root: RootOption = None, app: AppOption = "default", project: ProjectOption = "default", as_json: JsonOption = False
) -> None:
    """Check the installation and the library: each part and each file format, ready or why not.

    Exit 1 when something is missing or at fault; a format that you never use may stay so.

    \b
    Example:
        wiki doctor --root library
    """
    from wiki.diagnosis import diagnose

    where = scope(root, app, project, create=True)
    library = make_library(settings_of(where))
    try:
        found = diagnose(library, library.tenant(where.app_id, where.project_id))
    finally:
        library.close()
    if as_json:
        print_json({"ok": found.ok, **asdict(found)})
    else:
        _print(found)
    if not found.ok:
        raise typer.Exit(FOUND_TROUBLE)


def _print(found: "Diagnosis") -> None:
    for check in found.checks:
        typer.echo(f"{check.status:<8} {check.name:<10} {check.detail}")
        if check.remedy:
            typer.echo(f"{'':<8} {'':<10} -> {check.remedy}")
    typer.echo("")
    for item in found.formats:
        endings = " ".join(item.extensions[:6]) + (" ..." if len(item.extensions) > 6 else "")
        typer.echo(f"{'ready' if item.ready else 'missing':<8} {item.format:<28} {endings}")
        if item.reason:
            typer.echo(f"{'':<8} {'':<28} -> {item.reason}")
