"""``wiki vault audit``: who was allowed or refused what in the vaults."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wiki.cli.links import PageOption, SizeOption, VaultOption
from wiki.cli.output import print_json, say
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, opened, scope

if TYPE_CHECKING:
    from wiki.library.audit import ListedDecision


def audit(
    actor: Annotated[
        str | None,
        typer.Option("--actor", help="person, agent, or upkeep for what happens by itself.", show_default=False),
    ] = None,
    action: Annotated[
        str | None,
        typer.Option(
            "--action", help="write, append, replace, properties, move, promote, reject, expire.", show_default=False
        ),
    ] = None,
    outcome: Annotated[
        Literal["allowed", "refused"] | None, typer.Option("--outcome", help="What came of it.", show_default=False)
    ] = None,
    vault: VaultOption = None,
    note: Annotated[str | None, typer.Option("--note", help="Only the note of this id.", show_default=False)] = None,
    since: Annotated[str | None, typer.Option("--since", help="ISO date or time, UTC.", show_default=False)] = None,
    page: PageOption = 1,
    page_size: SizeOption = 100,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Who was allowed or refused what in the vaults, the newest first.

    Words of a note that cannot be found (staged, rejected, gone) are left out; the files in `audit/` hold them.

    \b
    Example:
        wiki vault audit --outcome refused --since 2026-12-01 --root library
    """
    from wiki.library.audit import AuditQuery

    query = AuditQuery(actor, action, outcome, vault, note, since, page, page_size)
    with opened(scope(root, app, project)) as library:
        found = library.decisions(query)
    if as_json:
        print_json(found)
        return
    for decision in found.decisions:
        typer.echo(_line(decision))
    say(f"{len(found.decisions)} of {found.total} decisions")
    if found.skipped:
        say(f"{found.skipped} lines of the audit are no decision and are left out")
    if not found.indexed:
        say("the newest decisions are not indexed yet: try again, or see `wiki status`")


def _line(decision: "ListedDecision") -> str:
    where = "/".join(part for part in (decision.vault, decision.path) if part)
    target = f"-> {decision.target}" if decision.target else None
    rule = f"rule {decision.rule_id}" if decision.rule_id else None
    told = (decision.at, decision.actor, decision.action, decision.outcome, where, target, decision.note_id, rule)
    return "  ".join(part for part in (*told, decision.reason) if part)
