"""Which document folders and notes changed on disk, as the operating system tells it."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from watchfiles import Change, watch

from wiki.index.folders import is_markdown
from wiki.index.identity import normalised
from wiki.index.notes.rows import NoteRef
from wiki.index.notes.survey import is_note, is_placeholder
from wiki.tenants import Layout, Tenant
from wiki.vaults.audit import is_audit_file
from wiki.vaults.model import Vault

STEP_MS = 20
WAIT_MS = 100
WatchMode = Literal["auto", "native", "poll"]
_ATTACHMENTS = frozenset(
    ".png .jpg .jpeg .gif .svg .webp .bmp .pdf .mp3 .mp4 .m4a .wav .ogg .webm .mov .zip .csv .json .docx .xlsx .pptx".split()
)
"""Files that often lie beside notes and are none."""


@dataclass(frozen=True)
class Touched:
    """A change to look at: a document folder, a note or folder of a vault, or the audit. None of them: look at the
    whole tenant."""

    tenant: Tenant
    folder: str | None = None
    note: NoteRef | None = None
    audit: bool = False

    @property
    def whole(self) -> bool:
        return self.folder is None and self.note is None and not self.audit


@dataclass(frozen=True)
class _Place:
    """A watched folder: documents, a vault, the folder that holds a tenant's own vaults, or its audit."""

    tenant: Tenant
    kind: Literal["knowledge", "vault", "vaults", "audit"]
    vault: str = ""


class Watcher:
    """Watches every tenant's ``knowledge`` folder, vaults and audit, across windows: arming 100,000 files takes seconds.

    Only those folders are watched, so the indexes' own writes wake nobody. One that appears, or is replaced by
    another, is taken in by the next ``next()``, which then reports its tenant whole.
    """

    def __init__(
        self,
        root: Path,
        *,
        mode: WatchMode,
        debounce_ms: int,
        tenants: Callable[[], Iterable[Tenant]],
        vaults: Callable[[Tenant], Sequence[Vault]],
    ) -> None:
        self._root = root
        self._mode: WatchMode = mode
        self._debounce_ms = debounce_ms
        self._tenants = tenants
        self._vaults = vaults
        self._stop = threading.Event()
        self._watched: dict[Path, tuple[_Place, int]] = {}
        self._changes: Iterator[set[tuple[Change, str]]] | None = None
        self._fresh = self._arm()

    def next(self) -> set[Touched]:
        """Changes since the last call; waits at most about 0.1 s for the first."""
        touched, self._fresh = self._fresh, set()
        changes = self._changes
        if changes is None:
            self._stop.wait(WAIT_MS / 1000)
        else:
            nothing: set[tuple[Change, str]] = set()
            seen = next(changes, nothing)
            touched |= {t for _, path in seen if (t := self._touched(path))}
            if moved := {
                t.tenant for kind, path in seen if (t := self._touched(path)) and not t.audit and _may_lose(kind, path)
            }:
                self._arm()
                return touched | {Touched(tenant) for tenant in moved}
        if self._present() != self._watched:
            touched |= self._arm()
        return touched

    def close(self) -> None:
        self._stop.set()

    def _present(self) -> dict[Path, tuple[_Place, int]]:
        """Every folder to watch that is there, and its inode."""
        found: dict[Path, tuple[_Place, int]] = {}
        for tenant in self._tenants():
            layout = Layout(self._root, tenant)
            places = [
                (layout.knowledge, _Place(tenant, "knowledge")),
                (layout.home / "vaults", _Place(tenant, "vaults")),
                (layout.audit, _Place(tenant, "audit")),
                *((vault.root, _Place(tenant, "vault", vault.name)) for vault in self._vaults(tenant)),
            ]
            for path, place in places:
                try:
                    found.setdefault(path, (place, path.stat().st_ino))
                except OSError:
                    continue
        return found

    def _arm(self) -> set[Touched]:
        """Watch the folders that are there now; gives the tenants that must be looked at whole."""
        before, self._watched = self._watched, self._present()
        self._changes = None
        if self._watched:
            self._changes = watch(
                *(path for path in self._watched if not any(parent in self._watched for parent in path.parents)),
                watch_filter=self._wanted,
                debounce=self._debounce_ms,
                step=min(STEP_MS, self._debounce_ms),
                rust_timeout=WAIT_MS,
                yield_on_timeout=True,
                stop_event=self._stop,
                raise_interrupt=False,
                force_polling={"auto": None, "native": False, "poll": True}[self._mode],
                ignore_permission_denied=True,
            )
            next(self._changes, None)
        changed = {path for path in self._watched.keys() | before.keys() if self._watched.get(path) != before.get(path)}
        return {
            Touched(places[path][0].tenant) for places in (before, self._watched) for path in changed & places.keys()
        }

    def _wanted(self, _: Change, path: str) -> bool:
        return self._touched(path) is not None

    def _touched(self, path: str) -> Touched | None:
        whole = Path(path)
        top = next((folder for folder in (whole, *whole.parents) if folder in self._watched), None)
        if top is None:
            return None
        place, parts = self._watched[top][0], whole.relative_to(top).parts
        if place.kind == "knowledge":
            return _in_knowledge(place.tenant, parts)
        if place.kind == "audit":
            return Touched(place.tenant, audit=True) if not parts or is_audit_file(parts[-1]) else None
        if place.kind == "vaults":
            return Touched(place.tenant) if len(parts) <= 1 else None
        return _in_vault(place, parts, whole)


def _may_lose(kind: Change, path: str) -> bool:
    """Whether a folder went away: one moved into a folder made a moment before loses its watch for good."""
    name = Path(path).name
    return kind is Change.deleted and not is_markdown(name) and not is_note(name)


def _in_vault(place: _Place, parts: tuple[str, ...], path: Path) -> Touched | None:
    if not parts or is_placeholder(parts[-1]):
        return Touched(place.tenant)
    if any(part.startswith(".") for part in parts):
        return None
    if path.suffix.lower() in _ATTACHMENTS and not path.is_dir():
        return None
    return Touched(place.tenant, note=NoteRef(place.vault, normalised("/".join(parts))))


def _in_knowledge(tenant: Tenant, parts: tuple[str, ...]) -> Touched | None:
    if not parts or parts == (".taxonomy.md",):
        return Touched(tenant)
    if any(part.startswith(".") for part in parts):
        return None
    if len(parts) == 1:
        return Touched(tenant)
    if len(parts) == 2 or (len(parts) == 3 and is_markdown(parts[2])):
        return Touched(tenant, "/".join(parts[:2]))
    return None
