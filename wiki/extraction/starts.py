"""Places where a topic has to start whatever the method finds: a person named what begins there."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from wiki.extraction.names import name_key, unique_name
from wiki.extraction.sections import MAX_DEPTH
from wiki.extraction.summaries import summarise
from wiki.extraction.tree import TopicSpan, TopicTree
from wiki.models.protocols import Embedder
from wiki.parsing.blocks import Block


def split_at(blocks: Sequence[Block], offsets: Collection[int]) -> tuple[Block, ...]:
    """``blocks`` with one starting at each offset (characters of the joined text); the text stays the same."""
    wanted = sorted(offsets)
    found: list[Block] = []
    start = 0
    for block in blocks:
        end = start + len(block.text)
        cuts = [start, *wanted[bisect_right(wanted, start) : bisect_left(wanted, end)], end]
        if len(cuts) == 2:
            found.append(block)
        else:
            parts = [block.text[low - start : high - start] for low, high in pairwise(cuts)]
            found.append(replace(block, text=parts[0]))
            rest = "paragraph" if block.kind == "heading" else block.kind
            found += [replace(block, text=part, kind=rest, level=None, heading=None) for part in parts[1:]]
        start = end
    return tuple(found)


def offsets_of(blocks: Sequence[Block]) -> dict[int, int]:
    """The index of the first block at each offset."""
    found: dict[int, int] = {}
    start = 0
    for index, block in enumerate(blocks):
        found.setdefault(start, index)
        start += len(block.text)
    return found


def with_starts(
    tree: TopicTree, names: Mapping[int, str | None], blocks: Sequence[Block], embedder: Embedder
) -> TopicTree:
    """The tree with a topic that starts at each of these blocks, called so; None leaves its name to the method.

    A topic that is cut keeps its head, and the rest becomes the first of its children.
    """
    topics = list(tree.topics)
    cut: set[int] = set()
    for start in sorted(names):
        if all(topic.start != start for topic in topics):
            at = next((i for i, topic in enumerate(topics) if topic.start < start < topic.end), None)
            if at is not None:
                topics = _cut(topics, at, start)
                cut |= {topics[at].start, start}
    named = [replace(topic, name=names.get(topic.start) or topic.name) for topic in topics]
    named = _apart(named, {start for start, name in names.items() if name})
    bodies = [blocks[topic.start : topic.end] for topic in named if topic.start in cut]
    fresh = iter(summarise(bodies, embedder).topics if bodies else ())
    return replace(tree, topics=tuple(replace(t, summary=next(fresh)) if t.start in cut else t for t in named))


def with_empty(tree: TopicTree, names: Sequence[tuple[int, str]]) -> TopicTree:
    """The tree with topics of these names that hold no block: each beside the topic that starts at its block, before
    it; behind the last one when none does."""
    topics = list(tree.topics)
    for start, name in names:
        at = next((i for i, topic in enumerate(topics) if topic.start == start < topic.end), len(topics))
        depth, parent = (topics[at].depth, topics[at].parent) if at < len(topics) else (1, None)
        after = [
            replace(topic, parent=topic.parent + 1) if topic.parent is not None and topic.parent >= at else topic
            for topic in topics[at:]
        ]
        topics[at:] = [TopicSpan(name, depth, start, start, parent), *after]
    return replace(tree, topics=tuple(topics))


def _cut(topics: Sequence[TopicSpan], at: int, start: int) -> list[TopicSpan]:
    whole = topics[at]
    deeper = whole.depth < MAX_DEPTH
    head = replace(whole, end=start)
    tail = TopicSpan(
        name=whole.name,
        depth=whole.depth + 1 if deeper else whole.depth,
        start=start,
        end=whole.end,
        parent=at if deeper else whole.parent,
        labels=whole.labels,
    )
    after = [
        replace(topic, parent=topic.parent + 1) if topic.parent is not None and topic.parent > at else topic
        for topic in topics[at + 1 :]
    ]
    return [*topics[:at], head, tail, *after]


def _apart(topics: Sequence[TopicSpan], fixed: Collection[int]) -> list[TopicSpan]:
    """Generated names beside a chosen one of the same name give way."""
    taken = {(topic.parent, name_key(topic.name)) for topic in topics if topic.start in fixed}
    found: list[TopicSpan] = []
    for topic in topics:
        if topic.start not in fixed:

            def is_taken(name: str, parent: int | None = topic.parent) -> bool:
                return (parent, name_key(name)) in taken

            topic = replace(topic, name=unique_name(iter((topic.name,)), is_taken, topic.name))
            taken.add((topic.parent, name_key(topic.name)))
        found.append(topic)
    return found
