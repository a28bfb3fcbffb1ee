"""Changed folders -> ids for them and for every other folder whose ids depend on them."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from wiki.index.catalog import Catalog
from wiki.index.folders import Folder
from wiki.index.identity import Assignment, Claimant, assign
from wiki.index.records import document_claimant, topic_claimant
from wiki.index.rows import DocumentRow, FileRow


@dataclass
class Resolution:
    """Every folder that must be written anew (None: gone), with its ids."""

    folders: dict[str, Folder | None] = field(default_factory=dict[str, "Folder | None"])
    documents: dict[str, Assignment] = field(default_factory=dict[str, Assignment])
    topics: dict[str, Assignment] = field(default_factory=dict[str, Assignment])
    unreadable: dict[str, str] = field(default_factory=dict[str, str])
    """Folders that could not be read, with the reason: they keep their rows and ids."""


def resolve(
    catalog: Catalog,
    read: Callable[[str], Folder | None],
    exists: Callable[[str], bool],
    changed: Collection[str],
) -> Resolution:
    """Read the changed folders and assign ids, widening to others until no id outside the result changes.

    ``exists`` tells whether a path the catalog knows still is on disk: a rename's old place is taken in, so that
    the id moves and is not derived anew.
    """
    result = Resolution()
    todo = set(changed)
    while todo:
        for path in sorted(todo):
            try:
                result.folders[path] = read(path)
            except OSError as error:
                result.unreadable[path] = error.strerror or str(error)
        todo = _resolve_documents(catalog, exists, result)
        todo = todo or _resolve_topics(catalog, exists, result)
        todo -= result.unreadable.keys()
    return result


def _resolve_documents(catalog: Catalog, exists: Callable[[str], bool], result: Resolution) -> set[str]:
    claimants = [document_claimant(folder) for folder in result.folders.values() if folder]
    before = catalog.documents("folder IN (SELECT unnest(?))", [list(result.folders)])
    others = _others(
        claimants,
        [_of_document(row) for row in before],
        lambda interests: catalog.documents(*_sharing("doc_id", interests, result.folders)),
        _of_document,
    )
    assigned = assign([*claimants, *(_of_document(row) for row in others)])
    result.documents = {path: assigned[path] for path, folder in result.folders.items() if folder}
    claims = {c.claim for c in claimants} | {row.claim for row in before}
    return {
        row.folder
        for row in others
        if _disturbed(row.doc_id, row.claim, assigned[row.folder], claims) or not exists(row.folder)
    }


def _resolve_topics(catalog: Catalog, exists: Callable[[str], bool], result: Resolution) -> set[str]:
    claimants = [
        topic_claimant(file, result.documents[path].id)
        for path, folder in result.folders.items()
        if folder
        for file in folder.topics
    ]
    before = catalog.files("folder IN (SELECT unnest(?)) AND len(candidates) > 0", [list(result.folders)])
    others = _others(
        claimants,
        [_of_file(row) for row in before],
        lambda interests: catalog.files(*_sharing("record_id", interests, result.folders)),
        _of_file,
    )
    assigned = assign([*claimants, *(_of_file(row) for row in others)])
    result.topics = {claimant.path: assigned[claimant.path] for claimant in claimants}
    claims = {c.claim for c in claimants} | {row.claim for row in before}
    return {
        row.folder
        for row in others
        if _disturbed(row.record_id, row.claim, assigned[row.path], claims) or not exists(row.path)
    }


def _others(
    claimants: list[Claimant],
    before: list[Claimant],
    load: Callable[[list[str]], list[Any]],
    of_row: Callable[[Any], Claimant],
) -> list[Any]:
    """Rows outside the changed folders that share an interest, directly or through one another."""
    interests: set[str] = set()
    for claimant in [*claimants, *before]:
        interests |= claimant.interests
    while True:
        rows = load(sorted(interests))
        wider = interests.union(*(of_row(row).interests for row in rows))
        if wider == interests:
            return rows
        interests = wider


def _sharing(id_column: str, interests: list[str], folders: Collection[str]) -> tuple[str, list[Any]]:
    where = (
        f"len(candidates) > 0 AND (claim IN (SELECT unnest(?)) OR {id_column} IN (SELECT unnest(?)) "
        "OR list_has_any(candidates, ?)) AND folder NOT IN (SELECT unnest(?))"
    )
    return where, [interests, interests, interests, list(folders)]


def _disturbed(stored_id: str, claim: str | None, now: Assignment, claims: set[str | None]) -> bool:
    """Whether a row outside gets another id, or loses to someone else than it is told it does."""
    return now.id != stored_id or (now.lost_to is not None and claim in claims)


def _of_document(row: DocumentRow) -> Claimant:
    return Claimant(row.folder, row.claim, row.candidates)


def _of_file(row: FileRow) -> Claimant:
    return Claimant(row.path, row.claim, row.candidates)
