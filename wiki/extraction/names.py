"""Names for topics whose text has no heading, and names that differ within a parent."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from wiki.extraction.phrases import each_phrase, overlap, phrases_of
from wiki.extraction.prose import (
    THAI_LIKE,
    TITLE_CHARACTERS,
    TITLE_WORDS,
    is_fence,
    paragraphs,
    plain,
    split_sentences,
    title_line,
)
from wiki.extraction.ranges import code_names, log_names, table_names
from wiki.extraction.sections import LONGEST_NAME, heading_name, run_name
from wiki.extraction.words import UNSPACED, is_unspaced, shorten
from wiki.parsing.blocks import Block

SHORT_NAME = 60
FEW_PHRASES = 400
"""In more, what comes up twice names nothing."""
FEW_STRETCHES = 4
LEAST_REACH = 5
"""What names a stretch comes up over a fifth of it at least."""

_CLAUSE_END = re.compile(r"[，、；：,;:(（—–]")
_ENDS = (".", "!", "?", "…", ":", ";", ",", "。", "！", "？", "：", "；", "，", "、")


class NameMaker:
    """Names stretches of one document by what sets each apart from the others."""

    def __init__(self, texts: Sequence[str]) -> None:
        """``texts``: every stretch of the document; phrases common to most of them name none."""
        self._spread: Counter[str] = Counter()
        for text in texts:
            self._spread.update({phrase for phrase, _ in each_phrase(text)})
        self._stretches = max(1, len(texts))

    def names(self, blocks: Sequence[Block], *, at_start: bool = False) -> Iterator[str]:
        """Names for the stretch, best first, none empty. May be none at all (a picture, say).

        ``at_start``: the stretch opens the document, where a short first line is a title.
        """
        shown = [block for block in blocks if block.kind not in ("blank", "rule") and block.text.strip()]
        prose = [text for block in shown for text in paragraphs(block) if text]
        named = False
        for name in self._offered(shown, prose, at_start=at_start):
            if any(char.isalnum() for char in name):
                named = True
                yield name
        for line in (line for block in shown for line in block.text.splitlines() if not named):
            line = "" if is_fence(line) else plain(line.strip("`~#>|*-+= \t")).replace(" | ", ", ")
            if any(char.isalnum() for char in line):
                yield shorten(line, SHORT_NAME)

    def _offered(self, shown: Sequence[Block], prose: Sequence[str], *, at_start: bool) -> Iterator[str]:
        words = sum(len(text) for text in prose)
        if len(shown) > 1:
            if at_start and prose and _is_title_line(prose[0]):
                yield shorten(prose[0], LONGEST_NAME)
            elif title := title_line(shown[0]):
                yield shorten(title, LONGEST_NAME)
        tables = [block for block in shown if block.kind == "table"]
        if tables and words < sum(len(block.text) for block in tables):
            yield from table_names(tables)
        headings = [name for block in shown if block.kind == "heading" and (name := heading_name(block))]
        if headings and shown[0].kind == "heading":
            yield run_name(headings)
            yield headings[0]
        text = "\n".join(prose)
        if not prose:
            yield from code_names([block for block in shown if block.kind == "code"])
        yield from log_names("\n".join(block.text for block in shown if block.kind in ("paragraph", "code")))
        if not is_unspaced(text):
            yield from self.key_names(text)
        for paragraph in prose:
            for sentence in split_sentences(paragraph):
                if sentence[0] not in "[(<{" and any(char.isalpha() for char in sentence):
                    yield _first_clause(sentence)

    def key_names(self, text: str) -> Iterator[str]:
        """Two key phrases or one, most telling first; none when no phrase stands out."""
        found = phrases_of(text)
        scores = {
            phrase: self._score(phrase, count)
            for phrase, count in found.counts.items()
            if not found.is_local(phrase, LEAST_REACH)
        }
        best = sorted((phrase for phrase in scores if scores[phrase] > 0), key=lambda phrase: (-scores[phrase], phrase))
        chosen: list[str] = []
        for phrase in best[:60]:
            short = len(phrase) < 4 and not found.as_written(phrase).isupper()
            if not short and not any(overlap(phrase, other) for other in chosen):
                chosen.append(phrase)
            if len(chosen) == 4:
                break
        shown = [found.as_written(phrase) for phrase in chosen]
        if not shown or found.counts[chosen[0]] < (2 if found.length < FEW_PHRASES else 3):
            return
        capital = shown[0][0].upper() + shown[0][1:]
        for other in shown[1:]:
            yield shorten(f"{capital}, {other}", LONGEST_NAME)
        yield shorten(capital, LONGEST_NAME)

    def _score(self, phrase: str, count: int) -> float:
        """Term frequency against document spread (tf-idf), longer phrases first; once is not enough for a long one.

        Of few stretches, that one lacks a phrase says little, so there the count decides more.
        """
        words = phrase.count(" ") + 1
        if count == 1 and words > 1:
            return 0.0
        telling = (1, 1.6, 1.8)[words - 1] * (1.0 if words > 1 or len(phrase) > 3 else 0.4)
        if self._stretches < FEW_STRETCHES:
            return count**0.8 * (math.log((self._stretches + 3) / (self._spread[phrase] + 1)) + 0.3) * telling
        return (1 + math.log(count)) * (math.log((self._stretches + 1) / (self._spread[phrase] + 0.5)) + 0.2) * telling


def _is_title_line(text: str) -> bool:
    short = len(text) <= TITLE_CHARACTERS and len(text.split()) <= TITLE_WORDS
    return short and not text.endswith(_ENDS) and not text.startswith("[[")


def _first_clause(sentence: str) -> str:
    if len(sentence) <= SHORT_NAME:
        return sentence.rstrip("".join(_ENDS) + " ") or sentence
    phrase = sentence.rfind(" ", 8, SHORT_NAME)
    if THAI_LIKE.match(sentence) and phrase > 0:
        return sentence[:phrase]
    least = 8 if re.match(f"[{UNSPACED}]", sentence) else 24
    clause = _CLAUSE_END.search(sentence, least)
    if clause and clause.start() <= SHORT_NAME:
        return sentence[: clause.start()].strip()
    return shorten(sentence, SHORT_NAME)


def bare_number(name: str) -> bool:
    """Whether a heading only counts (``3``, ``IV.``, ``0:00 to 5:00``) and so needs a phrase beside it."""
    return any(char.isdigit() for char in name) and not re.search(r"[^\W\d_]{3}", name) and not is_unspaced(name)


def name_key(name: str) -> str:
    """What two names share when a reader would take one for the other: case and the make-up of accents don't count."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


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
