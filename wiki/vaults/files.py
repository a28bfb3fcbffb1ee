"""A vault's files as they lie on disk: which may be opened, and what is wrong with the others."""

import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wiki.index.notes.survey import is_note, is_placeholder, is_remote
from wiki.tenants import Layout
from wiki.vaults.model import Vault

LINK = "is a link, which is not followed"
CLOUD = "is in the cloud, only its name is here: download it"
NO_NOTE = "is no note: its name does not end with .md or .canvas"
COPY = "is a conflict copy of a synchronisation"
MOST_BYTES = 16_000_000
"""A larger file is no note that a person decides on."""
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PLACEHOLDER = re.compile(r"\.(?P<name>.+)\.icloud$", re.IGNORECASE)


@dataclass(frozen=True)
class VaultFile:
    path: str
    """In its vault, POSIX, NFC."""
    file: Path
    mtime_ns: int = 0
    fault: str | None = None
    """Why it cannot be read as a note."""


def vault_files(layout: Layout, vaults: Sequence[Vault], vault: Vault) -> Iterator[VaultFile]:
    """Every file of a vault but those whose name begins with a dot, sorted by path. No link is followed, no byte read.

    Folders that are a vault of their own, or the library's, are left out. A folder that cannot be listed is told as a
    file with a fault; a vault that is not there has no files.
    """
    taken = set(_identities([layout.root, layout.knowledge, layout.incoming, *(v.root for v in vaults)]))
    return iter(sorted(_walk(vault.root, "", taken), key=lambda found: (found.path, str(found.file))))


def read_file(found: VaultFile) -> bytes:
    """The bytes of a file that has no fault; never of what a link leads to. Raises OSError."""
    with os.fdopen(os.open(found.file, _OPEN), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(0, "it is no regular file")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(0, f"it has more than {MOST_BYTES // 1_000_000} MB")
    return data


def _walk(root: Path, folder: str, taken: set[tuple[int, int]]) -> Iterator[VaultFile]:
    try:
        with os.scandir(root / folder) as entries:
            listed = list(entries)
    except FileNotFoundError:
        return
    except OSError as error:
        yield VaultFile(_nfc(folder), root / folder, fault=f"cannot be listed: {error.strerror or error}")
        return
    for entry in listed:
        path = f"{folder}/{entry.name}" if folder else entry.name
        try:
            state = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield VaultFile(_nfc(path), root / path, fault=f"cannot be read: {error.strerror or error}")
            continue
        if is_placeholder(entry.name):
            name = _PLACEHOLDER.sub(r"\g<name>", entry.name)
            yield VaultFile(_nfc(f"{folder}/{name}" if folder else name), root / path, state.st_mtime_ns, CLOUD)
        elif entry.name.startswith("."):
            continue
        elif stat.S_ISDIR(state.st_mode):
            if (state.st_dev, state.st_ino) not in taken:
                yield from _walk(root, path, taken)
        else:
            yield VaultFile(_nfc(path), root / path, state.st_mtime_ns, _fault(entry.name, state))


def _fault(name: str, state: os.stat_result) -> str | None:
    if stat.S_ISLNK(state.st_mode):
        return LINK
    if not stat.S_ISREG(state.st_mode):
        return "is no regular file"
    if not name.lower().endswith((".md", ".canvas")):
        return NO_NOTE
    if is_remote(state):
        return CLOUD
    if not is_note(name):
        return COPY
    return f"has more than {MOST_BYTES // 1_000_000} MB" if state.st_size > MOST_BYTES else None


def _nfc(path: str) -> str:
    return unicodedata.normalize("NFC", os.fsencode(path).decode("utf-8", "replace"))


def _identities(folders: Iterable[Path]) -> Iterator[tuple[int, int]]:
    for folder in folders:
        try:
            state = folder.stat()
        except OSError:
            continue
        yield state.st_dev, state.st_ino
