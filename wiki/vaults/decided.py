"""Notes that left an inbox, as the audit tells them: promoted, rejected, expired. Never a word of their text."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from wiki.errors import InvalidInput
from wiki.settings import VaultsSettings
from wiki.tenants import Layout
from wiki.vaults.audit import Decision, read_audit
from wiki.vaults.inbox import STATES, InboxItem, State, staged_files
from wiki.vaults.model import Vault
from wiki.vaults.vaults import vaults_of


def decided_notes(layout: Layout, settings: VaultsSettings, state: State, vault: str | None = None) -> list[InboxItem]:
    """The notes that came to this state, the newest decision first.

    A decision that a crash cut short, so that the note is still staged, is none. Raises InvalidInput for a vault that
    neither is there nor was.
    """
    vaults = {one.name: one for one in vaults_of(layout, settings)}
    staged = {one.note_id: one.content_hash for one in staged_files(layout, settings)}
    rows = _carried_out(layout, vaults, staged)
    if vault is not None and vault not in vaults and vault not in {row.vault for row in rows}:
        raise InvalidInput(f"there is no vault {vault[:80]!r}; there are {', '.join(vaults)}", field="vault")
    chosen = [row for row in rows if STATES[row.action] == state and vault in (None, row.vault)]
    return [_item(layout, vaults, row) for row in reversed(chosen)]


def _carried_out(layout: Layout, vaults: Mapping[str, Vault], staged: Mapping[str, str | None]) -> Sequence[Decision]:
    """The decisions that were carried out: those whose note was not there unchanged when the next thing happened."""
    done: list[Decision] = []
    open_ones: dict[str, Decision] = {}
    for row in read_audit(layout):
        if row.outcome != "allowed" or row.note_id is None or row.action not in (*STATES, "write"):
            continue
        earlier = open_ones.pop(row.note_id, None)
        taken_again = earlier is not None and (earlier.action, earlier.target) == (row.action, row.target)
        if earlier is not None and not taken_again and not _cut_short(layout, vaults, earlier, row.before):
            done.append(earlier)
        if row.action in STATES:
            open_ones[row.note_id] = row
    done += [row for key, row in open_ones.items() if not _cut_short(layout, vaults, row, staged.get(key))]
    return sorted(done, key=lambda row: row.at)


def _cut_short(layout: Layout, vaults: Mapping[str, Vault], row: Decision, still: str | None) -> bool:
    """Whether a decision was not carried out. ``still``: the hash of what lay in the inbox afterwards."""
    if still is None or still not in (row.before, row.content_hash):
        return False
    place = _place(layout, vaults, row)
    return place is None or _hash(place) != row.content_hash


def _place(layout: Layout, vaults: Mapping[str, Vault], row: Decision) -> Path | None:
    """Where a note went."""
    if row.target is None:
        return None
    if row.action != "promote":
        return layout.home / row.target
    vault = vaults.get(row.vault or "")
    return vault.root / row.target if vault else None


def _hash(path: Path) -> str | None:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def _item(layout: Layout, vaults: Mapping[str, Vault], row: Decision) -> InboxItem:
    place = _place(layout, vaults, row)
    return InboxItem(
        note_id=row.note_id or "",
        vault=row.vault or "",
        path=row.path or "",
        state=STATES[row.action],
        content_hash=row.content_hash,
        fault=None if place is not None and place.is_file() else "is no longer where it went",
        decided_at=row.at,
        decided_by=row.actor,
        reason=row.reason,
        target=row.target,
    )
