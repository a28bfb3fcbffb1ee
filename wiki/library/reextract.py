"""The topics of a document made anew by the present method. The text stays as it is, and so does what a person chose."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wiki.documents import front_matter, ids
from wiki.documents.changes import replaced_index, replaced_topic
from wiki.documents.marks import is_generated
from wiki.documents.model import INDEX_FILE, NewDocument, NewTopic, TopicFile
from wiki.documents.reader import read_index
from wiki.documents.render import render_topic, topic_entries
from wiki.documents.store import markdown_hashes
from wiki.errors import InternalError, InvalidInput, WikiError
from wiki.extraction.starts import offsets_of, split_at, with_starts
from wiki.extraction.tree import TopicTree
from wiki.index.records import Record
from wiki.index.rows import DocumentRow
from wiki.ingest import RawFile, make_tree, new_document, parse_raw, prepare, read_raw
from wiki.library.writing import Writing
from wiki.parsing.blocks import Block, ParsedDocument, Provenance
from wiki.parsing.source import Progress
from wiki.views import ReextractResult

KEPT_KEYS = frozenset(
    {"title", "aliases", "source_name", "source_type", "source_sha256", "created_at", "document_date", "language",
     "fields", "source_front_matter"}
)  # fmt: skip
_OWN_KEYS = frozenset(key for key, _ in topic_entries(NewTopic(1, "n", "1", 1, None, "b", "s", ("l",), {"p": 1}), "d"))


@dataclass(frozen=True)
class OldTopic:
    """A topic as it lies on disk, and where in the joined text its body begins (characters)."""

    start: int
    topic_id: str
    file_name: str
    data: bytes
    body: str
    file: TopicFile
    source: Mapping[str, object]

    @property
    def own_name(self) -> str | None:
        return None if is_generated(self.file.generated, "name", self.file.name) else self.file.name

    @property
    def own_labels(self) -> tuple[str, ...] | None:
        labels = self.file.labels
        return None if is_generated(self.file.generated, "labels", *labels) else labels

    @property
    def needs_a_place(self) -> bool:
        """Whether a person wrote something into its front matter that only a topic starting here can hold."""
        keys = front_matter.split(front_matter.decode(self.data)[0]).tree().nodes
        return self.own_name is not None or self.own_labels is not None or not keys.keys() <= _OWN_KEYS


class Reextracting(Writing):
    """``reextract``: what is generated is generated again."""

    def reextract(
        self,
        doc_id: str,
        *,
        if_match: str | None = None,
        wait: float | None = None,
        progress: Progress | None = None,
    ) -> ReextractResult:
        """Topics, names, summaries, labels and category by the present method, from the text as it is on disk now.

        Names, labels and a category that a person chose stay, and so do title, dates, own keys, and topic files
        without a position. Topics with the same body keep their ids; when everything comes out the same, no file
        is touched.

        Raises NotFound, Conflict (it is being replaced, or was edited meanwhile), InvalidInput for text that is not
        UTF-8, and what the model raises; nothing is changed then.
        """
        with self.documents.replacing(doc_id):
            record = self._record(doc_id)
            document = record.document
            folder = self.layout.knowledge / document.folder
            self._check_etag(folder / INDEX_FILE, if_match)
            expected = markdown_hashes(folder)
            old = self._old_topics(record)
            prepared, tree = self._made_anew(document, old, progress)
            new = _over_the_old(new_document(
                prepared, tree, self._raw(document), title=document.title, doc_id=doc_id,
                source_type=document.source_type, labels=_own_labels(document),
            ), old, _highest(record, expected))  # fmt: skip
            new = replace(new, document_date=document.document_date, language=document.language or prepared.language,
                          fields=document.fields, created_at=document.created_at)  # fmt: skip
            if "".join(topic.body for topic in new.topics) != "".join(topic.body for topic in old):
                raise InternalError(f"document {doc_id}: the new topics do not hold the same text; nothing was changed")
            changed = not _is_the_same(folder, new, old)
            target = folder
            if changed:
                others = set(expected) - {INDEX_FILE, *(topic.file_name for topic in old)}
                target = self.documents.replace(
                    folder, new, None, if_match=if_match, turn_held=True, keep=others, expected=expected
                )
        indexed = self._wait([target, folder], wait)
        fallback = new.extraction.get("fallback")
        return ReextractResult(
            doc_id=doc_id,
            changed=changed,
            method=str(new.extraction["method"]),
            topic_count=len(record.topics) - len(old) + len(new.topics),
            category_id=new.category_id,
            kept=tuple(_kept(document, old)),
            indexed=indexed,
            extraction_fallback=fallback if isinstance(fallback, str) else None,
        )

    def _old_topics(self, record: Record) -> list[OldTopic]:
        """The topics that make up the text, in order. Those without a position were written by hand beside it."""
        found: list[OldTopic] = []
        start = 0
        for row in record.topics:
            if row.position is None:
                continue
            path = self.layout.knowledge / row.path
            data = path.read_bytes()
            text, problem = front_matter.decode(data)
            if problem:
                raise InvalidInput(f"{self.layout.relative(path)}: {problem.reason}; {problem.remedy}, then try again")
            body = front_matter.split(text).body
            found.append(OldTopic(start, row.topic_id, path.name, data, body, record.bodies[row.topic_id], row.source))
            start += len(body)
        if not found:
            raise InvalidInput(f"document {record.document.doc_id} has no topics that were made from a text")
        return found

    def _made_anew(
        self, document: DocumentRow, old: Sequence[OldTopic], progress: Progress | None
    ) -> tuple[ParsedDocument, TopicTree]:
        settings, embedder = self._library.settings.extraction, self._library.embedder
        model = self._tree_model()
        prepared = prepare(self._present(document, old, progress), settings)
        places = {topic.start: topic.own_name for topic in old if topic.body and topic.needs_a_place}
        prepared = replace(prepared, blocks=split_at(prepared.blocks, places))
        generated = document.extraction.get("generated_category") == document.category_id
        tree = make_tree(
            prepared,
            title=document.title,
            embedder=embedder,
            taxonomy=self.taxonomy.load()[0],
            settings=settings,
            category_id=None if generated else document.category_id,
            labels=_own_labels(document),
            model=model,
            progress=progress,
        )
        index = offsets_of(prepared.blocks)
        return prepared, with_starts(
            tree, {index[start]: name for start, name in places.items()}, prepared.blocks, embedder
        )

    def _present(self, document: DocumentRow, old: Sequence[OldTopic], progress: Progress | None) -> ParsedDocument:
        """The joined text as blocks: those of the original while nobody edited a body, else its Markdown read again."""
        text = "".join(topic.body for topic in old)
        try:
            parsed = parse_raw(self._library.parser, self.layout, self._raw(document), progress)
        except (WikiError, OSError):
            parsed = None
        if parsed is not None and parsed.markdown == text:
            return parsed
        return ParsedDocument(tuple(_read_again(text, document, old)), document.source_type or "text/markdown", "")

    def _raw(self, document: DocumentRow) -> RawFile:
        name = document.source_name or document.title
        if document.original and (path := self.layout.knowledge / document.original).is_file():
            return read_raw(path, name, document.source_type)
        return RawFile(Path(name), name, document.source_sha256 or "", 0, document.source_type)


def _own_labels(document: DocumentRow) -> tuple[str, ...]:
    """The document's labels when a person chose them."""
    marks = {"labels": document.extraction.get("generated_labels")}
    return () if is_generated(marks, "labels", *document.labels) else document.labels


