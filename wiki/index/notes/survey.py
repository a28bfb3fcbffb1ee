"""Vaults as they lie on disk: which notes there are, by their stamps, and what may not be taken for deleted."""

import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wiki.index.folders import FileStamp, stamp_of
from wiki.index.identity import normalised
from wiki.index.notes.rows import NoteRef
from wiki.tenants import Layout
from wiki.vaults.model import Vault

SUFFIXES = (".md", ".canvas")
_PLACEHOLDER = re.compile(r"\.(?P<name>.+\.(?:md|canvas))\.icloud$", re.IGNORECASE)
_CONFLICT = re.compile(r"\.sync-conflict-\d|\bconflicted copy\b", re.IGNORECASE)
_DATALESS_MAC = 0x40000000
"""``SF_DATALESS`` of ``st_flags``: macOS keeps the file's name here and its bytes in the cloud."""
_RECALL_WINDOWS = 0x00440000
"""``FILE_ATTRIBUTE_RECALL_ON_OPEN`` and ``…_ON_DATA_ACCESS``: OneDrive's way of saying the same."""
_KEPT = "its notes stay in the index until then"


@dataclass(frozen=True)
class NoteFile:
    """A note's file: its path in the vault as the file system spells it."""

    file: str
    stamp: FileStamp


@dataclass(frozen=True)
class Oddity:
    """Something in a vault that a person should know of. ``ref`` with an empty path: the whole vault."""

    ref: NoteRef
    reason: str
    remedy: str


@dataclass
class NoteSurvey:
    """Every note of the vaults, without one byte of them read."""

    notes: dict[NoteRef, NoteFile] = field(default_factory=dict[NoteRef, NoteFile])
    oddities: list[Oddity] = field(default_factory=list[Oddity])
    shielded: set[NoteRef] = field(default_factory=set[NoteRef])
    """Notes and folders that could not be looked at: what the index has of them stays."""
    unknown_stay: bool = False
    """Whether the folder of the tenant's own vaults could not be listed: no vault can be called removed then."""

    def shields(self, ref: NoteRef, vaults: Iterable[str]) -> bool:
        """Whether ``ref`` is, or lies below, something that could not be looked at."""
        if ref.vault not in vaults:
            return self.unknown_stay
        if not self.shielded:
            return False
        parts = ref.path.split("/")
        return any(NoteRef(ref.vault, "/".join(parts[:n])) in self.shielded for n in range(len(parts) + 1))

    def block(self, ref: NoteRef, reason: str, remedy: str) -> None:
        self.shielded.add(ref)
        self.oddities.append(Oddity(ref, reason, remedy))


def is_note(name: str) -> bool:
    """Whether a file of this name is a note, not hidden and not somebody's conflict copy."""
    name = name.rpartition("/")[2]
    return name.lower().endswith(SUFFIXES) and not name.startswith(".") and not _CONFLICT.search(name)


