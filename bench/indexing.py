"""How fast Markdown becomes an index: first indexing, rebuild with known vectors, rebuild from nothing, bare model."""

import tempfile
import time
from pathlib import Path
from typing import Any

from bench.options import Options
from bench.synthetic import SyntheticTopic, write_library
from wiki.library import Library
from wiki.settings_sources import load_settings


def run(options: Options) -> dict[str, Any]:
    """Topics per second of each way, and the cold rebuild's share of the model's own speed on the same texts."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        topics = write_library(root, options.topics, options.seed)
        library = Library(load_settings(root))
        try:
            library.warm()
            bare = _bare_model(library, topics)
            tenant = library.tenant()
            started = time.perf_counter()
            tenant.sync()
            first = time.perf_counter() - started
            cold = tenant.rebuild(cold=True)
            warm = tenant.rebuild()
        finally:
            library.close()
    count = len(topics)
    return {
        "topics": count,
        "passages": cold.passages,
        "bare_model_topics_per_second": round(count / bare, 1),
        "first_index_topics_per_second": round(count / first, 1),
        "cold_rebuild_topics_per_second": round(count / cold.seconds, 1),
        "cold_rebuild_share_of_bare_model": round(bare / cold.seconds, 3),
        "warm_rebuild_topics_per_second": round(count / warm.seconds, 1),
        "warm_rebuild_embedded": warm.embedded,
    }


def _bare_model(library: Library, topics: list[SyntheticTopic]) -> float:
    """Seconds the embedder alone takes for the topics' texts, as they would be embedded."""
    texts = [f"{topic.name}\n{topic.body}" for topic in topics]
    started = time.perf_counter()
    library.embedder.embed(texts)
    return time.perf_counter() - started
