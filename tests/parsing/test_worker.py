import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from wiki.errors import ExtractionEmpty, InvalidInput, UnsupportedFormat, WikiError
from wiki.parsing.source import Step
from wiki.parsing.worker import ParserPool
from wiki.settings import ParsingSettings


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Iterator[ParserPool]:
    monkeypatch.setattr("wiki.parsing.worker._QUICK_BYTES", 0)
    pool = ParserPool(ParsingSettings(timeout_seconds=3, memory_mb=256, workers=2), child="tests.parsing.faulty_child")
    yield pool
    pool.close()


def text_file(folder: Path, text: str = "Some words.\n") -> Path:
    path = folder / "file"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("hang.txt", r"hang\.txt took longer than 3 s .* parsing\.timeout_seconds"),
        ("stalls.txt", r"stalls\.txt took longer than 3 s .* after page 7 of 12"),
        ("die.txt", r"die\.txt cannot be read: the parser died on it"),
        ("crash.txt", r"crash\.txt .* died on it \(SIGABRT\)"),
        ("hungry.txt", r"hungry\.txt needs more than 256 MB .* parsing\.memory_mb"),
    ],
)
def test_parser_that_misbehaves_is_a_clean_error_and_the_next_call_works(
    faulty: ParserPool, tmp_path: Path, name: str, says: str
) -> None:
    path = text_file(tmp_path)
    with pytest.raises(UnsupportedFormat, match=says):
        faulty.parse(path, name)
    assert faulty.parse(path, "good.txt").markdown == "Some words.\n"


def test_a_long_file_that_makes_steps_may_take_longer_than_the_limit(faulty: ParserPool, tmp_path: Path) -> None:
    steps: list[Step] = []
    assert faulty.parse(text_file(tmp_path), "steady.txt", progress=steps.append).markdown == "Some words.\n"
    assert [str(step) for step in steps] == [f"page {page} of 12" for page in range(1, 13)]


def test_errors_arrive_from_the_child_as_the_same_class(faulty: ParserPool, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"blank\.txt is empty"):
        faulty.parse(text_file(tmp_path, "  \n"), "blank.txt")
    with pytest.raises(ExtractionEmpty, match=r"only\.md"):
        faulty.parse(text_file(tmp_path, "---\ntitle: Nothing else\n---\n"), "only.md")


def test_a_process_killed_between_two_calls_is_replaced(faulty: ParserPool, tmp_path: Path) -> None:
    path = text_file(tmp_path)
    faulty.parse(path, "one.txt")
    for child in psutil.Process().children(recursive=True):
        if "tests.parsing.faulty_child" in child.cmdline():
            child.kill()
            child.wait(5)
    assert faulty.parse(path, "two.txt").markdown == "Some words.\n"


def test_more_callers_than_workers_queue(faulty: ParserPool, tmp_path: Path) -> None:
    path = text_file(tmp_path)
    got: list[str] = []
    threads = [threading.Thread(target=lambda: got.append(faulty.parse(path, "a.txt").markdown)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert got == ["Some words.\n"] * 8


def test_children_end_with_close(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("wiki.parsing.worker._QUICK_BYTES", 0)
    before = set(psutil.Process().children(recursive=True))
    pool = ParserPool(ParsingSettings())
    pool.parse(text_file(tmp_path), "a.txt")
    children = set(psutil.Process().children(recursive=True)) - before
    assert children
    pool.close()
    assert not psutil.wait_procs(children, timeout=5)[1]
    with pytest.raises(WikiError, match="closed"):
        pool.parse(text_file(tmp_path), "a.txt")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent is gone")
def test_a_busy_child_dies_with_its_parent(tmp_path: Path) -> None:
    path = text_file(tmp_path)
    program = (
        "import sys, threading, time\n"
        "import wiki.parsing.worker as worker\n"
        "from pathlib import Path\n"
        "from wiki.settings import ParsingSettings\n"
        "worker._QUICK_BYTES = 0\n"
        "pool = worker.ParserPool(ParsingSettings(workers=1), child='tests.parsing.faulty_child')\n"
        f"path = Path({str(path)!r})\n"
        "pool.parse(path, 'a.txt')\n"
        "print(pool._all[0]._process._popen.pid, flush=True)\n"
        "pool.parse(path, 'hang.txt')\n"
    )
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    assert not psutil.wait_procs([child], timeout=5)[1]


def test_a_process_that_earlier_files_filled_gives_way_to_a_fresh_one(
    faulty: ParserPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = text_file(tmp_path)
    faulty.parse(path, "one.txt")
    before = {worker._process._popen.pid for worker in faulty._all if worker._process}
    faulty.parse(path, "two.txt")
    assert {worker._process._popen.pid for worker in faulty._all if worker._process} == before
    monkeypatch.setattr("wiki.parsing.worker._FULL", 0.0)
    faulty.parse(path, "three.txt")
    assert not before & {worker._process._popen.pid for worker in faulty._all if worker._process}
