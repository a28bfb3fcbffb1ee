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
            yield shorten(heading.heading or "", LONGEST_NAME)
        text = "\n".join(prose)
        if not is_unspaced(text):
            yield from self.key_names(text)
        for paragraph in prose:
            for sentence in split_sentences(paragraph):
                if any(char.isalpha() for char in sentence):
                    yield _first_clause(sentence)
        for block in shown:
            for line in block.text.splitlines():
                line = plain(line.strip("`~#>|*-+= \t"))
                if any(char.isalnum() for char in line):
                    yield shorten(line, SHORT_NAME)

    def key_names(self, text: str) -> Iterator[str]:
        """Two key phrases or one, most telling first; none when no phrase stands out."""
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
        if _can_name(token):
            run.append(token)
        else:
            yield from _within(run)
            run = []
    yield from _within(run)


def _can_name(token: str) -> bool:
    """Neither a mark, a function word, a number nor an identifier made by a machine."""
    if len(token) < 2 or len(token) > 30 or token.isdigit() or token.casefold() in STOPWORDS:
        return False
    return len(token) <= 10 or not any(char.isdigit() for char in token)


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
    """First and last value of a column, ``Aachen – Zwolle``; with the column's name before numbers, ``id 1 – 250``."""
    rows = [line for block in tables for line in block.text.splitlines() if line.strip()]
    headed = len(rows) > 2 and not rows[1].strip("|:- \t")
    header = rows[0] if headed else ""
    rows = [row for row in rows if row.strip("|:- \t") and row != header]
    for column in range(3 if rows else 0):
        first, last = _cell(rows[0], column), _cell(rows[-1], column)
        if first and last and first != last:
            name = f"{shorten(first, 50)} – {shorten(last, 50)}"
            yield name if any(char.isalpha() for char in first) else f"{_cell(header, column)[:16]} {name}".strip()


def _cell(row: str, column: int) -> str:
    cells = _CELL.split(row.strip().strip("|"))
    return plain(cells[column]) if column < len(cells) else ""


def bare_number(name: str) -> bool:
    """Whether a heading only counts (``3``, ``IV.``, ``0:00 to 5:00``) and so needs a phrase beside it."""
    return any(char.isdigit() for char in name) and not re.search(r"[^\W\d_]{3}", name) and not is_unspaced(name)


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
