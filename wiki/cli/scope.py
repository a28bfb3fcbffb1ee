"""The options every command shares, and the library they name."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wiki.errors import InvalidInput

if TYPE_CHECKING:
    from wiki.library import Library, TenantLibrary
    from wiki.settings import Settings

RootOption = Annotated[
    Path | None,
    typer.Option("--root", help="Folder of the library. Else WIKI_ROOT, else ./knowledge_root.", show_default=False),
]
AppOption = Annotated[str, typer.Option("--app", help="Application of the tenant.")]
ProjectOption = Annotated[str, typer.Option("--project", help="Project of the tenant.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, for scripts.")]


@dataclass(frozen=True)
class Scope:
    """A root and a tenant in it."""

    root: Path
    app_id: str
    project_id: str


def scope(root: Path | None, app_id: str, project_id: str, *, create: bool = False) -> Scope:
    """What the shared options name. Raises InvalidInput when the root isn't there and may not be made."""
    from wiki.settings_sources import default_root

    where = Path(root or default_root()).expanduser().absolute()
    if not where.is_dir() and not create:
        raise InvalidInput(
            f"there is no library at {where}; `wiki add PATH --root {where}` makes one, --root names another",
            root=str(where),
        )
    return Scope(where, app_id, project_id)


def settings_of(where: Scope, overrides: Mapping[str, Any] | None = None) -> "Settings":
    from wiki.settings_sources import load_settings

    return load_settings(where.root, overrides=overrides)


def make_library(settings: "Settings") -> "Library":
    """The library in this process; models load when they are first needed."""
    from wiki.library import Library

    return Library(settings)


@contextmanager
def opened(where: Scope) -> "Generator[TenantLibrary]":
    """The tenant's library in this process, closed at the end."""
    library = make_library(settings_of(where))
    try:
        yield library.tenant(where.app_id, where.project_id)
    finally:
        library.close()
