"""A running stack as a user meets it: HTTP, files on disk, Dagster's GraphQL, the command line."""

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.supervisor.test_stack import answers, is_ready
from tests.supervisor.test_supervisor import REPOSITORY, until
from wiki.supervisor.record import read_record

_MATERIALIZATIONS = """query($path: [String!]!, $partitions: [String!]) {
  assetNodeOrError(assetKey: {path: $path}) { ... on AssetNode {
    assetMaterializations(partitions: $partitions, limit: 20) {
      partition runId tags { key value }
      metadataEntries { label ... on TextMetadataEntry { text } ... on PathMetadataEntry { path } } } } } }"""

_LOCATION = """{ workspaceOrError { ... on Workspace { locationEntries {
  loadStatus locationOrLoadError { __typename } } } } }"""


@dataclass(frozen=True)
class Stack:
    """One ``wiki up``."""

    root: Path
    api: str
    dagster: str

    def call(self, method: str, path: str, **arguments: Any) -> httpx2.Response:
        return httpx2.request(method, f"{self.api}{path}", timeout=60, **arguments)

    def upload(self, file: Path, **form: str) -> dict[str, Any]:
        with file.open("rb") as data:
            reply = self.call(
                "POST", "/api/v1/knowledge/documents?wait=30", files={"file": (file.name, data)}, data=form
            )
        assert reply.status_code == 201, reply.text
        return reply.json()["data"]

    def search(self, query: str, **body: Any) -> list[dict[str, Any]]:
        reply = self.call("POST", "/api/v1/knowledge/search", json={"query": query, "method": "keyword", **body})
        assert reply.status_code == 200, reply.text
        return reply.json()["data"]["hits"]

    def materializations(self, asset: str, partition: str) -> list[dict[str, Any]]:
        """Newest first, as Dagster's GraphQL gives them; metadata by label."""
        variables = {"path": [asset], "partitions": [partition]}
        reply = httpx2.post(
            f"{self.dagster}/graphql", json={"query": _MATERIALIZATIONS, "variables": variables}, timeout=60
        )
        found = reply.json()["data"]["assetNodeOrError"].get("assetMaterializations")
        assert found is not None, reply.text
        return [
            {**event, "metadata": {e["label"]: e.get("text") or e.get("path") for e in event["metadataEntries"]}}
            for event in found
        ]

    def wiki(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "wiki.cli", *arguments, "--root", str(self.root)]
        return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=120)


@contextmanager
def running(root: Path, *more: str) -> Iterator[Stack]:
    """``wiki up`` on ``root`` with free ports, stopped by its pid at the end."""
    root.mkdir(parents=True, exist_ok=True)
    log_path = root.parent / f"{root.name}.log"
    with log_path.open("wb") as log:
        command = [sys.executable, "-m", "wiki.cli", "up", "--root", str(root), "--port", "0", "--dagster-port", "0"]
        process = subprocess.Popen([*command, *more], cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            assert until(lambda: is_ready(root), 120), log_path.read_text()[-3000:]
            record = read_record(root)
            assert record is not None
            dagster = record.dagster_url or ""
            if dagster:
                assert until(lambda: answers(f"{dagster}/server_info"), 60)
                assert until(lambda: shows_assets(dagster), 60), log_path.read_text()[-3000:]
            yield Stack(root, record.api_url, dagster)
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def shows_assets(dagster: str) -> bool:
    """Whether the webserver has loaded the code location, so that its pages show our assets."""
    data = httpx2.post(f"{dagster}/graphql", json={"query": _LOCATION}, timeout=60).json()["data"]
    entries = data["workspaceOrError"].get("locationEntries", [])
    return [entry["locationOrLoadError"]["__typename"] for entry in entries] == ["RepositoryLocation"]


def within(seconds: float, condition: Callable[[], Any]) -> float:
    """How long it took until ``condition`` held. Fails when it never did."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if condition():
            return time.monotonic() - started
        time.sleep(0.02)
    raise AssertionError(f"not so within {seconds} s")


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def as_json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)
