"""``wiki config``: each setting, its value in force, and where it came from."""

import json

import typer

from wiki.cli.output import print_json
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, scope


def register(app: typer.Typer) -> None:
    app.command("config")(config)


def config(
    root: RootOption = None, app: AppOption = "default", project: ProjectOption = "default", as_json: JsonOption = False
) -> None:
    """Show every setting and where its value came from.

    Secrets show as asterisks.

    \b
    Example:
        WIKI_API__PORT=8100 wiki config --root library
    """
    from wiki.settings_sources import explain_settings

    where = scope(root, app, project, create=True)
    explained = explain_settings(where.root)
    if as_json:
        settings = {item.key: {"value": item.value, "source": item.source} for item in explained}
        print_json({"root": str(where.root), "settings": settings})
        return
    typer.echo(f"root = {where.root}\n")
    keys = max(len(item.key) for item in explained)
    shown = [json.dumps(item.value, ensure_ascii=False) for item in explained]
    values = min(max(map(len, shown)), 40)
    for item, value in zip(explained, shown, strict=True):
        typer.echo(f"{item.key:<{keys}}  {value:<{values}}  {item.source}")
