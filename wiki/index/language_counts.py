"""How many passages of a tenant are in languages that the embedding model of its index does not know."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from wiki.index.reporting import PASSAGES
from wiki.index.snapshots import SnapshotName, SnapshotReader, current

_FOREIGN = (
    "SELECT foreign_passages, count(*) FROM (SELECT foreign_passages FROM topics UNION ALL SELECT foreign_passages"
    " FROM notes) WHERE foreign_passages <> '{}' GROUP BY ALL"
)


@dataclass(frozen=True)
class LanguageCounts:
    passages: int = 0
    foreign: Mapping[str, int] = field(default_factory=dict[str, int])
    """Passages by the tag of their language; most first."""

    @property
    def foreign_passages(self) -> int:
        return sum(self.foreign.values())

    @property
    def share(self) -> float:
        """Of all passages, 0..1."""
        return self.foreign_passages / self.passages if self.passages else 0.0

    def __add__(self, other: "LanguageCounts") -> "LanguageCounts":
        return LanguageCounts(self.passages + other.passages, _sorted(Counter(self.foreign) + Counter(other.foreign)))


class LanguageReader:
    """The counts of the published snapshot, read once for each. Thread safe."""

    def __init__(self, catalog: Path, snapshots: SnapshotReader) -> None:
        self._catalog = catalog
        self._snapshots = snapshots
        self._last: tuple[SnapshotName, LanguageCounts] | None = None

    def counts(self) -> LanguageCounts:
        """Nothing counted when nothing was published yet."""
        last = self._last
        if last is not None and current(self._catalog) == last[0]:
            return last[1]
        opened = self._snapshots.open()
        if opened is None:
            return LanguageCounts()
        name, cursor = opened
        self._last = name, _counts(cursor)
        return self._last[1]


def _counts(cursor: duckdb.DuckDBPyConnection) -> LanguageCounts:
    total = cursor.execute(f"SELECT {PASSAGES}").fetchone()
    foreign: Counter[str] = Counter()
    for text, rows in cursor.execute(_FOREIGN).fetchall():
        foreign.update({tag: count * rows for tag, count in json.loads(text).items()})
    return LanguageCounts(int(total[0]) if total else 0, _sorted(foreign))


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
