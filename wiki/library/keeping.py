"""Keeping in step: status, reconcile, verify and rebuild of one tenant."""

from collections.abc import Callable, Iterator

import duckdb

from wiki.index.rebuild import rebuild
from wiki.index.reporting import NOTES, PASSAGES
from wiki.index.verify import verify
from wiki.library.reading import Reading
from wiki.views import RebuildResult, StatusView, VerifyResult


class Keeping(Reading):
    """What keeps the indexes right, and tells whether they are."""

    def status(self) -> StatusView:
        """Counts, what waits to be indexed, faults, warnings, and the processes that run."""
        cursor = self._cursor()
        counts = {"documents": 0, "topics": 0}
        notes = passages = 0
        if cursor:
            for table in counts:
                counts[table] = _scalar(cursor, f"SELECT count(*) FROM {table}")
            notes = _scalar(cursor, f"SELECT {NOTES}")
            passages = _scalar(cursor, f"SELECT {PASSAGES}")
        return StatusView(
            documents=counts["documents"],
            topics=counts["topics"],
            notes=notes,
            passages=passages,
            pending=self.index.drift().pending,
            faults=tuple(self.faults()),
            processes=self._library.presence.run().get("processes", {}),
            warnings=self.warnings(),
        )

    def published(self) -> bool:
        """Whether a catalog can be read, or nothing is there yet to make one of."""
        nothing = not self.layout.knowledge.is_dir() and not self.vaults()
        return nothing or self.index.snapshots.open() is not None

    def sync(self) -> int:
        """One reconcile, whoever holds the baton. Gives the number of changed topics and notes."""
        return sum(len(report.topics) + len(report.notes) for report in self.index.sync("request") if report)

    def reindex(self, *, batch_files: int = 100) -> Iterator[int]:
        """Hash everything again and mend what differs; yields the changed topics and notes of each batch."""
        for report in self.index.sync("reindex", everything=True, batch_files=batch_files):
            yield len(report.topics) + len(report.notes) if report else 0

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
