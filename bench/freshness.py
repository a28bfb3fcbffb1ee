"""From an edit on disk to a search that finds it, over the running stack."""

import random
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.options import Options, spread
from bench.stack import Stack, running
from bench.synthetic import write_library
from wiki.library import Library
from wiki.settings_sources import load_settings

LONGEST = 10.0
MOST_PAUSE = 2.5
"""Seconds between edits, at random: 60 tries last over several handovers of the baton."""


def run(options: Options) -> dict[str, Any]:
    """Seconds from the end of the write to the first search that finds the new word; one client polling."""
    source = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        topics = write_library(root, options.topics, options.seed)
        index_now(root)
        with running(root) as stack:
            started = time.perf_counter()
            times: list[float] = []
            for attempt in range(options.tries):
                time.sleep(source.uniform(0, MOST_PAUSE))
                times.append(_edit(stack, source.choice(topics).path, source, attempt))
            lasted = time.perf_counter() - started
            seconds = {"ready": stack.ready_seconds, "lasted": round(lasted, 1)}
    return {"topics": len(topics), "tries": len(times), "edit_to_searchable_seconds": spread(times, 3), **seconds}


def index_now(root: Path) -> None:
    """Index the root in this process, so that a stack started on it has nothing left to do."""
    library = Library(load_settings(root))
    try:
        library.tenant().sync()
    finally:
        library.close()


def _edit(stack: Stack, path: Path, source: random.Random, attempt: int) -> float:
    word = f"{''.join(source.choices('bcdfghjklmnpqrstvwxz', k=9))}{attempt}"
    path.write_text(path.read_text(encoding="utf-8") + f"\nThe {word} was seen here.\n", encoding="utf-8")
    written = time.perf_counter()
    while time.perf_counter() - written < LONGEST:
        if stack.search(word, method="keyword", top_k=1):
            return time.perf_counter() - written
        time.sleep(0.01)
    raise RuntimeError(f"an edit of {path.name} was not found within {LONGEST:.0f} s")
