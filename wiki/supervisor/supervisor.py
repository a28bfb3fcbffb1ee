"""Starts every process of a root, keeps each alive, and ends all of them with itself."""

import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from wiki.errors import Conflict
from wiki.filesystem import FileLock
from wiki.settings import Settings
from wiki.supervisor.child import Child
from wiki.supervisor.ports import LOOPBACK, choose_port
from wiki.supervisor.processes import INIT, Ports, children
from wiki.supervisor.record import RunRecord, read_record, remove_record, write_record
from wiki.supervisor.signals import catch_signals, restore_signals
from wiki.tenants import INDEX_DIR, Layout, Tenant

WATCHDOG = Path(__file__).with_name("watchdog.py")
STEP_SECONDS = 0.1
ASK_SECONDS = 0.5
"""Between two looks at ``/ready``."""
STOP_SECONDS = 8.0
"""What the processes get to end by themselves."""
GRACE_SECONDS = 2.0
"""What the group gets between SIGTERM and SIGKILL once the supervisor is gone."""

Tell = Callable[[str], None]


def say(line: str) -> None:
    """One line to standard output, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Supervisor:
    """``wiki up``. Use ``run`` for the whole life, or ``start``, ``step`` and ``stop`` by hand."""

    def __init__(
        self,
        settings: Settings,
        *,
        dagster_port: int = 3000,
        lite: bool = False,
        tell: Tell = say,
        build: Callable[[Settings, Ports, Tell], list[Child]] = children,
    ) -> None:
        """``build`` gives the processes to keep alive: those of the stack."""
        self.settings = settings
        self.root = settings.root.resolve()
        self.lite = lite
        self.stopping = threading.Event()
        self._dagster_port = dagster_port
        self._tell = tell
        self._build = build
        self._lock = FileLock(self.root / INDEX_DIR / "up.lock")
        self._children: list[Child] = []
        self._watchdog: subprocess.Popen[bytes] | None = None
        self._group = 0
        self._record: RunRecord | None = None

    def run(self, on_ready: Callable[[RunRecord], None] | None = None, *, ready_seconds: float = 120) -> int:
        """Serve until Ctrl-C, SIGTERM or ``stopping``; ``on_ready`` is called once the API is. Gives the exit code."""
        if self.lite:
            from wiki.supervisor.lite import run_lite

            return run_lite(self, on_ready)
        handlers = catch_signals(self.stopping)
        try:
            record = self.start()
            waiter = threading.Thread(target=self.announce, args=(record, on_ready, ready_seconds), daemon=True)
            waiter.start()
            while not self.stopping.wait(STEP_SECONDS):
                self.step()
        finally:
            self.stop()
            restore_signals(handlers)
        return 0

    def start(self) -> RunRecord:
        """Take the root, choose ports, start everything. Raises Conflict when another ``wiki up`` has the root."""
        self.take_root()
        ports = Ports(
            api=choose_port(self.settings.api.host, self.settings.api.port, "--port"),
            dagster=choose_port(LOOPBACK, self._dagster_port, "--dagster-port"),
            code=choose_port(LOOPBACK, 0, ""),
        )
        self._children = self._build(self.settings.model_copy(update={"root": self.root}), ports, self._tell)
        self._record = self.make_record({"api": ports.api, "dagster": ports.dagster, "code-server": ports.code})
        self._start_watchdog()
        self.step(changed=True)
        return self._record

    def step(self, *, changed: bool = False) -> None:
        """Look after every process once: start what is missing, note what changed in ``run.json``."""
        if self._watchdog is None or self._watchdog.poll() is not None:
            self._start_watchdog()
        for child in self._children:
            changed |= child.keep_alive(self._group)
        if changed and self._record is not None:
            pids = {child.name: child.pid for child in self._children if child.pid is not None and child.name != INIT}
            self.publish(replace(self._record, processes={"supervisor": os.getpid(), **pids}))

    def publish(self, record: RunRecord) -> None:
        """Make this the record of what runs: in ``run.json`` and for ``wait_ready``."""
        self._record = record
        write_record(self.root, record)

    def stop(self) -> None:
        """End every process, grandchildren included, and let go of the root. May be called twice."""
        self.stopping.set()
        deadline = time.monotonic() + STOP_SECONDS
        for child in self._children:
            child.signal(signal.SIGTERM)
        for child in self._children:
            if not child.wait(deadline):
                child.signal(signal.SIGKILL)
        if self._watchdog is not None and self._watchdog.stdin is not None:
            self._watchdog.stdin.close()
            self._watchdog.wait(GRACE_SECONDS + 5)
            self._watchdog = None
        self._children = []
        self.leave_root()

    def wait_ready(self, timeout: float) -> bool:
        """Whether the API answered ``/ready`` with 200 within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline and not self.stopping.is_set():
            if self._record is not None and _is_ready(self._record.api_url):
                return True
            self.stopping.wait(ASK_SECONDS)
        return False

    def take_root(self) -> None:
        """Lock the root for this ``wiki up``, and make the folder into which files are dropped."""
        if not self._lock.try_acquire():
            other = read_record(self.root)
            whose = f" (process {other.pid}, {other.api_url})" if other else ""
            raise Conflict(f"`wiki up` already runs on {self.root}{whose}: use that one, or stop it first")
        Layout(self.root, Tenant()).incoming.mkdir(parents=True, exist_ok=True)

    def leave_root(self) -> None:
        if self._lock.held:
            remove_record(self.root)
            self._lock.release()

    def make_record(self, ports: dict[str, int]) -> RunRecord:
        host = self.settings.api.host
        shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
        return RunRecord(
            pid=os.getpid(),
            started=datetime.now(UTC).isoformat(),
            api_url=f"http://{shown}:{ports['api']}",
            dagster_url=f"http://{LOOPBACK}:{ports['dagster']}" if "dagster" in ports else None,
            ports=ports,
            processes={"supervisor": os.getpid()},
            lite=self.lite,
        )

    def announce(self, record: RunRecord, on_ready: Callable[[RunRecord], None] | None, ready_seconds: float) -> None:
        """Say where everything is; call ``on_ready`` once the API is ready."""
        self._tell(
            f"Knowledge Wiki on {self.root}: API {record.api_url}, Dagster {record.dagster_url or 'not running'}"
        )
        started = time.monotonic()
        if self.wait_ready(ready_seconds):
            self._tell(f"ready after {time.monotonic() - started:.1f} s")
            if on_ready is not None:
                on_ready(record)
        elif not self.stopping.is_set():
            logs = self.root / INDEX_DIR / "logs"
            self._tell(
                f"not ready after {ready_seconds:.0f} s: {record.api_url}/ready says why, the logs are in {logs}"
            )

    def _start_watchdog(self) -> None:
        """The group's leader; when it died before its group, a new one joins the group that is there."""
        command = [sys.executable, "-S", str(WATCHDOG), str(GRACE_SECONDS)]
        living = any(child.pid is not None for child in self._children)
        self._watchdog = subprocess.Popen(command, stdin=subprocess.PIPE, process_group=self._group if living else 0)
        if not living:
            self._group = self._watchdog.pid


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/ready", timeout=2) as reply:
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False
