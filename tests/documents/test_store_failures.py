"""A write that fails, at whatever step, leaves everything as it was."""

import shutil
from pathlib import Path

import pytest

from tests.documents.builders import new_document, tree, unfinished
from tests.documents.crash import renamed_back
from tests.documents.steps import CHANGES, Steps
from wiki import filesystem
from wiki.documents.store import DocumentStore
from wiki.errors import InternalError
from wiki.tenants import Layout, Tenant


def _full() -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("native", [True, False], ids=["native", "portable"])
@pytest.mark.parametrize("name", list(CHANGES))
def test_a_write_that_fails_at_any_step_leaves_everything_as_it_was(
    root: Path, tmp_path: Path, name: str, native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not native:
        monkeypatch.setattr(filesystem, "_LIBRARY", [None])
    layout = Layout(root, Tenant())
    original = tmp_path / "upload"
    original.write_bytes(b"raw")
    store = DocumentStore(layout)
    folder = store.create(new_document(created_at="2026-01-01T00:00:00Z"), original)
    before = tree(layout.home)
    pristine = tmp_path / "pristine"
    shutil.copytree(layout.home, pristine)
    steps = Steps(_full)
    refused = 0
    with steps.watching():
        for failing in range(1, 300):
            steps.start(failing)
            try:
                CHANGES[name](store, folder, original)
            except InternalError as error:
                steps.stop()
                refused += 1
                assert "No space left" in error.message
                assert str(root) not in error.message
                assert tree(layout.home) == before, f"step {failing}: {steps.last}"
                assert unfinished(layout) == [], f"step {failing}: {steps.last}"
                continue
            steps.stop()
            assert tree(layout.home) != before
            if not steps.struck:
                assert refused > 4
                return
            store.recover()
            assert unfinished(layout) == []
            shutil.rmtree(layout.home)
            shutil.copytree(pristine, layout.home)
    raise AssertionError("the write never got through")


@pytest.mark.parametrize("name", list(CHANGES))
def test_a_disk_that_fails_for_good_in_a_write_is_recovered_when_it_is_back(
    root: Path, tmp_path: Path, name: str
) -> None:
    layout = Layout(root, Tenant())
    original = tmp_path / "upload"
    original.write_bytes(b"raw")
    store = DocumentStore(layout)
    pristine = tmp_path / "pristine"
    steps = Steps(_full, lasting=True)
    with steps.watching():
        folder = store.create(new_document(), original)
        before = tree(layout.home)
        shutil.copytree(layout.home, pristine)
        CHANGES[name](store, folder, original)
        allowed = [before, tree(layout.home)]
        allowed += [renamed_back(allowed[1])] if name == "patch topic" else []
        for failing in range(1, 300):
            shutil.rmtree(layout.home)
            shutil.copytree(pristine, layout.home)
            steps.start(failing)
            try:
                CHANGES[name](store, folder, original)
            except InternalError:
                steps.stop()
                store.recover()
                assert tree(layout.home) in allowed, f"step {failing}: {steps.last}"
                assert unfinished(layout) == []
            steps.stop()
            if not steps.struck:
                return
    raise AssertionError("the write never got through")
