"""``wiki up --lite``: the same files, one process."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.standins import WordEmbedder
from tests.supervisor.test_stack import is_ready
from tests.supervisor.test_supervisor import REPOSITORY, family, until
from wiki.library import Library
from wiki.presence import is_alive
from wiki.settings import CascadeSettings, Settings
from wiki.supervisor.lite import ingest_once
from wiki.supervisor.record import read_record

TEXT = "# Harbour crane\n\nThe crane lifts forty tonnes and is checked every spring.\n"


@pytest.fixture
def library(root: Path, word_embedder: WordEmbedder) -> Iterator[Library]:
    made = Library(Settings(root=root, cascade=CascadeSettings(settle_seconds=0)), embedder=word_embedder)
    yield made
    made.close()


def test_dropped_files_become_documents_once_and_bad_ones_get_a_reason(library: Library) -> None:
    folder = library.root / "default/default/incoming"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text(TEXT)
    (folder / "sub/b.md").write_text(TEXT)
    (folder / "empty.txt").touch()
    made: dict[str, str] = {}
    outcomes = {outcome.name: outcome.status for outcome in ingest_once(library, made)}
    assert outcomes == {"a.md": "added", "empty.txt": "failed", "b.md": "duplicate"}
    assert sorted(path.name for path in folder.rglob("*")) == ["_failed", "empty.txt", "empty.txt.reason.txt"]
    assert ingest_once(library, made) == []


@pytest.mark.stack
@pytest.mark.timeout(180)
def test_one_process_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "wiki.cli", "up", "--lite", "--root", str(root), "--port", "0"],
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        assert until(lambda: is_ready(root), 120), (tmp_path / "log").read_text()[-3000:]
        record = read_record(root)
        assert record is not None and record.lite and record.dagster_url is None and record.pid == process.pid
        assert until(lambda: "ready after" in (tmp_path / "log").read_text(), 30)
        (root / "default/default/incoming/a.md").write_text(TEXT)
        assert until(lambda: list((root / "default/default/knowledge").rglob("_original/a.md")), 60)
        children = family(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(40) == 0
        assert until(lambda: not any(is_alive(pid) for pid in children), 10)
        assert read_record(root) is None
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
