"""A staged note becomes a curated one: its provenance is added where it lies, then one rename takes it out.

There is one file at every moment. A crash before the rename leaves the note staged, with provenance that the next
promotion sets anew; after it, the note is curated. So nothing has to be mended.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from errno import EXDEV
from hashlib import sha256
from pathlib import Path

from wiki.documents import slugs, timestamps
from wiki.errors import Conflict, Forbidden, WikiError
from wiki.filesystem import fsync_dir, rename_noreplace, write_atomic
from wiki.settings import VaultsSettings
from wiki.tenants import Layout
from wiki.vaults.audit import Decision, note_decision, refusing
from wiki.vaults.contract import Actor, load_contract
from wiki.vaults.inbox import RULE, Staged, find_staged, last_decision, readable, staged_at, written_at
from wiki.vaults.model import MARK, Vault, note_id
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.notes.properties import change_properties
from wiki.vaults.places import RULE as PATH_RULE
from wiki.vaults.places import checked_folder, folder_on_disk
from wiki.vaults.turns import turn
from wiki.vaults.visibility import why_hidden
from wiki.vaults.write import checked_title

STAGING_STATUS = ("staged", "candidate", "inbox")
"""A ``status`` that says no more than that the note is staged: it goes with the promotion."""
_DATED = re.compile(r"^\d{4}-\d{2}-\d{2}-")
_NUMBERED = re.compile(r"^(\d{4})-")
_TEMPORARY = re.compile(r"\.[0-9a-f]{16,32}\.tmp")


@dataclass(frozen=True)
class Promotion:
    note_id: str
    folder: str
    title: str | None = None
    """A new title, and with it a new file name."""
    actor: Actor = "agent"
    expected_hash: str | None = None
    """SHA-256 of the staged note as the person saw it."""
    dry_run: bool = False


@dataclass(frozen=True)
class PromotedNote:
    note_id: str
    """Of the curated note: the path makes the id."""
    vault: str
    path: str
    staged_id: str
    staged_path: str
    rule_id: str
    content_hash: str


def promote(layout: Layout, settings: VaultsSettings, request: Promotion) -> PromotedNote:
    """Move a staged note into a folder of its vault, with where it came from; only a person may.

    ``staged_at``, ``promoted_at`` and ``promoted_from`` are set, a title when given, the mark and a status of staging removed; every
    other byte stays. Raises Forbidden with ``rule_id``, NotFound, Conflict (changed, decided on already) or
    InvalidInput (unreadable); the note stays staged then, and the refusal is in the audit. A dry run leaves nothing.
    """
    seen: Staged | None = None
    try:
        check_person(request.actor)
        title = None if request.title is None else checked_title(request.title)
        seen = find_staged(layout, settings, request.note_id)
        parts = checked_folder(seen.vault, request.folder)
        with turn(layout, seen.vault):
            return _promote(layout, seen.vault, find_staged(layout, settings, request.note_id), parts, title, request)
    except WikiError as error:
        if not request.dry_run:
            row = refusal(request.actor, "promote", request.note_id, seen, error)
            note_decision(layout, replace(row, target=request.folder[:200]))
        raise


def check_person(actor: str) -> None:
    """Raises Forbidden for anybody but a person: nobody else decides on staged notes."""
    if actor != "person":
        raise Forbidden(f"rule {RULE}: only a person decides on a staged note, not an {actor}", rule_id=RULE)


def refusal(actor: str, action: str, wanted: str, staged: Staged | None, error: WikiError) -> Decision:
    """The line of the audit for what was refused."""
    vault, path = (staged.vault.name, staged.found.path) if staged else (None, None)
    return refusing(actor, action, error, vault=vault, path=path, note_id=wanted[:80])


def check_hash(layout: Layout, staged: Staged, expected: str | None) -> None:
    """Raises Conflict when the note is not the one its reader saw. One that a promotion cut short rewrote still is."""
    now = staged.content_hash
    if expected is None or expected == now:
        return
    last = last_decision(layout, staged.note_id)
    if last is None or (last.before, last.content_hash) != (expected, now):
        raise Conflict(f"{staged.vault.name}/{staged.found.path} has changed since it was read: read it again")


def _promote(
    layout: Layout, vault: Vault, staged: Staged, parts: tuple[str, ...], title: str | None, request: Promotion
) -> PromotedNote:
    before = readable(staged)
    check_hash(layout, staged, request.expected_hash)
    data = _with_provenance(before, staged, title, written_at(layout))
    name = _free_name(layout, vault, parts, staged.found.path.rpartition("/")[2], title)
    path = "/".join((*parts, name))
    if (hidden := why_hidden(vault, path)) is not None:
        raise Forbidden(f"rule {PATH_RULE}: {path} would not be found: {hidden}", rule_id=PATH_RULE)
    digest = sha256(data).hexdigest()
    promoted = PromotedNote(
        note_id(vault.name, path), vault.name, path, staged.note_id, staged.found.path, RULE, digest
    )
    if request.dry_run:
        return promoted
    folder = folder_on_disk(vault, parts)
    note_decision(layout, _allowed(request, staged, promoted, sha256(before).hexdigest()))
    _enter(staged.found.file, before, data, folder / name)
    for changed in (folder, *folder.parents[: len(parts)], staged.found.file.parent):
        fsync_dir(changed)
    return promoted


def _enter(file: Path, before: bytes, data: bytes, target: Path) -> None:
    """The one step: the staged file, already with its provenance, becomes the curated one."""
    clear_unfinished(file.parent)
    write_atomic(file, data)
    try:
        rename_noreplace(file, target)
    except OSError as error:
        write_atomic(file, before)
        if isinstance(error, FileExistsError):
            raise Conflict(f"{target.name} was made meanwhile: try again") from error
        if error.errno == EXDEV:
            raise Conflict(f"{target.parent.name} is on another disk than the inbox: move the note by hand") from error
        raise


def clear_unfinished(folder: Path) -> None:
    """Remove what a crash left of a note that was being written there. Only for whoever has the vault's turn."""
    for child in folder.iterdir():
        if _TEMPORARY.fullmatch(child.name) and child.is_file():
            child.unlink(missing_ok=True)


