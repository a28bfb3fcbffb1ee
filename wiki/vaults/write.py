"""The one way a note gets into a vault: contract -> folder -> file name -> audit -> one atomic step."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from wiki.documents import front_matter, slugs
from wiki.documents.render import date_value
from wiki.errors import Conflict, InvalidInput, WikiError
from wiki.filesystem import write_atomic
from wiki.settings import VaultsSettings
from wiki.tenants import Layout
from wiki.vaults.audit import Decision, allowing, note_decision, refusing
from wiki.vaults.contract import Actor, load_contract
from wiki.vaults.inbox import NearDuplicate, near_duplicates
from wiki.vaults.model import MARK, STAGED, Vault, note_id
from wiki.vaults.places import checked_folder, folder_on_disk
from wiki.vaults.routing import PERSON_RULE, Routed, Wanted, route
from wiki.vaults.turns import enter_new, turn
from wiki.vaults.vaults import vaults_of
from wiki.vaults.visibility import INBOX

MOST_TITLE = 200
MOST_BODY = 1_000_000
"""Characters."""
MOST_KEYS = 100
_KEY = re.compile(r"[A-Za-z][\w -]{0,63}")
_NUMBER = re.compile(r"^([0-9]{4})-")
_OURS = ("title", "date", "tags")


@dataclass(frozen=True)
class NoteRequest:
    content_type: str
    title: str
    body: str
    kind: str | None = None
    front_matter: Mapping[str, Any] = field(default_factory=dict[str, Any])
    vault: str | None = None
    folder: str | None = None
    actor: Actor = "agent"
    dry_run: bool = False
    expected_hash: str | None = None
    """SHA-256 of the note it replaces; without one a note is never overwritten."""


@dataclass(frozen=True)
class WrittenNote:
    note_id: str
    vault: str
    path: str
    rule_id: str
    content_hash: str
    near_duplicates: tuple[NearDuplicate, ...] = ()
    """Of a note that is staged: those of its vault, curated or staged, that say nearly the same."""


def write_note(layout: Layout, settings: VaultsSettings, request: NoteRequest) -> WrittenNote:
    """Write a note where the contract says.

    Raises InvalidInput for what is malformed or missing, Forbidden with ``rule_id`` for what the contract or the path
    rules do not allow, Conflict when ``expected_hash`` is not that of the note; nothing is left behind then but a
    line in the audit. A dry run leaves nothing at all.
    """
    try:
        _check_request(request)
        routed = route(load_contract(layout), _wanted(request))
        vault = _vault(layout, settings, routed)
        staging = routed.rule_id != PERSON_RULE and routed.folder == INBOX
        parts = checked_folder(vault, routed.folder, staging=staging)
        _check_required(request, routed)
        data = _data(request, routed, staging=staging)
        with turn(layout, vault):
            written = _write(layout, vault, parts, request, routed, data)
        if not staging:
            return written
        near = near_duplicates(layout, settings, vault, request.body, but=written.note_id)
        return replace(written, near_duplicates=near)
    except WikiError as error:
        if not request.dry_run:
            note_decision(layout, _refusal(request, error))
        raise


def _write(
    layout: Layout, vault: Vault, parts: tuple[str, ...], request: NoteRequest, routed: Routed, data: bytes
) -> WrittenNote:
    folder = vault.root.joinpath(*parts)
    name, replaces = _file_name(folder, request, routed)
    path = "/".join((*parts, name))
    written = WrittenNote(note_id(vault.name, path), vault.name, path, routed.rule_id, sha256(data).hexdigest())
    if request.dry_run:
        return written
    row = allowing(
        request.actor,
        "write",
        routed.rule_id,
        content_type=request.content_type,
        vault=vault.name,
        path=path,
        note_id=written.note_id,
        content_hash=written.content_hash,
    )
    note_decision(layout, row)
    there = folder_on_disk(vault, parts)
    if replaces:
        write_atomic(there / name, data)
    else:
        enter_new(there, name, data)
    return written


def _file_name(folder: Path, request: NoteRequest, routed: Routed) -> tuple[str, bool]:
    """The name of the note's file, and whether it is there and may be replaced."""
    there = {child.name for child in folder.iterdir()} if folder.is_dir() else set[str]()
    today = datetime.now(UTC).date()
    pattern = routed.filename_pattern.replace("YYYY", f"{today:%Y}").replace("MM", f"{today:%m}")
    pattern = pattern.replace("DD", f"{today:%d}")
    stem = slugs.slug(request.title, "note").lower().replace("_", "-")
    if request.expected_hash is not None:
        return _to_replace(folder, sorted(there), pattern, stem, request.expected_hash), True
    if "NNNN" in pattern:
        last = max((int(found[1]) for child in there if (found := _NUMBER.match(child))), default=0)
        pattern = pattern.replace("NNNN", f"{last + 1:04}")
    taken = {child.casefold() for child in there}
    name = pattern.replace("<slug>", stem)
    number = 2
    while name.casefold() in taken:
        name = pattern.replace("<slug>", f"{stem}-{number}")
        number += 1
    return name, False


