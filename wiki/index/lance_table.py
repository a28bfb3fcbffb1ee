"""What we ask of the ``lancedb`` package. Imported when a table is first opened: the import takes seconds."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
from lancedb.index import FTS, Bitmap, BTree, IvfFlat
from lancedb.query import MatchQuery
from lancedb.table import LanceTable

from wiki.errors import InternalError

_ALWAYS_FRESH = timedelta(0)
"""The default would never see what another process writes."""


def open_table(path: Path, name: str) -> LanceTable | None:
    """The table for writing and for whole scans; None while its first version is being written."""
    try:
        opened = lancedb.connect(path, read_consistency_interval=_ALWAYS_FRESH).open_table(name)
    except ValueError as error:
        if "was not found" in str(error):
            return None
        raise
    if not isinstance(opened, LanceTable):
        raise InternalError(f"LanceDB gave a {type(opened).__name__} for a local table")
    return opened


async def open_reader(path: Path, name: str) -> Any:
    """The same table for queries: one round trip each."""
    database = await lancedb.connect_async(path, read_consistency_interval=_ALWAYS_FRESH)
    try:
        return await database.open_table(name)
    except ValueError as error:
        if "was not found" in str(error):
            return None
        raise


def create_table(path: Path, name: str, rows: Any, schema: Any) -> None:
    lancedb.connect(path, read_consistency_interval=_ALWAYS_FRESH).create_table(name, rows, schema=schema)


def index_configs(language: str, *, with_vector: bool) -> dict[str, Any]:
    """The index of each column; words are stemmed as in ``language``. Stop words stay: with ICU, dropping them loses
    other words too."""
    configs: dict[str, Any] = {
        "search_text": FTS(
            base_tokenizer="icu/split",
            language=language.title(),
            stem=True,
            remove_stop_words=False,
            with_position=False,
        ),
        "passage_id": BTree(),
        "record_id": BTree(),
        "doc_id": BTree(),
        "passage_sha256": BTree(),
        "namespace": Bitmap(),
        "record_type": Bitmap(),
        "vault": Bitmap(),
    }
    return {**configs, "vector": IvfFlat(distance_type="cosine")} if with_vector else configs


def match_query(words: str, column: str) -> Any:
    build: Any = MatchQuery
    return build(words, column)
