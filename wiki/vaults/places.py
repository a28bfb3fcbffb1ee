"""Folders and file names a note may be written to. Whatever could lead out of its vault, or hide in it, is refused."""

import os
import stat
import unicodedata
from pathlib import Path
from typing import NoReturn

from wiki.documents.slugs import is_reserved
from wiki.errors import Forbidden
from wiki.vaults.model import Vault
from wiki.vaults.visibility import INBOX, why_hidden

RULE = "path"
MOST_BYTES = 255
MOST_LEVELS = 12
_PLAIN = frozenset("-_ .,()+&'!@#")


def checked_folder(vault: Vault, folder: str, *, staging: bool = False) -> tuple[str, ...]:
    """The parts of a folder in the vault, as they may be opened. ``staging``: the inbox is meant.

    Raises Forbidden with the rule ``path``.
    """
    text = unicodedata.normalize("NFC", folder)
    if text.startswith(("/", "\\", "~")) or "\\" in text:
        _refuse(folder, "it must be a folder inside the vault, written with /")
    parts = tuple(text.removesuffix("/").split("/")) if text.removesuffix("/") else ()
    if len(parts) > MOST_LEVELS:
        _refuse(folder, f"it is more than {MOST_LEVELS} folders deep")
    for part in parts:
        _check_part(folder, part)
    hidden = why_hidden(vault, "/".join((*parts, "x.md")))
    staged = staging and len(parts) == 1 and parts[0] == INBOX
    if hidden is not None and not staged:
        _refuse(folder, hidden)
    _check_on_disk(vault, folder, parts)
    return parts


def _check_part(folder: str, part: str) -> None:
    if part in ("", ".", ".."):
        _refuse(folder, "empty parts, . and .. are not allowed")
    if part.startswith("."):
        _refuse(folder, "a name that begins with a dot is hidden")
    if part != part.strip() or part.endswith("."):
        _refuse(folder, f"{part!r} begins or ends with a space, or ends with a dot")
    if len(part.encode(errors="replace")) > MOST_BYTES:
        _refuse(folder, f"a name is longer than {MOST_BYTES} bytes")
    if is_reserved(part):
        _refuse(folder, f"{part} is a name Windows reserves")
    odd = [char for char in part if not (char.isalnum() or char in _PLAIN or unicodedata.category(char)[0] == "M")]
    if odd or unicodedata.normalize("NFKC", part) != part:
        _refuse(folder, f"{part!r} holds signs that are not plain letters, digits, spaces or one of -_.,()+&'!@#")


def _check_on_disk(vault: Vault, folder: str, parts: tuple[str, ...]) -> None:
    """No link on the way, and no folder that is there already in another spelling."""
    here = vault.root
    for part in parts:
        try:
            names = os.listdir(here)
        except FileNotFoundError:
            return
        except NotADirectoryError:
            _refuse(folder, f"{here.name} is a file")
        if part not in names:
            twin = next((name for name in names if _folded(name) == _folded(part)), None)
            if twin is None:
                return
            if unicodedata.normalize("NFC", twin) != part:
                _refuse(folder, f"the vault has {twin!r} already, in another spelling")
            part = twin
        here = here / part
        mode = os.lstat(here).st_mode
        if stat.S_ISLNK(mode):
            _refuse(folder, f"{part} is a link")
        if not stat.S_ISDIR(mode):
            _refuse(folder, f"{part} is a file")


def folder_on_disk(vault: Vault, parts: tuple[str, ...]) -> Path:
    """The folder, made where it is not there. Raises Forbidden when a link stands in the way."""
    if not vault.root.is_dir():
        _refuse(vault.name, "the vault's folder is not there; `wiki vault init` makes it")
    here = vault.root.resolve()
    for part in parts:
        spelled = next((name for name in os.listdir(here) if unicodedata.normalize("NFC", name) == part), part)
        here = here / spelled
        here.mkdir(exist_ok=True) if not here.is_symlink() else _refuse("/".join(parts), f"{part} is a link")
    if not here.resolve().is_relative_to(vault.root.resolve()):
        _refuse("/".join(parts), "it leads out of the vault")
    return here


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _refuse(folder: str, reason: str) -> NoReturn:
    raise Forbidden(f"rule {RULE}: {folder[:80]!r} cannot be written to: {reason}", rule_id=RULE)
