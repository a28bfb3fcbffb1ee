"""What links are to say once a note has moved, so that each leads where it led before. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from posixpath import normpath, relpath

from wiki.errors import Conflict
from wiki.vaults.model import Link
from wiki.vaults.notes.parser import is_canvas
from wiki.vaults.notes.resolving import NotePlace, Targets, fold_name

FileThere = Callable[[str], bool]
"""Whether a vault has a file at this path that is no note: a picture, a PDF."""


class Following:
    """Links before and after one note's move within its vault."""

    def __init__(
        self, notes: Iterable[tuple[str, str, Sequence[str]]], moved: NotePlace, path: str, there: FileThere
    ) -> None:
        """``notes`` as ``(vault, path, aliases)``, as they are; ``moved`` goes to ``path`` of its vault."""
        notes = list(notes)
        self.old = moved
        self.new = NotePlace(moved.vault, path)
        self._before = Targets(notes)
        places = ((self._place(NotePlace(vault, path)), aliases) for vault, path, aliases in notes)
        self._after = Targets((place.vault, place.path, aliases) for place, aliases in places)
        self._there = there

    def target(self, link: Link, vault: str, path: str) -> str | None:
        """What ``link`` in the note at ``path`` (its old one) is to lead to, as it is to be written; None to keep it.

        A link is kept while it leads to the same note, and rewritten when it would lead elsewhere, nowhere, or to
        several notes alike. Raises Conflict when the link is ambiguous already and its first note would be another,
        and when nothing can be written that leads to the one note.
        """
        if not link.target:
            return None
        was = self._before.resolve(link, vault, path)
        here = self._place(NotePlace(vault, path))
        if not was.notes:
            return self._file(link, path, here.path) if path != here.path else None
        wanted = self._place(was.notes[0])
        now = self._after.resolve(link, vault, here.path)
        by_way = link.kind == "markdown" and _is_relative(link, was.notes[0], path)
        lost_way = by_way and not _is_relative(link, wanted, here.path)
        if now.notes and now.notes[0] == wanted and (was.ambiguous or not now.ambiguous) and not lost_way:
            return None
        if was.ambiguous:
            listed = ", ".join(f"{place.vault}/{place.path}" for place in was.notes[:5])
            raise Conflict(
                f"{vault}/{path} line {link.line}: {link.target!r} may mean {listed}: write its path out, then move",
                path=path,
                line=link.line,
            )
        for written in _spellings(link, wanted, here, was.notes[0], path):
            if self._after.resolve(replace(link, target=written), vault, here.path).notes == (wanted,):
                return written
        raise Conflict(
            f"{vault}/{path} line {link.line}: nothing leads to {wanted.vault}/{wanted.path} alone: choose another name",
            path=path,
            line=link.line,
        )

    def _place(self, place: NotePlace) -> NotePlace:
        return self.new if place == self.old else place

    def _file(self, link: Link, old: str, new: str) -> str | None:
        """A picture or another file beside the moved note, by its path as seen from the new folder."""
        before, after = old.rpartition("/")[0], new.rpartition("/")[0]
        if before == after or link.kind == "wikilink" or link.target.startswith("/"):
            return None
        file = normpath(f"{before}/{link.target}" if before else link.target)
        if file.startswith("..") or not self._there(file):
            return None
        return relpath(file, after or ".")


def _spellings(link: Link, wanted: NotePlace, here: NotePlace, was: NotePlace, old: str) -> Iterator[str]:
    """Ways to name ``wanted`` in the note at ``here``, first those like the way ``link`` named ``was`` from ``old``."""
    has_ending = link.target.lower().endswith(".md")
    whole = wanted.path if has_ending or is_canvas(wanted.path) else wanted.path.removesuffix(".md")
    if whole.lower().endswith(".md") and not has_ending:
        whole = whole[: -len(".md")]
    relative = relpath(whole, here.path.rpartition("/")[0] or ".") if wanted.vault == here.vault else whole
    dotted = link.target.startswith("./") and not relative.startswith("../")
    relative = f"./{relative}" if dotted else relative
    if link.target.startswith("/"):
        yield f"/{whole}"
    elif _is_relative(link, was, old):
        yield relative
    elif "/" not in link.target:
        yield whole.rpartition("/")[2]
    if wanted.vault != here.vault:
        yield f"{wanted.vault}/{whole}"
    yield whole
    yield f"/{whole}"
    if link.kind == "markdown":
        yield relative
    yield wanted.path
    yield f"/{wanted.path}"
    yield f"{wanted.vault}/{wanted.path}"


def _is_relative(link: Link, was: NotePlace, old: str) -> bool:
    """Whether ``link`` named its note by the way there from the folder of ``old``."""
    if link.target.startswith(("./", "../")):
        return True
    if link.kind != "markdown":
        return False
    folder = old.rpartition("/")[0]
    reached = fold_name(normpath(f"{folder}/{link.target}" if folder else link.target))
    return fold_name(was.path) in (reached, f"{reached}.md")