def _to_replace(folder: Path, there: list[str], pattern: str, stem: str, expected: str) -> str:
    """The note that a request with a hash means: the one of its name, on whatever day it was written."""
    shape = re.escape(pattern).replace(re.escape("<slug>"), re.escape(stem)).replace("NNNN", r"\d{4}")
    shape = re.sub(r"\d{4}\\-\d{2}\\-\d{2}", r"\\d{4}-\\d{2}-\\d{2}", shape)
    named = [name for name in there if re.fullmatch(shape, name) and not (folder / name).is_symlink()]
    for name in named:
        if sha256((folder / name).read_bytes()).hexdigest() == expected:
            return name
    if named:
        raise Conflict(f"{named[0]} is not what expected_hash names: it was changed; read it again", path=named[0])
    raise Conflict("there is no such note to replace; leave expected_hash out to write a new one")


def _data(request: NoteRequest, routed: Routed, *, staging: bool) -> bytes:
    """The file: front matter with title, date and the caller's keys, then the body exactly as given.

    What is staged says so itself, so that no move of its file makes it look curated.
    """
    given = dict(request.front_matter)
    tags = given.pop("tags", None)
    tags = [tags] if isinstance(tags, str) else list(tags or ())
    entries: list[tuple[str, Any]] = [("title", request.title.strip())]
    if staging:
        given = {key: value for key, value in given.items() if key.lower() != MARK} | {MARK: STAGED}
    entries += [(key, value) for key, value in given.items() if key not in _OURS]
    entries.append(("date", date_value(str(given.get("date") or f"{datetime.now(UTC):%Y-%m-%d}"))))
    if all_tags := list(dict.fromkeys([*map(str, tags), *routed.tags])):
        entries.append(("tags", all_tags))
    return front_matter.encode(front_matter.render_block(entries) + request.body)


def checked_title(title: str) -> str:
    """The title without space around it. Raises InvalidInput unless it is one line of 1 to ``MOST_TITLE`` characters."""
    title = title.strip()
    if not title or len(title) > MOST_TITLE or any(ord(char) < 32 for char in title):
        raise InvalidInput(f"title must be one line of 1 to {MOST_TITLE} characters", field="title")
    return title


def _check_request(request: NoteRequest) -> None:
    checked_title(request.title)
    if len(request.body) > MOST_BODY:
        raise InvalidInput(f"body has more than {MOST_BODY:,} characters", field="body")
    if "\0" in request.body:
        raise InvalidInput("body holds a NUL character", field="body")
    if len(request.front_matter) > MOST_KEYS:
        raise InvalidInput(f"front_matter has more than {MOST_KEYS} keys", field="front_matter")
    for key, value in request.front_matter.items():
        if not _KEY.fullmatch(key):
            raise InvalidInput(f"front_matter key {key[:80]!r} must be letters, digits, - and _", field="front_matter")
        items: list[Any] = value if isinstance(value, list) else [value]
        if any(not isinstance(item, str | int | float | bool | None) for item in items):
            raise InvalidInput(f"front_matter {key}: a single value or a list of them", field="front_matter")


def _check_required(request: NoteRequest, routed: Routed) -> None:
    missing = [key for key in routed.required if not str(request.front_matter.get(key) or "").strip()]
    if missing:
        raise InvalidInput(
            f"{request.content_type} needs {', '.join(routed.required)} in front_matter; {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing",
            field="front_matter",
            rule_id=routed.rule_id,
        )


def _wanted(request: NoteRequest) -> Wanted:
    return Wanted(
        request.content_type, request.kind, request.actor, request.front_matter, request.vault, request.folder
    )


def _vault(layout: Layout, settings: VaultsSettings, routed: Routed) -> Vault:
    vaults = {vault.name: vault for vault in vaults_of(layout, settings)}
    if routed.vault not in vaults:
        known = f"there are {', '.join(vaults)}" if vaults else "there are none; `wiki vault init` makes them"
        raise InvalidInput(f"there is no vault {routed.vault[:80]!r}; {known}", field="vault")
    return vaults[routed.vault]


def _refusal(request: NoteRequest, error: WikiError) -> Decision:
    """What was asked for, cut short: it may be anything."""
    vault, folder = (request.vault or "")[:80], (request.folder or "")[:200]
    kind = request.content_type[:80]
    return refusing(request.actor, "write", error, content_type=kind, vault=vault or None, path=folder or None)
