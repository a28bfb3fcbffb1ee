"""The categories of a tenant: ``.taxonomy.md``, read anew whenever it changes, never the reason an upload fails."""

import json
import threading
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from wiki.documents import front_matter
from wiki.documents.model import Problem
from wiki.documents.slugs import category_folder_name
from wiki.documents.yaml_tree import Node
from wiki.filesystem import write_atomic, write_new

FALLBACK = "Others"
KIND = "knowledge_taxonomy"

_Signature = tuple[int, int, int, int]
_REMEDY = "mend the file; until then the last good categories are used"


@dataclass(frozen=True)
class Category:
    id: str
    description: str


@dataclass(frozen=True)
class Taxonomy:
    """Categories in file order."""

    categories: tuple[Category, ...]

    def get(self, category_id: str) -> Category | None:
        return next((category for category in self.categories if category.id == category_id), None)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(category.id for category in self.categories)

    def category_of_folder(self, folder_name: str) -> str | None:
        """The category whose folder has this name; None for a folder that is no known category."""
        wanted = unicodedata.normalize("NFC", folder_name)
        return next((c.id for c in self.categories if category_folder_name(c.id) == wanted), None)


class InvalidTaxonomy(Exception):
    """Why a taxonomy text cannot be used, as a problem with its line."""

    def __init__(self, reason: str, line: int | None) -> None:
        super().__init__(reason)
        self.problem = Problem(reason, line, _REMEDY)


def default_text() -> str:
    """The packaged ``.taxonomy.md``: 20 topics and ``Others``."""
    return (resources.files("wiki.documents") / "default_taxonomy.md").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def default_taxonomy() -> Taxonomy:
    return parse(default_text().encode())


def parse(data: bytes) -> Taxonomy:
    """A taxonomy from the bytes of its file. Raises InvalidTaxonomy."""
    text, problem = front_matter.decode(data)
    if problem:
        raise InvalidTaxonomy(problem.reason, problem.line)
    parts = front_matter.split(text)
    tree = parts.tree()
    if tree.problems:
        raise InvalidTaxonomy(tree.problems[0].reason, tree.problems[0].line)
    if not parts.present:
        raise InvalidTaxonomy("the file has no front matter: it must start with a line ---", 1)
    kind = tree.nodes.get("kind")
    if kind is not None and kind.text != KIND:
        raise InvalidTaxonomy(f"kind must be {KIND}", kind.line)
    node = tree.nodes.get("categories")
    if node is None or not isinstance(node.value, list) or not node.items:
        line = node.line if node else 1
        raise InvalidTaxonomy("categories must be a list of {id, description} with one entry at least", line)
    return Taxonomy(_distinct([(_category(item), item.line) for item in node.items]))


def _category(item: Node) -> Category:
    values: dict[Any, Any] = item.value if isinstance(item.value, dict) else {}
    category_id, description = values.get("id"), values.get("description")
    if not isinstance(category_id, str) or not category_id.strip():
        raise InvalidTaxonomy("a category needs an id that is text", item.line)
    if description is not None and not isinstance(description, str):
        raise InvalidTaxonomy(f"the description of {category_id} must be text", item.line)
    return Category(category_id.strip(), " ".join((description or "").split()))


def _distinct(found: list[tuple[Category, int]]) -> tuple[Category, ...]:
    folders: dict[str, str] = {}
    for category, line in found:
        folder = category_folder_name(category.id).casefold()
        if folder in folders:
            raise InvalidTaxonomy(f"the category {category.id} has the same folder as {folders[folder]}", line)
        folders[folder] = category.id
    return tuple(category for category, _ in found)


class TaxonomyFile:
    """``.taxonomy.md`` of one tenant. Thread safe."""

    def __init__(self, path: Path, last_good: Path) -> None:
        """``last_good``: where the last valid list is kept over restarts (below ``.index``, derived)."""
        self._path = path
        self._last_good = last_good
        self._guard = threading.Lock()
        self._signature: _Signature | None = None
        self._taxonomy: Taxonomy | None = None
        self._problem: Problem | None = None

    def load(self) -> tuple[Taxonomy, Problem | None]:
        """The categories now, and what is wrong with the file when the last good ones had to be used.

        Reads the file only when it changed. Without a file the packaged default counts; ``ensure`` writes it.
        """
        with self._guard:
            try:
                return self._load()
            except OSError as error:
                reason = f"the taxonomy cannot be read: {error.strerror or error}"
                return self._fallback(), Problem(
                    reason, None, "check the owner and the rights of the file and its folder"
                )

    def _load(self) -> tuple[Taxonomy, Problem | None]:
        if not self._path.exists():
            self._signature, self._taxonomy, self._problem = None, None, None
            return default_taxonomy(), None
        signature = _signature(self._path)
        if self._taxonomy is None or signature != self._signature:
            try:
                self._taxonomy = parse(self._path.read_bytes())
                self._problem = None
                self._keep(self._taxonomy)
            except InvalidTaxonomy as invalid:
                self._problem = invalid.problem
                self._taxonomy = self._fallback()
            self._signature = signature
        return self._taxonomy, self._problem

    def ensure(self) -> None:
        """Write the packaged default when there is no file, so that a person can edit it."""
        if self._path.exists():
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_new(self._path, default_text().encode())
        except FileExistsError:
            return

    def _keep(self, taxonomy: Taxonomy) -> None:
        categories = [{"id": category.id, "description": category.description} for category in taxonomy.categories]
        data = json.dumps({"categories": categories}, ensure_ascii=False, indent=1).encode()
        if not self._last_good.exists() or self._last_good.read_bytes() != data:
            self._last_good.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._last_good, data)

    def _fallback(self) -> Taxonomy:
        if self._taxonomy is not None:
            return self._taxonomy
        try:
            kept = json.loads(self._last_good.read_bytes())
            return Taxonomy(tuple(Category(entry["id"], entry["description"]) for entry in kept["categories"]))
        except (OSError, ValueError, KeyError, TypeError):
            return default_taxonomy()


def _signature(path: Path) -> _Signature:
    status = path.stat()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
