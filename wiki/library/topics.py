"""What search asks of the catalog: the topics behind recalled passages, and their bodies."""

import json
from collections.abc import Mapping, Sequence

from wiki.documents.reader import read_topic
from wiki.index.snapshots import SnapshotReader
from wiki.search.records import TopicRecord
from wiki.tenants import Layout

_COLUMNS = """t.topic_id, t.doc_id, d.category_id, t.name, t.topic_path, t.depth,
    CASE WHEN t.summary_stale THEN '' ELSE t.summary END, d.title, d.summary, t.path, t.labels || d.labels, t.source"""


class TopicLookup:
    """Answers from the current snapshot; a topic that is not in it is left out."""

    def __init__(self, layout: Layout, snapshots: SnapshotReader) -> None:
        self._layout = layout
        self._snapshots = snapshots
        self._prefix = layout.relative(layout.knowledge)

    def records(self, topic_ids: Sequence[str]) -> Mapping[str, TopicRecord]:
        """The topics by id."""
        cursor = self._snapshots.cursor()
        if cursor is None or not topic_ids:
            return {}
        rows = cursor.execute(
            f"SELECT {_COLUMNS} FROM topics t JOIN documents d ON d.doc_id = t.doc_id"
            " WHERE t.topic_id IN (SELECT unnest(?))",
            [list(topic_ids)],
        ).fetchall()
        return {row[0]: self._record(*row) for row in rows}

    def content(self, topic_id: str) -> str:
        """The body of a topic as its file holds it now; empty when the file was removed a moment ago."""
        cursor = self._snapshots.cursor()
        row = cursor.execute("SELECT path FROM topics WHERE topic_id = ?", [topic_id]).fetchone() if cursor else None
        if row is None:
            return ""
        path = self._layout.knowledge / row[0]
        try:
            return read_topic(path, path.read_bytes()).body
        except FileNotFoundError:
            return ""

    def _record(self, *row: object) -> TopicRecord:
        *head, path, labels, source = row
        places = json.loads(str(source))
        provenance = {key: places[key] for key in ("sheet", "slide", "seconds") if key in places}
        unique = tuple(dict.fromkeys(labels if isinstance(labels, list) else []))
        return TopicRecord(*head, f"{self._prefix}/{path}", unique, provenance)  # type: ignore[arg-type]
