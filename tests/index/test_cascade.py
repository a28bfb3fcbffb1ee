"""The running cascade follows what a person does, within the promised seconds."""

import shutil
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.index.library_on_disk import write_document, write_topic
from tests.standins import WordEmbedder
from wiki.index.cascade import Cascade
from wiki.index.rows import BatchReport
from wiki.library import Library, TenantLibrary
from wiki.presence import Presence
from wiki.settings import CascadeSettings, Settings

A, B = "d_aaaaaaaaaaaa", "d_bbbbbbbbbbbb"
SOON = 40.0
"""Far above the promise: these tests prove what happens, the benchmark how fast."""


class Told:
    """An event sink that keeps what it is told, and fails once."""

    def __init__(self) -> None:
        self.reports: list[BatchReport] = []
        self.failed = False

    def batch(self, report: BatchReport) -> None:
        if not self.failed:
            self.failed = True
            raise ConnectionError("not now")
        self.reports.append(report)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def here(root: Path, told: Told) -> Iterator[TenantLibrary]:
    with followed(root, told, window_seconds=2) as library:
        yield library


@contextmanager
def followed(root: Path, told: Told, window_seconds: float) -> Generator[TenantLibrary]:
    settings = Settings(root=root, cascade=CascadeSettings(window_seconds=window_seconds))
    library = Library(settings, embedder=WordEmbedder())
    cascade, stop = Cascade(library, told), threading.Event()
    thread = threading.Thread(target=cascade.run, args=(stop,), daemon=True)
    thread.start()
    yield library.tenant()
    stop.set()
    thread.join(20)
    cascade.close()
    library.close()


def soon(condition: Callable[[], object]) -> bool:
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def found(here: TenantLibrary, word: str) -> list[str]:
    return sorted(hit.record_id for hit in here.index.store().keyword(word, 200))


def path_of(here: TenantLibrary, topic_id: str) -> str | None:
    cursor = here.index.snapshots.cursor()
    row = cursor.execute("SELECT path FROM topics WHERE topic_id = ?", [topic_id]).fetchone() if cursor else None
    return row[0] if row else None


def test_a_folder_moved_into_a_new_category_is_still_watched(here: TenantLibrary) -> None:
    folder = write_document(
        here.layout, f"Technology/P_{A}", A, {"1_Seals.md": "Seals leak.\n", "2_Motors.md": "Hum.\n"}
    )
    assert soon(lambda: found(here, "leak") == [f"{A}_1"])
    (folder / "2_Motors.md").rename(folder / "2_Engines.md")
    assert soon(lambda: path_of(here, f"{A}_2") == f"Technology/P_{A}/2_Engines.md")
    moved = here.layout.knowledge / "Science" / "named by hand"
    moved.parent.mkdir()
    folder.rename(moved)
    assert soon(lambda: path_of(here, f"{A}_1") == "Science/named by hand/1_Seals.md")
    write_topic(moved / "1_Seals.md", A, "Seals whistle.\n")
    assert soon(lambda: found(here, "whistle") == [f"{A}_1"])
    (moved / "1_Seals.md").unlink()
    assert soon(lambda: path_of(here, f"{A}_1") is None)
    assert here.verify().differences == ()


def test_fifty_files_changed_at_once_are_all_found(here: TenantLibrary) -> None:
    bodies = {f"{number}_Part.md": f"Part {number}.\n" for number in range(1, 51)}
    folder = write_document(here.layout, f"Technology/P_{A}", A, bodies)
    assert soon(lambda: len(found(here, "part")) == 50)
    for number in range(1, 51):
        write_topic(folder / f"{number}_Part.md", A, f"Changed {number}.\n")
    assert soon(lambda: len(found(here, "changed")) == 50)


def test_every_batch_is_told_in_order_though_the_sink_fails_once(here: TenantLibrary, told: Told) -> None:
    folder = write_document(here.layout, f"Technology/P_{A}", A, {"1_Seals.md": "Seals leak.\n"})
    assert soon(lambda: told.reports)
    write_topic(folder / "1_Seals.md", A, "Seals whistle.\n")
    assert soon(lambda: [c.kind for r in told.reports for c in r.topics] == ["added", "changed"])
    assert soon(lambda: not list(here.index.outbox.folder.glob("*.json")))


def test_a_new_tenant_is_watched_at_once(here: TenantLibrary) -> None:
    other = here._library.tenant("acme", "x")  # pyright: ignore[reportPrivateUsage]
    write_document(other.layout, f"Technology/P_{A}", A, {"1_Seals.md": "Seals leak.\n"})
    assert soon(lambda: found(other, "leak") == [f"{A}_1"])
    assert found(here, "leak") == []


def test_a_mass_delete_waits_for_a_second_look(here: TenantLibrary) -> None:
    for number in range(30):
        doc_id = f"d_{number:012x}"
        write_document(here.layout, f"Technology/P_{doc_id}", doc_id, {"1_Seals.md": f"Seal {number}.\n"})
    assert soon(lambda: len(found(here, "seal")) == 30)
    away = here.layout.home / "away"
    (here.layout.knowledge / "Technology").rename(away)
    time.sleep(0.5)
    assert len(found(here, "seal")) == 30
    away.rename(here.layout.knowledge / "Technology")
    time.sleep(0.5)
    assert len(found(here, "seal")) == 30
    shutil.rmtree(here.layout.knowledge / "Technology")
    assert soon(lambda: found(here, "seal") == [])
    assert here.verify().differences == ()


def test_during_a_bulk_import_documents_that_come_one_by_one_are_indexed_together(
    root: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wiki.index.cascade.REST", 1_000.0)
    later = [f"d_{letter * 12}" for letter in "bcdef12345"]
    with followed(root, told, window_seconds=50) as here, Presence(root).importing():
        write_document(here.layout, f"Science/First_{A}", A, {"1_Start.md": "One is first.\n"})
        assert soon(lambda: found(here, "first"))
        for name in later:
            write_document(here.layout, f"Science/Next_{name}", name, {"1_Next.md": "Another comes.\n"})
            # Longer than the debounce: without a rest each would be a batch.
            time.sleep(0.15)
        assert soon(lambda: len(found(here, "another")) == len(later))
        assert soon(lambda: sum(len(report.topics) for report in told.reports) == 1 + len(later))
    assert max(len(report.topics) for report in told.reports) >= 2
    assert not Presence(root).somebody_imports()
