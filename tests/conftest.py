"""Fixtures every test may use: the shared test material, a temporary root, the stand-in embedder."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.standins import WordEmbedder

# A busy machine is no finding; in CI the same examples are tried each time, everywhere else new ones.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Names a case with made bytes by its argument: an archive holds the time it was made, which differs per worker."""
    return argname if isinstance(val, bytes) else None


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
