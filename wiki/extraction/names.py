"""Names for topics whose text has no heading, and names that differ within a parent."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from wiki.extraction.prose import paragraphs, plain, split_sentences
from wiki.extraction.sections import LONGEST_NAME
from wiki.extraction.words import STOPWORDS, UNSPACED, is_unspaced, shorten
from wiki.parsing.blocks import Block

LONGEST_PHRASE = 3
"""Words of a key phrase."""
TITLE_LINE_CHARACTERS = 80
SHORT_NAME = 60

_TOKEN = re.compile(r"[^\W_]+(?:['’\-.][^\W_]+)*|[^\w\s]")
_CELL = re.compile(r"(?<!\\)\|")
_CLAUSE_END = re.compile(r"[，、；：,;:(（—–]")
_ENDS = (".", "!", "?", "…", ":", ";", ",", "。", "！", "？", "：", "；", "，", "、")


class NameMaker:
    """Names stretches of one document by what sets each apart from the others."""

    def __init__(self, texts: Sequence[str]) -> None:
        """``texts``: every stretch of the document; phrases common to most of them name none."""
        self._spread: Counter[str] = Counter()
        for text in texts:
            self._spread.update({phrase for phrase, _ in _phrases(text)})
        self._stretches = max(1, len(texts))

    def names(self, blocks: Sequence[Block], *, at_start: bool = False) -> Iterator[str]:
        """Names for the stretch, best first, none empty. May be none at all (a picture, say).

        ``at_start``: the stretch opens the document, where a short first line is a title.
        """
        shown = [block for block in blocks if block.kind not in ("blank", "rule") and block.text.strip()]
        prose = [text for block in shown for text in paragraphs(block) if text]
        words = sum(len(text) for text in prose)
        if at_start and prose and _is_title_line(prose[0]) and len(shown) > 1:
            yield shorten(prose[0], LONGEST_NAME)
        tables = [block for block in shown if block.kind == "table"]
        if tables and words < sum(len(block.text) for block in tables):
            yield from _table_names(tables)
        heading = next((block for block in shown if block.kind == "heading" and block.heading), None)
        if heading is not None and heading is shown[0]:
            yield shorten(plain(heading.heading or ""), LONGEST_NAME) or "–"
        text = "\n".join(prose)
        if not is_unspaced(text):
            yield from self._key_names(text)
        for paragraph in prose:
            for sentence in split_sentences(paragraph):
                if any(char.isalpha() for char in sentence):
                    yield _first_clause(sentence)
        for block in shown:
            for line in block.text.splitlines():
                line = plain(line.strip("`~#>|*-+= \t"))
                if any(char.isalnum() for char in line):
                    yield shorten(line, SHORT_NAME)

    def _key_names(self, text: str) -> Iterator[str]:
        counts: Counter[str] = Counter()
        written: dict[str, Counter[str]] = {}
        for phrase, surface in _phrases(text):
            counts[phrase] += 1
            written.setdefault(phrase, Counter())[surface] += 1
        scores = {phrase: self._score(phrase, count) for phrase, count in counts.items()}
        best = sorted((phrase for phrase in scores if scores[phrase] > 0), key=lambda phrase: (-scores[phrase], phrase))
        chosen: list[str] = []
        for phrase in best[:60]:
            if not any(_overlap(phrase, other) for other in chosen):
                chosen.append(phrase)
            if len(chosen) == 4:
                break
        shown = [written[phrase].most_common(1)[0][0] for phrase in chosen]
        if not shown or counts[chosen[0]] < 2:
            return
        capital = shown[0][0].upper() + shown[0][1:]
        for other in shown[1:]:
            yield shorten(f"{capital}, {other}", LONGEST_NAME)
        yield shorten(capital, LONGEST_NAME)

    def _score(self, phrase: str, count: int) -> float:
        """Term frequency against document spread (tf-idf), longer phrases first; once is not enough for a long one."""
        words = phrase.count(" ") + 1
        if count == 1 and words > 1:
            return 0.0
        spread = math.log((self._stretches + 1) / (self._spread[phrase] + 0.5)) + 0.2
        return (
            (1 + math.log(count)) * spread * (1, 1.6, 1.8)[words - 1] * (1.0 if words > 1 or len(phrase) > 3 else 0.4)
        )


def _phrases(text: str) -> Iterator[tuple[str, str]]:
    """Runs of up to three content words within a clause: case folded, and as written."""
    run: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if len(token) > 1 and token.casefold() not in STOPWORDS and not token.isdigit() and len(token) < 30:
            run.append(token)
        else:
            yield from _within(run)
            run = []
    yield from _within(run)


def _within(run: Sequence[str]) -> Iterator[tuple[str, str]]:
    for start in range(len(run)):
        for end in range(start + 1, min(len(run), start + LONGEST_PHRASE) + 1):
            surface = " ".join(run[start:end])
            yield surface.casefold(), surface


def _overlap(one: str, other: str) -> bool:
    return bool({word[:5] for word in one.split()} & {word[:5] for word in other.split()})


def _is_title_line(text: str) -> bool:
    return len(text) <= TITLE_LINE_CHARACTERS and len(text.split()) <= 12 and not text.endswith(_ENDS)


def _first_clause(sentence: str) -> str:
    if len(sentence) <= SHORT_NAME:
        return sentence.rstrip("".join(_ENDS) + " ") or sentence
    least = 8 if re.match(f"[{UNSPACED}]", sentence) else 24
    clause = _CLAUSE_END.search(sentence, least)
    if clause and clause.start() <= SHORT_NAME:
        return sentence[: clause.start()].strip()
    return shorten(sentence, SHORT_NAME)


def _table_names(tables: Sequence[Block]) -> Iterator[str]:
    """The first cell of the first and of the last row: ``Order 1001 – Order 1250``."""
    rows = [line for block in tables for line in block.text.splitlines() if line.strip().strip("|:- \t")]
    header_first = len(tables[0].text.splitlines()) > 1 and not tables[0].text.splitlines()[1].strip().strip("|:- \t")
    rows = rows[1:] if header_first and len(rows) > 2 else rows
    for column in range(3):
        first, last = _cell(rows[0], column), _cell(rows[-1], column)
        if first and last and first != last:
            half = LONGEST_NAME // 2 - 2
            yield f"{shorten(first, half)} – {shorten(last, half)}"


def _cell(row: str, column: int) -> str:
    cells = _CELL.split(row.strip().strip("|"))
    return plain(cells[column]) if column < len(cells) else ""


def unique_name(candidates: Iterator[str], taken: Callable[[str], bool], fallback: str) -> str:
    """The first candidate that is not taken; else the first one (or ``fallback``) with a number behind it."""
    first = ""
    for candidate in candidates:
        candidate = candidate.strip()
        if not candidate:
            continue
        first = first or candidate
        if not taken(candidate):
            return candidate
    first = first or fallback
    if not taken(first):
        return first
    number = 2
    while taken(numbered := f"{shorten(first, LONGEST_NAME - 8)} ({number})"):
        number += 1
    return numbered
