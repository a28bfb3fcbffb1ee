"""Which document folders changed on disk, as the operating system tells it."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from watchfiles import Change, watch

from wiki.index.folders import is_markdown
from wiki.tenants import Layout, Tenant, discover_tenants

STEP_MS = 20
WAIT_MS = 100
WatchMode = Literal["auto", "native", "poll"]


@dataclass(frozen=True, order=True)
class Touched:
    """A change to look at. ``folder`` None: look at the whole tenant."""

    tenant: Tenant
    folder: str | None


class Watcher:
    """Watches every tenant's ``knowledge`` folder, across windows: arming 100,000 files takes seconds.

    Only those folders are watched, so the indexes' own writes wake nobody. A tenant that appears, or whose folder
    is replaced by another, is taken in by the next ``next()``, which then reports it whole.
    """

    def __init__(self, root: Path, *, mode: WatchMode, debounce_ms: int) -> None:
        self._root = root
        self._mode: WatchMode = mode
        self._debounce_ms = debounce_ms
        self._stop = threading.Event()
        self._watched: dict[Tenant, int] = {}
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
            if moved := {t.tenant for kind, path in seen if (t := self._touched(path)) and _may_lose(kind, path)}:
                self._arm()
                return touched | {Touched(tenant, None) for tenant in moved}
        if self._present() != self._watched:
            touched |= self._arm()
        return touched

    def close(self) -> None:
        self._stop.set()

    def _present(self) -> dict[Tenant, int]:
        """Tenants with a ``knowledge`` folder, and its inode."""
        found: dict[Tenant, int] = {}
        for tenant in discover_tenants(self._root):
            try:
                found[tenant] = Layout(self._root, tenant).knowledge.stat().st_ino
            except OSError:
                continue
        return found

    def _arm(self) -> set[Touched]:
        """Watch the folders that are there now; gives the tenants that must be looked at whole."""
        before, self._watched = self._watched, self._present()
        self._changes = None
        if self._watched:
            self._changes = watch(
                *(Layout(self._root, tenant).knowledge for tenant in self._watched),
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
        return {Touched(t, None) for t in self._watched.keys() | before.keys() if self._watched.get(t) != before.get(t)}

    def _wanted(self, _: Change, path: str) -> bool:
        return self._touched(path) is not None

    def _touched(self, path: str) -> Touched | None:
        try:
            parts = Path(path).relative_to(self._root).parts
        except ValueError:
            return None
        tenant = next((t for t in self._watched if (t.app_id, t.project_id) == parts[:2]), None)
        if tenant is None or parts[2:3] != ("knowledge",):
            return None
        return _in_knowledge(tenant, parts[3:])


def _may_lose(kind: Change, path: str) -> bool:
    """Whether a folder went away: one moved into a folder made a moment before loses its watch for good."""
    return kind is Change.deleted and not is_markdown(Path(path).name)


def _in_knowledge(tenant: Tenant, parts: tuple[str, ...]) -> Touched | None:
    if not parts or parts == (".taxonomy.md",):
        return Touched(tenant, None)
    if any(part.startswith(".") for part in parts):
        return None
    if len(parts) == 1:
        return Touched(tenant, None)
    if len(parts) == 2 or (len(parts) == 3 and is_markdown(parts[2])):
        return Touched(tenant, "/".join(parts[:2]))
    return None
