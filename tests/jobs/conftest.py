"""A library whose model can be made to wait or to fail."""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.standins import WordEmbedder
from wiki.library import Library, TenantLibrary
from wiki.models.protocols import Embedding
from wiki.settings import ApiSettings, Settings

TEXT = "# Kilns\n\nA kiln fires clay until it rings. It cools for two days before anybody opens the door.\n"


class MoodyEmbedder(WordEmbedder):
    """Raises ``error`` while there is one; waits for ``open`` before each batch."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Exception | None = None
        self.open = threading.Event()
        self.open.set()
        self.waiting = 0
        self.most_waiting = 0
        self._guard = threading.Lock()

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        with self._guard:
            self.waiting += 1
            self.most_waiting = max(self.most_waiting, self.waiting)
        self.open.wait(30)
        with self._guard:
            self.waiting -= 1
        if self.error is not None:
            raise self.error
        return super().embed(texts)


@pytest.fixture
def embedder() -> MoodyEmbedder:
    return MoodyEmbedder()


@pytest.fixture
def library(root: Path, embedder: MoodyEmbedder) -> Iterator[Library]:
    library = Library(Settings(root=root, api=ApiSettings(wait_seconds=30)), embedder=embedder)
    yield library
    library.close()


@pytest.fixture
def here(library: Library) -> TenantLibrary:
    return library.tenant()


File = Callable[..., Path]


@pytest.fixture
def file(tmp_path: Path) -> File:
    """``file(text, name)``: a file outside the library."""

    def make(text: str = TEXT, name: str = "kilns.md") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make


def accepted(here: TenantLibrary, path: Path, **options: object) -> str:
    """The id of a job that waits."""
    with here.accept(path, name=path.name, **options) as claim:  # type: ignore[arg-type]
        return claim.job.job_id
