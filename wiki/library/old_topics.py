"""The topics a document had before: what a person wrote into them, and which of the new ones take their place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from wiki.documents import front_matter, ids
from wiki.documents.marks import is_generated
from wiki.documents.model import NewDocument, NewTopic, TopicFile
from wiki.documents.reader import read_topic
from wiki.documents.render import topic_entries

_OWN_KEYS = frozenset(key for key, _ in topic_entries(NewTopic(1, "n", "1", 1, None, "b", "s", ("l",), {"p": 1}), "d"))


@dataclass(frozen=True)
class OldTopic:
    """A topic as it lies on disk, and where in the joined text its body begins (characters)."""

    start: int
    topic_id: str
    data: bytes
    body: str
    file: TopicFile

    @classmethod
    def read(cls, start: int, topic_id: str, path: Path, data: bytes) -> "OldTopic":
        body = front_matter.split(front_matter.decode(data)[0]).body
        return cls(start, topic_id, data, body, read_topic(path, data))

    @property
    def end(self) -> int:
        return self.start + len(self.body)

    @property
    def number(self) -> int | None:
        return ids.number_of_topic(self.topic_id)

    @property
    def own_name(self) -> str | None:
        return None if is_generated(self.file.generated, "name", self.file.name) else self.file.name

    @property
    def own_labels(self) -> tuple[str, ...] | None:
        labels = self.file.labels
        return None if is_generated(self.file.generated, "labels", *labels) else labels

    @property
    def is_held(self) -> bool:
        """Whether a person wrote something into its front matter that only a topic in its place can hold."""
        keys = front_matter.split(front_matter.decode(self.data)[0]).tree().nodes
        return self.own_name is not None or self.own_labels is not None or not keys.keys() <= _OWN_KEYS


def places(old: Sequence[OldTopic]) -> dict[int, str | None]:
    """Where in the text a topic has to start (characters), and the name it must have, if any."""
    size = old[-1].end
    held = [topic for topic in old if topic.is_held]
    found: dict[int, str | None] = {topic.start: None for topic in held if topic.start < size}
    return found | {topic.start: topic.own_name for topic in held if topic.body}


def empty_topics(old: Sequence[OldTopic]) -> list[OldTopic]:
    """Those without text that stay all the same, for what a person wrote into them."""
    return [topic for topic in old if not topic.body and topic.is_held]


def over_the_old(new: NewDocument, old: Sequence[OldTopic], *, highest: int, carried: bool) -> NewDocument:
    """The new topics with the ids of old ones that have the same body, and with what a person wrote into those that
    begin at the same place.

    ``highest``: of all topic numbers there ever were. ``carried``: the places in the source are those of the old
    topics, as the text could not be compared with the original.
    """
    before = dict(zip((topic.number for topic in new.topics), _in_their_place(new.topics, old), strict=True))
    numbers = _numbers(new.topics, before, old, highest)
    topics: list[NewTopic] = []
    start = 0
    for topic in new.topics:
        past = before[topic.number]
        source = topic.source
        if carried:
            source = {**_places_of(start, start + len(topic.body), old), "lines": topic.source["lines"]}
        start += len(topic.body)
        labels = past.own_labels if past else None
        hand: set[Literal["name", "labels"]] = set()
        if past and past.own_name:
            hand.add("name")
        if labels:
            hand.add("labels")
        topics.append(replace(
            topic,
            number=numbers[topic.number],
            parent=None if topic.parent is None else numbers[topic.parent],
            labels=topic.labels if labels is None else labels,
            source=source,
            by_hand=frozenset(hand),
            over=past.data if past else None,
        ))  # fmt: skip
    extraction = {**new.extraction, "highest_topic": max([highest, *numbers.values()])}
    return replace(new, topics=tuple(topics), extraction=extraction)


def _in_their_place(new: Sequence[NewTopic], old: Sequence[OldTopic]) -> Iterator[OldTopic | None]:
    """For each new topic the old one that begins where it does."""
    by_start = {topic.start: topic for topic in old if topic.body}
    empty = iter(empty_topics(old))
    start = 0
    for topic in new:
        yield by_start.get(start) if topic.body else next(empty)
        start += len(topic.body)


def _numbers(
    new: Sequence[NewTopic], before: Mapping[int, OldTopic | None], old: Sequence[OldTopic], highest: int
) -> dict[int, int]:
    """The number of each new topic: that of an old one with the same body, at the same place first, else a fresh one."""
    free: dict[str, list[OldTopic]] = {}
    for topic in old:
        if topic.number is not None and (topic.body or topic.is_held):
            free.setdefault(topic.body, []).append(topic)
    found: dict[int, int] = {}
    for stays in (True, False):
        for topic in new:
            same = free.get(topic.body, [])
            if topic.number in found or not same:
                continue
            past = before[topic.number] if stays else same[0]
            if past is not None and past in same:
                same.remove(past)
                found[topic.number] = past.number or 0
    fresh = highest
    for topic in new:
        if topic.number not in found:
            fresh += 1
            found[topic.number] = fresh
    return found


def _places_of(start: int, end: int, old: Sequence[OldTopic]) -> dict[str, Any]:
    """Where in the source a stretch of the text came from, as far as the old topics it lies in tell."""
    sources = [topic.file.source for topic in old if topic.start < end and start < topic.end]
    if len(sources) == 1:
        return {"lines": None, **sources[0]}
    found: dict[str, Any] = {"lines": None}
    for key in ("pages", "slide", "seconds"):
        values = [value for source in sources for value in _listed(source.get(key)) if isinstance(value, int | float)]
        if values:
            found[key] = [min(values), max(values)]
    sheets = dict.fromkeys(sheet for source in sources for sheet in _listed(source.get("sheet")))
    if sheets:
        found["sheet"] = list(sheets) if len(sheets) > 1 else next(iter(sheets))
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
