"""A note that is there: where it lies, its bytes as they are now, and whether it may be told of."""

import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from wiki.errors import Conflict, InternalError, NotFound
from wiki.vaults.model import Note, Vault, note_id
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.visibility import why_hidden

_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class PlacedNote:
    vault: Vault
    path: str
    """In its vault, NFC."""
    file: str
    """The same as the file system spells it."""

    @property
    def note_id(self) -> str:
        return note_id(self.vault.name, self.path)

    @property
    def location(self) -> Path:
        return self.vault.root / self.file

    @property
    def shown(self) -> str:
        return f"{self.vault.name}/{self.path}"


def read_placed(placed: PlacedNote) -> bytes:
    """The note's bytes, never of what a link leads to. Raises NotFound when it is gone, InternalError unread."""
    folder = placed.location.parent
    if folder.resolve() != (placed.vault.root.resolve() / placed.file).parent:
        raise missing(placed)
    try:
        with os.fdopen(os.open(placed.location, _OPEN), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise missing(placed)
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        raise missing(placed) from None
    except OSError as error:
        raise InternalError(f"{placed.shown} cannot be read: {error.strerror or error}") from error


def shown_note(placed: PlacedNote, data: bytes) -> Note:
    """The note of these bytes. Raises NotFound when it is staged or otherwise kept out of retrieval."""
    note = parse_note(placed.path, data)
    if why_hidden(placed.vault, placed.path) is not None or not note.in_retrieval:
        raise missing(placed)
    return note


def check_unchanged(placed: PlacedNote, data: bytes, expected_hash: str) -> None:
    """Raises Conflict when these bytes are not those its reader saw."""
    now = sha256(data).hexdigest()
    if now != expected_hash:
        raise Conflict(
            f"{placed.shown} is not what expected_hash names: it was changed; read it again", content_hash=now
        )


def missing(placed: PlacedNote) -> NotFound:
    return NotFound(f"there is no note {placed.note_id}", note_id=placed.note_id)
