"""How commands print: data on stdout, everything said to a person about it on stderr."""

import json
import sys
from typing import TYPE_CHECKING, Any

import typer

from wiki.errors import WikiError

if TYPE_CHECKING:
    from rich.console import Console


def plain(value: Any) -> Any:
    """A view of the library as plain JSON values."""
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    typer.echo(json.dumps(plain(value), ensure_ascii=False, indent=indent))


def print_error(error: WikiError, *, as_json: bool) -> None:
    """``error CODE: message`` on stderr; with ``--json`` an object on stdout instead."""
    if as_json:
        print_json({"error": {"code": error.code, "message": error.message, "details": error.details}})
    else:
        typer.echo(f"error {error.code}: {error.message}", err=True)


def say(message: str) -> None:
    """A word to the person at the terminal; never part of the data."""
    typer.echo(message, err=True)


def console(*, stderr: bool = False) -> "Console":
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def on_terminal() -> bool:
    return sys.stderr.isatty()
