"""The topic tree of one document, before it is written."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class TopicSpan:
    """A topic as a half-open range of blocks ``[start, end)``: its own text, without its children's."""

    name: str
    depth: int
    """1 is the top level, at most 6."""
    start: int
    end: int
    parent: int | None = None
    """Index of the parent in ``TopicTree.topics``; parents come before their children."""
    summary: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class TopicTree:
    """Topics in depth-first order. Their ranges follow one another and cover every block once."""

    topics: tuple[TopicSpan, ...]
    summary: str
    category_id: str
    method: str = "outline"
    model: str | None = None
    version: int = 1
    labels: tuple[str, ...] = ()
    notes: dict[str, str] = field(default_factory=dict[str, str])
    """What a person should know of how it was made, e.g. the classifier's confidence."""

    def positions(self) -> tuple[str, ...]:
        """The place of each topic in the tree as ``"1"``, ``"1.2"``, in ``topics`` order."""
        counters: dict[int | None, int] = {}
        places: list[str] = []
        for topic in self.topics:
            counters[topic.parent] = counters.get(topic.parent, 0) + 1
            prefix = "" if topic.parent is None else places[topic.parent] + "."
            places.append(f"{prefix}{counters[topic.parent]}")
        return tuple(places)
