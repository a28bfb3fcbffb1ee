"""Files dropped into ``incoming/``: when they have settled, how each becomes a document, where a bad one goes.

A file leaves ``incoming/`` only after its document stands (the bytes are in ``_original/`` then) or
after it was moved to ``_failed/`` with its reason beside it. Dagster and ``wiki up --lite`` both use this.
"""

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from wiki.documents.model import INDEX_FILE
from wiki.documents.reader import read_index
from wiki.errors import WikiError
from wiki.ingest import RawFile, parse_raw, read_raw, title_of
from wiki.library import Library, TenantLibrary
from wiki.tenants import Layout

FAILED_DIR = "_failed"
REASON_SUFFIX = ".reason.txt"

Status = Literal["added", "standing", "duplicate", "failed", "gone"]

_REMEDIES = {
    "UNSUPPORTED_FORMAT": "Save it in one of the formats `wiki doctor` lists and drop the new file into incoming/.",
    "EXTRACTION_EMPTY": "Give it text (for a scan, run OCR first) and drop the new file into incoming/.",
    "INVALID_INPUT": "Correct what the message names and drop the file into incoming/ again.",
    "TOO_LARGE": "Split the file, or raise knowledge.max_upload_bytes in wiki.toml, and move it back into incoming/.",
    "CAPABILITY_UNAVAILABLE": "Install what the message names, then move the file back into incoming/.",
    "CONFIGURATION_ERROR": "Correct the setting the message names, then move the file back into incoming/.",
    "EXTERNAL_SERVICE_UNAVAILABLE": "Wait until the service answers, then move the file back into incoming/.",
}
_ANY_REMEDY = "Move the file back into incoming/ to try again; if it fails again, report it with the message above."


@dataclass(frozen=True)
class IncomingOutcome:
    """What became of one file. Numbers are what a person wants to see in Dagster; never body text."""

    status: Status
    name: str
    sha256: str = ""
    size: int = 0
    media_type: str | None = None
    doc_id: str | None = None
    path: str | None = None
    """The document's folder, relative to the root."""
    title: str = ""
    category_id: str = ""
    parser: str = ""
    characters: int = 0
    blocks: int = 0
    topics: int = 0
    code: str | None = None
    """Error code when ``failed``."""
    message: str = ""
    extraction: dict[str, Any] = field(default_factory=dict[str, Any])
    """How the topics were made, as ``index.md`` tells."""
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """Duration by step: ``hash``, ``parse`` and ``write`` (outline included)."""


def settled_files(layout: Layout, settle_seconds: float, *, now: float | None = None) -> list[Path]:
    """Files of ``incoming/`` nobody has written to for ``settle_seconds``, sorted by path.

    Folders dropped there are walked; dot-files, links and ``_failed/`` are left out.
    """
    moment = time.time() if now is None else now
    return [path for path, changed in _waiting(layout) if moment - changed >= settle_seconds]


def unsettled_count(layout: Layout, settle_seconds: float, *, now: float | None = None) -> int:
    """How many files are still being written."""
    moment = time.time() if now is None else now
    return sum(1 for _, changed in _waiting(layout) if moment - changed < settle_seconds)


def ingest_incoming(
    library: Library, tenant: TenantLibrary, file: Path, *, standing: Mapping[str, str] | None = None
) -> IncomingOutcome:
    """Turn one dropped file into a document and take it out of ``incoming/``.

    Bytes the tenant already has become no second document. ``standing`` maps source hashes to document
    ids that stand on disk but may not be in the catalog yet. A file that can't be read is moved to
    ``_failed/`` with a reason beside it; this never raises for a bad file.
    """
    layout = tenant.layout
    seconds: dict[str, float] = {}
    try:
        raw = _raw_file(file, seconds)
        doc_id = (standing or {}).get(raw.sha256) or tenant.has_source(raw.sha256)
        if doc_id is not None:
            _remove(file, layout)
            message = f"its bytes are document {doc_id} already"
            return IncomingOutcome("duplicate", raw.name, raw.sha256, raw.size, raw.media_type, doc_id, message=message)
        outcome = _ingest(library, tenant, raw, seconds)
        _remove(file, layout)
        return outcome
    except FileNotFoundError:
        if file.exists():
            raise
        return IncomingOutcome("gone", file.name, message="the file was taken away before it could be read")
    except WikiError as error:
        return _refuse(layout, file, error.code, error.message, seconds)
    except Exception as error:
        return _refuse(layout, file, "INTERNAL_ERROR", f"{type(error).__name__}: {error}", seconds)


