"""What readers of published catalogs see, and what they hold on to."""

import gc
import os
from pathlib import Path

import pytest

from wiki.index.catalog import Catalog
from wiki.index.snapshots import SnapshotReader, publish


def _publish(folder: Path, value: str) -> None:
    with Catalog(folder) as catalog:
        catalog.set_meta({"value": value})
        publish(catalog)


def _read(cursor: object) -> str:
    row = cursor.execute("SELECT value FROM meta WHERE key = 'value'").fetchone()  # type: ignore[attr-defined]
    return str(row[0])


def test_nothing_published_is_no_cursor(tmp_path: Path) -> None:
    assert SnapshotReader(tmp_path).cursor() is None


def test_a_cursor_keeps_its_snapshot_and_the_next_reads_the_newest(tmp_path: Path) -> None:
    folder = tmp_path / "it's a catalog"
    reader = SnapshotReader(folder)
    held = []
    for number in range(6):
        _publish(folder, f"value {number}")
        cursor = reader.cursor()
        held.append(cursor)
        assert _read(cursor) == f"value {number}"
    assert [_read(cursor) for cursor in held] == [f"value {number}" for number in range(6)]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files by /proc")
def test_old_snapshots_are_let_go_with_their_last_cursor(tmp_path: Path) -> None:
    def held() -> list[str]:
        links = (os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink())
        return [link for link in links if str(tmp_path) in link]

    reader = SnapshotReader(tmp_path)
    for number in range(8):
        _publish(tmp_path, f"value {number}")
        assert _read(reader.cursor()) == f"value {number}"
    gc.collect()
    assert len(held()) <= 2
    reader.close()
    gc.collect()
    assert held() == []


def test_after_close_cursors_that_live_go_on_and_new_ones_open(tmp_path: Path) -> None:
    reader = SnapshotReader(tmp_path)
    _publish(tmp_path, "old")
    old = reader.cursor()
    reader.close()
    _publish(tmp_path, "new")
    assert (_read(old), _read(reader.cursor())) == ("old", "new")


def test_two_readers_in_one_process_read_the_same_snapshot(tmp_path: Path) -> None:
    _publish(tmp_path, "shared")
    first, second = SnapshotReader(tmp_path), SnapshotReader(tmp_path)
    assert _read(first.cursor()) == _read(second.cursor()) == "shared"
