"""A real Dagster instance and a real library with the stand-in embedder, both in a temporary folder."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from assets.versions import code_versions
from pipelines.event_sink import DagsterEvents
from pipelines.instance import initialise
from tests.standins import WordEmbedder
from wiki.library import Library
from wiki.settings import CascadeSettings, Settings


@pytest.fixture
def library(root: Path, word_embedder: WordEmbedder) -> Iterator[Library]:
    settings = Settings(root=root, cascade=CascadeSettings(settle_seconds=0, window_seconds=1))
    made = Library(settings, embedder=word_embedder)
    yield made
    made.close()


@pytest.fixture(autouse=True, scope="session")
def no_telemetry() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_DISABLE_TELEMETRY", "yes")
        yield


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Dagster home whose databases are made: making them takes seconds, copying them nothing."""
    home = tmp_path_factory.mktemp("dagster")
    with dg.DagsterInstance.local_temp(str(home)) as made:
        initialise(made)
    return home


@pytest.fixture
def instance(tmp_path: Path, empty_home: Path) -> Iterator[dg.DagsterInstance]:
    home = tmp_path / "dagster"
    shutil.copytree(empty_home, home)
    with dg.DagsterInstance.local_temp(str(home)) as made:
        yield made


@pytest.fixture
def versions(library: Library) -> dict[dg.AssetKey, str]:
    return code_versions(library.settings)


@pytest.fixture
def events(instance: dg.DagsterInstance, root: Path, versions: dict[dg.AssetKey, str]) -> Iterator[DagsterEvents]:
    sink = DagsterEvents(instance, root, versions, lineage_delay=0)
    yield sink
    sink.close()
