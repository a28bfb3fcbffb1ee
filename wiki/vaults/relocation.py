"""A note's rename together with the rewriting of other notes, so that ``kill -9`` at any moment loses nothing.

What is to be done is on disk, with every new byte, before anything is done; ``recover_relocations`` does the rest.
"""

import json
import logging
import os
import shutil
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from wiki.errors import Conflict
from wiki.filesystem import fsync_dir, fsync_tree, remove_tree, rename_noreplace, write_atomic, write_new
from wiki.tenants import Layout
from wiki.vaults.model import Vault
from wiki.vaults.turns import turn

_log = logging.getLogger(__name__)
_FOLDER = "relocation."
_PLAN = "plan.json"


@dataclass(frozen=True)
class Rewritten:
    """A file that gets new bytes, if it still has those that were read."""

    file: Path
    before: str
    """SHA-256 of the bytes that were read."""
    data: bytes


@dataclass(frozen=True)
class Relocation:
    source: Path
    target: Path
    files: tuple[Rewritten, ...]
    """The moved note first, at its target."""
    vaults: tuple[str, ...]
    """Whose turns the writer holds."""


def relocate(layout: Layout, relocation: Relocation) -> None:
    """Do it. The caller holds the turns of the vaults. Raises Conflict, with nothing done, when the target appeared."""
    work = layout.staging / f"{_FOLDER}{uuid.uuid4().hex}"
    work.mkdir(parents=True)
    try:
        _note_plan(work, relocation)
        _rename(relocation.source, relocation.target)
    except BaseException:
        remove_tree(work)
        raise
    _rewrite(relocation.files)
    _forget(work)


def recover_relocations(layout: Layout, vaults: Mapping[str, Vault]) -> int:
    """Finish what a crash left. One that a living process is at is waited for. Gives how many were finished."""
    finished = 0
    for work in sorted(layout.staging.glob(f"{_FOLDER}*")) if layout.staging.is_dir() else ():
        try:
            plan = json.loads((work / _PLAN).read_bytes())
        except FileNotFoundError:
            if _is_old(work):
                remove_tree(work)
            continue
        with ExitStack() as stack:
            for name in sorted(set(plan["vaults"]) & set(vaults)):
                stack.enter_context(turn(layout, vaults[name]))
            if work.is_dir():
                _finish(work, plan)
                finished += 1
    return finished


def _finish(work: Path, plan: dict[str, Any]) -> None:
    source, target = Path(plan["source"]), Path(plan["target"])
    if os.path.lexists(source) and not os.path.lexists(target):
        _rename(source, target)
    elif not os.path.lexists(target) or os.path.lexists(source):
        _log.warning("the move of %s to %s was cut short and then overtaken: nothing more is done", source, target)
        _forget(work)
        return
    files = enumerate(plan["files"])
    _rewrite([Rewritten(Path(file), before, (work / str(number)).read_bytes()) for number, (file, before) in files])
    _forget(work)


def _note_plan(work: Path, relocation: Relocation) -> None:
    for number, file in enumerate(relocation.files):
        write_new(work / str(number), file.data)
    fsync_tree(work)
    plan = {
        "source": str(relocation.source),
        "target": str(relocation.target),
        "files": [[str(file.file), file.before] for file in relocation.files],
        "vaults": list(relocation.vaults),
    }
    write_atomic(work / _PLAN, json.dumps(plan).encode())


def _rename(source: Path, target: Path) -> None:
    try:
        rename_noreplace(source, target)
    except FileExistsError as error:
        raise Conflict(f"{target.name} was made meanwhile: try again") from error
    fsync_dir(target.parent)
    fsync_dir(source.parent)


def _rewrite(files: Sequence[Rewritten]) -> None:
    for file in files:
        try:
            now = sha256(file.file.read_bytes()).hexdigest()
        except FileNotFoundError:
            continue
        if now == file.before:
            write_atomic(file.file, file.data)
        elif now != sha256(file.data).hexdigest():
            _log.warning("%s was edited during a move: its links to the moved note are as they were", file.file.name)


def _forget(work: Path) -> None:
    (work / _PLAN).unlink(missing_ok=True)
    fsync_dir(work)
    shutil.rmtree(work)


def _is_old(work: Path) -> bool:
    """Whether nobody can still be writing the plan: it never existed, or the folder is there for a minute."""
    try:
        return time.time() - work.stat().st_mtime > 60
    except FileNotFoundError:
        return False
