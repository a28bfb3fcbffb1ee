"""A file's way into the library: bytes -> parsed Markdown -> topic tree -> document folder.

The HTTP upload and the Dagster assets call the same steps.
"""

import json
import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from wiki import __version__
from wiki.documents import ids
from wiki.documents.marks import mark
from wiki.documents.model import NewDocument, NewTopic
from wiki.documents.taxonomy import Taxonomy
from wiki.errors import ConfigurationError, InvalidInput
from wiki.extraction.categories import GIVEN
from wiki.extraction.llm.method import TreeModel, llm_tree
from wiki.extraction.outline import outline, prepare
from wiki.extraction.tree import TopicSpan, TopicTree
from wiki.models.protocols import Embedder
from wiki.parsing.blocks import Block, ParsedDocument
from wiki.parsing.source import Progress, no_progress
from wiki.settings import ExtractionSettings
from wiki.tenants import Layout

MAX_TITLE = 500
NO_MODEL = (
    "extraction.method is llm and no model is configured: set llm.provider, llm.model and llm.base_url in wiki.toml, or "
    "extraction.method to outline"
)
_PARSED = TypeAdapter(ParsedDocument)


@dataclass(frozen=True)
class RawFile:
    """Bytes on disk with where they came from. ``media_type`` is what the sender declared."""

    path: Path
    name: str
    sha256: str
    size: int
    media_type: str | None = None


class Parser(Protocol):
    @property
    def fingerprint(self) -> str:
        """Changes whenever the same bytes may be read otherwise."""
        ...

    def parse(
        self, path: Path, name: str, declared_type: str | None = None, progress: Progress | None = None
    ) -> ParsedDocument: ...


