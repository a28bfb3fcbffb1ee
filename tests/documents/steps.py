"""Every change of the disk as a countable step, at which a test may strike."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.documents.builders import new_document
from wiki import filesystem
from wiki.documents import timestamps
from wiki.documents.store import DocumentStore, markdown_hashes

CALLS = ("rename", "replace", "mkdir", "fsync", "unlink", "rmdir", "open", "chmod")

Change = Callable[[DocumentStore, Path, Path], object]


def _create(store: DocumentStore, _: Path, original: Path) -> None:
    store.create(new_document(doc_id="d_ffffffffffff", category_id="New"), original)


def _replace(store: DocumentStore, folder: Path, original: Path) -> None:
    store.replace(folder, new_document(topics=1, summary="Second."), original)


def _replace_and_move(store: DocumentStore, folder: Path, original: Path) -> None:
    store.replace(folder, new_document(topics=1, title="Other", category_id="New"), original)


def _topics_anew(store: DocumentStore, folder: Path, _: Path) -> None:
    over = (folder / "1_Topic_1.md").read_bytes()
    new = new_document(category_id="New")
    new = replace(new, topics=(replace(new.topics[0], name="Other", over=over),), kept_keys=frozenset({"title"}))
    store.replace(folder, new, None, keep={"2_Topic_2.md"}, expected=markdown_hashes(folder))


def _patch(store: DocumentStore, folder: Path, _: Path) -> None:
    store.patch_index(folder, {"labels": ["q"]})


def _patch_and_move(store: DocumentStore, folder: Path, _: Path) -> None:
    store.patch_index(folder, {"title": "Other", "category_id": "New"})


def _patch_topic(store: DocumentStore, folder: Path, _: Path) -> None:
    store.patch_topic(folder / "1_Topic_1.md", content="new", name="Other")


def _delete(store: DocumentStore, folder: Path, _: Path) -> None:
    store.delete(folder)


CHANGES: dict[str, Change] = {
    "create": _create,
    "replace": _replace,
    "replace and move": _replace_and_move,
    "topics anew": _topics_anew,
    "patch": _patch,
    "patch and move": _patch_and_move,
    "patch topic": _patch_topic,
    "delete": _delete,
}


class Steps:
    """Calls ``strike`` before the n-th change of the disk. Forcing bytes to disk is a step that takes no time."""

    def __init__(self, strike: Callable[[], None], *, lasting: bool = False) -> None:
        """``lasting``: strike before every later change, too."""
        self._strike = strike
        self._lasting = lasting
        self._count = self._at = 0
        self.struck = False
        self.last = ""

    def start(self, at: int) -> None:
        self._count, self._at, self.struck = 0, at, False

    def stop(self) -> None:
        self._at = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        real = {name: getattr(os, name) for name in CALLS}
        native = filesystem._native_rename  # pyright: ignore[reportPrivateUsage]
        now = timestamps.now
        for name, call in real.items():
            setattr(os, name, self._before(name, call))
        filesystem._native_rename = self._before_native(native)  # pyright: ignore[reportPrivateUsage]
        timestamps.now = lambda: "2026-12-24T00:00:00Z"
        try:
            yield
        finally:
            for name, call in real.items():
                setattr(os, name, call)
            filesystem._native_rename = native  # pyright: ignore[reportPrivateUsage]
            timestamps.now = now

    def _step(self, name: str) -> None:
        self._count += 1
        if self._count == self._at or (self._lasting and 0 < self._at < self._count):
            self.struck, self.last = True, name
            self._strike()

    def _before(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self._step(name)
            return None if name == "fsync" else real(*arguments, **options)

        return call

    def _before_native(self, real: Callable[..., int | None]) -> Callable[..., int | None]:
        def call(*arguments: Any, **options: Any) -> int | None:
            try:
                self._step("native rename")
            except OSError as error:
                return error.errno
            return real(*arguments, **options)

        return call
