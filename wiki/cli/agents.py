"""``wiki mcp``: the tools for an agent, over stdin and stdout."""

import os
import sys

import typer

from wiki.cli.scope import AppOption, ProjectOption, RootOption, scope, settings_of


def register(app: typer.Typer) -> None:
    app.command("mcp")(mcp)


def mcp(root: RootOption = None, app: AppOption = "default", project: ProjectOption = "default") -> None:
    """Serve the library's tools to an agent over stdin and stdout (MCP).

    A client such as Claude Code starts this itself and ends it again. It works beside a
    running `wiki up` or `wiki serve`, which answer the same at http://127.0.0.1:8000/mcp.

    \b
    Example:
        wiki mcp --root library
    """
    where = scope(root, app, project)
    settings_of(where)
    command = [sys.executable, "-m", "serving.mcp", "--root", str(where.root)]
    os.execv(sys.executable, [*command, "--app", where.app_id, "--project", where.project_id])
