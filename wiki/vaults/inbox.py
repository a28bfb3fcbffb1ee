"""What waits in the inboxes of the vaults, straight from the disk: the index never holds a word of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Literal

from wiki.documents import front_matter
from wiki.documents.timestamps import read_time, write_time
from wiki.errors import Conflict, Forbidden, InvalidInput, NotFound
from wiki.settings import VaultsSettings
from wiki.tenants import Layout
from wiki.vaults.audit import Decision, read_audit
from wiki.vaults.duplicates import Likeness
from wiki.vaults.files import CLOUD, COPY, LINK, VaultFile, read_file, vault_files
from wiki.vaults.model import Note, Vault, note_id
from wiki.vaults.notes.columns import status_of_unreadable
from wiki.vaults.notes.encoding import decode_note
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.places import RULE as PATH_RULE
from wiki.vaults.vaults import vaults_of
from wiki.vaults.visibility import in_inbox, why_hidden

State = Literal["staged", "promoted", "rejected", "expired"]
RULE = "inbox"
STATES: dict[str, State] = {"promote": "promoted", "reject": "rejected", "expire": "expired"}
"""What a note becomes by each action of the audit that takes it out of an inbox."""
MOST_SHOWN = 2_000
"""Characters of a source or of evidence."""
_CLEAN = (None, COPY)
"""Faults by place that do not keep a note from being read."""
_Place = tuple[str, str, str, bool]
"""Of a text that is compared: id, vault, path, whether it is staged."""


@dataclass(frozen=True)
class NearDuplicate:
    """A note that says nearly the same; never what it says."""

    note_id: str
    vault: str
    path: str
    score: float
    """How much of their words they share, ``wiki.vaults.duplicates.NEAR`` to 1."""
    staged: bool


@dataclass(frozen=True)
class InboxItem:
    """A note that is, or was, in an inbox. Of one that was decided on, only what the audit tells."""

    note_id: str
    vault: str
    path: str
    """Where it lies, or lay, in the inbox of its vault."""
    state: State
    title: str | None = None
    source: str | None = None
    evidence: str | None = None
    staged_at: str | None = None
    expires_at: str | None = None
    content_hash: str | None = None
    """None when the file cannot be read."""
    fault: str | None = None
    """What is wrong with it, for a person."""
    near_duplicates: tuple[NearDuplicate, ...] = ()
    decided_at: str | None = None
    decided_by: str | None = None
    reason: str | None = None
    target: str | None = None
    """Where it went: a path in its vault, or below the tenant's folder for the trash."""


@dataclass(frozen=True)
class Staged:
    """A file in an inbox, with its bytes when they can be read."""

    vault: Vault
    found: VaultFile
    data: bytes | None
    fault: str | None

    @property
    def note_id(self) -> str:
        return note_id(self.vault.name, self.found.path)

    @property
    def content_hash(self) -> str | None:
        return None if self.data is None else sha256(self.data).hexdigest()


def staged_notes(
    layout: Layout, settings: VaultsSettings, vault: str | None = None, *, duplicates: bool = True
) -> list[InboxItem]:
    """Everything that lies in the inboxes, by vault and path, with what is wrong with it.

    ``duplicates``: also look for notes that say nearly the same. Raises InvalidInput for a vault that is not there.
    """
    vaults = vaults_of(layout, settings)
    written = written_at(layout)
    items: list[InboxItem] = []
    for here in _chosen(vaults, vault):
        files = list(vault_files(layout, vaults, here))
        staged = [_read(here, found) for found in files if in_inbox(found.path)]
        own = [_item(settings, one, written) for one in staged]
        items += _with_duplicates(here, files, staged, own) if duplicates and staged else own
    return items


def staged_files(layout: Layout, settings: VaultsSettings) -> list[Staged]:
    """Every file in an inbox, read where it can be."""
    vaults = vaults_of(layout, settings)
    return [
        _read(vault, found) for vault in vaults for found in vault_files(layout, vaults, vault) if in_inbox(found.path)
    ]


def find_staged(layout: Layout, settings: VaultsSettings, wanted: str) -> Staged:
    """The file of a staged note. Raises NotFound; Conflict for one that was decided on already."""
    vaults = vaults_of(layout, settings)
    for vault in vaults:
        for found in vault_files(layout, vaults, vault):
            if in_inbox(found.path) and note_id(vault.name, found.path) == wanted:
                return _read(vault, found)
    last = last_decision(layout, wanted)
    if last is None:
        raise NotFound(f"there is no staged note {wanted[:80]}", note_id=wanted[:80])
    done = STATES[last.action]
    raise Conflict(
        f"{last.vault}/{last.path} was {done} already, at {last.at}: it went to {last.target}",
        state=done,
        path=last.target,
    )


def readable(staged: Staged) -> bytes:
    """The bytes of a staged note that may be promoted. Raises Forbidden, Conflict or InvalidInput, telling why not."""
    fault = staged.found.fault
    shown = f"{staged.vault.name}/{staged.found.path}"
    if fault == LINK:
        raise Forbidden(f"rule {PATH_RULE}: {shown} {LINK}", rule_id=PATH_RULE)
    if fault == CLOUD:
        raise Conflict(f"{shown} {CLOUD}, then try again")
    if staged.data is None:
        raise InvalidInput(f"{shown} {staged.fault}")
    if staged.found.path.lower().endswith(".canvas"):
        raise InvalidInput(f"{shown} is a canvas, which has no place for provenance: move it by hand")
    return staged.data


