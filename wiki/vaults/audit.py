"""Who wrote what into the vaults, and what was refused: ``audit/YYYY-MM.jsonl``, a line a decision, never body text."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from wiki.filesystem import FileLock, fsync_dir
from wiki.tenants import Layout

Outcome = Literal["allowed", "refused"]


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


def note_decision(layout: Layout, decision: Decision) -> None:
    """Append a decision and force it to disk. Call it before the change it allows, so that no change goes untold."""
    folder = layout.home / "audit"
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
    """Every decision, the oldest first; a line torn by a crash is left out."""
    for path in sorted((layout.home / "audit").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            try:
                yield Decision(**json.loads(line))
            except (ValueError, TypeError):
                continue


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)
