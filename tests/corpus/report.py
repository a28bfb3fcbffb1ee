"""``make corpus-report``: every file of the ingestion corpus through the library, a table by extension, each miss.

Exits 1 when fewer facts hold than promised or any answer is wrong. Uses the real models.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.corpus.facts import read_manifest
from tests.corpus.outcomes import Outcome, outcome, share_held
from wiki.library import Library
from wiki.settings_sources import load_settings

PROMISED = {1: 0.98, 2: 0.93}
_LOOK_SECONDS = 0.05


class PeakMemory:
    """The most memory the parser processes of this process held since it was last asked, in bytes."""

    def __init__(self) -> None:
        self._peak = 0
        self._stop = threading.Event()

    @contextmanager
    def watching(self) -> "Iterator[PeakMemory]":
        watcher = threading.Thread(target=self._watch, daemon=True)
        watcher.start()
        try:
            yield self
        finally:
            self._stop.set()
            watcher.join()

    def taken(self) -> int:
        peak, self._peak = self._peak, 0
        return peak

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._stop.wait(_LOOK_SECONDS):
            held = 0
            for child in me.children(recursive=True):
                try:
                    held += child.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            self._peak = max(self._peak, held)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.report", description=__doc__)
    parser.add_argument("corpus", type=Path, help="folder with manifest.jsonl")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--only", nargs="*", default=[], metavar="EXT", help="only these extensions")
    options = parser.parse_args()
    if not (options.corpus / "manifest.jsonl").is_file():
        sys.stderr.write(f"there is no corpus at {options.corpus}; nothing to report\n")
        return 0
    started = time.perf_counter()
    outcomes, peaks = measure(options.corpus, options.only)
    seconds = time.perf_counter() - started
    if options.json:
        sys.stdout.write(json.dumps(as_json(outcomes, peaks, seconds), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in as_text(outcomes, peaks, seconds)))
    return 0 if not any(item.fault for item in outcomes) and all(_kept(outcomes, tier) for tier in PROMISED) else 1


def measure(corpus: Path, only: list[str]) -> tuple[list[Outcome], dict[str, int]]:
    """The outcome of every file, and the parsers' peak memory in bytes by extension."""
    outcomes: list[Outcome] = []
    peaks: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder, PeakMemory().watching() as memory:
        library = Library(load_settings(Path(folder)))
        try:
            library.warm()
            for entry in read_manifest(corpus):
                if only and entry["path"].partition("/")[0] not in only:
                    continue
                memory.taken()
                outcomes.append(outcome(library.tenant(), corpus, entry))
                extension = outcomes[-1].extension
                peaks[extension] = max(peaks.get(extension, 0), memory.taken())
                sys.stderr.write(f"{outcomes[-1].seconds:6.1f} s  {entry['path']}\n")
        finally:
            library.close()
    return outcomes, peaks


def as_text(outcomes: list[Outcome], peaks: dict[str, int], seconds: float) -> Iterator[str]:
    """The table, the misses, the answers that are wrong, the refusals, the totals."""
    yield f"{'ext':<6}{'files':>6}{'read':>6}{'refused':>9}{'facts':>7}{'held':>6}{'seconds':>9}{'peak MB':>9}"
    for row in rows(outcomes, peaks):
        yield (
            f"{row['extension']:<6}{row['files']:>6}{row['read']:>6}{row['refused']:>9}{row['facts']:>7}{row['held']:>6}"
            f"{row['seconds']:>9.1f}{row['peak_mb']:>9}"
        )
    yield ""
    for item in outcomes:
        for miss in item.misses:
            yield f"miss     tier {item.tier}  {item.path}: {miss[:200]}"
    for item in outcomes:
        if item.fault:
            yield f"wrong    tier {item.tier}  {item.path}: {item.fault} ({item.code}: {item.message[:200]})"
    for item in outcomes:
        if item.code and not item.fault:
            yield f"refused  tier {item.tier}  {item.path}: {item.code}: {item.message[:160]}"
    yield ""
    for tier, promised in PROMISED.items():
        held, counted = share_held(outcomes, tier)
        yield f"tier {tier}: {held} of {counted} facts held, {held / max(1, counted):.1%} (promised {promised:.0%})"
    unhandled = sum(item.code == "UNHANDLED" for item in outcomes)
    yield f"{len(outcomes)} files, {unhandled} unhandled errors, {seconds:.0f} s"


def rows(outcomes: list[Outcome], peaks: dict[str, int]) -> Iterator[dict[str, Any]]:
    """One row by extension, in the corpus' order."""
    for extension in dict.fromkeys(item.extension for item in outcomes):
        own = [item for item in outcomes if item.extension == extension]
        yield {
            "extension": extension,
            "files": len(own),
            "read": sum(item.code is None for item in own),
            "refused": sum(item.code is not None for item in own),
            "facts": sum(item.counted for item in own),
            "held": sum(item.held for item in own),
            "seconds": round(sum(item.seconds for item in own), 1),
            "peak_mb": round(peaks[extension] / 1_000_000),
        }


def as_json(outcomes: list[Outcome], peaks: dict[str, int], seconds: float) -> dict[str, Any]:
    return {
        "extensions": list(rows(outcomes, peaks)),
        "tiers": {tier: dict(zip(("held", "facts"), share_held(outcomes, tier), strict=True)) for tier in PROMISED},
        "misses": [{"path": item.path, "tier": item.tier, "fact": miss} for item in outcomes for miss in item.misses],
        "wrong": [{"path": item.path, "why": item.fault, "code": item.code} for item in outcomes if item.fault],
        "refused": [
            {"path": item.path, "code": item.code, "message": item.message}
            for item in outcomes
            if item.code and not item.fault
        ],
        "seconds": round(seconds),
    }


def _kept(outcomes: list[Outcome], tier: int) -> bool:
    held, counted = share_held(outcomes, tier)
    return held >= PROMISED[tier] * counted


if __name__ == "__main__":
    raise SystemExit(main())