def _kept(document: DocumentRow, old: Sequence[OldTopic]) -> Iterator[str]:
    if document.extraction.get("generated_category") != document.category_id:
        yield "category"
    if _own_labels(document):
        yield "labels"
    yield from (topic.own_name for topic in old if topic.own_name is not None and topic.body)


def _read_again(text: str, document: DocumentRow, old: Sequence[OldTopic]) -> Iterator[Block]:
    """Blocks of edited text, each with what is known of the place its old topic came from."""
    from wiki.parsing.markdown import split_blocks
    from wiki.parsing.text import split_paragraphs

    plain = document.source_type == "text/plain"
    blocks = split_at(split_paragraphs(text) if plain else split_blocks(text), [topic.start for topic in old])
    starts = {topic.start: place for place, topic in enumerate(old) if topic.body}
    ends = {topic.start + len(topic.body): place for place, topic in enumerate(old) if topic.body}
    at, current = 0, 0
    for block in blocks:
        current = starts.get(at, current)
        at += len(block.text)
        yield replace(block, provenance=_place(old[current].source, last=at in ends))


def _place(source: Mapping[str, object], *, last: bool) -> Provenance | None:
    """Of a topic's first blocks the place where it begins, of its last one where it ends."""

    def edge(key: str) -> int | float | None:
        span = source.get(key)
        value = span[-1 if last else 0] if isinstance(span, list) and span else span
        return value if isinstance(value, int | float) else None

    page, slide, second = edge("pages"), edge("slide"), edge("seconds")
    sheet = source.get("sheet")
    name = (
        sheet
        if isinstance(sheet, str)
        else str(sheet[-1 if last else 0])
        if isinstance(sheet, list) and sheet
        else None
    )
    seconds = None if second is None else (float(second), float(second))
    if page is slide is seconds is name is None:
        return None
    return Provenance(None if page is None else int(page), name, None if slide is None else int(slide), seconds)


