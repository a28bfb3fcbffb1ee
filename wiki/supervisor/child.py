"""One supervised process: its command, its log, and when it may be started again."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from logging.handlers import RotatingFileHandler
from pathlib import Path

LAUNCH = Path(__file__).with_name("launch.py")
LOG_BYTES = 5_000_000
LOG_FILES = 2
TAIL_LINES = 20

QUICK_SECONDS = 30.0
"""A process that lived longer than this had no crash loop: it comes back at once."""

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 30.0
QUICK_DEATHS_TOLD = 5


@dataclass
class Child:
    """A process that is kept alive. ``ready_to_start`` says when what it needs is there."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    logs: Path
    tell: Callable[[str], None]
    ready_to_start: Callable[[], bool] = lambda: True
    once: bool = False
    """Runs to its end and is not started again."""
    niceness: int = 0
    """How far it gives way to the others, from 0 to 19."""
    process: subprocess.Popen[bytes] | None = None
    deaths: int = 0
    """Quick deaths in a row."""
    finished: bool = False
    """A ``once`` process that ended well."""
    _not_before: float = 0.0
    _started: float = 0.0
    _tail: deque[str] = field(default_factory=lambda: deque[str](maxlen=TAIL_LINES))

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process is not None and self.process.returncode is None else None

    def keep_alive(self, group: int) -> bool:
        """Start it if it should run and doesn't; notice a death. True when its process changed."""
        if self.process is not None and self.process.poll() is not None:
            self._died(self.process.returncode)
            return True
        if (
            self.process is None
            and not self.finished
            and time.monotonic() >= self._not_before
            and self.ready_to_start()
        ):
            self._start(group)
            return True
        return False

    def signal(self, kind: signal.Signals) -> None:
        """Send a signal to the process if it lives."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(kind)

    def wait(self, deadline: float) -> bool:
        """Wait for its end until ``deadline`` (monotonic). True when it is gone."""
        if self.process is None:
            return True
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def _start(self, group: int) -> None:
        launcher = [sys.executable, "-S", str(LAUNCH), str(os.getpid()), str(self.niceness)]
        self.process = subprocess.Popen(
            [*launcher, *self.command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(self.environment),
            cwd=self.folder,
            process_group=group,
        )
        self._started = time.monotonic()
        threading.Thread(target=self._pump, args=(self.process,), name=f"log-{self.name}", daemon=True).start()

    def _died(self, code: int) -> None:
        self.process = None
        if self.once and code == 0:
            self.finished = True
            return
        lived = time.monotonic() - self._started
        self.deaths = 0 if lived > QUICK_SECONDS else self.deaths + 1
        pause = 0.0 if self.deaths <= 1 else min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self.deaths - 1))
        self._not_before = time.monotonic() + pause
        ending = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        self.tell(f"{self.name} {ending} after {lived:.0f} s; starting it again in {pause:.1f} s")
        if self.deaths == QUICK_DEATHS_TOLD:
            lines = "\n".join(f"  {line}" for line in self._tail)
            self.tell(
                f"{self.name} ended {self.deaths} times in a row; its last lines ({self.logs / self.name}.log):\n{lines}"
            )

    def _pump(self, process: subprocess.Popen[bytes]) -> None:
        """Copy its output to the log file and, with its name before each line, to ours."""
        self.logs.mkdir(parents=True, exist_ok=True)
        path = self.logs / f"{self.name}.log"
        log = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
        assert process.stdout is not None
        with process.stdout as stream, closing(log):
            for raw in stream:
                line = raw.decode("utf-8", "replace").rstrip()
                self._tail.append(line)
                log.emit(logging.LogRecord(self.name, logging.INFO, self.name, 0, line, None, None))
                self.tell(f"{self.name} | {line}")
