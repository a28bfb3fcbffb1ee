"""The topics of a document made anew by the present method. The text stays as it is, and so does what a person chose."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from wiki.documents import front_matter, ids
from wiki.documents.changes import replaced_index, replaced_topic
from wiki.documents.model import INDEX_FILE, NewDocument
from wiki.documents.reader import read_index
from wiki.documents.render import render_topic
from wiki.documents.store import markdown_hashes
from wiki.errors import Conflict, InternalError, InvalidInput, WikiError
from wiki.extraction.starts import offsets_of, split_at, with_empty, with_starts
from wiki.extraction.tree import TopicTree
from wiki.index.records import Record
from wiki.index.rows import DocumentRow
from wiki.ingest import RawFile, make_tree, new_document, parse_raw, prepare, read_raw
from wiki.library.chosen import highest_topic, own_category, own_labels
from wiki.library.old_topics import OldTopic, empty_topics, over_the_old, places
from wiki.library.writing import Writing
from wiki.parsing.blocks import Block, ParsedDocument, Provenance
from wiki.parsing.source import Progress
from wiki.views import ReextractResult

KEPT_KEYS = frozenset(
    {"title", "aliases", "source_name", "source_type", "source_sha256", "created_at", "document_date", "language",
     "fields", "source_front_matter"}
)  # fmt: skip


@dataclass(frozen=True)
class _Present:
    """A document as it lies on disk before its topics are made anew."""

    record: Record
    folder: Path
    hashes: Mapping[str, str]
    """SHA-256 of its Markdown files by name, of before anything else was read."""
    topics: Sequence[OldTopic]
    """Those that make up the text, in order; the others were written by hand beside it."""

    @property
    def document(self) -> DocumentRow:
        return self.record.document

    @property
    def text(self) -> str:
        return "".join(topic.body for topic in self.topics)

    @property
    def kept(self) -> tuple[str, ...]:
        chosen = ["category"] * (own_category(self.document) is not None) + ["labels"] * bool(own_labels(self.document))
        return (*chosen, *(topic.own_name for topic in self.topics if topic.own_name is not None))

    @property
    def highest_number(self) -> int:
        """Of all topics there are, and were as far as ``index.md`` tells."""
        given = [ids.number_of_topic(topic.topic_id) for topic in self.record.topics]
        named = [ids.number_of(name) for name in self.hashes]
        return max([highest_topic(self.document), *(number or 0 for number in [*given, *named])])


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
        without a position. Topics with the same body keep their ids; when everything comes out the same, or all
        topics were written by hand, no file is touched.

        Raises NotFound, Conflict (it is being replaced, or was edited meanwhile), InvalidInput for files whose text
        or front matter cannot be read, and what the model raises; nothing is changed then.
        """
        with self.documents.replacing(doc_id):
            present = self._as_it_lies(doc_id, if_match)
            target = present.folder
            new = self._made_anew(present, progress) if present.topics else None
            changed = new is not None and not _is_the_same(present, new)
            if new is not None and changed:
                target = self.documents.replace(
                    present.folder,
                    new,
                    None,
                    if_match=if_match,
                    turn_held=True,
                    keep=_kept_files(present),
                    expected=present.hashes,
                    in_place=new.category_id == present.document.category_id,
                )
        indexed = self._wait([target, present.folder], wait)
        return _result(present, new, changed=changed, indexed=indexed)

    def _as_it_lies(self, doc_id: str, if_match: str | None) -> _Present:
        folder = self.layout.knowledge / self._record(doc_id).document.folder
        with self._edited_meanwhile(folder):
            hashes = markdown_hashes(folder)
            record = self._record(doc_id)
            if self.layout.knowledge / record.document.folder != folder:
                raise FileNotFoundError(folder)
            self._check_etag(folder / INDEX_FILE, if_match)
            if INDEX_FILE in hashes:
                index = self._opened(folder / INDEX_FILE, (folder / INDEX_FILE).read_bytes())
                if index.body.strip() and not index.present:
                    where = self.layout.relative(folder / INDEX_FILE)
                    raise InvalidInput(f"{where} has no front matter: add one, or delete the file, then try again")
            return _Present(record, folder, hashes, self._old_topics(record))

    def _old_topics(self, record: Record) -> list[OldTopic]:
        found: list[OldTopic] = []
        for row in record.topics:
            path = self.layout.knowledge / row.path
            data = path.read_bytes()
            self._opened(path, data, whole=row.position is not None)
            if row.position is not None:
                found.append(OldTopic.read(found[-1].end if found else 0, row.topic_id, path, data))
        return found

    def _opened(self, path: Path, data: bytes, *, whole: bool = False) -> front_matter.FrontMatter:
        """Raises InvalidInput when its front matter or, if ``whole``, any of its text cannot be read."""
        text, problem = front_matter.decode(data)
        parts = front_matter.split(text)
        tree = parts.tree()
        if not whole or problem is None:
            problem = None if tree.readable else tree.problems[0]
        if problem is not None:
            where = f"{self.layout.relative(path)}:{problem.line}"
            raise InvalidInput(f"{where}: {problem.reason}; {problem.remedy}, then try again")
        return parts

    @contextmanager
    def _edited_meanwhile(self, folder: Path) -> Generator[None]:
        try:
            yield
        except FileNotFoundError:
            raise Conflict(f"{self.layout.relative(folder)} was edited meanwhile: try again") from None

    def _made_anew(self, present: _Present, progress: Progress | None) -> NewDocument:
        document, old = present.document, present.topics
        parsed = self._parsed(present, progress)
        prepared, tree = self._tree(present, parsed or _read_again(present), progress)
        name = document.source_name or document.title
        new = new_document(
            prepared,
            tree,
            RawFile(Path(name), name, document.source_sha256 or "", 0, document.source_type),
            title=document.title,
            doc_id=document.doc_id,
            source_type=document.source_type,
            labels=own_labels(document),
        )
        new = over_the_old(new, old, highest=present.highest_number, carried=parsed is None)
        if "".join(topic.body for topic in new.topics) != present.text:
            raise InternalError(f"document {document.doc_id}: the new topics would not hold the same text")
        return replace(new, document_date=document.document_date, language=document.language, fields=document.fields,
                       created_at=document.created_at, kept_keys=KEPT_KEYS)  # fmt: skip

    def _tree(
        self, present: _Present, parsed: ParsedDocument, progress: Progress | None
    ) -> tuple[ParsedDocument, TopicTree]:
        document, settings, embedder = present.document, self._library.settings.extraction, self._library.embedder
        model = self._tree_model()
        prepared = prepare(parsed, settings)
        held = places(present.topics)
        prepared = replace(prepared, blocks=split_at(prepared.blocks, held))
        tree = make_tree(
            prepared,
            title=document.title,
            embedder=embedder,
            taxonomy=self.taxonomy.load()[0],
            settings=settings,
            category_id=own_category(document),
            labels=own_labels(document),
            model=model,
            progress=progress,
        )
        index = offsets_of(prepared.blocks) | {len(present.text): len(prepared.blocks)}
        tree = with_starts(tree, {index[start]: name for start, name in held.items()}, prepared.blocks, embedder)
        return prepared, with_empty(tree, [(index[t.start], t.file.name) for t in empty_topics(present.topics)])

    def _parsed(self, present: _Present, progress: Progress | None) -> ParsedDocument | None:
        """The original's blocks while the text is still that of the original, to the character."""
        document = present.document
        if not document.original:
            return None
        try:
            name = document.source_name or document.title
            raw = read_raw(self.layout.knowledge / document.original, name, document.source_type)
            parsed = parse_raw(self._library.parser, self.layout, raw, progress)
        except (WikiError, OSError):
            return None
        return parsed if parsed.markdown == present.text else None


