"""The stack itself: four processes on free ports, on loopback, each back after a kill, all gone at the end."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.supervisor.test_supervisor import REPOSITORY, family, pids, until
from wiki.presence import is_alive
from wiki.supervisor.ports import answers as port_answers
from wiki.supervisor.record import read_record

NAMES = ("api", "code-server", "daemon", "webserver")
pytestmark = [pytest.mark.stack, pytest.mark.timeout(300)]


def is_ready(root: Path) -> bool:
    record = read_record(root)
    if record is None:
        return False
    try:
        with urllib.request.urlopen(f"{record.api_url}/ready", timeout=5) as reply:
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    root = tmp_path_factory.mktemp("stack") / "root"
    root.mkdir()
    with (root.parent / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "wiki.cli", "up", "--root", str(root), "--port", "0", "--dagster-port", "0"],
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            assert until(lambda: is_ready(root), 150), (root.parent / "log").read_text()[-3000:]
            yield root, process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def test_every_process_is_up_on_a_free_port_of_this_machine_only(
    stack: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    root, process = stack
    record = read_record(root)
    assert record is not None and record.pid == process.pid
    assert until(lambda: set(NAMES) <= pids(root).keys(), 60)
    assert record.dagster_url is not None and until(lambda: answers(f"{record.dagster_url}/server_info"), 60)
    for pid in family(process.pid):
        listening = [c for c in psutil.Process(pid).net_connections("inet") if c.status == psutil.CONN_LISTEN]
        assert {c.laddr.ip.removeprefix("::ffff:") for c in listening} <= {"127.0.0.1"}


@pytest.mark.parametrize("name", NAMES)
def test_a_killed_process_is_back_within_five_seconds(stack: tuple[Path, subprocess.Popen[bytes]], name: str) -> None:
    root, _ = stack
    record = read_record(root)
    assert record is not None and until(lambda: port_answers(record.ports["code-server"]), 60)
    before = pids(root)[name]
    os.kill(before, signal.SIGKILL)
    assert until(lambda: pids(root).get(name) not in (None, before), 5)


def test_a_dropped_file_is_found_in_search(stack: tuple[Path, subprocess.Popen[bytes]]) -> None:
    root, _ = stack
    record = read_record(root)
    assert record is not None and until(lambda: is_ready(root), 60)
    folder = root / "default/default/incoming"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "crane.md").write_text("# Harbour crane\n\nThe crane lifts forty tonnes and is checked every spring.\n")
    body = b'{"query": "harbour crane tonnes", "method": "keyword"}'

    def found() -> bool:
        request = urllib.request.Request(
            f"{record.api_url}/api/v1/knowledge/search", body, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=10) as reply:
            return b"Harbour crane" in reply.read()

    assert until(found, 120)
    assert until(lambda: not (folder / "crane.md").exists(), 5)


def test_killing_the_supervisor_ends_all_of_them_within_seconds(
    stack: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    root, process = stack
    everyone = family(process.pid)
    assert len(everyone) >= 5
    process.kill()
    process.wait(20)
    started = time.monotonic()
    assert until(lambda: not any(is_alive(pid) for pid in everyone), 10)
    assert time.monotonic() - started < 10
    assert read_record(root) is None