class VaultFolders:
    """A tenant's vaults for the length of one look: which folders there are, whose they are, where a note lies."""

    def __init__(self, layout: Layout, vaults: Sequence[Vault]) -> None:
        self.layout = layout
        self.vaults = {vault.name: vault for vault in vaults}
        self.unknown_stay = not _can_list(layout.home / "vaults")
        """The folder of the tenant's own vaults cannot be listed: no vault can be called removed."""
        self._taken: dict[tuple[int, int], str] = {}
        """Folders that belong to somebody, by device and inode; one vault's walk leaves out the others'."""
        self._faults: dict[str, Oddity] = {}
        """Of vaults that cannot be walked."""
        self._missing: set[str] = set()
        for path in (layout.root, layout.knowledge, layout.incoming):
            if (identity := _identity(path)) is not None:
                self._taken[identity] = ""
        for vault in vaults:
            self._claim(vault)

    def survey(self) -> NoteSurvey:
        """Every note of every vault. A folder that is a vault of its own belongs to that one only."""
        found = NoteSurvey(oddities=list(self._faults.values()), unknown_stay=self.unknown_stay)
        found.shielded |= {NoteRef(name, "") for name in self._missing}
        for name, vault in self.vaults.items():
            if name not in self._faults:
                _survey(vault, "", self._taken, found)
        return found

    def below(self, ref: NoteRef) -> NoteSurvey:
        """The note at a path, or the notes below it, for what the operating system tells of one change."""
        found = NoteSurvey()
        vault = self.vaults.get(ref.vault)
        if vault is None or ref.vault in self._faults or not all(_is_open(part) for part in ref.path.split("/")):
            return found
        try:
            spelled = list(_spelled(vault.root, "", ref.path.split("/"), self._taken))
        except OSError:
            return found
        for path, state in spelled:
            if stat.S_ISDIR(state.st_mode) and _identity_of(state) not in self._taken:
                _survey(vault, path, self._taken, found)
            elif stat.S_ISREG(state.st_mode) and is_note(ref.path) and not is_remote(state):
                found.notes.setdefault(ref, NoteFile(path, stamp_of(state)))
        return found

    def locate(self, ref: NoteRef) -> NoteFile | None:
        """The file of a note; None when there is none. Of two spellings of one name the first by sorted path counts.

        Links are not followed. Raises OSError when a folder on the way cannot be looked at, or the note's bytes are
        not here: then nothing may be called deleted.
        """
        vault = self.vaults.get(ref.vault)
        if vault is None:
            if self.unknown_stay:
                raise OSError(0, "the folder of its vault cannot be listed")
            return None
        if ref.vault in self._missing:
            raise OSError(0, "the vault's folder is not there")
        if (
            ref.vault in self._faults
            or not all(_is_open(part) for part in ref.path.split("/"))
            or not is_note(ref.path)
        ):
            return None
        for path, state in _spelled(vault.root, "", ref.path.split("/"), self._taken):
            if stat.S_ISREG(state.st_mode):
                if is_remote(state):
                    raise OSError(0, "its bytes are in the cloud")
                return NoteFile(path, stamp_of(state))
        if _has_placeholder(vault.root, ref.path):
            raise OSError(0, "it is in the cloud, only a placeholder is here")
        if _identity(vault.root) not in self._taken:
            raise OSError(0, "the vault's folder went away")
        return None

    def shown(self, ref: NoteRef) -> str:
        """A note's place for a person, as if every vault lay among the tenant's own.

        It depends on nothing else, so that the faults of a vault are found again when it has gone or moved.
        """
        return f"{self.layout.relative(self.layout.home)}/vaults/{ref.vault}/{ref.path}".rstrip("/")

    def _claim(self, vault: Vault) -> None:
        whole = NoteRef(vault.name, "")
        try:
            state = vault.root.stat()
        except OSError as error:
            reason = "is not there" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
            self._missing.add(vault.name)
            remedy = f"mount or restore it, or remove the vault from the settings; {_KEPT}"
            self._faults[vault.name] = Oddity(whole, f"the vault's folder {reason}", remedy)
            return
        other = self._taken.setdefault(_identity_of(state), vault.name)
        if other != vault.name:
            what = f"vault {other}" if other else "the documents"
            reason = f"the vault's folder is that of {what} as well"
            self._faults[vault.name] = Oddity(whole, reason, "give the vault a folder of its own")


def is_placeholder(name: str) -> bool:
    """Whether a file of this name says of a note that it is in iCloud."""
    return _PLACEHOLDER.match(name) is not None


def is_remote(state: os.stat_result) -> bool:
    """Whether a file's bytes are in a cloud: opening it would fetch them."""
    mac, windows = getattr(state, "st_flags", 0), getattr(state, "st_file_attributes", 0)
    return bool(mac & _DATALESS_MAC or windows & _RECALL_WINDOWS)