def hash_file(path: Path) -> str:
    """SHA-256 of a file's bytes, hex."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def read_raw(path: Path, name: str, media_type: str | None = None) -> RawFile:
    """Hash a file. Raises InvalidInput when it holds no byte."""
    size = path.stat().st_size
    if not size:
        raise InvalidInput(f"{name} is empty: it has zero bytes")
    return RawFile(path, name, hash_file(path), size, media_type or mimetypes.guess_type(name)[0])


def parse_raw(parser: Parser, layout: Layout, raw: RawFile, progress: Progress | None = None) -> ParsedDocument:
    """The file as Markdown blocks, from ``.index/…/parsed`` when these bytes were read before under such a name.

    ``progress`` hears of each page, sheet or minute of a long file.
    """
    kept = parsed_path(layout, raw, parser.fingerprint)
    try:
        return _PARSED.validate_json(kept.read_bytes())
    except (FileNotFoundError, ValidationError):
        parsed = parser.parse(raw.path, raw.name, raw.media_type, progress)
    kept.parent.mkdir(parents=True, exist_ok=True)
    staged = kept.with_name(f"{kept.name}.{uuid4().hex}")
    # Derived, so not forced to disk: a file that a power cut tears is no valid JSON and is made again.
    staged.write_text(json.dumps(asdict(parsed), ensure_ascii=False, default=str), encoding="utf-8")
    staged.replace(kept)
    return parsed


def parsed_path(layout: Layout, raw: RawFile, fingerprint: str) -> Path:
    """Where the parsed form of a file is kept; the extension counts, as it may decide how bytes are read."""
    suffix = sha256(
        f"{__version__}|{fingerprint}|{Path(raw.name).suffix.lower()}|{raw.media_type}".encode()
    ).hexdigest()[:8]
    return layout.parsed / raw.sha256[:2] / f"{raw.sha256}-{suffix}.json"


def title_of(parsed: ParsedDocument, name: str, given: str | None) -> str:
    """The document's title: the given one, else the file's own, else its name. Raises InvalidInput."""
    if given is not None:
        return checked_title(given)
    own = " ".join((parsed.title or "").split())[:MAX_TITLE]
    stem = Path(name).stem.replace("_", " ").strip() or name
    return own if any(c.isalnum() for c in own) else stem[:MAX_TITLE]


def checked_title(title: str) -> str:
    """A title as it is stored. Raises InvalidInput when it says nothing or is too long."""
    title = " ".join(title.split())
    if not any(character.isalnum() for character in title):
        raise InvalidInput("the title is empty: give one with a letter or a digit", field="title")
    if len(title) > MAX_TITLE:
        raise InvalidInput(f"the title has {len(title)} characters; at most {MAX_TITLE} are kept", field="title")
    return title


def extract_topics(
    parsed: ParsedDocument,
    *,
    title: str,
    embedder: Embedder,
    taxonomy: Taxonomy,
    settings: ExtractionSettings,
    category_id: str | None = None,
    labels: Sequence[str] = (),
    model: TreeModel | None = None,
    progress: Progress | None = None,
) -> tuple[ParsedDocument, TopicTree]:
    """The topic tree by ``settings.method``, with the blocks its ranges count.

    ``model`` is needed for the method ``llm``; ``progress`` hears of each of its calls.
    """
    prepared = prepare(parsed, settings)
    tree = make_tree(
        prepared,
        title=title,
        embedder=embedder,
        taxonomy=taxonomy,
        settings=settings,
        category_id=category_id,
        labels=labels,
        model=model,
        progress=progress,
    )
    return prepared, tree


def make_tree(
    prepared: ParsedDocument,
    *,
    title: str,
    embedder: Embedder,
    taxonomy: Taxonomy,
    settings: ExtractionSettings,
    category_id: str | None = None,
    labels: Sequence[str] = (),
    model: TreeModel | None = None,
    progress: Progress | None = None,
) -> TopicTree:
    """The topic tree of a document that comes from ``prepare``. Arguments as those of ``extract_topics``."""
    categories = [(category.id, category.description) for category in taxonomy.categories]
    if settings.method == "llm":
        if model is None:
            raise ConfigurationError(NO_MODEL)
        return llm_tree(
            prepared,
            title=title,
            embedder=embedder,
            categories=categories,
            settings=settings,
            model=model,
            category_id=category_id,
            labels=tuple(labels),
            progress=progress or no_progress,
        )
    return outline(
        prepared,
        title=title,
        embedder=embedder,
        categories=categories,
        settings=settings,
        category_id=category_id,
        labels=tuple(labels),
    )


def new_document(
    parsed: ParsedDocument,
    tree: TopicTree,
    raw: RawFile,
    *,
    title: str,
    doc_id: str | None = None,
    source_type: str | None = None,
    labels: Sequence[str] = (),
) -> NewDocument:
    """What the store writes: every block of the converted text in exactly one topic."""
    positions = tree.positions()
    lines = _first_lines(parsed.blocks)
    return NewDocument(
        doc_id=doc_id or ids.new_doc_id(),
        title=title,
        category_id=tree.category_id,
        source_name=raw.name,
        source_type=source_type or parsed.media_type,
        source_sha256=raw.sha256,
        summary=tree.summary,
        extraction=extraction_of(tree, given_labels=bool(labels)),
        topics=tuple(
            NewTopic(
                number=number,
                name=topic.name,
                position=positions[number - 1],
                depth=topic.depth,
                parent=None if topic.parent is None else topic.parent + 1,
                body="".join(block.text for block in parsed.blocks[topic.start : topic.end]),
                summary=topic.summary,
                labels=topic.labels,
                source=_source(topic, parsed.blocks, lines),
            )
            for number, topic in enumerate(tree.topics, start=1)
        ),
        labels=tuple(labels) or tree.labels,
        language=parsed.language,
        document_date=parsed.document_date,
        source_front_matter=parsed.front_matter,
    )


def extraction_of(tree: TopicTree, *, given_labels: bool) -> dict[str, Any]:
    """How a tree was made, marks of the category and labels where they were not given, and the highest topic number."""
    found: dict[str, Any] = {"method": tree.method, "model": tree.model, "version": tree.version, **tree.notes}
    if tree.notes.get("category") != GIVEN:
        found["generated_category"] = tree.category_id
    if tree.labels and not given_labels:
        found["generated_labels"] = mark(*tree.labels)
    return found | {"highest_topic": len(tree.topics)}


def _first_lines(blocks: Sequence[Block]) -> list[int]:
    """The 1-based line on which each block starts, and the one after the last."""
    starts = [1]
    for block in blocks:
        starts.append(starts[-1] + block.text.count("\n"))
    return starts


def _source(topic: TopicSpan, blocks: Sequence[Block], lines: Sequence[int]) -> dict[str, Any]:
    first, last = lines[topic.start], max(lines[topic.start], lines[topic.end] - 1)
    places = [block.provenance for block in blocks[topic.start : topic.end] if block.provenance]
    source: dict[str, Any] = {"lines": [first, last]}
    spans: Mapping[str, list[Any]] = {
        "pages": [place.page for place in places if place.page is not None],
        "slide": [place.slide for place in places if place.slide is not None],
        "seconds": [second for place in places if place.seconds for second in place.seconds],
    }
    for key, values in spans.items():
        if values:
            source[key] = [min(values), max(values)]
    if sheets := list(dict.fromkeys(place.sheet for place in places if place.sheet)):
        source["sheet"] = sheets[0] if len(sheets) == 1 else sheets
    return source
