"""Which note a link leads to, exactly as written: by path, then file name, then alias; never by likeness."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Literal, NamedTuple

from wiki.vaults.model import Link

ResolvedBy = Literal["path", "stem", "alias"]


class NotePlace(NamedTuple):
    vault: str
    path: str


@dataclass(frozen=True)
class Resolved:
    """The notes a link may mean, the likeliest first; none when it leads nowhere yet."""

    notes: tuple[NotePlace, ...] = ()
    by: ResolvedBy | None = None

    @property
    def ambiguous(self) -> bool:
        """More than one note fits equally well by the letter; the order is the one Obsidian tries them in."""
        return len(self.notes) > 1


def keys_of(link: Link) -> tuple[str, ...]:
    """What a note must be called for ``link`` to lead to it: one of ``names_of`` it. Empty for a link into its own note.

    Every note ``Targets.resolve`` can give for the link has one of these names, so a new note can only change links
    that share one with it.
    """
    whole = fold_name(link.target.strip())
    if not whole:
        return ()
    last = whole.rstrip("/").rpartition("/")[2] or whole
    return tuple(dict.fromkeys(name for name in (last, _without_ending(last), whole) if name))


def names_of(path: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """What a note is called: its file name without ``.md``, and its aliases; compare with ``keys_of``."""
    return tuple(dict.fromkeys([_stem(fold_name(path)), *(fold_name(alias.strip()) for alias in aliases)]))


def fold_name(name: str) -> str:
    """``name`` in the form in which names are compared: NFC, without case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower())


class Targets:
    """The notes links can lead to."""

    def __init__(self, notes: Iterable[tuple[str, str, Sequence[str]]]) -> None:
        """``notes`` as ``(vault, path, aliases)``."""
        self._by_stem: dict[str, list[NotePlace]] = {}
        self._by_alias: dict[str, list[NotePlace]] = {}
        for vault, path, aliases in sorted(notes, key=lambda note: note[:2]):
            place = NotePlace(vault, path)
            self._by_stem.setdefault(_stem(fold_name(path)), []).append(place)
            for alias in dict.fromkeys(fold_name(alias.strip()) for alias in aliases):
                self._by_alias.setdefault(alias, []).append(place)

    def resolve(self, link: Link, from_vault: str, from_path: str) -> Resolved:
        """The note ``link`` leads to when it stands in ``from_path``: of the same vault if there is one, else of any.

        A Markdown link is first read as relative to the note's folder. A whole path beats the end of a path; several
        notes with the same end are ambiguous, those below the note's own folder first, then the shortest path.
        """
        if not link.target:
            return Resolved((NotePlace(from_vault, from_path),), "path")
        written = unicodedata.normalize("NFC", link.target.strip())
        target = fold_name(written)
        folder = fold_name(from_path).rpartition("/")[0]
        if target.startswith(("./", "../")):
            return self._at(from_vault, _joined(folder, target))
        if link.kind == "markdown" and not target.startswith("/"):
            near = self._at(from_vault, _joined(folder, target))
            if near.notes:
                return near
        fitting = self._fitting(target)
        own = [place for place in fitting if place.vault == from_vault]
        return (
            _by_path(own, written, folder, with_vault=False)
            or self._aliased(target, from_vault, own=True)
            or _by_path(fitting, written, None, with_vault=True)
            or self._aliased(target, from_vault, own=False)
            or Resolved()
        )

    def _fitting(self, target: str) -> list[NotePlace]:
        """Notes whose file name is the last part of ``target``."""
        last = target.rstrip("/").rpartition("/")[2]
        names = dict.fromkeys((last, _without_ending(last)))
        return [place for name in names for place in self._by_stem.get(name, ())]

    def _at(self, vault: str, path: str | None) -> Resolved:
        if path is None:
            return Resolved()
        paths = (path, f"{path}.md")
        notes = [note for note in self._fitting(path) if note.vault == vault and fold_name(note.path) in paths]
        return Resolved(tuple(notes), "path" if notes else None)

    def _aliased(self, target: str, vault: str, *, own: bool) -> Resolved | None:
        notes = [place for place in self._by_alias.get(target, ()) if (place.vault == vault) == own]
        return Resolved(tuple(sorted(notes, key=_shortest)), "alias") if notes else None


def _by_path(places: Sequence[NotePlace], written: str, folder: str | None, *, with_vault: bool) -> Resolved | None:
    """The notes among ``places`` whose path is ``written`` or ends with it."""
    wanted = fold_name(written).strip("/")
    whole = written.startswith("/")
    by: ResolvedBy = "path" if "/" in wanted or whole else "stem"
    paths = [(place, fold_name(f"{place.vault}/{place.path}" if with_vault else place.path)) for place in places]
    for form in (wanted, f"{wanted}.md"):
        exact = [place for place, path in paths if path == form]
        if exact:
            return Resolved(_as_spelled(exact, written), by)
    for form in (wanted, f"{wanted}.md"):
        ends = [place for place, path in paths if path.endswith(f"/{form}") and not whole]
        if ends:
            near = f"{folder}/" if folder else ""
            ends.sort(key=lambda place: (not fold_name(place.path).startswith(near), *_shortest(place)))
            return Resolved(_as_spelled(ends, written), by)
    return None


def _as_spelled(places: Sequence[NotePlace], written: str) -> tuple[NotePlace, ...]:
    """Of notes that differ in case only, the one spelled like the link."""
    if len({fold_name(f"{place.vault}/{place.path}") for place in places}) == 1 and len(places) > 1:
        name = written.strip("/")
        spelled = tuple(place for place in places if place.path.endswith((name, f"{name}.md")))
        if len(spelled) == 1:
            return spelled
    return tuple(places)


def _shortest(place: NotePlace) -> tuple[int, str, str]:
    return len(place.path), place.vault, place.path


def _joined(folder: str, target: str) -> str | None:
    """``target`` as seen from ``folder``; None above the vault."""
    if target.rpartition("/")[2] in ("", ".", ".."):
        return None
    path = normpath(f"{folder}/{target}" if folder else target)
    return None if path.startswith("..") and path.split("/")[0] == ".." else path


def _stem(path: str) -> str:
    return _without_ending(path.rpartition("/")[2])


def _without_ending(name: str) -> str:
    return name[: -len(".md")] if name.endswith(".md") and len(name) > len(".md") else name