def _kept_files(present: _Present) -> set[str]:
    """The Markdown files that are neither ``index.md`` nor part of the text, links among them."""
    made = {INDEX_FILE, *(topic.file.path.name for topic in present.topics)}
    return {path.name for path in present.folder.iterdir() if path.suffix.lower() == ".md"} - made


def _result(present: _Present, new: NewDocument | None, *, changed: bool, indexed: bool) -> ReextractResult:
    extraction = new.extraction if new else present.document.extraction
    fallback = extraction.get("fallback")
    return ReextractResult(
        doc_id=present.document.doc_id,
        changed=changed,
        method=str(extraction.get("method") or "by hand"),
        topic_count=len(present.record.topics) + (len(new.topics) - len(present.topics) if new else 0),
        category_id=new.category_id if new else present.document.category_id,
        kept=present.kept,
        indexed=indexed,
        extraction_fallback=fallback if isinstance(fallback, str) else None,
    )


def _read_again(present: _Present) -> ParsedDocument:
    """The edited text as blocks, each with what is known of the place its old topic came from."""
    from wiki.parsing.markdown import split_blocks
    from wiki.parsing.text import split_paragraphs

    text, media_type = present.text, present.document.source_type or "text/markdown"
    starts = {topic.start: topic for topic in present.topics if topic.body}
    blocks: list[Block] = []
    at, place = 0, None
    for block in split_at(split_paragraphs(text) if media_type == "text/plain" else split_blocks(text), starts):
        if at in starts:
            place = _place(starts[at].file.source)
        at += len(block.text)
        blocks.append(replace(block, provenance=place))
    return ParsedDocument(tuple(blocks), media_type, "", language=present.document.language)


def _place(source: Mapping[str, object]) -> Provenance | None:
    """Where a topic begins, as far as it counts for the tree: another sheet or slide speaks for a cut."""
    given = (source.get("slide"), source.get("sheet"))
    slide, sheet = (value[0] if isinstance(value, list) and value else value for value in given)
    found = Provenance(sheet=sheet if isinstance(sheet, str) else None, slide=slide if isinstance(slide, int) else None)
    return None if found == Provenance() else found


def _is_the_same(present: _Present, new: NewDocument) -> bool:
    """Whether writing it would change no byte but the time and the count of calls."""
    files = {topic.topic_id: topic.data for topic in present.topics}
    made = {
        ids.topic_id(new.doc_id, topic.number): render_topic(topic, new.doc_id)
        if topic.over is None
        else replaced_topic(topic, new.doc_id)
        for topic in new.topics
    }
    if made != files or INDEX_FILE not in present.hashes:
        return False
    path = present.folder / INDEX_FILE
    data = path.read_bytes()
    before = read_index(path, data)
    same_method = all(before.extraction.get(key) == new.extraction.get(key) for key in ("method", "model", "version"))
    if not same_method or before.updated_at is None:
        return False
    like = replace(new, extraction=before.extraction)
    return replaced_index(data, before, like, now=before.updated_at) == data
