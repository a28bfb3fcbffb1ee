"""Document folders as they lie on disk: the one reader the sync, the rebuild and ``verify`` share."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar

from wiki.documents.model import INDEX_FILE, ORIGINAL_DIR, IndexFile, TopicFile
from wiki.documents.reader import read_index, read_topic

_TEMPORARY = re.compile(r"^\.|~$|\.(swp|swx|tmp|temp|part|crdownload|bak)$|^#.*#$|^4913$", re.IGNORECASE)

Parsed = TypeVar("Parsed")


@dataclass(frozen=True)
class FileStamp:
    """What tells a changed file cheaply."""

    size: int
    mtime_ns: int
    inode: int


def stamp_of(state: os.stat_result) -> FileStamp:
    return FileStamp(state.st_size, state.st_mtime_ns, state.st_ino)


@dataclass(frozen=True)
class Unreadable:
    """A file or folder that could not be read: nothing below it may be deleted."""

    path: str
    reason: str


@dataclass(frozen=True)
class DiskFile(Generic[Parsed]):
    """One Markdown file, parsed, with the bytes' hash."""

    path: str
    """Relative to ``knowledge``."""
    stamp: FileStamp
    sha256: str
    parsed: Parsed


@dataclass(frozen=True)
class Folder:
    """One document folder: ``<category>/<document>`` relative to ``knowledge``."""

    path: str
    index: DiskFile[IndexFile] | None
    topics: tuple[DiskFile[TopicFile], ...]
    original: str | None
    original_bytes: int


@dataclass
class Survey:
    """Every document folder and the stamps of its files, without reading one byte of them."""

    folders: dict[str, dict[str, FileStamp]] = field(default_factory=dict[str, dict[str, FileStamp]])
    unreadable: list[Unreadable] = field(default_factory=list[Unreadable])
    stray: list[str] = field(default_factory=list[str])
    """Markdown files that lie outside any document folder."""

    def shields(self, folder: str) -> bool:
        """Whether ``folder`` lies at or below something that could not be read."""
        return any(folder == u.path or folder.startswith(f"{u.path}/") or u.path == "" for u in self.unreadable)


def is_markdown(name: str) -> bool:
    """Whether a file of this name is a topic or index file, not hidden and not an editor's leftover."""
    return name.lower().endswith(".md") and not _TEMPORARY.search(name)


def survey(knowledge: Path) -> Survey:
    """List all document folders below ``knowledge``."""
    found = Survey()
    for category in _scan(knowledge, "", found):
        if category.is_dir(follow_symlinks=False):
            for child in _scan(knowledge / category.name, category.name, found):
                path = f"{category.name}/{child.name}"
                if child.is_dir(follow_symlinks=False):
                    _survey_folder(knowledge, path, found)
                elif is_markdown(child.name):
                    found.stray.append(path)
        elif is_markdown(category.name):
            found.stray.append(category.name)
    return found


def survey_folder(knowledge: Path, path: str) -> Survey:
    """The same for one folder; a folder that is not there gives an empty survey."""
    found = Survey()
    if (knowledge / path).is_dir() and not (knowledge / path).is_symlink():
        _survey_folder(knowledge, path, found)
    return found


def _survey_folder(knowledge: Path, path: str, found: Survey) -> None:
    stamps: dict[str, FileStamp] = {}
    for entry in _scan(knowledge / path, path, found):
        if is_markdown(entry.name) and entry.is_file(follow_symlinks=False):
            try:
                stamps[f"{path}/{entry.name}"] = stamp_of(entry.stat(follow_symlinks=False))
            except FileNotFoundError:
                continue
    if stamps:
        found.folders[path] = stamps


def _scan(path: Path, relative: str, found: Survey) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            yield from sorted((e for e in entries if not e.name.startswith(".")), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        found.unreadable.append(Unreadable(relative, error.strerror or str(error)))


def read_folder(knowledge: Path, path: str) -> Folder | None:
    """Read and parse every Markdown file of a folder; None when it is gone or holds none.

    Raises OSError when the folder or a file in it cannot be read: then nothing of it may be taken for deleted.
    """
    found = survey_folder(knowledge, path)
    if found.unreadable:
        raise OSError(0, f"{found.unreadable[0].path}: {found.unreadable[0].reason}")
    if path not in found.folders:
        return None
    index: DiskFile[IndexFile] | None = None
    topics: list[DiskFile[TopicFile]] = []
    for file in found.folders[path]:
        try:
            data, stamp = _read(knowledge / file)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise OSError(error.errno, f"{file}: {error.strerror}") from error
        digest = sha256(data).hexdigest()
        if file.rpartition("/")[2] == INDEX_FILE:
            index = DiskFile(file, stamp, digest, read_index(knowledge / file, data))
        else:
            topics.append(DiskFile(file, stamp, digest, read_topic(knowledge / file, data)))
    original, size = _original(knowledge / path)
    return Folder(path, index, tuple(topics), original and f"{path}/{original}", size)


def _read(path: Path) -> tuple[bytes, FileStamp]:
    """Bytes and stamp of the same state of the file, even while an editor replaces it."""
    with path.open("rb") as file:
        data = file.read()
        return data, stamp_of(os.fstat(file.fileno()))


def _original(folder: Path) -> tuple[str | None, int]:
    try:
        entries = sorted(e for e in (folder / ORIGINAL_DIR).iterdir() if e.is_file() and not e.name.startswith("."))
    except OSError:
        return None, 0
    if not entries:
        return None, 0
    return f"{ORIGINAL_DIR}/{entries[0].name}", entries[0].stat().st_size
