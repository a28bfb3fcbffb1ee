"""How long a search takes over HTTP, by method, with one client, on the whole running stack."""

import tempfile
import time
from pathlib import Path
from typing import Any

from bench.freshness import index_now
from bench.options import Options, spread
from bench.stack import Stack, running
from bench.synthetic import queries, write_library

METHODS = ("keyword", "vector", "hybrid")
WARM_UP = 10


def run(options: Options) -> dict[str, Any]:
    """Milliseconds a search, from the request sent to the answer read; ten hits each, all queries different."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        topics = write_library(root, options.topics, options.seed)
        index_now(root)
        asked = list(queries(topics, options.queries, options.seed))
        with running(root) as stack:
            for query in asked[:WARM_UP]:
                stack.search(query)
            figures = {method: spread(_times(stack, asked, method)) for method in METHODS}
    return {"topics": len(topics), "queries": len(asked), "clients": 1, "milliseconds": figures}


def _times(stack: Stack, asked: list[str], method: str) -> list[float]:
    times: list[float] = []
    for query in asked:
        started = time.perf_counter()
        stack.search(query, method=method)
        times.append((time.perf_counter() - started) * 1000)
    return times
