"""The command line in this process, on a real library with the stand-in embedder."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.standins import WordEmbedder
from wiki.cli import scope
from wiki.cli.main import app
from wiki.library import Library
from wiki.settings import Settings


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Wiki = Callable[..., Outcome]


@pytest.fixture
def wiki(root: Path, monkeypatch: pytest.MonkeyPatch, word_embedder: WordEmbedder) -> Iterator[Wiki]:
    """``wiki("search", "backups")`` on the temporary root."""
    monkeypatch.setenv("WIKI_ROOT", str(root))

    def make_library(settings: Settings) -> Library:
        return Library(settings, embedder=word_embedder)

    monkeypatch.setattr(scope, "make_library", make_library)

    def run(*arguments: object) -> Outcome:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="wiki")
        return Outcome(result.exit_code, result.stdout, result.stderr)

    yield run


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Three files of different formats, one in a folder below, and a hidden one."""
    folder = tmp_path / "files"
    (folder / "below").mkdir(parents=True)
    (folder / "backups.md").write_text(
        "# Backups\n\nBackups are kept for ninety days on two sites.\n\n"
        "## Restore\n\nA restore begins with the newest snapshot and takes about an hour.\n",
        encoding="utf-8",
    )
    (folder / "below" / "garden.txt").write_text(
        "Tomatoes want sun and even watering.\n\nBasil grows well beside them.\n", encoding="utf-8"
    )
    (folder / "prices.csv").write_text("item,price\nlamp,12\nchair,40\n", encoding="utf-8")
    (folder / ".hidden.md").write_text("# Not for anyone\n", encoding="utf-8")
    return folder
