"""A crash between the two stores: the batch is redone, whatever happens to the note next, also when it hid it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.index.notes.conftest import Shelves
from wiki.index import sync as sync_module

Act = Callable[[Path], object]
HIDDEN = "---\nstatus: template\n---\n"


class Crash(BaseException):
    """The process is gone."""


def edit(vault: Path) -> None:
    (vault / "A.md").write_text("Edited before the crash.\n")


def add(vault: Path) -> None:
    (vault / "C.md").write_text("Added before the crash.\n")


def delete(vault: Path) -> None:
    (vault / "B.md").unlink()


def hide(vault: Path) -> None:
    (vault / "A.md").write_text(f"{HIDDEN}Seals leak.\n")


def revert(vault: Path) -> None:
    (vault / "A.md").write_text("Seals leak. [[B]]\n")
    (vault / "B.md").write_text("Motors hum.\n")
    (vault / "C.md").unlink(missing_ok=True)


def hide_everything(vault: Path) -> None:
    for path in vault.glob("*.md"):
        path.write_text(HIDDEN + path.read_text())


def leave(_: Path) -> None:
    """Nothing more happens to the files."""


@pytest.mark.parametrize("after", [revert, hide_everything, leave])
@pytest.mark.parametrize("before", [edit, add, delete, hide])
def test_the_batch_is_redone(shelves: Shelves, monkeypatch: pytest.MonkeyPatch, before: Act, after: Act) -> None:
    shelves.write("work/A.md", "Seals leak. [[B]]\n")
    shelves.write("work/B.md", "Motors hum.\n")
    shelves.sync()
    vault = shelves.home / "work"
    before(vault)

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(sync_module.TenantIndex, "_commit", crash)
        with pytest.raises(Crash):
            shelves.sync()
    after(vault)
    shelves.index = shelves.open()
    shelves.sync()
    shelves.check()
    if after is hide_everything:
        assert shelves.index.store().count() == 0