def _highest(record: Record, files: Collection[str]) -> int:
    """The highest number any topic or file of the document has."""
    given = [ids.number_of_topic(topic.topic_id) for topic in record.topics]
    named = [ids.number_of(name) for name in files]
    return max((number for number in [*given, *named] if number is not None), default=0)


def _over_the_old(new: NewDocument, old: Sequence[OldTopic], highest: int) -> NewDocument:
    """The new topics with the ids of old ones that have the same body, and with what a person wrote into those that
    begin at the same place."""
    by_start = {topic.start: topic for topic in old if topic.body}
    numbers = _numbers(new.topics, old, by_start, highest)
    topics: list[NewTopic] = []
    start = 0
    for topic in new.topics:
        before = by_start.get(start)
        start += len(topic.body)
        labels = before.own_labels if before else None
        hand = frozenset[str]((["name"] if before and before.own_name else []) + (["labels"] if labels else []))
        topics.append(replace(
            topic,
            number=numbers[topic.number],
            parent=None if topic.parent is None else numbers[topic.parent],
            labels=topic.labels if labels is None else labels,
            by_hand=hand,
            over=before.data if before else None,
        ))  # fmt: skip
    return replace(new, topics=tuple(topics), kept_keys=KEPT_KEYS)


def _numbers(
    new: Sequence[NewTopic], old: Sequence[OldTopic], by_start: Mapping[int, OldTopic], fresh: int
) -> dict[int, int]:
    """The number of each new topic: that of an old one with the same body, at the same place first, else a fresh one."""
    free: dict[str, list[OldTopic]] = {}
    for topic in old:
        if ids.number_of_topic(topic.topic_id) is not None:
            free.setdefault(topic.body, []).append(topic)
    found: dict[int, int] = {}
    starts: dict[int, int] = {}
    at = 0
    for topic in new:
        starts[topic.number] = at
        at += len(topic.body)
    for stays in (True, False):
        for topic in new:
            same = free.get(topic.body, [])
            if topic.number in found or not same:
                continue
            before = by_start.get(starts[topic.number]) if stays else same[0]
            if before is not None and before in same:
                same.remove(before)
                found[topic.number] = ids.number_of_topic(before.topic_id) or 0
    for topic in new:
        if topic.number not in found:
            fresh += 1
            found[topic.number] = fresh
    return found


def _is_the_same(folder: Path, new: NewDocument, old: Sequence[OldTopic]) -> bool:
    """Whether writing it would change no byte but the time and the count of calls."""
    files = {topic.topic_id: topic.data for topic in old}
    made = {
        ids.topic_id(new.doc_id, topic.number): render_topic(topic, new.doc_id)
        if topic.over is None
        else replaced_topic(topic, new.doc_id)
        for topic in new.topics
    }
    if made != files or not (folder / INDEX_FILE).is_file():
        return False
    data = (folder / INDEX_FILE).read_bytes()
    before = read_index(folder / INDEX_FILE, data)
    same_method = all(before.extraction.get(key) == new.extraction.get(key) for key in ("method", "model", "version"))
    if not same_method or before.updated_at is None:
        return False
    like = replace(new, extraction=before.extraction)
    return replaced_index(data, before, like, now=before.updated_at) == data
