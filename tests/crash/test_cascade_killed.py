"""``kill -9`` of the cascade at any moment: everything is redone, nothing is believed half."""

import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.index.library_on_disk import write_document, write_topic
from tests.standins import WordEmbedder
from wiki.library import Library, TenantLibrary
from wiki.settings import Settings
from wiki.vaults.audit import Decision, note_decision

IDS = [f"d_{number:012x}" for number in range(1, 11)]


@contextmanager
def cascade(root: Path) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([sys.executable, "-m", "tests.crash.cascade_process", str(root)])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def eventually(condition: Callable[[], bool], seconds: float, pause: float = 0.05) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(pause)
    return condition()


@pytest.fixture
def here(root: Path) -> TenantLibrary:
    tenant = Library(Settings(root=root), embedder=WordEmbedder()).tenant()
    for number, doc_id in enumerate(IDS):
        bodies = {f"{n}_Part.md": f"Document {number} part {n}.\n" for n in range(1, 11)}
        write_document(tenant.layout, f"Technology/Doc_{doc_id}", doc_id, bodies)
    return tenant


def indexed(here: TenantLibrary, marker: str) -> set[str]:
    return {hit.record_id for hit in here.index.store().keyword(marker, 500)}


def test_a_burst_of_edits_survives_kills(here: TenantLibrary, root: Path) -> None:
    rng = random.Random(7)
    with cascade(root):
        assert eventually(lambda: here.published() and here.status().topics == 100, 30)
    paths = sorted(here.layout.knowledge.glob("*/*/[0-9]*.md"))
    for burst in range(3):
        with cascade(root) as process:
            for path in paths:
                write_topic(path, path.parent.name.removeprefix("Doc_"), f"marker{burst} in {path.parent.name}.\n")
            time.sleep(rng.uniform(0.2, 1.5))
            process.send_signal(signal.SIGKILL)
    with cascade(root):
        assert eventually(lambda: len(indexed(here, "marker2")) == 100, 60)
    assert here.verify().differences == ()


def test_deletes_and_moves_survive_kills(here: TenantLibrary, root: Path) -> None:
    rng = random.Random(3)
    for round_number in range(4):
        with cascade(root) as process:
            folders = sorted(p for p in here.layout.knowledge.glob("*/*") if p.is_dir())
            shutil.rmtree(folders[0])
            target = here.layout.knowledge / f"Science{round_number}" / folders[1].name
            target.parent.mkdir(exist_ok=True)
            folders[1].rename(target)
            time.sleep(rng.uniform(0.3, 1.2))
            process.kill()
    assert here.verify().differences == ()
    assert here.status().documents == 6


def test_decisions_survive_kills(here: TenantLibrary, root: Path) -> None:
    rng = random.Random(5)
    noted = 0
    for _ in range(3):
        with cascade(root) as process:
            until = time.monotonic() + rng.uniform(0.8, 1.6)
            while time.monotonic() < until:
                noted += 1
                row = Decision("2026-12-01T10:00:00Z", "agent", "write", "refused", "path", reason=f"number {noted}")
                note_decision(here.layout, row)
            process.kill()
    assert here.verify().differences == ()
    cursor = here.index.snapshots.cursor()
    assert cursor is not None
    reasons = cursor.execute("SELECT reason FROM decisions ORDER BY file, line").fetchall()
    assert [reason for (reason,) in reasons] == [f"number {number}" for number in range(1, noted + 1)]
    told = sum(report.decisions.count for _, report in here.index.outbox.waiting() if report.decisions)
    assert told >= noted
