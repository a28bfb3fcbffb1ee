"""A supervisor over small processes that each have a child of their own; run as ``python -m tests.supervisor.sleepers ROOT``."""

import sys
from collections.abc import Callable
from pathlib import Path

from wiki.settings import Settings
from wiki.supervisor.child import Child
from wiki.supervisor.processes import Ports
from wiki.supervisor.supervisor import Supervisor

SLEEPER = "import subprocess, sys, time; c = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); print('up', c.pid, flush=True); time.sleep(600)"
FAILING = "import sys; print('no such thing'); sys.exit(3)"


def sleepers(settings: Settings, _: Ports, tell: Callable[[str], None]) -> list[Child]:
    logs = settings.root / ".index/logs"
    return [Child(name, (sys.executable, "-c", SLEEPER), {}, settings.root, logs, tell) for name in ("one", "two")]


def settings_of(root: Path) -> Settings:
    settings = Settings(root=root)
    return settings.model_copy(update={"api": settings.api.model_copy(update={"port": 0})})


if __name__ == "__main__":
    sys.exit(Supervisor(settings_of(Path(sys.argv[1])), dagster_port=0, build=sleepers).run())
