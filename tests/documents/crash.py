"""Run as a program: kills itself at every step of a write, recovers, and says what lies on disk then.

``python -m tests.documents.crash steps ROOT CHANGE`` kills a child before each change of the disk in turn.
``python -m tests.documents.crash loop ROOT SEED`` writes for ever, for somebody else to kill.
"""

import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.documents.builders import new_document, new_topic, tree, unfinished
from tests.documents.steps import CHANGES, Steps
from wiki.documents.model import NewDocument
from wiki.documents.store import DocumentStore
from wiki.tenants import Layout, Tenant

DOC_IDS = [f"d_{digit * 12}" for digit in "abc"]
CATEGORIES = ("Technology", "Science")


def versioned(doc_id: str, version: int, category: str) -> NewDocument:
    """A document every part of which says its version."""
    topics = tuple(new_topic(n, f"version {version}\n", name=f"Part {version}") for n in range(1, 4))
    said = f"Version {version}"
    new = new_document(doc_id=doc_id, title=said, category_id=category, summary=f"version {version}")
    return replace(new, topics=topics)


def loop(root: Path, seed: int) -> None:
    os.fsync = lambda _: None  # kill -9 loses nothing the system was given, and the test is to be quick
    chance = random.Random(seed)
    store = DocumentStore(Layout(root, Tenant()))
    version = 0
    while True:
        version += 1
        doc_id, category = chance.choice(DOC_IDS), chance.choice(CATEGORIES)
        upload = root / f"upload-{seed}"
        upload.write_text(f"version {version}")
        folder = store.find(doc_id)
        if folder is None:
            store.create(versioned(doc_id, version, category), upload)
        elif (choice := chance.random()) < 0.5:
            store.replace(folder, versioned(doc_id, version, category), upload)
        elif choice < 0.9:
            store.patch_index(folder, {"category_id": category, "labels": [str(version)]})
        else:
            store.delete(folder)
        print(version, flush=True)  # noqa: T201


def steps(root: Path, name: str) -> None:
    layout = Layout(root, Tenant())
    original = root / "upload"
    original.write_bytes(b"raw")
    store = DocumentStore(layout)
    watch = Steps(lambda: os.kill(os.getpid(), signal.SIGKILL))
    with watch.watching():
        folder = store.create(new_document(), original)
        before = tree(layout.home)
        pristine = root / "pristine"
        shutil.copytree(layout.home, pristine)
        CHANGES[name](store, folder, original)
        allowed = [before, tree(layout.home)]
        if name == "patch topic":
            allowed.append(renamed_back(allowed[1]))
        for at in range(1, 400):
            shutil.rmtree(layout.home)
            shutil.copytree(pristine, layout.home)
            if not _killed(watch, at, lambda: CHANGES[name](store, folder, original)):
                print(f"ok {at}", flush=True)  # noqa: T201
                return
            _check_whole(layout, allowed, at)
            if at % 2:
                _killed(watch, 1 + at * 7 % 13, store.recover)
            store.recover()
            if tree(layout.home) not in allowed or unfinished(layout):
                raise SystemExit(f"after a crash at step {at} of {name}: {sorted(tree(layout.home))}")


def _killed(watch: Steps, at: int, work: Callable[[], object]) -> bool:
    child = os.fork()
    if child == 0:
        watch.start(at)
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise SystemExit(f"the write itself failed at step {at}")
    return os.WIFSIGNALED(status)


def _check_whole(layout: Layout, allowed: list[dict[str, bytes | None]], at: int) -> None:
    """Before recovery already, every document a reader sees is the old or the new one."""
    known: list[dict[str, bytes | None]] = []
    for state in allowed:
        for path in (path for path in state if path.endswith("/index.md")):
            parent = path[: -len("index.md")]
            known.append({key[len(parent) :]: data for key, data in state.items() if key.startswith(parent)})
    for folder in DocumentStore(layout).documents():
        if tree(folder) not in known:
            raise SystemExit(f"torn at step {at}: {sorted(tree(folder))}")


def renamed_back(state: dict[str, bytes | None]) -> dict[str, bytes | None]:
    """The one state between old and new: a topic with its new text under its old file name."""
    return {path.replace("1_Other.md", "1_Topic_1.md"): data for path, data in state.items()}


if __name__ == "__main__":
    mode, where, what = sys.argv[1:]
    if mode == "steps":
        steps(Path(where), what)
    else:
        loop(Path(where), int(what))
