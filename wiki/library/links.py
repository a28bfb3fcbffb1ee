"""Links that lead nowhere or to several notes, and notes that nothing leads to. A hidden note is in no list."""

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import duckdb

from wiki.errors import InvalidInput, check_range
from wiki.index.catalog import select
from wiki.index.notes.rows import LinkRow, NoteRow
from wiki.index.notes.survey import SUFFIXES
from wiki.library.notes import Notes

LinkState = Literal["broken", "ambiguous", "all"]
MOST_ON_A_PAGE = 100
MOST_PAGES = 1_000_000_000
_CONDITIONS: dict[LinkState, str] = {
    "broken": "target_id IS NULL AND target <> ''",
    "ambiguous": "ambiguous",
    "all": "TRUE",
}
_SHOWN = "from_id IN (SELECT note_id FROM notes WHERE hidden IS NULL AND (? IS NULL OR vault = ?))"
_LINKED = "FROM links WHERE target_id IS NOT NULL AND target_id <> from_id"


@dataclass(frozen=True)
class ListedLink:
    """A link as it stands in a note, and the note it leads to, when there is one that may be told."""

    from_id: str
    vault: str
    path: str
    title: str
    line: int
    kind: str
    target: str
    heading: str | None
    block: str | None
    shown: str | None
    state: Literal["ok", "broken", "ambiguous"]
    note_id: str | None
    target_vault: str | None
    target_path: str | None


@dataclass(frozen=True)
class LinkPage:
    links: tuple[ListedLink, ...]
    total: int
    """As published; a page is shorter when a note on it was hidden a moment ago."""
    page: int
    page_size: int


@dataclass(frozen=True)
class OrphanNote:
    note_id: str
    vault: str
    path: str
    title: str
    updated_at: str


@dataclass(frozen=True)
class OrphanPage:
    notes: tuple[OrphanNote, ...]
    total: int
    page: int
    page_size: int


class Links(Notes):
    """Lists of links and of notes without any, from the published snapshot."""

    def links(
        self, state: LinkState = "broken", *, vault: str | None = None, page: int = 1, page_size: int = 20
    ) -> LinkPage:
        """Links by vault, path and place. ``broken``: no note has that name; a link to a picture or another file is none.

        ``ambiguous``: several notes fit equally well. Raises InvalidInput for an unknown vault or a page out of range.
        """
        cursor = self._checked(vault, page, page_size)
        if cursor is None:
            return LinkPage((), 0, page, page_size)
        where = f"{_CONDITIONS[state]} AND {_SHOWN}"
        order = "(SELECT (vault, path) FROM notes WHERE note_id = from_id), ordinal"
        found: list[LinkRow] = select(cursor, "links", f"{where} ORDER BY {order}", [vault, vault])
        wanted = [link for link in found if state != "broken" or not _is_file(link.target)]
        shown = wanted[(page - 1) * page_size : page * page_size]
        rows = self._lookup.notes({link.from_id for link in shown} | {link.target_id or "" for link in shown})
        links = tuple(_listed(link, rows) for link in shown if link.from_id in rows)
        return LinkPage(links, len(wanted), page, page_size)

    def orphans(self, *, vault: str | None = None, page: int = 1, page_size: int = 20) -> OrphanPage:
        """Notes by vault and path that no other note links to and that link to no other note.

        Raises InvalidInput for an unknown vault or a page out of range.
        """
        cursor = self._checked(vault, page, page_size)
        if cursor is None:
            return OrphanPage((), 0, page, page_size)
        where = (
            f"hidden IS NULL AND (? IS NULL OR vault = ?) AND note_id NOT IN "
            f"(SELECT from_id {_LINKED} UNION SELECT target_id {_LINKED})"
        )
        found = cursor.execute(
            f"SELECT note_id FROM notes WHERE {where} ORDER BY vault, path", [vault, vault]
        ).fetchall()
        ids = [row[0] for row in found[(page - 1) * page_size : page * page_size]]
        rows = self._lookup.notes(ids)
        notes = tuple(
            OrphanNote(i, rows[i].vault, rows[i].path, rows[i].title, rows[i].updated_at) for i in ids if i in rows
        )
        return OrphanPage(notes, len(found), page, page_size)

    def _checked(self, vault: str | None, page: int, page_size: int) -> duckdb.DuckDBPyConnection | None:
        check_range("page", page, 1, MOST_PAGES)
        check_range("page_size", page_size, 1, MOST_ON_A_PAGE)
        names = [each.name for each in self.vaults()]
        if vault is not None and vault not in names:
            there = ", ".join(names[:30]) or "none"
            raise InvalidInput(f"vault: there is no {vault[:80]!r}; there are: {there}", field="vault")
        return self._cursor()


def _listed(link: LinkRow, rows: Mapping[str, NoteRow]) -> ListedLink:
    source, other = rows[link.from_id], rows.get(link.target_id or "")
    leads = link.target_id is not None or not link.target or _is_file(link.target)
    return ListedLink(
        from_id=link.from_id,
        vault=source.vault,
        path=source.path,
        title=source.title,
        line=link.line,
        kind=link.kind,
        target=link.target,
        heading=link.heading,
        block=link.block,
        shown=link.shown,
        state="ambiguous" if link.ambiguous else "ok" if leads else "broken",
        note_id=other.note_id if other else None,
        target_vault=other.vault if other else None,
        target_path=other.path if other else None,
    )


def _is_file(target: str) -> bool:
    """Whether a target names a picture, a recording or another file that is no note, by its ending."""
    return not target.lower().endswith(SUFFIXES) and mimetypes.guess_type(target)[0] is not None
