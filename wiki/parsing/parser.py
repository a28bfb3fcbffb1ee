"""A file -> ParsedDocument, in this process."""

import re
from itertools import accumulate
from pathlib import Path

from wiki.errors import ExtractionEmpty, UnsupportedFormat, WikiError
from wiki.parsing.blocks import Block, ParsedDocument, Provenance
from wiki.parsing.encoding import normalise
from wiki.parsing.markdown import split_blocks
from wiki.parsing.media import detect
from wiki.parsing.registry import converter
from wiki.parsing.source import Conversion, Piece, Progress, Source, no_progress
from wiki.settings import ParsingSettings

PARSER = "wiki-parsing 4"
_CLOCK = re.compile(r"\d+:\d\d to \d")


def parser_version(settings: ParsingSettings) -> str:
    """Changes whenever the same bytes may be read otherwise: the parser itself, or a model or language it reads by."""
    return "+".join(
        (
            PARSER.replace(" ", "-"),
            settings.ocr.provider,
            *settings.ocr.languages,
            settings.speech.provider,
            *filter(None, (settings.speech.model, settings.speech.language)),
            f"{settings.speech.heading_minutes:g}",
        )
    )


def parse_file(
    path: Path,
    name: str,
    declared_type: str | None = None,
    *,
    settings: ParsingSettings | None = None,
    progress: Progress = no_progress,
) -> ParsedDocument:
    """The file at ``path`` as blocks of Markdown. ``name`` is what its owner calls it.

    Raises InvalidInput (no bytes, only white space), UnsupportedFormat (unknown, damaged,
    encrypted), ExtractionEmpty (readable, holds no text), CapabilityUnavailable (needs something
    that is not installed). For documents of unknown origin use ``worker.ParserPool``, which bounds
    time and memory.
    """
    settings = settings or ParsingSettings()
    media_type = detect(path, name, declared_type, max_unpacked_mb=settings.max_unpacked_mb)
    source = Source(path, name, media_type, settings, progress)
    return document(convert_source(source), media_type, name)


def convert_source(source: Source) -> Conversion:
    """What the converter of the source's media type makes of it; a converter that reads what lies inside
    another file (an attachment, an old Word file's new form) comes back here. Errors as ``parse_file``."""
    convert = converter(source.media_type, source.settings)
    try:
        return convert(source)
    except MemoryError:
        raise
    except WikiError as error:
        raise _named(error, source) from error
    except Exception as error:
        # What a library throws at a strange file is that file's fault; the cause stays attached.
        reason = _without_path(f"{type(error).__name__}: {error}", source)[:300]
        raise UnsupportedFormat(f"{source.name} cannot be read, it may be damaged ({reason})") from error


def _named(error: WikiError, source: Source) -> WikiError:
    """The same error with the file's name in it, and without the place its bytes lie at."""
    message = _without_path(error.message, source)
    if source.name not in message:
        message = f"{source.name}: {message}"
    return type(error)(message, **error.details)


def _without_path(words: str, source: Source) -> str:
    return words.replace(str(source.path), source.name)


def document(conversion: Conversion, media_type: str, name: str) -> ParsedDocument:
    """A conversion cut into blocks, each with the provenance of the piece it starts in."""
    blocks = conversion.blocks if conversion.blocks is not None else _blocks(conversion.pieces)
    if not any(block.text.strip() for block in blocks):
        raise ExtractionEmpty(f"{name} can be read but holds no text")
    return ParsedDocument(
        blocks=blocks,
        media_type=media_type,
        parser=PARSER,
        title=conversion.title or _first_heading(blocks),
        language=conversion.language,
        document_date=conversion.document_date,
        front_matter=conversion.front_matter,
    )


def _blocks(pieces: tuple[Piece, ...]) -> tuple[Block, ...]:
    texts = [normalise(piece.text) for piece in pieces]
    blocks = split_blocks("".join(texts))
    if all(piece.provenance is None for piece in pieces):
        return blocks
    ends = list(accumulate(len(text) for text in texts))
    placed: list[Block] = []
    position, at = 0, 0
    for block in blocks:
        start = position + len(block.text) - len(block.text.lstrip())
        while at < len(ends) - 1 and ends[at] <= start:
            at += 1
        placed.append(_with(block, pieces[at].provenance))
        position += len(block.text)
    return tuple(placed)


def _with(block: Block, provenance: Provenance | None) -> Block:
    return Block(block.text, block.kind, block.level, block.heading, provenance) if provenance else block


def _first_heading(blocks: tuple[Block, ...]) -> str | None:
    """The first that is no time mark of a transcript."""
    return next((block.heading for block in blocks if block.heading and not _CLOCK.match(block.heading)), None)
