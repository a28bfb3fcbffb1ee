"""The offer of ``wiki vault init``: the multilingual embedder for notes in other languages than English."""

import sys
from pathlib import Path
from typing import Any, Literal

import typer

from wiki.cli.output import say
from wiki.errors import CapabilityUnavailable

Choice = Literal["bundled", "multilingual"]
COMMAND = "wiki vault init --embedder multilingual"
QUESTION = "Will there be notes in other languages than English? The multilingual embedder knows about a hundred"


def choose(root: Path, choice: Choice) -> dict[str, Any]:
    """Write the choice to the root's ``wiki.toml``; gives what is in force then.

    Raises CapabilityUnavailable when the embedder is not installed, with what installs it, and Conflict when the file
    names another one.
    """
    from wiki.models.installed import missing_model, pip_command
    from wiki.models.multilingual import PROVIDER
    from wiki.settings_file import add_setting

    wanted = PROVIDER if choice == "multilingual" else "bundled"
    if reason := missing_model(wanted):
        raise CapabilityUnavailable(f"{reason}: run {pip_command(wanted)}, then the same again", missing=wanted)
    changed = add_setting(root, "embedding.provider", wanted)
    return {**in_force(root), "chosen": wanted, "changed": changed}


def in_force(root: Path) -> dict[str, Any]:
    """The embedder of a root as the settings name it, and how to change to the multilingual one; plain JSON."""
    from wiki.models.installed import missing_model
    from wiki.models.multilingual import LINES, PIP_COMMAND, PROVIDER
    from wiki.settings_sources import SETTINGS_FILE, load_settings

    provider = load_settings(root).embedding.provider
    switch = {
        "installed": missing_model(PROVIDER) is None,
        "install": PIP_COMMAND,
        "command": COMMAND,
        "file": SETTINGS_FILE,
        "lines": list(LINES),
        "then": "wiki rebuild",
    }
    return {"provider": provider, "multilingual": None if provider == PROVIDER else switch}


def offer(root: Path, state: dict[str, Any]) -> None:
    """Ask at a terminal, tell elsewhere; nothing when ``state``, of ``in_force``, names another embedder already."""
    if state["provider"] != "bundled":
        return
    switch = state["multilingual"]
    if switch["installed"] and sys.stdin.isatty() and sys.stderr.isatty():
        if typer.confirm(QUESTION, default=False, err=True):
            tell(choose(root, "multilingual"))
        return
    steps = [COMMAND, "wiki rebuild"] if switch["installed"] else [switch["install"], COMMAND, "wiki rebuild"]
    say(f"the embedder knows English; for notes in other languages: {', then '.join(steps)}")


def tell(state: dict[str, Any]) -> None:
    """Say what ``choose`` did."""
    chosen = f"embedding.provider is {state['provider']}"
    if state["provider"] != state["chosen"]:
        say(f"wiki.toml says {state['chosen']}, but {chosen}: `wiki config` shows what is stronger")
    elif state["changed"]:
        say(f"wiki.toml: {chosen}; what is indexed already needs wiki rebuild")
    else:
        say(f"{chosen} already")
