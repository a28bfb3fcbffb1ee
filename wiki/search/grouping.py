"""Recalled passages -> candidates: a record with its best passages, or each passage for itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wiki.index.lance import Recall


@dataclass
class Found:
    """A record the channels found, with its best passage in each; or one passage, with itself."""

    record_id: str
    doc_id: str
    namespace: str
    passages: dict[str, str] = field(default_factory=dict[str, str])
    """Passage id by channel."""
    scores: dict[str, float] = field(default_factory=dict[str, float])
    ranks: dict[str, int] = field(default_factory=dict[str, int])
    """Rank among candidates, from 1, by channel."""
    key: str = ""
    """What tells it from the others: the record id, or the passage's."""

    def __post_init__(self) -> None:
        self.key = self.key or self.record_id

    @property
    def source(self) -> str:
        return "both" if len(self.ranks) > 1 else next(iter(self.ranks))


def group_by_record(channels: dict[str, Sequence[Recall]]) -> dict[str, Found]:
    """Records by id; of a record's passages in a channel the best one counts."""
    return _grouped(channels, lambda recall: recall.record_id)


def group_by_passage(channels: dict[str, Sequence[Recall]]) -> dict[str, Found]:
    """Every passage as a candidate of its own, by id."""
    return _grouped(channels, lambda recall: recall.passage_id)


def _grouped(channels: dict[str, Sequence[Recall]], key_of: Callable[[Recall], str]) -> dict[str, Found]:
    found: dict[str, Found] = {}
    for channel, recalls in channels.items():
        rank = 0
        for recall in recalls:
            key = key_of(recall)
            item = found.get(key)
            if item is None:
                item = found[key] = Found(recall.record_id, recall.doc_id, recall.namespace, key=key)
            if channel not in item.ranks:
                rank += 1
                item.ranks[channel] = rank
                item.scores[channel] = recall.score
                item.passages[channel] = recall.passage_id
    return found
