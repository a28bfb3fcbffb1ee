"""``wiki vault move``: a note to another folder or name, the links to it with it."""

from dataclasses import asdict
from typing import Annotated, Literal

import typer

from wiki.cli.output import print_json, say
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, opened, scope


def move(
    note: Annotated[str, typer.Argument(metavar="NOTE", help="Its id, or vault/path as answers tell it.")],
    folder: Annotated[
        str | None, typer.Option("--folder", help="In its vault; its own folder when absent.", show_default=False)
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", help="New title, and a new file name.", show_default=False)
    ] = None,
    actor: Annotated[Literal["person", "agent"], typer.Option("--actor", help="Who moves.")] = "person",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    expected_hash: Annotated[
        str | None, typer.Option("--expected-hash", help="Hash of the note you read.", show_default=False)
    ] = None,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Move or rename a note within its vault; the links to it follow. Stops when one of them is ambiguous.

    \b
    Examples:
        wiki vault move work/CloudOps/Pump.md --folder SecOps --dry-run
        wiki vault move n_0123456789ab --title "Big pump"
    """
    from wiki.vaults.model import note_id
    from wiki.vaults.move import MoveRequest

    vault, slash, path = note.partition("/")
    wanted = note_id(vault, path) if slash else note
    with opened(scope(root, app, project)) as library:
        seen = expected_hash or library.note(wanted).content_hash
        moved, indexed = library.move_note(wanted, MoveRequest(folder, title, actor, seen, dry_run))
    if as_json:
        print_json({**asdict(moved), "dry_run": dry_run, "indexed": indexed})
        return
    typer.echo(f"{moved.vault}/{moved.old_path} -> {moved.vault}/{moved.path}  {moved.note_id}")
    for linked in moved.linked:
        typer.echo(f"  {linked.vault}/{linked.path}: {linked.links} {'link' if linked.links == 1 else 'links'}")
    say("nothing changed: a dry run" if dry_run else f"{len(moved.linked)} notes with links followed")