def _survey(vault: Vault, folder: str, taken: Collection[tuple[int, int]], found: NoteSurvey) -> None:
    files: list[tuple[str, FileStamp]] = []
    folders = [folder]
    while folders:
        here = folders.pop()
        try:
            with os.scandir(vault.root / here) as entries:
                listed = list(entries)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and here:
                continue
            reason = f"cannot be read: {error.strerror or error}"
            found.block(_ref(vault, here), reason, f"mend its permissions or its mount; {_KEPT}")
            continue
        for entry in listed:
            path = f"{here}/{entry.name}" if here else entry.name
            _take(vault, path, entry, taken, found, files, folders)
    for path, stamp in sorted(files):
        ref = _ref(vault, path)
        if ref in found.notes:
            reason = "has the name of another note, with its letters encoded otherwise"
            found.oddities.append(Oddity(NoteRef(vault.name, f"{ref.path} (2)"), reason, "rename one of the two"))
        else:
            found.notes[ref] = NoteFile(path, stamp)


def _take(
    vault: Vault,
    path: str,
    entry: os.DirEntry[str],
    taken: Collection[tuple[int, int]],
    found: NoteSurvey,
    files: list[tuple[str, FileStamp]],
    folders: list[str],
) -> None:
    name = entry.name
    if (placeholder := _PLACEHOLDER.match(name)) is not None:
        ref = _ref(vault, path[: len(path) - len(name)] + placeholder["name"])
        found.block(ref, "is in the cloud, only a placeholder is here", "download it; what the index has of it stays")
        return
    if name.startswith("."):
        return
    if not _is_text(name):
        readable = NoteRef(vault.name, os.fsencode(path).decode("utf-8", "replace"))
        found.oddities.append(Oddity(readable, "its name is not valid UTF-8", "rename it"))
        return
    try:
        state = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return
    except OSError as error:
        found.block(_ref(vault, path), f"cannot be read: {error.strerror or error}", f"mend its permissions; {_KEPT}")
        return
    if stat.S_ISDIR(state.st_mode):
        if _identity_of(state) not in taken:
            folders.append(path)
    elif not stat.S_ISREG(state.st_mode) or not name.lower().endswith(SUFFIXES):
        return
    elif _CONFLICT.search(name):
        remedy = "compare it with the note it is a copy of, then delete one; until then only the note is indexed"
        found.oddities.append(Oddity(_ref(vault, path), "is a conflict copy of a synchronisation", remedy))
    elif is_remote(state):
        remedy = "download it; what the index has of it stays"
        found.block(_ref(vault, path), "is in the cloud, only its name is here", remedy)
    else:
        files.append((path, stamp_of(state)))


def _spelled(
    root: Path, folder: str, parts: Sequence[str], taken: Collection[tuple[int, int]]
) -> Iterator[tuple[str, os.stat_result]]:
    """Every file or folder whose path is ``parts`` in NFC, by sorted path, without following a link."""
    for name in _spellings(root / folder, parts[0]):
        path = f"{folder}/{name}" if folder else name
        try:
            state = os.lstat(root / path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        if len(parts) == 1:
            yield path, state
        elif stat.S_ISDIR(state.st_mode) and _identity_of(state) not in taken:
            yield from _spelled(root, path, parts[1:], taken)


def _spellings(folder: Path, name: str) -> Iterator[str]:
    if name.isascii():
        yield name
        return
    try:
        yield from sorted(other for other in os.listdir(folder) if normalised(other) == name)
    except (FileNotFoundError, NotADirectoryError):
        return


def _ref(vault: Vault, path: str) -> NoteRef:
    return NoteRef(vault.name, normalised(path))


def _is_text(name: str) -> bool:
    try:
        name.encode()
        return True
    except UnicodeEncodeError:
        return False


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        return _identity_of(path.stat())
    except OSError:
        return None


def _identity_of(state: os.stat_result) -> tuple[int, int]:
    return state.st_dev, state.st_ino


def _is_open(part: str) -> bool:
    return bool(part) and not part.startswith(".")


def _has_placeholder(root: Path, path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return (root / folder / f".{name}.icloud").exists()


def _can_list(path: Path) -> bool:
    try:
        with os.scandir(path):
            return True
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
