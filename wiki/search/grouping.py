"""Passages -> records: a hit is a topic or a note, not a passage."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wiki.index.lance import Recall


@dataclass
class Found:
    """A record the channels found, with its best passage in each."""

    record_id: str
    doc_id: str
    namespace: str
    passages: dict[str, str] = field(default_factory=dict[str, str])
    """Passage id by channel."""
    scores: dict[str, float] = field(default_factory=dict[str, float])
    ranks: dict[str, int] = field(default_factory=dict[str, int])
    """Rank among records, from 1, by channel."""

    @property
    def source(self) -> str:
        return "both" if len(self.ranks) > 1 else next(iter(self.ranks))


def group_by_record(channels: dict[str, Sequence[Recall]]) -> dict[str, Found]:
    """Records by id; of a record's passages in a channel the best one counts."""
    found: dict[str, Found] = {}
    for channel, recalls in channels.items():
        rank = 0
        for recall in recalls:
            record = found.get(recall.record_id)
            if record is None:
                record = found[recall.record_id] = Found(recall.record_id, recall.doc_id, recall.namespace)
            if channel not in record.ranks:
                rank += 1
                record.ranks[channel] = rank
                record.scores[channel] = recall.score
                record.passages[channel] = recall.passage_id
    return found
