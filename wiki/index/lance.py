"""The LanceDB table ``passages``: what recall reads."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from wiki.errors import IndexModelMismatch, InternalError
from wiki.index.event_loop import wait_for
from wiki.index.folding import query_words
from wiki.index.rows import PassageRow, StoredVector
from wiki.models.protocols import Vector

TABLE = "passages"
TOKEN_DIM = 96
VECTOR_INDEX_ROWS = 25_000
"""Below this a flat scan is faster than its index is worth."""
KEPT_VERSIONS = timedelta(minutes=10)
ENGLISH = "english"
_BULK_ROWS = 5_000
_ID_CHUNK = 500
_RECALL_COLUMNS = ["passage_id", "record_id", "doc_id", "namespace", "model"]


@dataclass(frozen=True)
class Recall:
    """A passage one channel found. ``score`` is BM25 for keyword, cosine (-1..1) for vector."""

    passage_id: str
    record_id: str
    doc_id: str
    namespace: str
    model: str
    score: float


def passage_schema(dim: int) -> Any:
    """The columns of ``PassageRow``; token vectors are the bytes of an int8 matrix with 96 columns."""
    text, many = pa.string(), pa.list_(pa.string())
    return pa.schema(
        [
            pa.field("passage_id", text, nullable=False),
            pa.field("record_id", text, nullable=False),
            pa.field("doc_id", text, nullable=False),
            pa.field("record_type", text, nullable=False),
            pa.field("namespace", text, nullable=False),
            pa.field("title", text, nullable=False),
            pa.field("name", text, nullable=False),
            pa.field("heading_path", text, nullable=False),
            pa.field("text", text, nullable=False),
            pa.field("search_text", text, nullable=False),
            pa.field("labels", many, nullable=False),
            pa.field("type", text),
            pa.field("status", text),
            pa.field("language", text),
            pa.field("created_at", text, nullable=False),
            pa.field("updated_at", text, nullable=False),
            pa.field("document_date", text),
            pa.field("fields", many, nullable=False),
            pa.field("line_start", pa.int32(), nullable=False),
            pa.field("line_end", pa.int32(), nullable=False),
            pa.field("pages", pa.list_(pa.int32()), nullable=False),
            pa.field("topic_sha256", text, nullable=False),
            pa.field("passage_sha256", text, nullable=False),
            pa.field("model", text, nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dim), nullable=False),
            pa.field("tokens", pa.binary()),
            pa.field("vault", text),
        ]
    )


def quote(value: str) -> str:
    """``value`` as an SQL string literal for a Lance filter."""
    return "'" + value.replace("'", "''") + "'"


def any_of(column: str, values: Collection[str]) -> str:
    """A Lance filter: ``column`` is one of ``values`` (at least one)."""
    return f"{column} IN ({', '.join(map(quote, values))})"


def unpack_tokens(packed: bytes | None) -> Any:
    """The int8 token matrix ``(n_tokens, 96)`` of a ``tokens`` cell, or None."""
    return None if packed is None else np.frombuffer(packed, np.int8).reshape(-1, TOKEN_DIM)


class PassageStore:
    """One tenant's passages in the Lance database at ``path``; created when the first rows are written.

    Opening is cheap and lazy. Readers see every commit at once. Writing needs the tenant's ``write.lock``, held by
    the caller. When the folder was exchanged by a rebuild, reads fail: open a new store.
    """

    def __init__(self, path: Path, dim: int, language: str = ENGLISH) -> None:
        self.path = path
        self.dim = dim
        self.language = language
        """Whose word endings the full-text index takes off."""
        self._opened: Any = None
        self._reading: Any = None
        self._complete = False
        """Whether the table is known to have every column."""

    # Reading

    def keyword(self, text: str, limit: int, where: str | None = None) -> list[Recall]:
        """The best ``limit`` passages by BM25 over ``search_text``. ``text`` is words only, never query syntax."""
        words = query_words(text)
        if not words:
            return []

        async def read() -> list[Recall]:
            table = await self._reader()
            if table is None:
                return []
            query = _filtered(table.query().nearest_to_text(_match(words)), where)
            found = await query.select([*_RECALL_COLUMNS, "_score"]).limit(limit).to_arrow()
            return _recalls(found, found.column("_score").to_pylist())

        return wait_for(read())

    def vector(self, vector: Vector, limit: int, where: str | None = None) -> list[Recall]:
        """The best ``limit`` passages by cosine."""

        async def read() -> list[Recall]:
            table = await self._reader()
            if table is None:
                return []
            query = _filtered(table.query().nearest_to(vector).column("vector").distance_type("cosine"), where)
            found = await query.select([*_RECALL_COLUMNS, "_distance"]).limit(limit).to_arrow()
            return _recalls(found, [1.0 - distance for distance in found.column("_distance").to_pylist()])

        return wait_for(read())

    def fetch(self, passage_ids: Collection[str], columns: Sequence[str]) -> dict[str, dict[str, Any]]:
        """``columns`` of the given passages by id; ids that are not there are left out. Vectors come as arrays."""
        found: dict[str, dict[str, Any]] = {}
        for ids in _chunks(sorted(passage_ids)):
            table = self.rows(["passage_id", *columns], any_of("passage_id", ids))
            plain = table.drop_columns(["vector"]) if "vector" in columns else table
            for row in plain.to_pylist():
                found[row["passage_id"]] = row
            if "vector" in columns:
                vectors = _matrix(table.column("vector"), self.dim)
                for passage_id, vector in zip(table.column("passage_id").to_pylist(), vectors, strict=True):
                    found[passage_id]["vector"] = vector
        return found

    def rows(self, columns: Sequence[str], where: str | None = None) -> Any:
        """``columns`` of every row that matches, in no order."""
        wanted = list(dict.fromkeys(columns))

        async def read() -> Any:
            table = await self._reader()
            if table is None:
                return passage_schema(self.dim).empty_table().select(wanted)
            return await _filtered(table.query(), where).select(wanted).to_arrow()

        return wait_for(read())

    def known_vectors(self, passage_hashes: Collection[str], model: str) -> dict[str, StoredVector]:
        """Vectors in the index of passages with these hashes, made by ``model``."""
        known: dict[str, StoredVector] = {}
        for hashes in _chunks(sorted(set(passage_hashes))):
            where = f"{any_of('passage_sha256', hashes)} AND model = {quote(model)}"
            found = self.rows(["passage_sha256", "vector", "tokens"], where)
            vectors = _matrix(found.column("vector"), self.dim)
            for digest, vector, packed in zip(
                found.column("passage_sha256").to_pylist(), vectors, found.column("tokens").to_pylist(), strict=True
            ):
                known[digest] = StoredVector(vector, unpack_tokens(packed))
        return known

    def fingerprints(self) -> set[str]:
        """The models whose vectors the index holds."""
        return set(self.rows(["model"]).column("model").unique().to_pylist())

    def count(self) -> int:
        table = self._table()
        return 0 if table is None else table.count_rows()

    def version(self) -> int:
        """The table's version, 0 before the first row."""
        table = self._table()
        return 0 if table is None else table.version

    def disk_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file()) if self.path.is_dir() else 0

    # Writing: the caller holds the write lock

    def replace_records(self, rows: Sequence[PassageRow], record_ids: Collection[str]) -> tuple[int, int]:
        """Make exactly ``rows`` the rows of ``record_ids``, in one commit.

        ``record_ids`` names every record the rows belong to, and those to be emptied. Gives the number of rows
        written and of rows deleted (those that were there and are no more).
        """
        ids = set(record_ids) | {row.record_id for row in rows}
        self.add_columns()
        table = self._table()
        if table is None:
            if rows:
                self._create(rows)
            return len(rows), 0
        if not ids:
            return 0, 0
        if not rows:
            return 0, self._delete(table, ids)
        if len(rows) > _ID_CHUNK and not self._any_present(ids):
            for start in range(0, len(rows), _BULK_ROWS):
                table.add(self._batch(rows[start : start + _BULK_ROWS]))
            return len(rows), 0
        done = (
            table.merge_insert("passage_id")
            .when_matched_update_all()
            .when_not_matched_insert_all()
            .when_not_matched_by_source_delete(any_of("record_id", sorted(ids)))
            .execute(self._batch(rows))
        )
        return len(rows), int(done.num_deleted_rows)

    def update_document(self, doc_id: str, values: Mapping[str, Any]) -> int:
        """Set columns of every row of a document, in one commit; gives the number of rows."""
        table = self._table()
        if table is None:
            return 0
        return int(table.update(where=f"doc_id = {quote(doc_id)}", values=dict(values)).rows_updated)

    def add_columns(self) -> None:
        """Give a table made by an older version the columns it lacks, empty."""
        table = self._table()
        if table is None or self._complete:
            return
        missing = [field for field in passage_schema(self.dim) if field.name not in table.schema.names]
        if missing:
            table.add_columns(missing)
        self._complete = True

    def ensure_indexes(self) -> None:
        """Make the indexes that are missing. New rows are found without; ``optimize`` takes them in."""
        table = self._table()
        if table is None:
            return
        present = {index.columns[0] for index in table.list_indices()}
        wanted = _lancedb().index_configs(self.language, with_vector=table.count_rows() >= VECTOR_INDEX_ROWS)
        for column, config in wanted.items():
            if column not in present:
                name = self._text_index if column == "search_text" else None
                table.create_index(column, config=config, name=name, wait_timeout=timedelta(minutes=30))
        self.ensure_language()

    def ensure_language(self) -> None:
        """Index the words anew when the language of the settings is another; until then the old index answers."""
        table = self._table()
        if table is None:
            return
        present = [index.name for index in table.list_indices() if index.columns == ["search_text"]]
        if not present or present == [self._text_index]:
            return
        if self._text_index not in present:
            config = _lancedb().index_configs(self.language, with_vector=False)["search_text"]
            table.create_index("search_text", config=config, name=self._text_index, wait_timeout=timedelta(minutes=30))
        for name in present:
            if name != self._text_index:
                table.drop_index(name)

    @property
    def _text_index(self) -> str:
        """Its name tells the language. LanceDB asks the oldest index of a column."""
        return "search_text_idx" if self.language == ENGLISH else f"search_text_{self.language}_idx"

    def optimize(self) -> None:
        """Compact files, take new rows into the indexes, drop versions older than ten minutes."""
        table = self._table()
        if table is not None:
            self.ensure_indexes()
            table.optimize(cleanup_older_than=KEPT_VERSIONS)

    async def _reader(self) -> Any:
        if self._reading is None and (self.path / f"{TABLE}.lance").is_dir():
            opened = await _lancedb().open_reader(self.path, TABLE)
            if opened is not None:
                self._check_dim(await opened.schema())
            self._reading = opened
        return self._reading

    def _table(self) -> Any:
        if self._opened is None and (self.path / f"{TABLE}.lance").is_dir():
            opened = _lancedb().open_table(self.path, TABLE)
            if opened is not None:
                self._check_dim(opened.schema)
            self._opened = opened
        return self._opened

    def _check_dim(self, schema: Any) -> None:
        stored = schema.field("vector").type.list_size
        if stored != self.dim:
            raise IndexModelMismatch(
                f"the index holds vectors of {stored} dimensions, the embedding model gives {self.dim}: run wiki "
                f"rebuild, or set embedding.model back"
            )

    def _create(self, rows: Sequence[PassageRow]) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        batches = (self._batch(rows[start : start + _BULK_ROWS]) for start in range(0, len(rows), _BULK_ROWS))
        schema = passage_schema(self.dim)
        reader = pa.RecordBatchReader.from_batches(schema, (part for batch in batches for part in batch.to_batches()))
        _lancedb().create_table(self.path, TABLE, reader, schema)
        self.ensure_indexes()

    def _delete(self, table: Any, ids: Collection[str]) -> int:
        done: Any = table.delete(any_of("record_id", sorted(ids)))
        return int(done.num_deleted_rows)

    def unindexed_rows(self) -> int:
        """Rows the full-text index does not hold yet: each is read at every query until ``optimize``."""
        table = self._table()
        if table is None:
            return 0
        names = [index.name for index in table.list_indices() if index.columns == ["search_text"]]
        stats = table.index_stats(names[0]) if names else None
        return table.count_rows() if stats is None else int(stats.num_unindexed_rows)

    def _any_present(self, ids: Collection[str]) -> bool:
        table = self._table()
        return table is not None and any(table.count_rows(any_of("record_id", chunk)) for chunk in _chunks(sorted(ids)))

    def _batch(self, rows: Sequence[PassageRow]) -> Any:
        columns: dict[str, Any] = {
            name: [getattr(row, name) for row in rows]
            for name in passage_schema(self.dim).names
            if name not in ("vector", "tokens")
        }
        for name in ("labels", "fields", "pages"):
            columns[name] = [list(values) for values in columns[name]]
        wrong = [row.passage_id for row in rows if row.vector.shape != (self.dim,)]
        if wrong:
            raise InternalError(f"passage {wrong[0]} has a vector of another dimension than the index ({self.dim})")
        flat = np.concatenate([row.vector for row in rows]).astype(np.float32)
        columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(flat), self.dim)
        columns["tokens"] = [
            None if row.tokens is None else np.ascontiguousarray(row.tokens, np.int8).tobytes() for row in rows
        ]
        return pa.table(columns, schema=passage_schema(self.dim))


def _match(words: str) -> Any:
    return _lancedb().match_query(words, "search_text")


def _lancedb() -> Any:
    from wiki.index import lance_table

    return lance_table


def _filtered(query: Any, where: str | None) -> Any:
    return query if not where else query.where(where)


def _recalls(found: Any, scores: Sequence[float]) -> list[Recall]:
    columns: list[list[str]] = [found.column(name).to_pylist() for name in _RECALL_COLUMNS]
    return [
        Recall(passage, record, doc, namespace, model, score)
        for passage, record, doc, namespace, model, score in zip(*columns, scores, strict=True)
    ]


def _matrix(column: Any, dim: int) -> Any:
    flat = [np.asarray(chunk.flatten(), np.float32) for chunk in column.chunks]
    return np.concatenate(flat).reshape(-1, dim) if flat else np.empty((0, dim), np.float32)


def _chunks(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), _ID_CHUNK):
        yield values[start : start + _ID_CHUNK]
