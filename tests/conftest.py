"""Fixtures every test may use: the shared test material, a temporary root, the stand-in embedder."""

from pathlib import Path

import pytest

from tests.standins import WordEmbedder

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora and retrieval collections that lies beside the repository."""
    if not SHARED.is_dir():
        pytest.skip("the shared test material is not beside this checkout")
    return SHARED


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty library root."""
    path = tmp_path / "root"
    path.mkdir()
    return path


@pytest.fixture(scope="session")
def word_embedder() -> WordEmbedder:
    return WordEmbedder()
