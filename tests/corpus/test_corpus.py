"""Every corpus file into a library: facts held, errors clean, nothing left behind by a refusal."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHARED
from tests.corpus.facts import read_manifest
from tests.corpus.outcomes import Outcome, outcome, share_held
from tests.standins import WordEmbedder
from wiki.library import Library, TenantLibrary
from wiki.settings import ParsingSettings, Settings

CORPUS = SHARED / "corpus"
MANIFEST = read_manifest(CORPUS) if CORPUS.is_dir() else []

pytestmark = pytest.mark.skipif(not MANIFEST, reason="the shared test material is not beside this checkout")


@pytest.fixture(scope="module")
def tenant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TenantLibrary]:
    root = tmp_path_factory.mktemp("root")
    library = Library(Settings(root=root, parsing=ParsingSettings(timeout_seconds=110)), embedder=WordEmbedder())
    yield library.tenant()
    library.close()


@cache
def judged(tenant: TenantLibrary, path: str) -> Outcome:
    return outcome(tenant, CORPUS, next(entry for entry in MANIFEST if entry["path"] == path))


@pytest.mark.parametrize("entry", MANIFEST, ids=lambda entry: entry["path"])
def test_every_file_is_read_or_refused_as_its_entry_allows(tenant: TenantLibrary, entry: dict[str, Any]) -> None:
    got = judged(tenant, entry["path"])
    assert got.fault is None, f"{got.code}: {got.message}"
    if got.code is not None:
        assert got.message.startswith(Path(entry["path"]).name), "a refusal names the file"


@pytest.mark.parametrize(("tier", "promised"), [(1, 0.98), (2, 0.93)])
def test_the_promised_share_of_the_facts_is_held(tenant: TenantLibrary, tier: int, promised: float) -> None:
    outcomes = [judged(tenant, entry["path"]) for entry in MANIFEST]
    held, counted = share_held(outcomes, tier)
    assert held >= promised * counted, [f"{item.path}: {miss}" for item in outcomes for miss in item.misses]
