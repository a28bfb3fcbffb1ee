"""Keeping in step: status, reconcile, verify and rebuild of one tenant."""

from collections.abc import Callable, Iterator

import duckdb

from wiki.index.rebuild import rebuild
from wiki.index.verify import verify
from wiki.library.reading import Reading
from wiki.views import RebuildResult, StatusView, VerifyResult


class Keeping(Reading):
    """What keeps the indexes right, and tells whether they are."""

    def status(self) -> StatusView:
        """Counts, what waits to be indexed, faults, and the processes that run."""
        cursor = self._cursor()
        counts = {"documents": 0, "topics": 0}
        passages = 0
        if cursor:
            for table in counts:
                counts[table] = _scalar(cursor, f"SELECT count(*) FROM {table}")
            passages = _scalar(cursor, "SELECT coalesce(sum(passages), 0) FROM topics")
        return StatusView(
            documents=counts["documents"],
            topics=counts["topics"],
            notes=0,
            passages=passages,
            pending=len(self.index.drift().folders),
            faults=tuple(self.faults()),
            processes=self._library.presence.run().get("processes", {}),
        )

    def published(self) -> bool:
        """Whether a catalog can be read, or nothing is there yet to make one of."""
        return self.index.snapshots.open() is not None or not self.layout.knowledge.is_dir()

    def sync(self) -> int:
        """One reconcile, whoever holds the baton. Gives the number of changed topics."""
        return sum(len(report.topics) for report in self.index.sync("request") if report)

    def reindex(self, *, batch_files: int = 100) -> Iterator[int]:
        """Hash everything again and mend what differs; yields the changed topics of each batch."""
        for report in self.index.sync("reindex", everything=True, batch_files=batch_files):
            yield len(report.topics) if report else 0

    def verify(self) -> VerifyResult:
        """Compare both stores with the Markdown; pending changes are let finish first."""
        self.sync()
        return verify(self.index, self.taxonomy, lambda: self._library.embedder)

    def rebuild(self, *, cold: bool = False, progress: Callable[[int, int], None] | None = None) -> RebuildResult:
        """Make both stores anew beside the present ones, then exchange them. Only ``cold`` embeds everything again."""
        return rebuild(self.index, self.taxonomy, lambda: self._library.embedder, cold=cold, progress=progress)


def _scalar(cursor: duckdb.DuckDBPyConnection, statement: str) -> int:
    row = cursor.execute(statement).fetchone()
    return int(row[0]) if row else 0
