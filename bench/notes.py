"""A vault of made-up notes: indexed at once, touched, moved, partly unreadable; then what is near a note."""

import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil

from bench.options import Options, spread
from bench.synthetic import PLACES, QUALITIES, SUBJECTS, sentences
from wiki.index.rows import BatchReport
from wiki.library import Library, TenantLibrary
from wiki.settings import Settings, VaultsSettings
from wiki.settings_sources import load_settings

MIB = 1024 * 1024
SAMPLE_SECONDS = 0.25
ASKED = 200
VAULT = "field"
KINDS = ("runbook", "service", "review", "decision", "fact")


def run(options: Options) -> dict[str, Any]:
    """Notes per second and memory of the first index; what touching, moving and hiding cost; milliseconds of reads."""
    with tempfile.TemporaryDirectory() as folder:
        root, vault = Path(folder) / "root", Path(folder) / "field"
        root.mkdir()
        texts = write_vault(vault, options.notes, options.seed)
        with _opened(root, vault) as here:
            report = {"notes": len(texts), **_first_index(here), **_read(here, options)}
            now = time.time()
            for path in texts:
                os.utime(path, (now, now))
            report["touched"] = _again(here)
            report["unreadable_folder"] = _unreadable(here, vault)
        moved = vault.rename(Path(folder) / "elsewhere")
        with _opened(root, moved) as here:
            report["moved"] = _again(here)
    return report


def write_vault(vault: Path, count: int, seed: int) -> list[Path]:
    """Write ``count`` notes with front matter, headings, tags and wikilinks to each other; gives their files."""
    source = random.Random(seed)
    subjects = list(SUBJECTS)
    names = [f"{source.choice(QUALITIES)} {source.choice(PLACES)} {number}".title() for number in range(count)]
    written: list[Path] = []
    for number, name in enumerate(names):
        subject = subjects[number % len(subjects)]
        links = " and ".join(f"[[{source.choice(names)}]]" for _ in range(source.randint(1, 4)))
        noun = source.choice(SUBJECTS[subject].split())
        path = vault / subject / noun / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\ntype: {source.choice(KINDS)}\ntags: [{noun}]\ndate: 2026-{number % 12 + 1:02}-{number % 28 + 1:02}\n---\n"
            f"# {name}\n\n{sentences(subject, source, source.randint(20, 60))}\n\n"
            f"## Seen before\n\n{sentences(subject, source, source.randint(10, 30))} See {links}. #{subject.lower()}\n",
            encoding="utf-8",
        )
        written.append(path)
    return written


def _first_index(here: TenantLibrary) -> dict[str, Any]:
    with _memory() as samples:
        started = time.perf_counter()
        here.sync()
        seconds = time.perf_counter() - started
    status = here.status()
    last = len(samples) - 1
    return {
        "passages": status.passages,
        "first_index_seconds": round(seconds, 1),
        "first_index_notes_per_second": round(status.notes / seconds, 1),
        "memory_mib_at_quarters": [round(samples[last * quarter // 4]) for quarter in range(5)],
        "memory_mib_peak": round(max(samples)),
    }


def _again(here: TenantLibrary) -> dict[str, Any]:
    started = time.perf_counter()
    reports = _synced(here)
    return {
        "seconds": round(time.perf_counter() - started, 1),
        "embedded": sum(report.embedded for report in reports),
        "passages": here.status().passages,
    }


def _unreadable(here: TenantLibrary, vault: Path) -> dict[str, Any]:
    """One folder refuses to be listed, as a lost mount or missing rights do; the superuser may read everything else."""
    before = here.status()
    hidden = str(vault / sorted(SUBJECTS)[0])
    listing = os.scandir

    def refusing(path: Any = ".") -> Any:
        if str(path) == hidden:
            raise PermissionError(13, "Permission denied", hidden)
        return listing(path)

    with patch("os.scandir", refusing):
        _synced(here)
        after = here.status()
    _synced(here)
    return {
        "rows_lost": before.passages - after.passages,
        "notes_lost": before.notes - after.notes,
        "faults": [fault.reason for fault in after.faults],
        "faults_afterwards": len(here.status().faults),
    }


def _read(here: TenantLibrary, options: Options) -> dict[str, Any]:
    ids = [row[0] for row in _cursor(here).execute("SELECT note_id FROM notes ORDER BY note_id").fetchall()]
    asked = random.Random(options.seed).sample(ids, min(ASKED, len(ids)))
    here.related_notes(asked[0])
    return {
        "related_ms": _timed(here.related_notes, asked),
        "neighbours_ms": _timed(here.neighbours, asked),
        "neighbours_two_links_ms": _timed(lambda note_id: here.neighbours(note_id, 2), asked),
    }


def _timed(read: Callable[[str], object], asked: list[str]) -> dict[str, float]:
    taken: list[float] = []
    for note_id in asked:
        started = time.perf_counter()
        read(note_id)
        taken.append((time.perf_counter() - started) * 1_000)
    return spread(taken, 2)


def _synced(here: TenantLibrary) -> list[BatchReport]:
    return [report for report in here.index.sync() if report]


def _cursor(here: TenantLibrary) -> Any:
    return here.index.snapshots.cursor()


@contextmanager
def _opened(root: Path, vault: Path) -> Generator[TenantLibrary]:
    settings: Settings = load_settings(root)
    library = Library(settings.model_copy(update={"vaults": VaultsSettings(folders=(f"{VAULT}={vault}",))}))
    try:
        library.warm()
        library.recover()
        yield library.tenant()
    finally:
        library.close()


@contextmanager
def _memory() -> Generator[list[float]]:
    """MiB this process holds, sampled all the time."""
    process, done = psutil.Process(), threading.Event()
    samples: list[float] = [process.memory_info().rss / MIB]

    def watch() -> None:
        while not done.wait(SAMPLE_SECONDS):
            samples.append(process.memory_info().rss / MIB)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        done.set()
        thread.join()
