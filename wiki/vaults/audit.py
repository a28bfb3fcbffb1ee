"""Who wrote what into the vaults, and what was refused: ``audit/YYYY-MM.jsonl``, a line a decision, never body text."""

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Literal, TypedDict, Unpack

from wiki.documents import timestamps
from wiki.errors import WikiError
from wiki.filesystem import FileLock, fsync_dir
from wiki.tenants import Layout

Outcome = Literal["allowed", "refused"]
MOST_SAID = 300
"""Characters of a reason."""
_OUTCOMES = ("allowed", "refused")
_REMEMBERED_BYTES = 2_000_000
"""A file up to this size is parsed once as long as it stays as it is."""
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Decision:
    at: str
    actor: str
    action: str
    """``write``, ``promote``, ``reject``, ..."""
    outcome: Outcome
    rule_id: str | None
    content_type: str | None = None
    vault: str | None = None
    path: str | None = None
    note_id: str | None = None
    content_hash: str | None = None
    reason: str | None = None
    """Why it was refused, or why a person rejected it."""
    target: str | None = None
    """Where a note that leaves its place goes: a path in its vault, or below the tenant's folder for the trash."""
    before: str | None = None
    """SHA-256 of the note when it was decided on."""


FIELDS = tuple(field.name for field in fields(Decision))


class Told(TypedDict, total=False):
    """Of what a decision was made, as far as it is known."""

    content_type: str | None
    vault: str | None
    path: str | None
    note_id: str | None
    content_hash: str | None
    target: str | None


def allowing(actor: str, action: str, rule_id: str | None, **told: Unpack[Told]) -> Decision:
    """What the rule allows, as of now."""
    return Decision(timestamps.now(), actor, action, "allowed", rule_id, **told)


def refusing(actor: str, action: str, error: WikiError, **told: Unpack[Told]) -> Decision:
    """What ``error`` refuses, as of now: by the rule it names, for the reason it gives."""
    rule_id, reason = error.details.get("rule_id"), error.message[:MOST_SAID] or None
    return Decision(timestamps.now(), actor, action, "refused", rule_id, **told, reason=reason)


def note_decision(layout: Layout, decision: Decision) -> None:
    """Append a decision and force it to disk. Call it before the change it allows, so that no change goes untold."""
    folder = layout.audit
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{decision.at[:7]}.jsonl"
    line = json.dumps(asdict(decision), ensure_ascii=False).encode() + b"\n"
    with FileLock(layout.staging / "audit.lock"):
        fresh = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            torn = size > 0 and _last_byte(descriptor, size) != b"\n"
            os.write(descriptor, b"\n" + line if torn else line)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if fresh:
            fsync_dir(folder)


def read_audit(layout: Layout) -> Iterator[Decision]:
    """Every decision, the oldest first; what ``decision_of`` does not know is left out."""
    for name in audit_files(layout):
        path = layout.audit / name
        try:
            state = path.stat()
            if state.st_size <= _REMEMBERED_BYTES:
                yield from _remembered(path, (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns))
                continue
            with open_audit(path) as file:
                yield from decisions_in(file)
        except FileNotFoundError:
            continue


def audit_files(layout: Layout) -> list[str]:
    """Names of the files of the audit, the oldest month first. Raises OSError when their folder cannot be listed."""
    try:
        with os.scandir(layout.audit) as entries:
            found = [entry.name for entry in entries if is_audit_file(entry.name) and is_regular(entry)]
    except FileNotFoundError:
        return []
    return sorted(found)


def is_audit_file(name: str) -> bool:
    """Whether a file of this name in the folder of the audit belongs to it."""
    return name.endswith(".jsonl") and not name.startswith(".")


def is_regular(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file, or a link to one."""
    try:
        return entry.is_file()
    except OSError:
        return False


def open_audit(path: Path) -> BinaryIO:
    """A file of the audit, to read. Raises OSError, also for what is no regular file."""
    file = os.fdopen(os.open(path, _OPEN), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(0, "it is no regular file")
    return file


def decisions_in(file: BinaryIO) -> Iterator[Decision]:
    """The decisions of an open file, from where it stands."""
    return (decision for line in file if (decision := decision_of(line)) is not None)


def decision_of(line: bytes) -> Decision | None:
    """The decision a line tells; None for one torn by a crash, and for a foreign one: with another key, or a value that
    is no text."""
    try:
        told = json.loads(line)
        decision = Decision(**told)
        "".join([value for value in told.values() if value is not None]).encode()
    except (ValueError, TypeError, RecursionError):
        return None
    complete = decision.outcome in _OUTCOMES and None not in (told["at"], told["actor"], told["action"])
    return decision if complete else None


@lru_cache(maxsize=16)
def _remembered(path: Path, _stamp: tuple[int, int, int, int]) -> tuple[Decision, ...]:
    with open_audit(path) as file:
        return tuple(decisions_in(file))


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)
