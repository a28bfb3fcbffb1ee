"""The whole wiki as processes, for the benchmarks that measure it from outside."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

from wiki.supervisor.record import read_record

READY_SECONDS = 300
STOP_SECONDS = 60
TAIL_CHARACTERS = 2_000


@dataclass(frozen=True)
class Stack:
    root: Path
    process: subprocess.Popen[bytes]
    client: httpx.Client
    ready_seconds: float

    def search(self, query: str, method: str = "hybrid", top_k: int = 10) -> list[str]:
        """Topic ids of the hits, best first."""
        body = {"query": query, "method": method, "top_k": top_k}
        reply = self.client.post("/api/v1/knowledge/search", json=body).raise_for_status()
        return [hit["topic_id"] for hit in reply.json()["data"]["hits"]]


@contextmanager
def running(root: Path, *flags: str) -> Generator[Stack]:
    """``wiki up`` on free ports, ready to answer, ended at the end."""
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "-m", "wiki.cli", "up", "--root", str(root), "--port", "0", "--dagster-port", "0"]
        started = time.perf_counter()
        process = subprocess.Popen([*command, *flags], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            url = _ready_url(root, process, started, log)
            with httpx.Client(base_url=url, timeout=60) as client:
                yield Stack(root, process, client, round(time.perf_counter() - started, 1))
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)


def _ready_url(root: Path, process: subprocess.Popen[bytes], started: float, log: IO[bytes]) -> str:
    while time.perf_counter() - started < READY_SECONDS:
        if process.poll() is not None:
            raise RuntimeError(f"wiki up ended with exit code {process.returncode} before it was ready:\n{_tail(log)}")
        record = read_record(root)
        if record is not None and _is_ready(record.api_url):
            return record.api_url
        time.sleep(0.1)
    raise RuntimeError(f"wiki up was not ready within {READY_SECONDS} s:\n{_tail(log)}")


def _tail(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read().decode("utf-8", "replace")[-TAIL_CHARACTERS:]


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/ready", timeout=5).status_code == 200
    except httpx.TransportError:
        return False
