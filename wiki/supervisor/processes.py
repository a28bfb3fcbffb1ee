"""The four processes of the stack, as commands and environment."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wiki.settings import Settings
from wiki.supervisor.child import Child
from wiki.supervisor.ports import LOOPBACK, answers
from wiki.tenants import INDEX_DIR

REPOSITORY = Path(__file__).resolve().parent.parent.parent
"""Where the packages lie: the checkout, or site-packages."""

API, CODE, DAEMON, WEB, INIT = "api", "code-server", "daemon", "webserver", "init"
INITIALISED = ".initialised"
"""Written once Dagster's databases stand. Two processes making them at once would leave both broken."""

BACKGROUND = 10
"""Niceness of all but the service: whoever searches goes first, and the index catches up in what is left."""

SENSOR_SECONDS = 90
"""A tick lasts up to 55 s; Dagster's own limit of 60 leaves no margin."""


@dataclass(frozen=True)
class Ports:
    api: int
    dagster: int
    code: int


def children(settings: Settings, ports: Ports, tell: Callable[[str], None]) -> list[Child]:
    """Every process of the stack, in the order in which they start."""
    home = prepare_dagster_home(settings.root, ports)
    environment = child_environment(settings.root, home)
    logs = settings.root / INDEX_DIR / "logs"
    workspace = str(home / "workspace.yaml")

    def child(name: str, *command: str, needs: Callable[[], bool] = lambda: True, once: bool = False) -> Child:
        niceness = 0 if name == API else BACKGROUND
        return Child(name, (sys.executable, "-m", *command), environment, REPOSITORY, logs, tell, needs, once, niceness)

    init = child(INIT, "pipelines.instance", once=True)
    init.finished = (home / INITIALISED).is_file()
    api = child(API, "serving", "--root", str(settings.root), "--host", settings.api.host, "--port", str(ports.api))
    code = child(
        CODE,
        *("dagster", "api", "grpc", "-m", "pipelines.definitions", "-d", str(REPOSITORY), "-h", LOOPBACK),
        *("-p", str(ports.code), "--location-name", "wiki", "--use-python-environment-entry-point"),
        *("--log-level", "warning"),
        needs=lambda: init.finished,
    )
    web = child(
        WEB,
        *("dagster_webserver", "-h", LOOPBACK, "-p", str(ports.dagster), "-w", workspace, "--log-level", "warning"),
        needs=lambda: init.finished and answers(ports.code),
    )
    daemon = child(
        DAEMON,
        *("dagster._daemon", "run", "-w", workspace, "--log-level", "warning"),
        needs=lambda: init.finished and answers(ports.code),
    )
    return [init, code, api, web, daemon]


def prepare_dagster_home(root: Path, ports: Ports) -> Path:
    """``<root>/.index/dagster`` with the instance's configuration and the address of the code server."""
    home = root / INDEX_DIR / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / INITIALISED).is_file():
        for half_made in ("history", "schedules", "storage"):
            shutil.rmtree(home / half_made, ignore_errors=True)
    shutil.copyfile(REPOSITORY / "dagster.yaml", home / "dagster.yaml")
    server = f"host: {LOOPBACK}\n      port: {ports.code}\n      location_name: wiki"
    (home / "workspace.yaml").write_text(f"load_from:\n  - grpc_server:\n      {server}\n", encoding="utf-8")
    return home


def child_environment(root: Path, home: Path, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What the processes need to find the root, the packages and the instance; nothing goes to the network."""
    path = os.pathsep.join(part for part in (str(REPOSITORY), environ.get("PYTHONPATH", "")) if part)
    return {
        **environ,
        "DAGSTER_DISABLE_TELEMETRY": "yes",
        "DAGSTER_HOME": str(home),
        "DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS": str(SENSOR_SECONDS),
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": path,
        "PYTHONUNBUFFERED": "1",
        "WIKI_ROOT": str(root),
    }
