"""A crash after LanceDB was written and before the catalog was: the worst moment, whatever the person does next."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.index.conftest import open_index
from tests.index.library_on_disk import write_document, write_topic
from tests.standins import WordEmbedder
from wiki.documents.taxonomy import TaxonomyFile
from wiki.index import sync as sync_module
from wiki.index.sync import TenantIndex
from wiki.index.verify import verify
from wiki.tenants import Layout, Tenant

A = "d_aaaaaaaaaaaa"
Act = Callable[[Path], object]


class Crash(BaseException):
    """The process is gone."""


def edit(folder: Path) -> None:
    write_topic(folder / "1_Seals.md", A, "Edited before the crash.\n")


def add(folder: Path) -> None:
    write_topic(folder / "3_New.md", A, "Added before the crash.\n")


def delete(folder: Path) -> None:
    (folder / "2_Motors.md").unlink()


def revert(folder: Path) -> None:
    write_topic(folder / "1_Seals.md", A, "Seals leak.\n")
    write_topic(folder / "2_Motors.md", A, "Motors hum.\n")
    (folder / "3_New.md").unlink(missing_ok=True)


def remove(folder: Path) -> None:
    shutil.rmtree(folder)


def leave(_: Path) -> None:
    """Nothing more happens to the files."""


@pytest.mark.parametrize("after", [revert, remove, leave])
@pytest.mark.parametrize("before", [edit, add, delete])
def test_the_batch_is_redone(root: Path, monkeypatch: pytest.MonkeyPatch, before: Act, after: Act) -> None:
    layout, embedder = Layout(root, Tenant()), WordEmbedder()
    folder = write_document(
        layout, f"Technology/P_{A}", A, {"1_Seals.md": "Seals leak.\n", "2_Motors.md": "Motors hum.\n"}
    )
    index = open_index(layout, lambda: embedder)
    list(index.sync())
    before(folder)

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(TenantIndex, "_commit", crash)
        with pytest.raises(Crash):
            list(index.sync())
    after(folder)
    again = open_index(layout, lambda: embedder)
    list(again.sync())
    taxonomy = TaxonomyFile(layout.taxonomy, layout.index / "taxonomy.json")
    assert verify(again, taxonomy, lambda: embedder).differences == ()


def test_a_crash_before_publication_is_redone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout, embedder = Layout(root, Tenant()), WordEmbedder()
    folder = write_document(layout, f"Technology/P_{A}", A, {"1_Seals.md": "Seals leak.\n"})
    index = open_index(layout, lambda: embedder)
    list(index.sync())
    edit(folder)

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(sync_module, "publish", crash)
        with pytest.raises(Crash):
            list(index.sync())
    again = open_index(layout, lambda: embedder)
    list(again.sync())
    taxonomy = TaxonomyFile(layout.taxonomy, layout.index / "taxonomy.json")
    assert verify(again, taxonomy, lambda: embedder).differences == ()
