"""Part of a note changed: contract -> hash -> new bytes -> audit -> one atomic step."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from wiki.errors import InvalidInput, WikiError
from wiki.filesystem import write_atomic
from wiki.tenants import Layout
from wiki.vaults.audit import allowing, note_decision, refusing
from wiki.vaults.contract import Actor, load_contract
from wiki.vaults.notes.parser import is_canvas, parse_note
from wiki.vaults.permission import may_change
from wiki.vaults.placed import PlacedNote, check_unchanged, read_placed, shown_note
from wiki.vaults.turns import turn

Change = Callable[[bytes], bytes]
EditAction = Literal["append", "replace", "properties"]


@dataclass(frozen=True)
class EditedNote:
    note_id: str
    vault: str
    path: str
    rule_id: str
    content_hash: str


def edit_note(
    layout: Layout, placed: PlacedNote, action: EditAction, change: Change, *, actor: Actor, expected_hash: str
) -> EditedNote:
    """The note with ``change`` made to its bytes; every other byte stays.

    Raises NotFound for one that is gone or hidden, Forbidden with ``rule_id``, Conflict when ``expected_hash`` is not
    that of the note, InvalidInput for a canvas, and what ``change`` raises. Nothing is written then but the audit.
    """
    try:
        if is_canvas(placed.path):
            raise InvalidInput(f"{placed.shown} is a canvas: edit it in its program, or write a note beside it")
        with turn(layout, placed.vault):
            return _edit(layout, placed, action, change, actor, expected_hash)
    except WikiError as error:
        vault, path, note = placed.vault.name, placed.path, placed.note_id
        note_decision(layout, refusing(actor, action, error, vault=vault, path=path, note_id=note))
        raise


def _edit(
    layout: Layout, placed: PlacedNote, action: EditAction, change: Change, actor: Actor, expected_hash: str
) -> EditedNote:
    data = read_placed(placed)
    note = shown_note(placed, data)
    allowed = may_change(load_contract(layout), actor, placed.vault.name, placed.path, note.tags)
    check_unchanged(placed, data, expected_hash)
    changed = change(data)
    _check_kept(placed, allowed.required, note.front_matter, changed)
    digest = sha256(changed).hexdigest()
    edited = EditedNote(placed.note_id, placed.vault.name, placed.path, allowed.rule_id, digest)
    if changed != data:
        vault, path, note = edited.vault, edited.path, edited.note_id
        row = allowing(actor, action, edited.rule_id, vault=vault, path=path, note_id=note, content_hash=digest)
        note_decision(layout, row)
        write_atomic(placed.location, changed)
    return edited


def _check_kept(placed: PlacedNote, required: Collection[str], before: Collection[str], data: bytes) -> None:
    if not required:
        return
    now = parse_note(placed.path, data).front_matter
    lost = [key for key in required if key in before and not str(now.get(key) or "").strip()]
    if lost:
        raise InvalidInput(f"{placed.shown} must keep {', '.join(lost)} in its front matter", field="remove")
