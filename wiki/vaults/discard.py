"""Staged notes that are not wanted: a person rejects one, or nobody decides in time. They go to the trash, whole."""

from dataclasses import dataclass
from datetime import UTC, datetime
from errno import EXDEV
from pathlib import Path
from typing import Literal

from wiki.documents import timestamps
from wiki.errors import Conflict, InvalidInput, WikiError
from wiki.filesystem import fsync_dir, rename_noreplace, write_new
from wiki.settings import VaultsSettings
from wiki.tenants import Layout
from wiki.vaults.audit import Decision, note_decision
from wiki.vaults.contract import Actor
from wiki.vaults.files import CLOUD, COPY
from wiki.vaults.inbox import RULE, Staged, expiry, find_staged, staged_at, staged_files, written_at
from wiki.vaults.promotion import check_hash, check_person, clear_unfinished, refusal
from wiki.vaults.turns import turn

MOST_REASON = 300
BY_ITSELF = "upkeep"
"""The actor of an expiry."""


@dataclass(frozen=True)
class Rejection:
    note_id: str
    reason: str
    actor: Actor = "agent"
    expected_hash: str | None = None
    dry_run: bool = False


@dataclass(frozen=True)
class DiscardedNote:
    note_id: str
    vault: str
    path: str
    """Where it lay."""
    state: Literal["rejected", "expired"]
    trash: str
    """Where it lies now, relative to the tenant's folder."""


def reject(layout: Layout, settings: VaultsSettings, request: Rejection) -> DiscardedNote:
    """Move a staged note to the trash for a reason; only a person may.

    Raises Forbidden with ``rule_id``, NotFound, Conflict (changed, decided on already, in the cloud) or InvalidInput;
    the note stays staged then, and the refusal is in the audit. A dry run leaves nothing.
    """
    seen: Staged | None = None
    try:
        check_person(request.actor)
        reason = " ".join(request.reason.split())
        if not reason or len(reason) > MOST_REASON:
            raise InvalidInput(f"reason must have 1 to {MOST_REASON} characters", field="reason")
        seen = find_staged(layout, settings, request.note_id)
        with turn(layout, seen.vault):
            staged = find_staged(layout, settings, request.note_id)
            if staged.found.fault == CLOUD:
                raise Conflict(f"{staged.vault.name}/{staged.found.path} {CLOUD}, then try again")
            check_hash(layout, staged, request.expected_hash)
            return _discard(layout, staged, request.actor, reason, rejected=True, dry_run=request.dry_run)
    except WikiError as error:
        if not request.dry_run:
            note_decision(layout, refusal(request.actor, "reject", request.note_id, seen, error))
        raise


def expire(
    layout: Layout, settings: VaultsSettings, *, now: datetime | None = None, dry_run: bool = False
) -> list[DiscardedNote]:
    """Move the notes nobody decided on in ``inbox_days`` to the trash; gives those. Files that are no notes stay."""
    moment = timestamps.write_time(now or datetime.now(UTC))
    gone: list[DiscardedNote] = []
    for vault in {staged.vault for staged in _due(layout, settings, moment)}:
        with turn(layout, vault):
            gone += [
                _discard(layout, staged, BY_ITSELF, f"not decided on in {settings.inbox_days} days", dry_run=dry_run)
                for staged in _due(layout, settings, moment)
                if staged.vault == vault
            ]
    return sorted(gone, key=lambda note: (note.vault, note.path))


def _due(layout: Layout, settings: VaultsSettings, moment: str) -> list[Staged]:
    written = written_at(layout)
    return [
        staged
        for staged in staged_files(layout, settings)
        if staged.found.fault in (None, COPY)
        and (until := expiry(settings, staged_at(staged, written))) is not None
        and until <= moment
    ]


def _discard(
    layout: Layout, staged: Staged, actor: str, reason: str, *, rejected: bool = False, dry_run: bool
) -> DiscardedNote:
    folder = layout.trash / "inbox" / staged.vault.name
    target = _free(folder, staged.found.file.name)
    trash = target.relative_to(layout.home).as_posix()
    state = "rejected" if rejected else "expired"
    gone = DiscardedNote(staged.note_id, staged.vault.name, staged.found.path, state, trash)
    if dry_run:
        return gone
    folder.mkdir(parents=True, exist_ok=True)
    clear_unfinished(staged.found.file.parent)
    note_decision(
        layout,
        Decision(
            at=timestamps.now(),
            actor=actor,
            action="reject" if rejected else "expire",
            outcome="allowed",
            rule_id=RULE,
            vault=staged.vault.name,
            path=staged.found.path,
            note_id=staged.note_id,
            content_hash=staged.content_hash,
            reason=reason,
            target=trash,
            before=staged.content_hash,
        ),
    )
    _move(staged.found.file, target)
    return gone


def _move(file: Path, target: Path) -> None:
    try:
        rename_noreplace(file, target)
    except FileExistsError as error:
        raise Conflict(f"{target.name} came into the trash meanwhile: try again") from error
    except OSError as error:
        if error.errno != EXDEV or file.is_symlink():
            raise
        _copy(file, target)
    fsync_dir(target.parent)
    fsync_dir(file.parent)


def _copy(file: Path, target: Path) -> None:
    """Onto another disk: the note leaves the inbox once its copy is safe; after a crash between it is still staged."""
    aside = target.with_name(f".{target.name}.tmp")
    aside.unlink(missing_ok=True)
    write_new(aside, file.read_bytes())
    rename_noreplace(aside, target)
    fsync_dir(target.parent)
    file.unlink()


def _free(folder: Path, name: str) -> Path:
    """A name in the trash that is not taken, with the moment before it."""
    stamp, number = f"{datetime.now(UTC):%Y%m%dT%H%M%S}", 1
    target = folder / f"{stamp}-{name}"
    while target.exists() or target.is_symlink():
        number += 1
        target = folder / f"{stamp}-{number}-{name}"
    return target
