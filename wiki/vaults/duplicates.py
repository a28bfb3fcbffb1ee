"""Whether two notes say nearly the same: their words compared letter by letter. Pure and deterministic.

Texts are folded, English function words left out, each word taken as its runs of three letters with a space at both
ends. Two texts are as similar as the share of runs they have in common (Dice): 1 for the same words in any order. From
``NEAR`` on they count as near duplicates. Besides the whole texts, their paragraphs and list items are compared, so
that a fact is found in a list of facts.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from wiki.index.folding import query_words

NEAR = 0.7
FEWEST_WORDS = 3
"""A paragraph of fewer words is not compared by itself."""
MOST_PARTS = 200
"""Paragraphs and list items of a note that are compared by themselves."""
_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s.*$", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+", re.MULTILINE)
_BREAK = re.compile(r"\n\s*\n")
Key = TypeVar("Key")
Grams = frozenset[str]


class Likeness(Generic[Key]):
    """Texts by key, ready to be asked which of them say nearly what another text says."""

    def __init__(self, texts: Iterable[tuple[Key, str]]) -> None:
        self._parts: list[tuple[Key, int]] = []
        """Of each part: whose it is, and how many runs it has."""
        self._holders: dict[str, list[int]] = defaultdict(list)
        for key, text in texts:
            for grams in parts_of(text):
                for gram in grams:
                    self._holders[gram].append(len(self._parts))
                self._parts.append((key, len(grams)))

    def near(self, text: str) -> Mapping[Key, float]:
        """Every key whose text is a near duplicate, with the similarity, ``NEAR`` to 1."""
        best: dict[Key, float] = {}
        for grams in parts_of(text):
            shared: dict[int, int] = defaultdict(int)
            for gram in grams:
                for part in self._holders.get(gram, ()):
                    shared[part] += 1
            for part, count in shared.items():
                key, size = self._parts[part]
                score = 2 * count / (len(grams) + size)
                if score >= NEAR:
                    best[key] = max(score, best.get(key, 0.0))
        return best


def similarity(left: str, right: str) -> float:
    """How much of their words two texts share, 0 to 1, as a whole."""
    a, b = _grams(left), _grams(right)
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0


def parts_of(text: str) -> list[Grams]:
    """The runs of letters of a text and of its paragraphs and list items; headings count only when all are."""
    plain = _HEADING.sub("", text)
    plain = plain if plain.strip() else text
    found = [_grams(plain), *(_grams(part) for part in _split(plain))]
    return list(dict.fromkeys(grams for grams in found if grams))


def _split(text: str) -> Iterator[str]:
    count = 0
    for block in _BREAK.split(text):
        for part in _ITEM.split(block):
            if len(_WORD.findall(part)) >= FEWEST_WORDS and count < MOST_PARTS:
                count += 1
                yield part


def _grams(text: str) -> Grams:
    words = _WORD.findall(query_words(" ".join(_WORD.findall(text))))
    padded = [f" {word} " for word in words]
    return frozenset(word[at : at + 3] for word in padded for at in range(len(word) - 2))
