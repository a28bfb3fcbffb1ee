"""``wiki up`` and ``wiki serve``: what they refuse, what they say, and the first steps once all is ready."""

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from serving.app import create_app
from serving.run import listen, url_of
from tests.cli.conftest import Wiki
from tests.standins import WordEmbedder
from wiki.cli.first_steps import take_first_steps
from wiki.cli.scope import Scope
from wiki.cli.stack import child_lines_only_in_trouble
from wiki.library import Library
from wiki.settings_sources import load_settings


@pytest.fixture
def url(root: Path, word_embedder: WordEmbedder) -> Iterator[str]:
    """A running service over the temporary root, with the stand-in embedder."""
    settings = load_settings(root)
    library = Library(settings, embedder=word_embedder)
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(create_app(settings, library), log_config=None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield url_of(listener)
    server.should_exit = True
    thread.join(20)
    listener.close()
    library.close()


def test_the_first_steps_put_files_in_once_and_answer(url: str, root: Path, files: Path) -> None:
    (files / "empty.md").touch()
    told: list[str] = []
    where = Scope(root, "default", "default")
    take_first_steps(url, where, [files, files / "absent.md"], "ninety days on two sites", told.append)
    statuses = [line.split()[0] for line in told[:-1]]
    assert statuses == ["added", "added", "failed", "added", "missing"]
    assert "empty.md" in told[2] and "INVALID_INPUT" in told[2]
    assert told[-1].splitlines()[1].strip().startswith("Backups")
    assert "ninety days" in told[-1]
    again: list[str] = []
    take_first_steps(url, where, [files / "backups.md"], None, again.append)
    assert [line.split()[0] for line in again] == ["skipped"]


def test_a_first_question_without_an_answer_is_told(url: str, root: Path) -> None:
    told: list[str] = []
    take_first_steps(url, Scope(root, "default", "default"), [], "anything", told.append)
    assert told == ["anything\n  nothing found yet"]


@pytest.mark.parametrize("command", ["up", "serve"])
def test_a_bind_that_other_machines_reach_is_refused(wiki: Wiki, root: Path, command: str) -> None:
    outcome = wiki(command, "--host", "0.0.0.0", "--port", "0")
    assert outcome.code == 2
    assert outcome.err.startswith("error CONFIGURATION_ERROR: api.host is '0.0.0.0'")
    assert not (root / ".index").exists()


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("ready after 4.2 s", True),
        ("api | 2026-01-01 INFO serving.access status=200", False),
        ("code-server | 2026-01-01 WARNING wiki.index: a folder can't be read", True),
    ],
)
def test_of_the_processes_lines_only_trouble_is_shown(
    line: str, shown: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    child_lines_only_in_trouble(line)
    assert (line in capsys.readouterr().out) is shown


def test_serve_answers_until_it_is_told_to_stop(root: Path) -> None:
    command = [sys.executable, "-m", "wiki.cli", "serve", "--root", str(root), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            with httpx.Client(transport=httpx.HTTPTransport(retries=8), timeout=30) as client:
                assert client.get(f"{found[0]}/health").status_code == 200
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(30)
    assert code in (0, -signal.SIGTERM)
