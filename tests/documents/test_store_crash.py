"""After ``kill -9`` at any point every document is whole: the old one or the new one."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.documents.builders import unfinished
from tests.documents.crash import CATEGORIES, DOC_IDS
from tests.documents.steps import CHANGES
from wiki.documents.model import INDEX_FILE
from wiki.documents.reader import read_index, read_topic
from wiki.documents.store import DocumentStore
from wiki.tenants import Layout, Tenant

REPOSITORY = Path(__file__).resolve().parent.parent.parent

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


@pytest.mark.parametrize("name", list(CHANGES))
def test_a_process_killed_at_any_step_of_a_write_leaves_the_old_or_the_new_document(root: Path, name: str) -> None:
    command = [sys.executable, "-m", "tests.documents.crash", "steps", str(root), name]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) > 8


def test_processes_killed_at_random_moments_leave_every_document_whole(root: Path) -> None:
    layout = Layout(root, Tenant())
    store = DocumentStore(layout)
    chance = random.Random(7)
    for seed in range(6):
        command = [sys.executable, "-m", "tests.documents.crash", "loop", str(root), str(seed)]
        writer = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        assert writer.stderr is not None
        try:
            for _ in range(chance.randrange(1, 12)):
                assert writer.stdout.readline().strip().isdecimal(), writer.stderr.read()
            time.sleep(chance.random() * 0.01)
        finally:
            writer.kill()
            writer.wait()
            writer.stdout.close()
            writer.stderr.close()
        _check_whole(store)
        store.recover()
        assert unfinished(layout) == []
        _check_whole(store)


def _check_whole(store: DocumentStore) -> None:
    seen: list[str | None] = []
    for folder in store.documents():
        index = read_index(folder / INDEX_FILE, (folder / INDEX_FILE).read_bytes())
        assert index.problems == ()
        topics = [read_topic(path, path.read_bytes()) for path in store.topic_paths(folder)]
        original = store.original(folder)
        assert original is not None
        said = {index.summary, *(topic.body.strip() for topic in topics), original.read_text()}
        assert len(said) == 1, folder
        assert len(topics) == 3
        assert folder.parent.name in CATEGORIES
        seen.append(index.claim)
    assert len(seen) == len(set(seen))
    assert set(seen) <= set(DOC_IDS)
