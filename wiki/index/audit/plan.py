"""The audit's files against the catalog: what a batch is to bring in, read from where the last one stopped."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from wiki.index.audit.rows import AuditFileRow, DecisionRow
from wiki.index.catalog import Catalog
from wiki.index.rows import Fault
from wiki.tenants import Layout
from wiki.vaults.audit import decision_of, is_audit_file, is_regular, open_audit

_CHUNK = 1 << 20


@dataclass(frozen=True)
class AuditDrift:
    """The files as they lie on disk now, told by size, time and inode."""

    changed: tuple[str, ...] = ()
    """New or changed, by name."""
    gone: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """Files that cannot be read, and keep their rows."""
    faults: tuple[Fault, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Those that differ from the catalog."""
        return (*self.changed, *self.gone)


@dataclass(frozen=True)
class AuditBatch:
    """What a batch writes of the audit."""

    files: tuple[AuditFileRow, ...] = ()
    rows: tuple[DecisionRow, ...] = ()
    kept: Mapping[str, int] = field(default_factory=dict[str, int])
    """By file, the line up to which its rows stay as they are."""
    gone: tuple[str, ...] = ()
    fresh: tuple[DecisionRow, ...] = ()
    """Decisions that no row told before, wherever it was written."""

    @property
    def differs(self) -> bool:
        return bool(self.files or self.gone)

    def write(self, catalog: Catalog) -> None:
        """Replace the rows. The caller holds a transaction."""
        for name in self.gone:
            catalog.delete_decisions(name)
        for file in self.files:
            catalog.delete_decisions(file.file, after=self.kept[file.file])
        catalog.insert("audit_files", self.files)
        catalog.insert("decisions", self.rows)


def audit_drift(layout: Layout, known: Mapping[str, AuditFileRow]) -> AuditDrift:
    """Which files differ from the rows ``known``, by name. One that cannot be read is a fault, and keeps its rows."""
    try:
        with os.scandir(layout.audit) as entries:
            names = {entry.name: is_regular(entry) for entry in entries if is_audit_file(entry.name)}
    except FileNotFoundError:
        names = dict[str, bool]()
    except OSError as error:
        return AuditDrift(unread=tuple(known), faults=(_fault(layout, layout.audit, error),))
    found: dict[str, tuple[int, int, int]] = {}
    faults: dict[str, Fault] = {}
    for name, regular in sorted(names.items()):
        try:
            with open_audit(layout.audit / name) as file:
                found[name] = _stamp(file)
        except FileNotFoundError:
            continue
        except OSError as error:
            faults[name] = _fault(layout, layout.audit / name, error, kept=regular)
    same = tuple(name for name, stamp in found.items() if name in known and known[name].stamp == stamp)
    unread = tuple(name for name in faults if names[name])
    gone = sorted(known.keys() - found.keys() - {*unread})
    return AuditDrift(tuple(sorted(found.keys() - {*same})), tuple(gone), same, unread, tuple(faults.values()))


def plan_audit(catalog: Catalog, layout: Layout, again: Collection[str] = ()) -> AuditBatch:
    """What differs between the audit and the catalog. Files named in ``again`` are read whole, also where they look the
    same."""
    known = {row.file: row for row in catalog.audit_files()}
    drift = audit_drift(layout, known)
    files: list[AuditFileRow] = []
    rows: list[DecisionRow] = []
    kept: dict[str, int] = {}
    told: Counter[tuple[str | None, ...]] = Counter()
    for name in (*drift.changed, *(name for name in drift.same if name in again)):
        try:
            with open_audit(layout.audit / name) as file:
                now, start, found = read_on(file, name, None if name in again else known.get(name))
        except OSError:
            continue
        old = catalog.decisions("file = ? AND line > ?", [name, start])
        if now == known.get(name) and found == sorted(old, key=lambda row: row.line):
            continue
        files.append(now)
        rows += found
        kept[name] = start
        told.update(row.told for row in old)
    for name in drift.gone:
        told.update(row.told for row in catalog.decisions("file = ?", [name]))
    return AuditBatch(tuple(files), tuple(rows), kept, drift.gone, tuple(_fresh(rows, told)))


def read_on(
    file: BinaryIO, name: str, known: AuditFileRow | None = None
) -> tuple[AuditFileRow, int, list[DecisionRow]]:
    """An open file's row, the line after which it was read, and the decisions from there.

    It is read on from where ``known`` stopped when everything before is as it was, else whole.
    """
    size, mtime_ns, inode = _stamp(file)
    digest = sha256()
    for chunk in _first(file, known.length if known else 0):
        digest.update(chunk)
    if known is not None and digest.hexdigest() != known.sha256:
        known, digest = None, sha256()
    lines, length, skipped = (known.lines, known.length, known.skipped) if known else (0, 0, 0)
    file.seek(length)
    start, rows = lines, list[DecisionRow]()
    for line in file:
        decision = decision_of(line)
        if decision is not None:
            rows.append(DecisionRow(**vars(decision), file=name, line=lines + 1))
        if not line.endswith(b"\n"):
            break
        digest.update(line)
        lines, length = lines + 1, length + len(line)
        skipped += decision is None and bool(line.strip())
    return AuditFileRow(name, size, mtime_ns, inode, lines, length, skipped, digest.hexdigest()), start, rows


def _first(file: BinaryIO, length: int) -> Iterator[bytes]:
    """The first ``length`` bytes, or what there is, in chunks."""
    while length > 0 and (chunk := file.read(min(length, _CHUNK))):
        yield chunk
        length -= len(chunk)


def _fresh(rows: Iterable[DecisionRow], told: Counter[tuple[str | None, ...]]) -> Iterator[DecisionRow]:
    for row in rows:
        if told[row.told] > 0:
            told[row.told] -= 1
        else:
            yield row


def _stamp(file: BinaryIO) -> tuple[int, int, int]:
    state = os.fstat(file.fileno())
    return state.st_size, state.st_mtime_ns, state.st_ino


def _fault(layout: Layout, path: Path, error: OSError, *, kept: bool = True) -> Fault:
    remedy = "mend its permissions or its mount; its rows are kept until then" if kept else "move it away"
    return Fault(layout.relative(path), f"cannot be read: {error.strerror or error}", remedy, origin="survey")
