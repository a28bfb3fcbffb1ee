"""Memory of the running stack after work, and the processor time it takes while nothing happens."""

import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from bench.freshness import index_now
from bench.options import Options
from bench.stack import Stack, running
from bench.synthetic import queries, write_library

MIB = 1024 * 1024
SETTLE_SECONDS = 10


def run(options: Options) -> dict[str, Any]:
    """MiB of proportional set size by process, and the share of one core used while idle."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        topics = write_library(root, options.topics, options.seed)
        index_now(root)
        with running(root) as stack:
            for query in queries(topics, 50, options.seed):
                stack.search(query)
            time.sleep(SETTLE_SECONDS)
            processes = _processes(stack)
            memory = {f"{process.pid} {_name(process)}": _memory(process) for process in processes}
            idle = _idle_share(processes, options.idle_seconds)
    total = round(sum(memory.values()))
    return {"topics": len(topics), "memory_mib": total, "by_process_mib": memory, "idle_share_of_a_core": idle}


def _processes(stack: Stack) -> list[psutil.Process]:
    parent = psutil.Process(stack.process.pid)
    return [parent, *parent.children(recursive=True)]


def _name(process: psutil.Process) -> str:
    words = [Path(word).name for word in process.cmdline() if not word.startswith("-")]
    return " ".join(words[1:3]) or process.name()


def _memory(process: psutil.Process) -> float:
    full = process.memory_full_info()
    return round(getattr(full, "pss", full.rss) / MIB, 1)


def _idle_share(processes: list[psutil.Process], seconds: float) -> float:
    before = _processor_seconds(processes)
    started = time.perf_counter()
    time.sleep(seconds)
    return round((_processor_seconds(processes) - before) / (time.perf_counter() - started), 4)


def _processor_seconds(processes: list[psutil.Process]) -> float:
    return sum(times.user + times.system for times in (process.cpu_times() for process in processes))
