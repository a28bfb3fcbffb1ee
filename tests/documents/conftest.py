"""A store on an empty root, and an upload."""

from pathlib import Path

import pytest

from wiki.documents.store import DocumentStore
from wiki.tenants import Layout, Tenant


@pytest.fixture
def layout(root: Path) -> Layout:
    return Layout(root, Tenant())


@pytest.fixture
def store(layout: Layout) -> DocumentStore:
    return DocumentStore(layout, lock_seconds=0.1)


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "upload"
    path.write_bytes(b"\x00raw bytes\xff")
    return path
