"""``wiki``: the command line. One module per family of commands; heavy imports happen inside them."""

from typing import Annotated

import typer

from wiki import __version__
from wiki.cli import add, agents, configuration, doctor, evaluate, indexes, reading, reextract, stack, vaults
from wiki.cli.boundary import ErrorBoundary

app = typer.Typer(
    name="wiki",
    cls=ErrorBoundary,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wiki {__version__}")
        raise typer.Exit


@app.callback()
def wiki(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Files become trees of Markdown topics, indexed and searchable.

    \b
    Start everything and put a folder of files in:
        wiki up --root library --add ~/Documents/reports
    Ask, from another terminal:
        wiki search --root library "what did the outage cost"

    Exit codes: 0 all is well, 1 trouble was found, 2 the command or a setting is wrong, 130 stopped.
    """


for family in (stack, add, reextract, reading, indexes, vaults, agents, configuration, doctor, evaluate):
    family.register(app)


def main() -> None:
    app(prog_name="wiki")
