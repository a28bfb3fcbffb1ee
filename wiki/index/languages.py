"""Which language a passage is in, guessed at the price of a few microseconds, and which ones a model does not know."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from wiki.index.function_words import DISTINCT_ENGLISH, ENGLISH, OTHERS
from wiki.index.notes.rows import NoteRow
from wiki.index.rows import Passage, TopicRow

OPENING = 400
"""Characters that are looked at."""
SAMPLE = 100
"""Letters that tell the script."""
SURE_ENGLISH = 4
"""Different words that no other language has, and a text is English."""
LEAST = (4, 3, 0.1)
"""Function words of its language a text must have: all, different ones, and as a share of its words."""
LEAST_ACCENTED = (2, 2, 0.05)
"""The same for a text with many accented letters, which cannot be English."""
ACCENTED_SHARE = 0.025
LEAST_LETTERS = 4
SCRIPT_SHARE = 1 / 3
"""Of a text's letters in another script than the Latin one, from which on it counts as written in that script."""

_SCRIPTS = {
    "el": ("Greek", "\u0370-\u03ff\u1f00-\u1fff"),
    "und-Cyrl": ("the Cyrillic script", "\u0400-\u052f"),
    "hy": ("Armenian", "\u0531-\u0587"),
    "und-Hebr": ("the Hebrew script", "\u05d0-\u05f2"),
    "und-Arab": ("the Arabic script", "\u0620-\u064a\u066e-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc"),
    "und-Deva": ("the Devanagari script", "\u0900-\u097f"),
    "und-Beng": ("the Bengali script", "\u0980-\u09ff"),
    "pa": ("Punjabi", "\u0a00-\u0a7f"),
    "gu": ("Gujarati", "\u0a80-\u0aff"),
    "or": ("Odia", "\u0b00-\u0b7f"),
    "ta": ("Tamil", "\u0b80-\u0bff"),
    "te": ("Telugu", "\u0c00-\u0c7f"),
    "kn": ("Kannada", "\u0c80-\u0cff"),
    "ml": ("Malayalam", "\u0d00-\u0d7f"),
    "si": ("Sinhala", "\u0d80-\u0dff"),
    "th": ("Thai", "\u0e01-\u0e4e"),
    "lo": ("Lao", "\u0e81-\u0eff"),
    "bo": ("Tibetan", "\u0f00-\u0fff"),
    "my": ("Burmese", "\u1000-\u109f"),
    "ka": ("Georgian", "\u10a0-\u10ff"),
    "und-Ethi": ("the Ethiopic script", "\u1200-\u137f"),
    "km": ("Khmer", "\u1780-\u17d3"),
    "ko": ("Korean", "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"),
    "ja": ("Japanese", "\u3041-\u30ff\uff66-\uff9f"),
    "zh": ("Chinese", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"),
}
"""Tag of BCP 47 -> name and letters; the tag of a script alone where several languages share it."""
_BEYOND_LATIN = re.compile(f"[{''.join(letters for _, letters in _SCRIPTS.values())}]{{2,}}")
"""A letter alone is a sign in a formula."""
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
_ACCENTED = re.compile(r"[\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff]")
_OF_SCRIPT = {tag: re.compile(f"[{letters}]") for tag, (_, letters) in _SCRIPTS.items()}
_KANA_SHARE = 0.1

_Row = TypeVar("_Row", TopicRow, NoteRow)
_WORD = re.compile(r"[^\W\d_]{2,}")


def _languages_by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {word: ["en"] for word in ENGLISH}
    for tag, (_, words) in OTHERS.items():
        for word in set(words.split()):
            found.setdefault(word, []).append(tag)
    return {word: tuple(tags) for word, tags in found.items()}


_BY_WORD = _languages_by_word()


def language_of(text: str) -> str | None:
    """The likeliest language of a text as a tag of BCP 47; None when it cannot be told.

    English is seen at once; then the script counts, then the function words. Short texts, code, tables and lists
    of names cannot be told.
    """
    opening = text[:OPENING]
    lower = opening.lower()
    if len(DISTINCT_ENGLISH.intersection(lower.split())) >= SURE_ENGLISH:
        return "en"
    if not opening.isascii():
        other = "".join(_BEYOND_LATIN.findall(opening))
        if len(other) >= LEAST_LETTERS and len(other) >= SCRIPT_SHARE * (
            len(other) + sum(map(len, _LATIN.findall(opening)))
        ):
            return _script_of(other[:SAMPLE])
    return _by_function_words(lower)


def _by_function_words(lower: str) -> str | None:
    words = _WORD.findall(lower)
    hits = [(word, tags) for word in words if (tags := _BY_WORD.get(word))]
    if not hits:
        return None
    weights: dict[str, float] = {}
    for _, tags in hits:
        for tag in tags:
            weights[tag] = weights.get(tag, 0.0) + 1 / len(tags)
    best = max(weights, key=lambda tag: (weights[tag], tag))
    own = [word for word, tags in hits if best in tags]
    accented = not lower.isascii() and len(_ACCENTED.findall(lower)) >= ACCENTED_SHARE * sum(map(len, words))
    all_of_them, different, share = LEAST_ACCENTED if accented else LEAST
    if len(own) < max(all_of_them, share * len(words)) or len(set(own)) < different:
        return None
    english = sum("en" in tags for _, tags in hits)
    return "en" if len(own) < 2 * english else best


def foreign_passages(passages: Iterable[Passage], known: Collection[str] | None) -> dict[str, int]:
    """How many passages are in each language that is not among the ``known`` ones; nothing when those are None.

    A passage whose language cannot be told counts as known.
    """
    if known is None:
        return {}
    tags = (language_of(passage.embedded_text) for passage in passages)
    found = Counter(tag for tag in tags if tag is not None and tag not in known)
    return dict(sorted(found.items()))


def counted(row: _Row, passages: Sequence[Passage], known: Collection[str] | None) -> _Row:
    """The row of a topic or note, knowing its passages. ``known`` are the embedding model's languages."""
    return replace(row, passages=len(passages), foreign_passages=foreign_passages(passages, known))


def language_name(tag: str) -> str:
    """What people call the language, or the script, of a tag."""
    return (_SCRIPTS.get(tag) or OTHERS.get(tag) or (tag,))[0]


@lru_cache(4_096)
def _script_of_letter(letter: str) -> str:
    return next(tag for tag, pattern in _OF_SCRIPT.items() if pattern.match(letter))


def _script_of(letters: str) -> str:
    counts = Counter(map(_script_of_letter, letters))
    if counts["ja"] and counts["ja"] >= _KANA_SHARE * (counts["ja"] + counts["zh"]):
        counts["ja"] += counts["zh"]
    return max(counts, key=lambda tag: (counts[tag], tag))
