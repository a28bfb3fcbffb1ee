"""Who runs on a root: the baton's holder, the supervisor's processes, the last reconcile."""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wiki.filesystem import FileLock, write_atomic
from wiki.tenants import INDEX_DIR, import_lock, run_file, watch_lock

_HEARTBEAT = "cascade.json"


class Presence:
    """Small files under ``.index`` that tell one process of the others."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._ready = False

    def somebody_watches(self) -> bool:
        """Whether a cascade holds the baton at this moment."""
        return _held(watch_lock(self._root))

    @contextmanager
    def importing(self) -> Generator[None]:
        """Says while it is open that many files are brought in, so that the cascade takes them in larger batches."""
        path = import_lock(self._root)
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        # Those who ask whether it is held hold it for a moment themselves.
        mine = lock.acquire(timeout=1)
        try:
            yield
        finally:
            if mine:
                lock.release()

    def somebody_imports(self) -> bool:
        """Whether a bulk import runs at this moment."""
        return _held(import_lock(self._root))

    def beat(self) -> None:
        """Note that this process has just reconciled every tenant."""
        (self._root / INDEX_DIR).mkdir(parents=True, exist_ok=True)
        now = datetime.now(UTC).isoformat()
        data = {"pid": os.getpid(), "reconciled_at": now}
        write_atomic(self._root / INDEX_DIR / _HEARTBEAT, json.dumps(data).encode())

    def cascade(self) -> dict[str, Any]:
        """The last reconcile: ``pid`` and ``reconciled_at``; empty when there was none."""
        return _read(self._root / INDEX_DIR / _HEARTBEAT)

    def run(self) -> dict[str, Any]:
        """``run.json`` of a ``wiki up`` whose supervisor lives; empty otherwise."""
        run = _read(run_file(self._root))
        return run if is_alive(run.get("pid")) else {}

    def reconciled(self) -> bool:
        """Whether a first reconcile was done since ``wiki up`` started; once true it stays so."""
        if not self._ready:
            started = self.run().get("started")
            beat = self.cascade().get("reconciled_at")
            self._ready = started is None or (beat is not None and _time(beat) >= _time(started))
        return self._ready


def _held(path: Path) -> bool:
    if not path.exists():
        return False
    lock = FileLock(path)
    if lock.try_acquire():
        lock.release()
        return False
    return True


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}


def is_alive(pid: object) -> bool:
    """Whether a process of this id exists (a zombie counts as gone)."""
    if not isinstance(pid, int):
        return False
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
