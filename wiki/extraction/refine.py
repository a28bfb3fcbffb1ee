"""Very long blocks cut into several, so that a topic can end inside them. The text stays the same to the byte."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import replace

from wiki.extraction.prose import sentence_ends, title_line
from wiki.extraction.words import count_words, size_of
from wiki.parsing.blocks import Block, ParsedDocument
from wiki.settings import ExtractionSettings

LONGEST_HEADING = 300
"""Characters. A longer heading is a paragraph that a converter took for one."""

_RUN = re.compile(r"\s*\S+\s*")
_NAMED_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[ \t]*\w")
_SIGN_OF_CODE = re.compile(r"[{}\[\]=<>|\\/#$%&*+@_~^]")
_SAMPLE = 20_000
LEAST_WORDS_A_LINE = 5
MOST_SIGNS = 0.02
"""Of the characters of a text without mark-up. Program text has 0.05 and more, logs 0.03."""


def prepare(parsed: ParsedDocument, settings: ExtractionSettings) -> ParsedDocument:
    """``parsed`` as the outline needs it. Run it first: the ranges of a ``TopicTree`` count its blocks.

    The joined text of the blocks is unchanged.
    """
    return refine_blocks(parsed, settings)


def refine_blocks(parsed: ParsedDocument, settings: ExtractionSettings) -> ParsedDocument:
    """``parsed`` with over-long blocks cut: prose at sentence ends, lists at items, tables and code at line ends.

    Nothing is added, so the later parts of a cut table have no header row and those of a cut code block no fence.
    """
    blocks: list[Block] = []
    for block in parsed.blocks:
        blocks.extend(_refine(block, settings.max_topic_words))
    if len(blocks) == len(parsed.blocks) and all(new is old for new, old in zip(blocks, parsed.blocks, strict=True)):
        return parsed
    return replace(parsed, blocks=tuple(blocks))


def _refine(block: Block, most: int) -> Iterable[Block]:
    if block.kind == "heading":
        if len(block.text) <= LONGEST_HEADING:
            return (block,)
        block = replace(block, kind="paragraph", level=None, heading=None)
    # A word needs a character and something between it and the next, so a short text can't hold too many.
    limit = most * 2 if block.kind == "code" else most // 2
    if len(block.text) < limit or size_of(block.text) <= limit:
        return (block,)
    if block.kind == "code" and reads_as_text(block.text):
        return tuple(replace(block, text=piece, kind="paragraph") for piece in _typed_text(block.text, most // 8))
    target = most // 2 if block.kind in ("code", "table") else most // 8
    pieces = split_text(block.text, block.kind, max(12, target))
    return tuple(replace(block, text=piece) for piece in pieces)


def reads_as_text(text: str) -> bool:
    """Whether what stands as code is the text of a letter, a law, a book: lines of words, hardly a sign of code."""
    if _NAMED_FENCE.match(text):
        return False
    sample = text[:_SAMPLE]
    lines = [line for line in sample.splitlines() if line.strip()]
    signs = len(_SIGN_OF_CODE.findall(sample))
    words = count_words(sample)
    return words >= LEAST_WORDS_A_LINE * len(lines) and signs <= MOST_SIGNS * len("".join(sample.split()))


def _typed_text(text: str, target: int) -> Iterable[str]:
    """Text with blank lines between its paragraphs, in pieces; a line that reads as a title is one of its own."""
    between: list[str] = []
    for part in _paragraphs(text):
        if title_line(Block(part, "paragraph")):
            yield from split_text("".join(between), "paragraph", max(12, target))
            yield part
            between = []
        else:
            between.append(part)
    yield from split_text("".join(between), "paragraph", max(12, target))


def split_text(text: str, kind: str, target: int) -> list[str]:
    """``text`` in pieces of about ``target`` words, none over twice that; joined they are ``text``."""
    ladder: list[Callable[[str], list[str]]]
    most_in_one = target * 2
    if kind == "list":
        ladder = [_items, _lines, _sentences]
    elif kind == "code":
        ladder = [_stanzas, _lines]
        most_in_one = target
    elif kind in ("table", "html"):
        ladder = [_lines, _sentences]
        most_in_one = target
    else:
        ladder = [_paragraphs, _sentences, _lines]
    return _pack(_atoms(text, [*ladder, _runs], most_in_one), target)


def _atoms(text: str, ladder: list[Callable[[str], list[str]]], most: int) -> list[str]:
    """The smallest pieces, cut by the first rule of the ladder; those with more than ``most`` words by the next."""
    atoms: list[str] = []
    for part in ladder[0](text):
        if len(ladder) == 1 or len(part) < most or size_of(part) <= most:
            atoms.append(part)
        else:
            atoms.extend(_atoms(part, ladder[1:], most))
    return atoms


def _pack(atoms: list[str], target: int) -> list[str]:
    pieces: list[str] = []
    current: list[str] = []
    size = 0
    for atom in atoms:
        words = size_of(atom)
        if current and size + words / 2 > target:
            pieces.append("".join(current))
            current, size = [], 0
        current.append(atom)
        size += words
    tail = "".join(current)
    if pieces and size < target / 3:
        pieces[-1] += tail
    elif tail:
        pieces.append(tail)
    return pieces


def _sentences(text: str) -> list[str]:
    ends = sentence_ends(text)
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _items(text: str) -> list[str]:
    """Lines, each with the indented and blank lines that follow it."""
    return _grouped(text, lambda line, _: bool(line.strip()) and not line[0].isspace())


def _paragraphs(text: str) -> list[str]:
    """Runs of lines up to one behind a blank line."""
    return _grouped(text, lambda line, before: bool(line.strip()) and not before.strip())


def _stanzas(text: str) -> list[str]:
    """Runs of code up to a line that starts at the margin behind a blank one."""
    return _grouped(text, lambda line, before: bool(line.strip()) and not line[0].isspace() and not before.strip())


def _grouped(text: str, starts: Callable[[str, str], bool]) -> list[str]:
    groups: list[list[str]] = []
    before = "-"
    for line in _lines(text):
        if not groups or starts(line, before):
            groups.append([])
        groups[-1].append(line)
        before = line
    return ["".join(group) for group in groups]


def _runs(text: str) -> list[str]:
    """Words with the space behind them; a run without any space every 40 characters, never before a combining mark."""
    runs: list[str] = []
    end = 0
    for match in _RUN.finditer(text):
        run = match.group()
        end = match.end()
        if size_of(run) <= 20:
            runs.append(run)
        else:
            runs.extend(_chop(run, 40))
    if end < len(text):
        runs.append(text[end:])
    return runs


def _chop(run: str, size: int) -> Iterable[str]:
    start = 0
    while start < len(run):
        end = min(len(run), start + size)
        while end < len(run) and (unicodedata.category(run[end]).startswith("M") or run[end] in "\u200d\ufe0f"):
            end += 1
        yield run[start:end]
        start = end
