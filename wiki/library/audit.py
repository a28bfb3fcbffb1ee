"""The audit of the vaults as a list: who was allowed or refused what, the newest first.

Words of a note that cannot be found now (staged, rejected, hidden, gone, never written) are left out: the path and the
place it went to hold its title, the reason may.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from wiki.documents.timestamps import read_time, write_time
from wiki.errors import ConfigurationError, InvalidInput, check_range
from wiki.index.audit.rows import AuditFileRow, DecisionRow
from wiki.index.audit.summary import is_note_id
from wiki.index.catalog import select
from wiki.index.notes.rows import NoteRef
from wiki.index.notes.survey import VaultFolders
from wiki.library.links import MOST_ON_A_PAGE, MOST_PAGES
from wiki.library.reading import Reading
from wiki.vaults.audit import Outcome, audit_files
from wiki.vaults.contract import load_contract
from wiki.vaults.model import note_id

_LEAVING = ("promote", "move")
"""Actions that give a note another place in its vault, and with it another id."""
_OF_ITSELF = ("append", "replace", "properties")
"""Actions whose refusal speaks of the note alone; that of a move may name others."""
_AT = '"at"'
"""Quoted: the name is a word of SQL."""
_FILTERS = ("actor", "action", "outcome", "vault", "note_id")


@dataclass(frozen=True)
class AuditQuery:
    """Which decisions; None is any."""

    actor: str | None = None
    action: str | None = None
    outcome: Outcome | None = None
    vault: str | None = None
    note_id: str | None = None
    since: str | None = None
    """ISO date or time."""
    page: int = 1
    page_size: int = 20


@dataclass(frozen=True)
class ListedDecision:
    at: str
    actor: str
    action: str
    outcome: Outcome
    rule_id: str | None
    content_type: str | None
    vault: str | None
    path: str | None
    """In its vault; None unless the note can be found now."""
    note_id: str | None
    content_hash: str | None
    reason: str | None
    """Why an edit was refused; None unless the note can be found now."""
    target: str | None
    """Where it went; None unless it can be found there now."""
    file: str
    line: int


@dataclass(frozen=True)
class AuditPage:
    decisions: tuple[ListedDecision, ...]
    total: int
    skipped: int
    """Lines of the audit that are no decision."""
    indexed: bool
    """Whether every decision of this moment is among them."""
    page: int
    page_size: int


class AuditReading(Reading):
    """What was decided on the notes of vaults, from the published snapshot."""

    def decisions(self, query: AuditQuery, *, wait: float | None = None) -> AuditPage:
        """A page of the audit, the newest decision first, once the index has followed or ``wait`` seconds went by.

        Raises InvalidInput for a vault that neither is there nor was decided on, a ``since`` that is no time, or a page
        out of range.
        """
        check_range("page", query.page, 1, MOST_PAGES)
        check_range("page_size", query.page_size, 1, MOST_ON_A_PAGE)
        where, values = _condition(query)
        indexed = self._wait_for_audit(wait)
        cursor = self._cursor()
        if cursor is None:
            return AuditPage((), 0, 0, indexed, query.page, query.page_size)
        self._check_vault(cursor, query.vault)
        counted = cursor.execute(f"SELECT count(*) FROM decisions WHERE {where}", values).fetchone()
        skipped = cursor.execute("SELECT coalesce(sum(skipped), 0) FROM audit_files").fetchone()
        order = f"{where} ORDER BY {_AT} DESC, file DESC, line DESC LIMIT ? OFFSET ?"
        paging = [query.page_size, (query.page - 1) * query.page_size]
        rows: list[DecisionRow] = select(cursor, "decisions", order, [*values, *paging])
        total, lost = int(counted[0]) if counted else 0, int(skipped[0]) if skipped else 0
        return AuditPage(tuple(self._listed(rows)), total, lost, indexed, query.page, query.page_size)

    def _check_vault(self, cursor: duckdb.DuckDBPyConnection, name: str | None) -> None:
        names = [vault.name for vault in self.vaults()]
        if name is None or name in names:
            return
        decided = "SELECT 1 FROM decisions WHERE vault = ? AND outcome = 'allowed' LIMIT 1"
        if cursor.execute(decided, [name]).fetchone() is None:
            there = ", ".join(names[:30]) or "none"
            raise InvalidInput(f"vault: there is no {name[:80]!r}; there are: {there}", field="vault")

    def _listed(self, rows: Sequence[DecisionRow]) -> Iterator[ListedDecision]:
        places = {(row.file, row.line): _new_id(row) for row in rows}
        found = self._lookup.notes({row.note_id or "" for row in rows} | set(places.values()))
        vaults = {vault.name for vault in self.vaults()}
        kinds = self._content_types()
        folders = VaultFolders(self.layout, self.vaults())
        for row in rows:
            here, there = row.note_id in found, places[row.file, row.line] in found
            allowed = row.outcome == "allowed"
            yield ListedDecision(
                at=row.at,
                actor=row.actor,
                action=row.action,
                outcome=row.outcome,
                rule_id=row.rule_id,
                content_type=row.content_type if allowed or row.content_type in kinds else None,
                vault=row.vault if allowed or row.vault in vaults else None,
                path=row.path if here or (there and _left(folders, row)) else None,
                note_id=row.note_id if is_note_id(row.note_id) else None,
                content_hash=row.content_hash,
                reason=row.reason if here and row.action in _OF_ITSELF else None,
                target=row.target if there else None,
                file=row.file,
                line=row.line,
            )

    def _content_types(self) -> Collection[str]:
        """Those of the contract in force: of what was refused, the type may be any word. None while it is broken."""
        try:
            return {route.content_type for route in load_contract(self.layout).routes}
        except ConfigurationError:
            return ()

    def _wait_for_audit(self, wait: float | None) -> bool:
        """Whether the index holds the audit as it was at the call. When nobody watches, it is indexed here."""
        sizes = {name: (self.layout.audit / name).stat().st_size for name in audit_files(self.layout)}
        return self._until(lambda: self._has_read(sizes), lambda: self.index.apply((), "request"), wait)

    def _has_read(self, sizes: Mapping[str, int]) -> bool:
        cursor = self._cursor()
        rows: list[AuditFileRow] = select(cursor, "audit_files", "TRUE") if cursor else []
        read = {row.file: row.size for row in rows}
        return all(read.get(name, -1) >= size for name, size in sizes.items())


def _left(folders: VaultFolders, row: DecisionRow) -> bool:
    """Whether no file lies any more where a note came from: another one of that name may wait there."""
    try:
        return folders.locate(NoteRef(row.vault or "", row.path or "")) is None
    except OSError:
        return False


def _new_id(row: DecisionRow) -> str:
    """Of the note where it went; empty when it stayed, or left its vault."""
    went = row.outcome == "allowed" and row.action in _LEAVING and row.vault and row.target
    return note_id(row.vault or "", row.target or "") if went else ""


def _condition(query: AuditQuery) -> tuple[str, list[Any]]:
    """The filters as SQL, and their values."""
    given = [(name, value) for name in _FILTERS if (value := getattr(query, name)) is not None]
    parts, values = [f"{name} = ?" for name, _ in given], [value for _, value in given]
    if query.since is not None:
        moment = read_time(query.since)
        if moment is None:
            raise InvalidInput(f"since {query.since[:80]!r} is no ISO date or time, say 2026-12-01", field="since")
        parts.append(f"{_AT} >= ?")
        values.append(write_time(moment))
    return " AND ".join(parts) or "TRUE", values
