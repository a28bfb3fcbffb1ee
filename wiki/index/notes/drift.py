"""Which notes differ between the vaults and the published catalog."""

import json
from collections import Counter

import duckdb

from wiki.index.drift import NoteDrift
from wiki.index.notes.records import NOTE_VERSION
from wiki.index.notes.rows import NoteRef
from wiki.index.notes.survey import VaultFolders
from wiki.index.rows import Fault

RULES = "vaults"
"""Key of the catalog's ``meta``: the rules each vault was last read by."""


def note_drift(cursor: duckdb.DuckDBPyConnection | None, folders: VaultFolders, *, everything: bool) -> NoteDrift:
    """Notes that differ. Where a vault's rules changed, or ``everything`` is asked for, each of its notes does."""
    seen = folders.survey()
    rules = rules_of(folders)
    faults = tuple(
        Fault(folders.shown(odd.ref), odd.reason, odd.remedy, origin="survey")
        for odd in sorted(seen.oddities, key=lambda odd: odd.ref)
    )
    sizes = {ref: file.stamp.size for ref, file in seen.notes.items()}
    if cursor is None:
        return NoteDrift(tuple(seen.notes), sizes=sizes, faults=faults, rules=rules)
    known: dict[NoteRef, tuple[str, int, int, int]] = {
        NoteRef(vault, path): (file, size, mtime, inode)
        for vault, path, file, size, mtime, inode in cursor.execute(
            "SELECT vault, path, file, size, mtime_ns, inode FROM notes"
        ).fetchall()
    }
    queued = {NoteRef(*row) for row in cursor.execute("SELECT vault, path FROM note_queue").fetchall()}
    uncounted = cursor.execute("SELECT vault, path FROM notes WHERE foreign_passages IS NULL").fetchall()
    again = queued | {NoteRef(*row) for row in uncounted}
    row = cursor.execute("SELECT value FROM meta WHERE key = ?", [RULES]).fetchone()
    before, now = json.loads(row[0]) if row else {}, json.loads(rules)
    anew = {vault for vault in now if everything or before.get(vault) != now[vault]}
    changed = [
        ref
        for ref, file in seen.notes.items()
        if ref.vault in anew
        or ref in again
        or known.get(ref) != (file.file, file.stamp.size, file.stamp.mtime_ns, file.stamp.inode)
    ]
    vanished = [
        ref for ref in sorted(known.keys() | queued) if ref not in seen.notes and not seen.shields(ref, folders.vaults)
    ]
    new = Counter((seen.notes[r].stamp.size, seen.notes[r].stamp.mtime_ns) for r in changed if r not in known)
    gone = Counter(known[ref][1:3] for ref in vanished if ref in known)
    return NoteDrift((*changed, *vanished), frozenset(vanished), (gone - new).total(), len(known), sizes, faults, rules)


def rules_of(folders: VaultFolders) -> str:
    """By vault, as JSON: a change of any rule reads its notes anew."""
    rules = {
        name: [NOTE_VERSION, *vault.exclude, f"hide_underscored={vault.hide_underscored}"]
        for name, vault in sorted(folders.vaults.items())
    }
    return json.dumps(rules, ensure_ascii=False)
