"""The part of a passage that shows why it was found, with the query's words marked."""

import re
from collections.abc import Iterator
from functools import lru_cache

from wiki.index.folding import fold
from wiki.views import Snippet

LENGTH = 320
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
"""Scripts written without spaces: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "ers", "ed", "es", "er", "ly", "s", "y", "e")


def make_snippet(text: str, query: str, length: int = LENGTH) -> Snippet:
    """At most ``length`` characters of ``text``, where most of the query's words are, cut at words."""
    matches = find_matches(text, query)
    start, end = _window(text, matches, length)
    inside = tuple((first - start, last - start) for first, last in matches if start <= first and last <= end)
    return Snippet(text[start:end], inside)


def find_matches(text: str, query: str) -> list[tuple[int, int]]:
    """Offsets ``[start, end)`` of the query's words in ``text``, in order: inflected English forms count."""
    stems = {_stem(fold(word)) for word in _WORD.findall(query) if not _UNSPACED.search(word)}
    runs = _UNSPACED.findall(query)
    pairs = {run[place : place + 2] for run in runs for place in range(max(1, len(run) - 1))}
    matches = [span for word, span in _candidate_words(text, stems) if _stem(fold(word)) in stems]
    if pairs:
        for run in _UNSPACED.finditer(text):
            matches.extend(_pair_matches(run.group(), run.start(), pairs))
        matches.sort()
    return matches


def _candidate_words(text: str, stems: set[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Words that may match: those that begin like a stem, or all of them where folding changes more than case."""
    if not stems:
        return
    words = _WORD
    if text.isascii():
        words = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(stems)))})\w*", re.IGNORECASE)
    for match in words.finditer(text):
        if not _UNSPACED.search(match.group()):
            yield match.group(), match.span()


def _pair_matches(run: str, offset: int, pairs: set[str]) -> list[tuple[int, int]]:
    marks = [False] * len(run)
    for place in range(len(run)):
        for width in (1, 2):
            if run[place : place + width] in pairs and place + width <= len(run):
                marks[place : place + width] = [True] * width
    found: list[tuple[int, int]] = []
    for place, mark in enumerate(marks):
        if mark and found and found[-1][1] == offset + place:
            found[-1] = (found[-1][0], offset + place + 1)
        elif mark:
            found.append((offset + place, offset + place + 1))
    return found


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _window(text: str, matches: list[tuple[int, int]], length: int) -> tuple[int, int]:
    """The stretch with the most different matched words; the start of the text when nothing matches."""
    if len(text) <= length:
        return 0, len(text)
    best, best_start = 0, 0
    words = [fold(text[first:last]) for first, last in matches]
    counts: dict[str, int] = {}
    left = 0
    for right, (_, last) in enumerate(matches):
        counts[words[right]] = counts.get(words[right], 0) + 1
        while last - matches[left][0] > length * 3 // 4:
            counts[words[left]] -= 1
            if not counts[words[left]]:
                del counts[words[left]]
            left += 1
        if len(counts) > best:
            best, best_start = len(counts), matches[left][0]
    start = max(0, min(best_start - length // 8, len(text) - length))
    if start and not text[start - 1].isspace():
        space = text.find(" ", start, start + length // 8)
        start = space + 1 if 0 <= space < best_start else start
    end = min(len(text), start + length)
    if end < len(text):
        space = text.rfind(" ", end - length // 8, end)
        end = space if space > start else end
    return start, end
