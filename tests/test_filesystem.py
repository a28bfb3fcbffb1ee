"""Locks hold between threads and processes; writes and exchanges are whole or not at all."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from wiki import filesystem
from wiki.filesystem import FileLock

REPOSITORY = Path(__file__).resolve().parent.parent

HOLDER = """
import sys
from pathlib import Path
from wiki.filesystem import FileLock
lock = FileLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_has_one_holder_among_threads(tmp_path: Path) -> None:
    path = tmp_path / "a" / "write.lock"
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(10):
            with FileLock(path, remove=True):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 60
    assert max(most) == 1
    assert not path.exists()


def test_a_held_lock_is_refused_and_waiting_ends_at_the_timeout(tmp_path: Path) -> None:
    lock, other = FileLock(tmp_path / "x.lock"), FileLock(tmp_path / "x.lock")
    assert lock.try_acquire()
    assert lock.held
    assert not other.try_acquire()
    assert not other.acquire(timeout=0.05)
    lock.release()
    lock.release()
    assert other.acquire(timeout=0)
    other.release()


def test_one_lock_object_cannot_be_taken_twice(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "x.lock")
    with lock, pytest.raises(RuntimeError, match="already held"):
        lock.try_acquire()


def test_a_lock_is_free_when_its_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=REPOSITORY,
        text=True,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        lock = FileLock(path)
        assert not lock.try_acquire()
        holder.kill()
        holder.wait()
        assert lock.acquire(timeout=5)
        lock.release()
    finally:
        holder.kill()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()


def test_deleting_the_lock_file_tells_its_holder_and_blocks_nobody(tmp_path: Path) -> None:
    path = tmp_path / "index" / "watch.lock"
    lock = FileLock(path)
    lock.acquire()
    path.unlink()
    path.parent.rmdir()
    assert not lock.held
    with FileLock(path) as other:
        assert other.held
    lock.release()


def test_an_atomic_write_keeps_the_mode_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"old")
    path.chmod(0o640)
    filesystem.write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [child.name for child in tmp_path.iterdir()] == ["note.md"]


def test_a_failing_atomic_write_leaves_the_old_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        filesystem.write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert [child.name for child in tmp_path.iterdir()] == ["note.md"]


def _pair(tmp_path: Path) -> tuple[Path, Path]:
    public, staged = tmp_path / "public", tmp_path / "staging" / "staged"
    for folder, text in ((public, "old"), (staged, "new")):
        folder.mkdir(parents=True)
        (folder / "file").write_text(text)
    return public, staged


@pytest.mark.parametrize("swap", [filesystem.exchange, filesystem.exchange_by_renames])
def test_an_exchange_swaps_two_folders(tmp_path: Path, swap: object) -> None:
    public, staged = _pair(tmp_path)
    assert callable(swap)
    swap(public, staged)
    assert (public / "file").read_text() == "new"
    assert (staged / "file").read_text() == "old"
    assert sorted(path.name for path in (tmp_path / "staging").iterdir()) == ["staged"]


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_an_exchange_by_renames_is_mended_after_a_crash_at_any_step(tmp_path: Path, steps: int) -> None:
    public, staged = _pair(tmp_path)
    aside = staged.with_name("staged.exchanging")
    for source, target in [(public, aside), (staged, public), (aside, staged)][:steps]:
        os.rename(source, target)
    filesystem.recover_exchange(public, staged)
    filesystem.recover_exchange(public, staged)
    expected = ("new", "old") if steps >= 2 else ("old", "new")
    assert ((public / "file").read_text(), (staged / "file").read_text()) == expected
    assert not aside.exists()


def test_systems_without_native_exchange_fall_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "_LIBRARY", [None])
    public, staged = _pair(tmp_path)
    filesystem.exchange(public, staged)
    assert (public / "file").read_text() == "new"
    with pytest.raises(FileExistsError):
        filesystem.rename_noreplace(public, staged)


def test_rename_refuses_an_existing_empty_folder(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.mkdir()
    target.mkdir()
    with pytest.raises(FileExistsError):
        filesystem.rename_noreplace(source, target)
    target.rmdir()
    filesystem.rename_noreplace(source, target)
    assert target.is_dir()


def test_a_missing_side_of_an_exchange_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        filesystem.exchange(tmp_path / "absent", tmp_path / "other")


def test_a_tree_with_links_and_read_only_files_can_be_synced_and_removed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "deep").mkdir(parents=True)
    (tree / "deep" / "file").write_text("x")
    (tree / "deep" / "file").chmod(0o444)
    (tree / "link").symlink_to(tmp_path / "nowhere")
    filesystem.fsync_tree(tree)
    filesystem.remove_tree(tree)
    filesystem.remove_tree(tree)
    assert not tree.exists()
