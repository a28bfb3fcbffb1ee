"""Documents found on disk: their folders, topic files and originals. Reads only."""

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from wiki.documents import ids
from wiki.documents.model import INDEX_FILE, ORIGINAL_DIR
from wiki.documents.reader import read_index
from wiki.tenants import Layout


def document_folders(knowledge: Path) -> Iterator[Path]:
    """Every document folder, sorted by path: a visible folder two levels down that holds a Markdown file.

    Links are not followed: what they point to may lie outside the tenant.
    """
    for category in _visible_folders(knowledge):
        for folder in _visible_folders(category):
            if any(True for _ in _markdown_files(folder)):
                yield folder


def topic_paths(folder: Path) -> list[Path]:
    """The topic files of a document, by number, then by name; files without a number come last."""
    topics = [path for path in _markdown_files(folder) if path.name != INDEX_FILE]
    return sorted(topics, key=_place)


def original_path(folder: Path) -> Path | None:
    """The uploaded file of a document, or None."""
    kept = folder / ORIGINAL_DIR
    if not kept.is_dir():
        return None
    return next((path for path in sorted(kept.iterdir()) if path.is_file() and not path.name.startswith(".")), None)


def claimed_id(folder: Path) -> str | None:
    """The well-formed ``doc_id`` its ``index.md`` names, or None."""
    index = folder / INDEX_FILE
    try:
        return read_index(index, index.read_bytes()).claim
    except FileNotFoundError:
        return None


def identity(layout: Layout, folder: Path) -> str:
    """The id of a document seen on its own: claimed, else the folder name's suffix, else derived from its path."""
    claim = claimed_id(folder) or ids.doc_id_of_folder(folder.name)
    return claim or ids.derived_doc_id(folder.relative_to(layout.knowledge).as_posix())


def find_folder(layout: Layout, doc_id: str) -> Path | None:
    """The folder of a document: first by name, then by what every ``index.md`` claims.

    Where several folders claim one id, the first by path.
    """
    named = [folder for folder in document_folders(layout.knowledge) if folder.name.endswith(doc_id)]
    claims = [(folder, claimed_id(folder)) for folder in named]
    if len(named) == 1 and claims[0][1] == doc_id:
        return named[0]
    for folder in document_folders(layout.knowledge):
        if claimed_id(folder) == doc_id:
            return folder
    for folder in document_folders(layout.knowledge):
        if claimed_id(folder) is None and identity(layout, folder) == doc_id:
            return folder
    return None


def named_folder(layout: Layout, doc_id: str) -> Path | None:
    """A folder whose name ends with the id, whatever it claims: a quick look at names alone."""
    for category in _visible_folders(layout.knowledge):
        with os.scandir(category) as entries:
            for entry in entries:
                if entry.name.endswith(doc_id) and ids.doc_id_of_folder(entry.name) == doc_id and entry.is_dir():
                    return category / entry.name
    return None


def _visible_folders(path: Path) -> list[Path]:
    if not path.is_dir():
        return []
    folders = (child for child in path.iterdir() if not child.name.startswith(".") and not child.is_symlink())
    return sorted(child for child in folders if child.is_dir())


def _markdown_files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        named = path.suffix.lower() == ".md" and not path.name.startswith(".")
        if named and path.is_file() and not path.is_symlink():
            yield path


def _place(path: Path) -> tuple[bool, int, str]:
    number = ids.number_of(path.name)
    return number is None, number or 0, unicodedata.normalize("NFC", path.name)