def _with_provenance(data: bytes, staged: Staged, title: str | None, written: Mapping[str, str]) -> bytes:
    said = {
        "staged_at": staged_at(staged, written),
        "promoted_at": timestamps.now(),
        "promoted_from": staged.found.path,
    }
    told = parse_note(staged.found.path, data).front_matter
    remove = [
        key
        for key in told
        if key.lower() == MARK or (key.lower() == "status" and str(told[key]).casefold() in STAGING_STATUS)
    ]
    return change_properties(data, {**({"title": title} if title else {}), **said}, remove)


def _free_name(layout: Layout, vault: Vault, parts: tuple[str, ...], name: str, title: str | None) -> str:
    """The note's own name, or that of its new title, in the shape names of the folder have; never a taken one."""
    folder = vault.root.joinpath(*parts)
    numbered = [(route.vault_id, route.numbered.folder) for route in load_contract(layout).routes if route.numbered]
    there = {child.name for child in folder.iterdir()} if folder.is_dir() else set[str]()
    stem = name[: -len(".md")]
    dated = _DATED.match(stem)
    day, rest = (dated[0], stem[dated.end() :]) if dated else ("", stem)
    if title:
        rest = slugs.slug(title, "note").lower().replace("_", "-")
    if (vault.name, "/".join(parts)) in numbered:
        day = f"{max((int(found[1]) for other in there if (found := _NUMBERED.match(other))), default=0) + 1:04}-"
    taken = {other.casefold() for other in there}
    found, number = f"{day}{rest}.md", 2
    while found.casefold() in taken:
        found, number = f"{day}{rest}-{number}.md", number + 1
    return found


def _allowed(request: Promotion, staged: Staged, promoted: PromotedNote, before: str) -> Decision:
    return Decision(
        at=timestamps.now(),
        actor=request.actor,
        action="promote",
        outcome="allowed",
        rule_id=RULE,
        vault=promoted.vault,
        path=staged.found.path,
        note_id=staged.note_id,
        content_hash=promoted.content_hash,
        target=promoted.path,
        before=before,
    )
