"""``wiki vault inbox``: what agents staged, and what a person decides on it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wiki.cli.output import print_json, say
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, opened, scope

if TYPE_CHECKING:
    from wiki.vaults.inbox import InboxItem

inbox_app = typer.Typer(
    name="inbox",
    invoke_without_command=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
NoteArgument = Annotated[str, typer.Argument(metavar="NOTE", help="Id of the staged note, n_ and 12 hex digits.")]
HashOption = Annotated[
    str | None,
    typer.Option("--expected-hash", help="Hash of the note as it was seen.", show_default=False),
]


def register(app: typer.Typer) -> None:
    inbox_app.callback()(listed)
    for command in (promote, reject, expire):
        inbox_app.command(command.__name__)(command)
    app.add_typer(inbox_app)


def listed(
    context: typer.Context,
    state: Annotated[
        Literal["staged", "promoted", "rejected", "expired"], typer.Option("--state", help="What became of them.")
    ] = "staged",
    vault: Annotated[str | None, typer.Option("--vault", help="One vault only.", show_default=False)] = None,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Notes that agents staged: list them, promote or reject them, let old ones expire.

    \b
    Examples:
        wiki vault inbox --root library
        wiki vault inbox --state rejected --json
    """
    if context.invoked_subcommand is not None:
        return
    with opened(scope(root, app, project)) as library:
        items = library.inbox(state, vault)
    if as_json:
        print_json({"notes": items})
        return
    for item in items:
        typer.echo(_line(item))
    if not items:
        say(f"no note is {state}")


def promote(
    note: NoteArgument,
    folder: Annotated[str, typer.Option("--folder", help="Where to, in the same vault.")],
    title: Annotated[str | None, typer.Option("--title", help="New title, and file name.", show_default=False)] = None,
    expected_hash: HashOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say where it would go.")] = False,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Move a staged note into a curated folder, with where it came from; from then on it is found.

    \b
    Example:
        wiki vault inbox promote n_3184aa1af481 --folder facts
    """
    from wiki.vaults.promotion import Promotion

    request = Promotion(note, folder, title, "person", expected_hash, dry_run)
    with opened(scope(root, app, project)) as library:
        promoted, indexed = library.promote_note(request)
    if as_json:
        print_json({"state": "promoted", **asdict(promoted), "dry_run": dry_run, "indexed": indexed})
    else:
        typer.echo(f"{promoted.vault}/{promoted.path}  {promoted.note_id}")


def reject(
    note: NoteArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in the audit.")],
    expected_hash: HashOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say where it would go.")] = False,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Move a staged note to the trash.

    \b
    Example:
        wiki vault inbox reject n_3184aa1af481 --reason "no longer true"
    """
    from wiki.vaults.discard import Rejection

    with opened(scope(root, app, project)) as library:
        rejected = library.reject_note(Rejection(note, reason, "person", expected_hash, dry_run))
    if as_json:
        print_json({**asdict(rejected), "dry_run": dry_run})
    else:
        typer.echo(f"{rejected.vault}/{rejected.path}  {rejected.trash}")


def expire(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which would go.")] = False,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Move the notes nobody decided on in vaults.inbox_days to the trash; `wiki up` does so every hour.

    \b
    Example:
        wiki vault inbox expire --dry-run --root library
    """
    with opened(scope(root, app, project)) as library:
        gone = library.expire_inbox(dry_run=dry_run)
    if as_json:
        print_json({"expired": gone, "dry_run": dry_run})
        return
    for note in gone:
        typer.echo(f"{note.vault}/{note.path}  {note.trash}")
    say(f"{len(gone)} notes {'would expire' if dry_run else 'expired'}")


def _line(item: "InboxItem") -> str:
    parts: Sequence[str | None]
    if item.state == "staged":
        near = ", ".join(f"{one.path} {one.score:.2f}" for one in item.near_duplicates)
        parts = (
            f"{item.vault}/{item.path}",
            item.note_id,
            item.title,
            f"until {item.expires_at[:10]}" if item.expires_at else None,
            f"like {near}" if near else None,
            f"fault: {item.fault}" if item.fault else None,
        )
    else:
        parts = (f"{item.vault}/{item.path}", item.note_id, f"{item.decided_at} -> {item.target}", item.reason)
    return "  ".join(part for part in parts if part)
