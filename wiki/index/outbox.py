"""Committed batches that nobody was told of yet: one JSON file each, so no materialization is lost to a crash."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter

from wiki.index.rows import BatchReport

KEPT = 2_000
"""Without Dagster nobody empties the outbox; older reports are dropped, and Dagster's own reconcile makes up for it."""
_REPORTS = TypeAdapter(BatchReport)


class Outbox:
    """A tenant's reports in the order they were committed. Written under ``write.lock``."""

    def __init__(self, index: Path) -> None:
        self.folder = index / "outbox"

    def put(self, report: BatchReport) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        waiting = self._files()
        number = int(waiting[-1].stem) + 1 if waiting else self._after_last()
        target = self.folder / f"{number:012d}.json"
        staged = target.with_suffix(".tmp")
        staged.write_bytes(_REPORTS.dump_json(report))
        staged.rename(target)
        (self.folder / "last").write_text(str(number), encoding="ascii")
        for old in waiting[: max(0, len(waiting) + 1 - KEPT)]:
            old.unlink(missing_ok=True)

    def waiting(self) -> Iterator[tuple[Path, BatchReport]]:
        """Reports oldest first; unlink the path once it was told."""
        for path in self._files():
            try:
                yield path, _REPORTS.validate_json(path.read_bytes())
            except FileNotFoundError:
                continue

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))

    def _after_last(self) -> int:
        try:
            return int((self.folder / "last").read_text(encoding="ascii")) + 1
        except (FileNotFoundError, ValueError):
            return 1
