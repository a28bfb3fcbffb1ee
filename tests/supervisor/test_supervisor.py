"""Processes stay alive with the supervisor and die with it, however it goes."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.supervisor.sleepers import FAILING, settings_of, sleepers
from wiki.errors import ConfigurationError, Conflict
from wiki.presence import is_alive
from wiki.supervisor.child import QUICK_DEATHS_TOLD, Child
from wiki.supervisor.ports import choose_port
from wiki.supervisor.record import RunRecord, read_record, write_record
from wiki.supervisor.supervisor import Supervisor

REPOSITORY = Path(__file__).resolve().parents[2]


def _is_watchdog(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE and "watchdog.py" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


def until(condition: Callable[[], object], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def pids(root: Path) -> dict[str, int]:
    record = read_record(root)
    return {} if record is None else record.processes


def family(pid: int) -> set[int]:
    return {child.pid for child in psutil.Process(pid).children(recursive=True)}


@pytest.fixture
def supervised(root: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.supervisor.sleepers", str(root)],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # two sleepers with a child each, and the watchdog
    assert until(lambda: {"one", "two"} <= pids(root).keys() and len(family(process.pid)) >= 5, 30)
    yield process
    if process.poll() is None:
        process.kill()
    process.wait()


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_every_process_ends_with_the_supervisor(
    root: Path, supervised: subprocess.Popen[bytes], kind: signal.Signals
) -> None:
    everyone = family(supervised.pid)
    supervised.send_signal(kind)
    supervised.wait(20)
    assert until(lambda: not any(is_alive(pid) for pid in everyone), 10)
    assert read_record(root) is None


def test_a_killed_process_is_back_within_five_seconds(root: Path, supervised: subprocess.Popen[bytes]) -> None:
    before = pids(root)
    os.kill(before["one"], signal.SIGKILL)
    assert until(lambda: pids(root).get("one") not in (None, before["one"]), 5)
    assert pids(root)["two"] == before["two"]
    assert is_alive(supervised.pid)


def test_a_killed_watchdog_is_replaced_and_still_ends_everyone(root: Path, supervised: subprocess.Popen[bytes]) -> None:
    (watchdog,) = [
        child for child in psutil.Process(supervised.pid).children() if "watchdog.py" in " ".join(child.cmdline())
    ]
    watchdog.kill()
    assert until(
        lambda: any(
            child.pid != watchdog.pid and _is_watchdog(child) for child in psutil.Process(supervised.pid).children()
        ),
        5,
    )
    everyone = family(supervised.pid)
    supervised.kill()
    supervised.wait(20)
    assert until(lambda: not any(is_alive(pid) for pid in everyone), 10)
    assert pids(root) == {}


def test_the_supervisor_leaves_the_group_of_its_caller_alone(supervised: subprocess.Popen[bytes]) -> None:
    assert os.getpgid(supervised.pid) == os.getpgrp()
    groups = {os.getpgid(pid) for pid in family(supervised.pid)}
    assert len(groups) == 1 and os.getpgrp() not in groups


def test_a_second_wiki_up_on_the_same_root_is_refused(root: Path, supervised: subprocess.Popen[bytes]) -> None:
    with pytest.raises(Conflict, match=f"already runs on .*process {supervised.pid}"):
        Supervisor(settings_of(root), dagster_port=0, build=sleepers).start()
    assert read_record(root) is not None


def test_a_taken_port_is_told_before_anything_starts(root: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        supervisor = Supervisor(settings_of(root), dagster_port=port, build=sleepers)
        with pytest.raises(ConfigurationError, match=f"port {port} on 127.0.0.1 can't be used.*--dagster-port"):
            supervisor.start()
        supervisor.stop()
    assert choose_port("127.0.0.1", 0, "--port") > 0


def test_a_crash_loop_slows_down_and_shows_the_last_lines(tmp_path: Path) -> None:
    told: list[str] = []
    child = Child("bad", (sys.executable, "-c", FAILING), {}, tmp_path, tmp_path / "logs", told.append)
    leader = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], process_group=0)
    try:
        assert until(lambda: child.keep_alive(leader.pid) and child.deaths >= QUICK_DEATHS_TOLD, 30)
    finally:
        leader.kill()
        leader.wait()
    assert any("ended 5 times in a row" in line and "no such thing" in line for line in told)
    assert any("bad | no such thing" == line for line in told)
    pauses = [float(line.rsplit(" ", 2)[1]) for line in told if "starting it again in" in line]
    assert pauses == sorted(pauses) and pauses[0] == 0 and pauses[-1] >= 3
    assert "no such thing" in (tmp_path / "logs/bad.log").read_text()


def test_the_record_of_a_dead_supervisor_is_no_record(root: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    write_record(root, RunRecord(gone.pid, "2026-11-30T19:40:52+00:00", "http://127.0.0.1:1", None))
    assert read_record(root) is None
    write_record(root, RunRecord(os.getpid(), "2026-11-30T19:40:52+00:00", "http://127.0.0.1:1", None))
    assert read_record(root) is not None
    assert json.loads((root / ".index/run.json").read_text())["pid"] == os.getpid()
