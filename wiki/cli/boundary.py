"""Where every command ends: errors in one form, exit codes 0 ok, 1 found trouble, 2 wrong use, 130 stopped."""

import os
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from wiki.cli.output import print_error
from wiki.errors import ConfigurationError, IndexModelMismatch, InternalError, InvalidInput, WikiError

FOUND_TROUBLE = 1
WRONG_USE = 2
STOPPED = 130
TRACEBACK_VARIABLE = "WIKI_TRACEBACK"


class ErrorBoundary(TyperGroup):
    """Turns an exception into one line and an exit code; a person never sees a traceback unasked."""

    def invoke(self, ctx: Any) -> Any:
        as_json = "--json" in (*getattr(ctx, "_protected_args", ()), *ctx.args)
        try:
            return super().invoke(ctx)
        except WikiError as error:
            print_error(error, as_json=as_json)
            raise typer.Exit(exit_code(error)) from None
        except KeyboardInterrupt:
            typer.echo("stopped", err=True)
            raise typer.Exit(STOPPED) from None
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise typer.Exit(0) from None
        except Exception as error:
            if type(error).__module__.startswith("typer"):
                raise
            print_error(unexpected(error), as_json=as_json)
            if os.environ.get(TRACEBACK_VARIABLE):
                typer.echo(traceback.format_exc(), err=True)
            raise typer.Exit(FOUND_TROUBLE) from None


def exit_code(error: WikiError) -> int:
    """2 when the command or the settings must change, 1 when something was found to be wrong."""
    if isinstance(error, InvalidInput | ConfigurationError) and not isinstance(error, IndexModelMismatch):
        return WRONG_USE
    return FOUND_TROUBLE


def unexpected(error: Exception) -> WikiError:
    """An error of a kind the wiki doesn't raise itself, with how to see where it came from."""
    reason = f"{type(error).__name__}: {error}".rstrip(": ")
    return InternalError(f"{reason} (run again with {TRACEBACK_VARIABLE}=1 to see where)")
