"""The contract applied to notes that are there already: who may change which, and move them where. Pure."""

from collections.abc import Collection
from dataclasses import dataclass

from wiki.errors import Forbidden
from wiki.vaults.contract import Actor, Contract, Route
from wiki.vaults.routing import PERSON_RULE

NO_ROUTE = "no-route"
"""An agent may only change what lies in a folder that a route gives to agents."""


@dataclass(frozen=True)
class Permission:
    rule_id: str
    required: tuple[str, ...] = ()
    """Front matter keys the note must keep."""


def may_change(contract: Contract, actor: Actor, vault: str, path: str, tags: Collection[str]) -> Permission:
    """What allows ``actor`` to change a note. A person may change any; an agent those in or below a folder it may
    write to, and at a route's place for unsure ones those that bear its tag.

    Raises Forbidden with ``rule_id``.
    """
    if actor == "person":
        return Permission(PERSON_RULE)
    folder = path.rpartition("/")[0]
    for route in _routes(contract, vault, actor):
        unsure = route.unsure is not None and route.unsure.folder == folder and route.unsure.tag in tags
        if unsure or any(_within(folder, given) for given in _folders(route)):
            return Permission(route.rule_id, route.required)
    raise _refused(contract, actor, vault, path)


def may_enter(contract: Contract, actor: Actor, vault: str, folder: str) -> Permission:
    """What allows ``actor`` to move a note into ``folder``: for an agent exactly one a route names.

    Raises Forbidden with ``rule_id``.
    """
    if actor == "person":
        return Permission(PERSON_RULE)
    for route in _routes(contract, vault, actor):
        if folder in _folders(route):
            return Permission(route.rule_id, route.required)
    raise _refused(contract, actor, vault, f"{folder}/")


def _routes(contract: Contract, vault: str, actor: Actor) -> list[Route]:
    return [route for route in contract.routes if route.vault_id == vault and actor in route.writers]


def _folders(route: Route) -> set[str]:
    numbered = {route.numbered.folder} if route.numbered else set[str]()
    return {*route.folders.values(), *numbered}


def _within(folder: str, given: str) -> bool:
    return folder == given or (bool(given) and folder.startswith(f"{given}/"))


def _refused(contract: Contract, actor: Actor, vault: str, place: str) -> Forbidden:
    given = sorted({folder for route in _routes(contract, vault, actor) for folder in _folders(route) if folder})
    where = f"in {vault} it may write to {', '.join(given)}" if given else f"it may write nowhere in {vault}"
    return Forbidden(f"rule {NO_ROUTE}: an {actor} may not write to {vault}/{place[:200]}: {where}", rule_id=NO_ROUTE)
