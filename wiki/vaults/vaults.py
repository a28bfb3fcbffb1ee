"""Which vaults a tenant has."""

import os
from pathlib import Path

from wiki.errors import ConfigurationError
from wiki.settings import VaultsSettings
from wiki.tenants import Layout, Tenant
from wiki.vaults.model import Vault
from wiki.vaults.visibility import in_inbox

HIDE_UNDERSCORED = ("ai", "user")
"""Vaults in which agents write: a folder that begins with ``_`` is no part of retrieval there."""


def vaults_of(layout: Layout, settings: VaultsSettings) -> tuple[Vault, ...]:
    """The tenant's vaults by name: the folders in its ``vaults/``, and for ``default/default`` those of the settings.

    One the settings name stays even when its folder is not there. Raises ConfigurationError for an entry of
    ``vaults.folders`` that is no ``name=folder``.
    """
    roots = _own(layout.home / "vaults")
    if layout.tenant == Tenant():
        roots |= dict(_entry(layout.root, entry) for entry in settings.folders)
    hidden = {*HIDE_UNDERSCORED, *settings.hide_underscored}
    return tuple(
        Vault(name, root, _excluded(name, roots, settings.exclude), name in hidden, _is_inside_inbox(layout, root))
        for name, root in sorted(roots.items())
    )


def _is_inside_inbox(layout: Layout, root: Path) -> bool:
    """Whether a vault's folder, links followed, is or lies in an inbox; folders above the library's root do not count."""
    real, home = Path(os.path.realpath(root)), Path(os.path.realpath(layout.root))
    return in_inbox((real.relative_to(home) if real.is_relative_to(home) else real).as_posix())


def _own(folder: Path) -> dict[str, Path]:
    try:
        return {child.name: child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")}
    except OSError:
        return {}


def _entry(root: Path, entry: str) -> tuple[str, Path]:
    name, mark, folder = (part.strip() for part in entry.partition("="))
    if not mark or not name or not folder or "/" in name or name.startswith("."):
        raise ConfigurationError(f"vaults.folders: {entry!r} is no name=folder, e.g. work=~/Notes")
    return name, root / Path(folder).expanduser()


def _excluded(name: str, roots: dict[str, Path], patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns that count in a vault: those for all, and those written ``name:pattern``."""
    found: list[str] = []
    for pattern in patterns:
        vault, mark, rest = pattern.partition(":")
        if not mark or vault not in roots:
            found.append(pattern)
        elif vault == name:
            found.append(rest)
    return tuple(found)
