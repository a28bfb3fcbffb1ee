"""``wiki vault``: new vaults, notes written by the contract, and the brief for an agent."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from wiki.cli import inbox
from wiki.cli.audit import audit
from wiki.cli.embedder_choice import Choice, choose, in_force, offer, tell
from wiki.cli.links import links, orphans
from wiki.cli.moving import move
from wiki.cli.output import print_json, say
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, opened, scope
from wiki.errors import InvalidInput

vault_app = typer.Typer(
    name="vault",
    help="Vaults of notes: make them, write into them by the contract, brief an agent.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def register(app: typer.Typer) -> None:
    for command in (init, write, brief, move, links, orphans, audit):
        vault_app.command(command.__name__)(command)
    inbox.register(vault_app)
    app.add_typer(vault_app)


def init(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="work, ai, user; all when none.", show_default=False)
    ] = None,
    embedder: Annotated[
        Choice | None,
        typer.Option("--embedder", help="Set this embedding model in wiki.toml, and do not ask.", show_default=False),
    ] = None,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Make vaults from templates, and the contract that says who may write what.

    Files that are there already are not touched. The default embedding model knows English; the multilingual one
    about a hundred languages.

    \b
    Examples:
        wiki vault init --root library
        wiki vault init --embedder multilingual
    """
    from wiki.tenants import Layout, Tenant
    from wiki.vaults.init import NAMES, init_vaults

    where = scope(root, app, project, create=True)
    state = choose(where.root, embedder) if embedder else in_force(where.root)
    made = init_vaults(Layout(where.root, Tenant(where.app_id, where.project_id)), tuple(names or NAMES))
    if as_json:
        print_json({"made": made, "embedder": state})
        return
    for path in made:
        typer.echo(path)
    say(f"{len(made)} files made" if made else "everything is there already")
    if embedder:
        tell(state)
    elif made:
        offer(where.root, state)


def write(
    content_type: Annotated[str, typer.Argument(metavar="CONTENT_TYPE", help="As routing.json names it.")],
    title: Annotated[str, typer.Option("--title", help="Becomes the file's name.")],
    kind: Annotated[str | None, typer.Option("--kind", help="Folder by kind.", show_default=False)] = None,
    body: Annotated[
        Path | None, typer.Option("--body", help="File with the text; else stdin.", show_default=False)
    ] = None,
    prop: Annotated[
        list[str] | None,
        typer.Option("--prop", help="Front matter as key=value; may be repeated.", show_default=False),
    ] = None,
    vault: Annotated[str | None, typer.Option("--vault", help="For a person: which vault.", show_default=False)] = None,
    folder: Annotated[
        str | None, typer.Option("--folder", help="For a person: which folder.", show_default=False)
    ] = None,
    actor: Annotated[Literal["person", "agent"], typer.Option("--actor", help="Who writes.")] = "person",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say where it would go.")] = False,
    expected_hash: Annotated[
        str | None, typer.Option("--expected-hash", help="Hash of the note it replaces.", show_default=False)
    ] = None,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Write a note where the contract says; refused with the rule's id where it does not allow it.

    \b
    Examples:
        wiki vault write operational --kind architecture --prop type=adr --title "One queue" < queue.md
        wiki vault write note --vault user --folder facts --title "Editor" --body editor.md
    """
    from wiki.vaults.write import NoteRequest

    text = body.read_bytes() if body else sys.stdin.buffer.read()
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the body is not UTF-8: byte {error.start}") from error
    request = NoteRequest(
        content_type, title, decoded, kind, _properties(prop or []), vault, folder, actor, dry_run, expected_hash
    )
    with opened(scope(root, app, project)) as library:
        written, indexed = library.write_note(request)
    if as_json:
        print_json({**asdict(written), "dry_run": dry_run, "indexed": indexed})
    else:
        typer.echo(f"{written.vault}/{written.path}  {written.note_id}  rule {written.rule_id}")


def brief(
    tokens: Annotated[int, typer.Option("--tokens", help="About how long it may be.")] = 1_500,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """What an agent should know when it starts: identity, standing rules, curated facts, recent decisions.

    \b
    Example:
        wiki vault brief --tokens 800 --root library
    """
    with opened(scope(root, app, project)) as library:
        found = library.brief(tokens)
    if as_json:
        print_json(found)
        return
    typer.echo(found.text, nl=False)
    if not found.lines:
        say("there is nothing to tell yet: no identity, rules, facts or decisions in the vaults")
    elif found.left_out:
        say(f"{found.left_out} lines did not fit; --tokens allows more")


def _properties(pairs: list[str]) -> dict[str, Any]:
    """Front matter of ``key=value`` pairs; a value that is JSON counts as such."""
    found: dict[str, Any] = {}
    for pair in pairs:
        key, mark, value = pair.partition("=")
        if not mark or not key.strip():
            raise InvalidInput(f"--prop {pair[:80]!r} is no key=value")
        try:
            found[key.strip()] = json.loads(value)
        except ValueError:
            found[key.strip()] = value
    return found
