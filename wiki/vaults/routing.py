"""The contract applied: content -> vault, folder, file name pattern, and the rule that says so. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wiki.errors import Forbidden, InvalidInput
from wiki.vaults.contract import Actor, Contract, Route

PERSON_RULE = "person"
"""A person may write outside the routes, into any folder that is not hidden."""


@dataclass(frozen=True)
class Wanted:
    """What somebody wants to write, as far as it decides where."""

    content_type: str
    kind: str | None
    actor: Actor
    front_matter: Mapping[str, Any]
    vault: str | None = None
    folder: str | None = None


@dataclass(frozen=True)
class Routed:
    vault: str
    folder: str
    """In the vault, without slashes at its ends; empty for the vault itself."""
    filename_pattern: str
    rule_id: str
    required: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """To be added to the note's own."""


def route(contract: Contract, wanted: Wanted) -> Routed:
    """Where a note goes. Raises InvalidInput for an unknown content type or kind, Forbidden with the rule's id for
    what the contract does not allow."""
    found = contract.route(wanted.content_type)
    if wanted.actor == "person" and wanted.vault is not None and wanted.folder is not None:
        pattern = found.filename_pattern if found else "<slug>.md"
        return Routed(wanted.vault, wanted.folder, pattern, PERSON_RULE)
    if found is None:
        known = ", ".join(route.content_type for route in contract.routes)
        raise InvalidInput(
            f"content_type {wanted.content_type[:80]!r} has no route; there are {known}", field="content_type"
        )
    if wanted.actor not in found.writers:
        raise Forbidden(
            f"rule {found.rule_id}: {wanted.content_type} is written by {' and '.join(found.writers)}, "
            f"not by an {wanted.actor}",
            rule_id=found.rule_id,
        )
    routed = _by_kind(found, wanted)
    for name, asked, given in (("vault", wanted.vault, routed.vault), ("folder", wanted.folder, routed.folder)):
        if asked is not None and asked.strip("/") != given:
            raise Forbidden(
                f"rule {found.rule_id}: {wanted.content_type} goes to {routed.vault}/{routed.folder}, not to the {name} "
                f"{asked[:80]!r}",
                rule_id=found.rule_id,
            )
    return routed


def _by_kind(found: Route, wanted: Wanted) -> Routed:
    kind = wanted.kind or (next(iter(found.folders)) if len(found.folders) == 1 else None)
    if kind is None and found.unsure is not None:
        tags = (found.unsure.tag,)
        return Routed(found.vault_id, found.unsure.folder, found.filename_pattern, found.rule_id, found.required, tags)
    if kind is None or kind not in found.folders:
        known = ", ".join(found.folders)
        raise InvalidInput(
            f"{found.content_type} needs a kind; there are {known}"
            if kind is None
            else f"kind {kind[:80]!r} is none of {found.content_type}; there are {known}",
            field="kind",
        )
    numbered, of_type = found.numbered, str(wanted.front_matter.get("type", "")).casefold()
    if numbered is not None and kind == numbered.kind and of_type in numbered.types:
        return Routed(found.vault_id, numbered.folder, numbered.filename_pattern, found.rule_id, found.required)
    return Routed(found.vault_id, found.folders[kind], found.filename_pattern, found.rule_id, found.required)
