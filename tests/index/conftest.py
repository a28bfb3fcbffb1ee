"""A tenant's index on real stores, with the stand-in embedder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.standins import WordEmbedder
from wiki.documents.taxonomy import TaxonomyFile
from wiki.index.sync import TenantIndex
from wiki.tenants import Layout, Tenant


@pytest.fixture
def layout(root: Path) -> Layout:
    return Layout(root, Tenant())


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def index(layout: Layout, embedder: WordEmbedder) -> TenantIndex:
    return open_index(layout, lambda: embedder)


def open_index(layout: Layout, embedder: Callable[[], WordEmbedder]) -> TenantIndex:
    return TenantIndex(layout, embedder, TaxonomyFile(layout.taxonomy, layout.index / "taxonomy.json"))
