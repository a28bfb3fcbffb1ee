"""A bulk import beside a running stack: files a second, and what it does to searches meanwhile."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.freshness import index_now
from bench.mixed_files import write_mixed_files
from bench.options import Options, percentile, spread
from bench.search import WARM_UP
from bench.stack import Stack, running
from bench.synthetic import queries, write_library


def run(options: Options) -> dict[str, Any]:
    """Milliseconds of a hybrid search when idle and during ``wiki add`` of mixed files; the ratio of both p95."""
    with tempfile.TemporaryDirectory() as folder:
        root, files = Path(folder) / "root", Path(folder) / "files"
        root.mkdir()
        topics = write_library(root, options.topics, options.seed)
        index_now(root)
        write_mixed_files(files, options.files, options.seed)
        asked = list(queries(topics, options.queries + WARM_UP, options.seed))
        with running(root) as stack:
            for query in asked[:WARM_UP]:
                stack.search(query)
            idle = [_timed(stack, query) for query in asked[WARM_UP:]]
            seconds, busy, failed = _during(stack, files, asked[WARM_UP:])
    return {
        "files": options.files,
        "failed": failed,
        "files_per_second": round(options.files / seconds, 2),
        "idle_milliseconds": spread(idle),
        "busy_milliseconds": spread(busy),
        "searches_meanwhile": len(busy),
        "busy_to_idle_p95": round(percentile(busy, 0.95) / percentile(idle, 0.95), 2),
    }


def _during(stack: Stack, files: Path, asked: list[str]) -> tuple[float, list[float], int]:
    """Seconds of the import, milliseconds of each search sent while it ran (two a second), files that failed."""
    command = [sys.executable, "-m", "wiki.cli", "add", str(files), "--root", str(stack.root)]
    started = time.perf_counter()
    times: list[float] = []
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        while process.poll() is None:
            times.append(_timed(stack, asked[len(times) % len(asked)]))
            time.sleep(0.5)
        seconds = time.perf_counter() - started
        log.seek(0)
        failed = sum(line.startswith(b"failed") for line in log)
    return seconds, times, failed


def _timed(stack: Stack, query: str) -> float:
    started = time.perf_counter()
    stack.search(query)
    return (time.perf_counter() - started) * 1000