def describe_document(library: Library, tenant: TenantLibrary, doc_id: str, *, again: bool = False) -> IncomingOutcome:
    """A document that stands already, told as an outcome; nothing on disk changes.

    ``again`` parses the original once more, so that a new parser's reading is at hand for ``reparse``.
    Raises NotFound when the document or its original is gone.
    """
    view = tenant.document(doc_id)
    path, name, media_type = tenant.original(doc_id)
    seconds: dict[str, float] = {}
    raw = _raw_file(path, seconds)
    parser, characters, blocks = "", 0, 0
    if again:
        with _timed(seconds, "parse"):
            parsed = parse_raw(library.parser, tenant.layout, raw)
        parser, characters, blocks = parsed.parser, len(parsed.markdown), len(parsed.blocks)
    return IncomingOutcome(
        "standing",
        name,
        raw.sha256,
        raw.size,
        media_type,
        doc_id,
        view.md_path,
        view.title,
        view.category_id,
        parser,
        characters,
        blocks,
        len(view.topics),
        message="the document stands already",
        extraction=view.extraction,
        seconds=seconds,
    )


def _ingest(library: Library, tenant: TenantLibrary, raw: RawFile, seconds: dict[str, float]) -> IncomingOutcome:
    with _timed(seconds, "parse"):
        parsed = parse_raw(library.parser, tenant.layout, raw)
    with _timed(seconds, "write"):
        folder, doc_id, topics = tenant.write_document(raw)
    return IncomingOutcome(
        "added",
        raw.name,
        raw.sha256,
        raw.size,
        parsed.media_type,
        doc_id,
        tenant.layout.relative(folder),
        title_of(parsed, raw.name, None),
        folder.parent.name,
        parsed.parser,
        len(parsed.markdown),
        len(parsed.blocks),
        topics,
        extraction=_extraction_of(folder),
        seconds=seconds,
    )


def _extraction_of(folder: Path) -> dict[str, Any]:
    index = folder / INDEX_FILE
    try:
        return read_index(index, index.read_bytes()).extraction
    except FileNotFoundError:  # somebody moved the new document on at once
        return {}


def _raw_file(file: Path, seconds: dict[str, float]) -> RawFile:
    with _timed(seconds, "hash"):
        return read_raw(file, file.name)


def _refuse(layout: Layout, file: Path, code: str, message: str, seconds: dict[str, float]) -> IncomingOutcome:
    """Move ``file`` to ``_failed/`` and write why; a same-named earlier failure is kept."""
    folder = layout.incoming / FAILED_DIR
    folder.mkdir(parents=True, exist_ok=True)
    target, number = folder / file.name, 1
    while target.exists():
        number += 1
        target = folder / f"{file.stem}_{number}{file.suffix}"
    reason = target.with_name(target.name + REASON_SUFFIX)
    size = file.stat().st_size
    reason.write_text(f"{code}\n{message}\n{_REMEDIES.get(code, _ANY_REMEDY)}\n", encoding="utf-8")
    os.replace(file, target)
    _prune_folders(file.parent, layout)
    return IncomingOutcome("failed", file.name, size=size, code=code, message=message, seconds=seconds)


def _remove(file: Path, layout: Layout) -> None:
    file.unlink(missing_ok=True)
    _prune_folders(file.parent, layout)


def _prune_folders(folder: Path, layout: Layout) -> None:
    while folder != layout.incoming and layout.incoming in folder.parents and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _waiting(layout: Layout) -> Iterator[tuple[Path, float]]:
    """Each candidate with the time of its last change (content, name or rights), in seconds."""
    for folder, folders, names in os.walk(layout.incoming):
        at_top = Path(folder) == layout.incoming
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not (at_top and name == FAILED_DIR)
        )
        for name in sorted(names):
            path = Path(folder) / name
            if name.startswith(".") or path.is_symlink():
                continue
            try:
                stat = path.stat()
            except FileNotFoundError:
                continue
            yield path, max(stat.st_mtime, stat.st_ctime) if stat.st_mtime <= time.time() else stat.st_ctime


class _timed:
    def __init__(self, seconds: dict[str, float], step: str) -> None:
        self.seconds, self.step = seconds, step

    def __enter__(self) -> None:
        self.started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds[self.step] = round(time.perf_counter() - self.started, 4)
