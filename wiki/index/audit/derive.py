"""Every row of the audit from its files alone, for a comparison with the catalog."""

from collections.abc import Iterable
from dataclasses import dataclass

from wiki.index.audit.plan import audit_drift, read_on
from wiki.index.audit.rows import AuditFileRow, DecisionRow
from wiki.tenants import Layout
from wiki.vaults.audit import open_audit


@dataclass(frozen=True)
class DerivedAudit:
    files: tuple[AuditFileRow, ...]
    decisions: tuple[DecisionRow, ...]
    unread: frozenset[str]
    """Files that cannot be read now: what the catalog has of them is no difference."""


def derive_audit(layout: Layout, known: Iterable[AuditFileRow]) -> DerivedAudit:
    """The rows as a rebuild would have them. ``known`` files that cannot be read now are told as such."""
    drift = audit_drift(layout, {row.file: row for row in known})
    files: list[AuditFileRow] = []
    decisions: list[DecisionRow] = []
    unread = set(drift.unread)
    for name in (*drift.changed, *drift.same):
        try:
            with open_audit(layout.audit / name) as file:
                row, _, rows = read_on(file, name)
        except OSError:
            unread.add(name)
            continue
        files.append(row)
        decisions += rows
    return DerivedAudit(tuple(files), tuple(decisions), frozenset(unread))
