"""``wiki add`` of a large file: safe in the library before it is read, finished by whoever comes next."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Wiki
from tests.crash.test_cascade_killed import eventually
from wiki.cli import add
from wiki.library import TenantLibrary

STOPPED_IN_THE_MIDDLE = """
import sys, time
from tests.standins import WordEmbedder
from wiki.cli import add, scope
from wiki.cli.main import app
from wiki.library import Library, TenantLibrary
scope.make_library = lambda settings: Library(settings, embedder=WordEmbedder())
add.LARGE_BYTES = 10
TenantLibrary.upload = lambda *_, **__: time.sleep(60)
app(["add", sys.argv[1]])
"""


@pytest.fixture
def large(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that counts as large."""
    monkeypatch.setattr(add, "LARGE_BYTES", 10)
    return files / "backups.md"


def is_running(job: Path) -> bool:
    try:
        return json.loads((job / "job.json").read_bytes())["status"] == "running"
    except FileNotFoundError:
        return False


def jobs(root: Path) -> list[Path]:
    return sorted((root / "default/default/.jobs").glob("j_*"))


def test_a_large_file_becomes_a_document_and_leaves_no_job(wiki: Wiki, root: Path, large: Path) -> None:
    (line,) = wiki("add", large, "--label", "ops", "--json").lines
    assert line["status"] == "added"
    assert wiki("show", line["doc_id"], "--json").json["labels"] == ["ops"]
    assert jobs(root) == [] and large.exists()
    assert wiki("status", "--json").json["jobs"] == {"queued": 0, "running": 0, "failed": 0}


def test_a_large_file_that_cannot_be_read_is_told_and_leaves_no_job(wiki: Wiki, root: Path, large: Path) -> None:
    broken = large.with_name("broken.pdf")
    broken.write_bytes(b"%PDF-1.4 this is no PDF")
    outcome = wiki("add", broken, "--json")
    assert (outcome.code, outcome.lines[0]["error"]["code"]) == (1, "UNSUPPORTED_FORMAT")
    assert jobs(root) == []


def test_stopped_by_a_person_it_is_finished_by_the_next_add(
    wiki: Wiki, root: Path, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(TenantLibrary, "upload", stop)
        assert wiki("add", large).code == 130
    assert wiki("status", "--json").json["jobs"]["queued"] == 1
    assert "1 queued, 0 running, 0 failed" in wiki("status").out
    outcome = wiki("add", large, "--json")
    assert "finishing backups.md" in outcome.err
    assert [line["status"] for line in outcome.lines] == ["skipped"]
    assert jobs(root) == [] and wiki("status", "--json").json["documents"] == 1


def test_killed_in_the_middle_it_is_finished_although_the_file_is_gone(wiki: Wiki, root: Path, large: Path) -> None:
    command = [sys.executable, "-c", STOPPED_IN_THE_MIDDLE, str(large)]
    with subprocess.Popen(command, env={**os.environ, "WIKI_ROOT": str(root)}) as process:
        try:
            assert eventually(lambda: any(is_running(path) for path in jobs(root)), 60)
        finally:
            process.send_signal(signal.SIGKILL)
    large.unlink()
    assert wiki("status", "--json").json["jobs"] == {"queued": 1, "running": 0, "failed": 0}
    assert wiki("add", large.parent / "prices.csv", "--json").lines[0]["status"] == "added"
    titles = [hit["document"]["title"] for hit in wiki("search", "backups kept", "--json").json["hits"]]
    assert titles[0] == "Backups" and jobs(root) == []
    assert wiki("verify").code == 0