def near_duplicates(
    layout: Layout, settings: VaultsSettings, vault: Vault, text: str, *, but: str
) -> tuple[NearDuplicate, ...]:
    """The notes of a vault, curated or staged, that say nearly what ``text`` says, the nearest first.

    ``but``: the id of the note itself.
    """
    files = vault_files(layout, vaults_of(layout, settings), vault)
    return _nearest(Likeness(_texts(vault, files)), text, but)


def written_at(layout: Layout) -> dict[str, str]:
    """When notes were staged by a write, by id; none for those that a decision was made on since."""
    found: dict[str, str] = {}
    for row in read_audit(layout):
        if row.outcome != "allowed" or row.note_id is None:
            continue
        if row.action == "write":
            found[row.note_id] = row.at
        elif row.action in STATES:
            found.pop(row.note_id, None)
    return found


def staged_at(staged: Staged, written: Mapping[str, str]) -> str:
    """When a note came into its inbox: by the audit, else by its file's time. What it says of itself does not count."""
    at = written.get(staged.note_id)
    return at or write_time(datetime.fromtimestamp(staged.found.mtime_ns / 1e9, UTC))


def last_decision(layout: Layout, wanted: str) -> Decision | None:
    """The last decision on the note with this id, unless it was staged again since."""
    last: Decision | None = None
    for row in read_audit(layout):
        if row.outcome == "allowed" and row.note_id == wanted:
            last = row if row.action in STATES else None
    return last


def text_of(data: bytes) -> str:
    """A note without its front matter."""
    return front_matter.split(decode_note(data).readable).body


def expiry(settings: VaultsSettings, staged_at: str) -> str | None:
    """When a note staged then expires; None for never."""
    moment = read_time(staged_at)
    if not settings.inbox_days or moment is None:
        return None
    return write_time(moment + timedelta(days=settings.inbox_days))


def _chosen(vaults: Sequence[Vault], name: str | None) -> Sequence[Vault]:
    chosen = [vault for vault in vaults if name in (None, vault.name)]
    if name is not None and not chosen:
        known = f"there are {', '.join(vault.name for vault in vaults)}" if vaults else "there are none"
        raise InvalidInput(f"there is no vault {name[:80]!r}; {known}", field="vault")
    return chosen


def _read(vault: Vault, found: VaultFile) -> Staged:
    if found.fault not in _CLEAN:
        return Staged(vault, found, None, found.fault)
    try:
        return Staged(vault, found, read_file(found), found.fault)
    except OSError as error:
        return Staged(vault, found, None, f"cannot be read: {error.strerror or error}")


def _item(settings: VaultsSettings, staged: Staged, written: Mapping[str, str]) -> InboxItem:
    path = staged.found.path
    at = staged_at(staged, written)
    item = InboxItem(
        note_id=staged.note_id,
        vault=staged.vault.name,
        path=path,
        state="staged",
        staged_at=at,
        expires_at=expiry(settings, at),
        content_hash=staged.content_hash,
        fault=staged.fault,
    )
    if staged.data is None:
        return item
    note = parse_note(path, staged.data)
    said = note.front_matter
    return replace(
        item,
        title=note.title,
        source=_shown(said.get("source")),
        evidence=_shown(said.get("evidence")),
        fault=staged.fault or _fault(note),
    )


def _fault(note: Note) -> str | None:
    problem = next(iter(note.problems), None)
    return problem and f"{problem.reason} (line {problem.line or 1}): {problem.remedy}"


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"


def _with_duplicates(
    vault: Vault, files: Sequence[VaultFile], staged: Sequence[Staged], items: Sequence[InboxItem]
) -> list[InboxItem]:
    likeness = Likeness(_texts(vault, files))
    texts = ["" if one.data is None else text_of(one.data) for one in staged]
    return [
        replace(item, near_duplicates=_nearest(likeness, text, item.note_id)) if text else item
        for text, item in zip(texts, items, strict=True)
    ]


def _texts(vault: Vault, files: Iterable[VaultFile]) -> list[tuple[_Place, str]]:
    """The text of every curated and every staged note of a vault that can be read."""
    found: list[tuple[_Place, str]] = []
    for file in files:
        staged = in_inbox(file.path)
        if file.fault is not None or not (staged or why_hidden(vault, file.path) is None):
            continue
        try:
            data = read_file(file)
        except OSError:
            continue
        parts = front_matter.split(decode_note(data).readable)
        if (status_of_unreadable(parts.raw) or "").casefold() not in ("template", "example"):
            found.append(((note_id(vault.name, file.path), vault.name, file.path, staged), parts.body))
    return found


def _nearest(likeness: Likeness[_Place], text: str, but: str) -> tuple[NearDuplicate, ...]:
    near = [
        NearDuplicate(key, vault, path, round(score, 3), staged)
        for (key, vault, path, staged), score in likeness.near(text).items()
        if key != but
    ]
    return tuple(sorted(near, key=lambda one: (-one.score, one.path)))
