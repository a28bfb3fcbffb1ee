"""``wiki vault links`` and ``wiki vault orphans``: what a person may want to mend in the vaults."""

from typing import Annotated, Literal

import typer

from wiki.cli.output import print_json, say
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, opened, scope

VaultOption = Annotated[str | None, typer.Option("--vault", help="Only this vault.", show_default=False)]
PageOption = Annotated[int, typer.Option("--page", help="Which page, from 1.")]
SizeOption = Annotated[int, typer.Option("--page-size", help="How many on a page, at most 100.")]


def links(
    state: Annotated[
        Literal["broken", "ambiguous", "all"],
        typer.Option("--state", help="broken: no note has that name; ambiguous: several have."),
    ] = "broken",
    vault: VaultOption = None,
    page: PageOption = 1,
    page_size: SizeOption = 100,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Links that lead to no note, or to one of several.

    \b
    Example:
        wiki vault links --state ambiguous --root library
    """
    with opened(scope(root, app, project)) as library:
        found = library.links(state, vault=vault, page=page, page_size=page_size)
    if as_json:
        print_json(found)
        return
    for link in found.links:
        leads = f" -> {link.target_vault}/{link.target_path}" if link.target_path else ""
        typer.echo(f"{link.vault}/{link.path}:{link.line}  {link.state}  {link.target}{leads}")
    say(f"{len(found.links)} of {found.total} links")


def orphans(
    vault: VaultOption = None,
    page: PageOption = 1,
    page_size: SizeOption = 100,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Notes that no other note links to and that link to no other.

    \b
    Example:
        wiki vault orphans --vault work --root library
    """
    with opened(scope(root, app, project)) as library:
        found = library.orphans(vault=vault, page=page, page_size=page_size)
    if as_json:
        print_json(found)
        return
    for note in found.notes:
        typer.echo(f"{note.vault}/{note.path}  {note.note_id}")
    say(f"{len(found.notes)} of {found.total} notes without links")
