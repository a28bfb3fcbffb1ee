"""Collections indexed in scratch stores, once a session."""

from collections.abc import Callable
from pathlib import Path

import pytest

from wiki.evaluation import Workbench, read_collection
from wiki.models.factory import make_embedder, make_reranker
from wiki.settings import EmbeddingSettings, RerankSettings, SearchSettings

OpenBench = Callable[[str], Workbench]


@pytest.fixture(scope="session")
def open_bench(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> OpenBench:
    """A collection (``name`` or ``name-language``) with the embedded default models."""
    embedder, reranker = make_embedder(EmbeddingSettings()), make_reranker(RerankSettings())
    opened: dict[str, Workbench] = {}

    def open_(name: str) -> Workbench:
        if name not in opened:
            folder, _, language = name.partition("-")
            collection = read_collection(shared / "eval" / folder)
            collection = collection.only(language) if language else collection
            scratch = tmp_path_factory.mktemp(name)
            opened[name] = Workbench(collection, scratch, embedder, reranker, SearchSettings())
        return opened[name]

    return open_
