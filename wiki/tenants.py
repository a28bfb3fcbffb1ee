"""Tenants and where each one's files lie under the root."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wiki.errors import InvalidInput

SCOPE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,63}$"
INDEX_DIR = ".index"


@dataclass(frozen=True, order=True)
class Tenant:
    """An ``(app_id, project_id)`` pair: one folder, one Lance database, one catalog."""

    app_id: str = "default"
    project_id: str = "default"

    def __post_init__(self) -> None:
        for field, value in (("app_id", self.app_id), ("project_id", self.project_id)):
            if not re.match(SCOPE_PATTERN, value):
                raise InvalidInput(
                    f"{field} {value[:80]!r} must start with a letter or digit and hold at most 64 of A-Z a-z 0-9 _ . @ + -",
                    field=field,
                )

    def partition_key(self, sha256: str) -> str:
        """The Dagster partition key of a content hash: bare in default/default, else ``app.project:sha``."""
        if self == Tenant():
            return sha256
        return f"{self.app_id}.{self.project_id}:{sha256}"


@dataclass(frozen=True)
class Layout:
    """The paths of one tenant. Pure: creates nothing, looks at nothing."""

    root: Path
    tenant: Tenant

    @property
    def home(self) -> Path:
        return self.root / self.tenant.app_id / self.tenant.project_id

    @property
    def knowledge(self) -> Path:
        return self.home / "knowledge"

    @property
    def taxonomy(self) -> Path:
        return self.knowledge / ".taxonomy.md"

    @property
    def incoming(self) -> Path:
        return self.home / "incoming"

    @property
    def staging(self) -> Path:
        return self.home / ".staging"

    @property
    def jobs(self) -> Path:
        """Uploads accepted but not finished."""
        return self.home / ".jobs"

    @property
    def finished_jobs(self) -> Path:
        """What became of those that are done, for a while: derived."""
        return self.index / "jobs"

    @property
    def audit(self) -> Path:
        """What was decided on the notes of vaults, a file a month."""
        return self.home / "audit"

    @property
    def trash(self) -> Path:
        return self.home / ".trash"

    @property
    def index(self) -> Path:
        return self.root / INDEX_DIR / self.tenant.app_id / self.tenant.project_id

    @property
    def lance(self) -> Path:
        return self.index / "lance"

    @property
    def catalog(self) -> Path:
        return self.index / "catalog"

    @property
    def parsed(self) -> Path:
        return self.index / "parsed"

    @property
    def replies(self) -> Path:
        """What a language model answered, by question."""
        return self.index / "replies"

    @property
    def write_lock(self) -> Path:
        """Held per batch by whoever writes DuckDB or LanceDB."""
        return self.index / "write.lock"

    def relative(self, path: Path) -> str:
        """``path`` as a POSIX path relative to the root: what replies and rows carry."""
        return path.relative_to(self.root).as_posix()


def watch_lock(root: Path) -> Path:
    """The baton: held by whoever watches the root."""
    return root / INDEX_DIR / "watch.lock"


def import_lock(root: Path) -> Path:
    """Held while many files are brought in."""
    return root / INDEX_DIR / "import.lock"


def run_file(root: Path) -> Path:
    """Ports and pids of a running ``wiki up``."""
    return root / INDEX_DIR / "run.json"


def discover_tenants(root: Path) -> Iterator[Tenant]:
    """Every tenant that has a ``knowledge``, ``vaults``, ``incoming`` or ``.jobs`` folder on disk, sorted."""
    for app in sorted(_folders(root)):
        for project in sorted(_folders(app)):
            if any((project / name).is_dir() for name in ("knowledge", "vaults", "incoming", ".jobs")):
                try:
                    yield Tenant(app.name, project.name)
                except InvalidInput:
                    continue


def _folders(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (child for child in path.iterdir() if child.is_dir() and not child.name.startswith("."))
