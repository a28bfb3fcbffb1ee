"""New vaults from the packaged templates. What is there already is never touched."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wiki.errors import InvalidInput
from wiki.filesystem import fsync_dir, write_new
from wiki.tenants import Layout
from wiki.vaults.contract import FILE, TEMPLATE

TEMPLATES = TEMPLATE.parent
NAMES = ("work", "ai", "user")
_EMPTY = {"user": ("_inbox",)}


def init_vaults(layout: Layout, names: Sequence[str] = NAMES) -> list[str]:
    """Make these vaults in the tenant's ``vaults/``, and ``routing.json``; gives what was made, relative to the root.

    Raises InvalidInput for a name that has no template.
    """
    if unknown := [name for name in names if name not in NAMES]:
        raise InvalidInput(f"there is no template {unknown[0][:80]!r}; there are {', '.join(NAMES)}")
    made: list[Path] = []
    for name in names:
        target = layout.home / "vaults" / name
        for folder in _EMPTY.get(name, ()):
            (target / folder).mkdir(parents=True, exist_ok=True)
        for source in _files(TEMPLATES / name):
            made += _copy(source, target / source.relative_to(TEMPLATES / name))
    made += _copy(TEMPLATE, layout.home / FILE)
    return [layout.relative(path) for path in made]


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*.md") if path.is_file())


def _copy(source: Path, target: Path) -> list[Path]:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        write_new(target, source.read_bytes())
    except FileExistsError:
        return []
    fsync_dir(target.parent)
    return [target]
