"""The parts of an Office Open XML file and how they point at each other."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from urllib.parse import unquote

from wiki.errors import UnsupportedFormat
from wiki.parsing.xml_tree import below, child, children, name, parse_xml, words


@dataclass(frozen=True)
class Relationship:
    """``kind`` is the last word of the relationship's type, ``target`` a part's name or an outside address."""

    kind: str
    target: str
    external: bool


class Package:
    """An open file; use it as a context. Raises UnsupportedFormat where a part is missing or damaged."""

    def __init__(self, path: Path, title: str) -> None:
        self._archive = zipfile.ZipFile(path)
        self._title = title
        self._relations: dict[str, dict[str, Relationship]] = {}

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._archive.close()

    @cached_property
    def _names(self) -> dict[str, str]:
        # Some writers use backslashes or another case than the relationships do.
        return {entry.replace("\\", "/").lstrip("/").casefold(): entry for entry in self._archive.namelist()}

    def has(self, part: str) -> bool:
        return part.casefold() in self._names

    def data(self, part: str) -> bytes:
        entry = self._names.get(part.casefold())
        if entry is None:
            raise UnsupportedFormat(f"{self._title} is damaged: its part {part} is missing")
        try:
            return self._archive.read(entry)
        except Exception as error:
            raise UnsupportedFormat(f"{self._title} is damaged: its part {part} cannot be read ({error})") from error

    def open(self, part: str) -> IO[bytes]:
        """The part as a stream, for those too large to be held as a whole."""
        entry = self._names.get(part.casefold())
        if entry is None:
            raise UnsupportedFormat(f"{self._title} is damaged: its part {part} is missing")
        return self._archive.open(entry)

    def tree(self, part: str) -> Any:
        data = self.data(part)
        try:
            return parse_xml(data)
        except SyntaxError as error:
            raise UnsupportedFormat(f"{self._title} is damaged: its part {part} is no XML ({error})") from error

    def relations(self, part: str) -> dict[str, Relationship]:
        """Where a part points, by relationship id; the part ``""`` is the whole file."""
        if part not in self._relations:
            folder, file = posixpath.split(part)
            listed = posixpath.join(folder, "_rels", f"{file}.rels")
            found = children(self.tree(listed)) if self.has(listed) else iter(())
            self._relations[part] = {
                str(entry.get("Id")): _relationship(entry, folder) for entry in found if entry.get("Id")
            }
        return self._relations[part]

    def related(self, part: str, kind: str) -> Iterator[str]:
        """The parts of one kind a part points at, in order."""
        for relation in self.relations(part).values():
            if relation.kind == kind and not relation.external and self.has(relation.target):
                yield relation.target

    def main(self) -> str:
        """The name of the main part."""
        found = next(self.related("", "officeDocument"), None)
        if found is None:
            raise UnsupportedFormat(f"{self._title} is damaged: it names no main part")
        return found

    def properties(self) -> tuple[str | None, str | None]:
        """The title and the ISO day of creation that the file states of itself."""
        part = next(self.related("", "core-properties"), None)
        if part is None:
            return None, None
        root = self.tree(part)
        title = child(root, "dc:title")
        made = child(root, "dcterms:created")
        day = (words(made).strip() if made is not None else "")[:10]
        return (" ".join(words(title).split()) or None) if title is not None else None, day if len(day) == 10 else None


def _relationship(entry: Any, folder: str) -> Relationship:
    kind = str(entry.get("Type") or "").rpartition("/")[2]
    target = str(entry.get("Target") or "")
    external = str(entry.get("TargetMode") or "").lower() == "external"
    if not external:
        target = unquote(target)
        joined = target if target.startswith("/") else posixpath.join(folder, target)
        target = posixpath.normpath(joined.replace("\\", "/")).lstrip("/")
    return Relationship(kind, target, external)


def alternative(element: Any) -> Iterator[Any]:
    """The children of an ``mc:AlternateContent`` that a reader shows: of the first choice with any content,
    else of the fallback. Both hold the same, so only one may be read."""
    for branch in children(element, "mc:Choice", "mc:Fallback"):
        inner = list(branch)
        if inner and (name(branch) == "mc:Fallback" or _readable(branch)):
            yield from inner
            return


def _readable(branch: Any) -> bool:
    known = ("w:t", "a:t", "m:t", "c:chart", "dgm:relIds", "wps:wsp", "pic:pic", "p:sp", "p:graphicFrame", "p:grpSp")
    return next(below(branch, *known), None) is not None
