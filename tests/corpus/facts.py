"""The comparison rules of the ingestion corpus: does a converted document hold the facts its manifest claims?"""

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"[*_`~]+")
_PUNCTUATION = re.compile(r"[^\w\s]+")
SOUND = (".mp3", ".wav", ".m4a", ".flac")


def read_manifest(corpus: Path) -> list[dict[str, Any]]:
    lines = (corpus / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def plain(text: str, *, sound: bool = False) -> str:
    """Text as facts are compared: NFKC, no Markdown escapes or emphasis marks, white space collapsed."""
    text = _ESCAPE.sub(lambda match: match.group(1), text)
    text = re.sub(r"<br\s*/?>", " ", text)
    text = html.unescape(text).replace("\u00ad", "")
    text = unicodedata.normalize("NFKC", text)
    if sound:
        text = _PUNCTUATION.sub(" ", text).casefold()
    return " ".join(_EMPHASIS.sub("", text).split())


def fact_count(expect: Mapping[str, Any]) -> int:
    """How many single facts an expectation states."""
    return sum(len(expect.get(key, ())) for key in _CHECKS)


def check_facts(expect: Mapping[str, Any], markdown: str, headings: Iterable[str], *, sound: bool = False) -> list[str]:
    """One line for every fact that does not hold. ``headings`` are all headings and topic titles of the document."""
    whole = plain(markdown, sound=sound)
    lines = [plain(line, sound=sound) for line in markdown.splitlines()]
    titles = {plain(re.sub(r"^#+\s*", "", heading), sound=sound) for heading in headings}
    page = _Page(markdown, whole, lines, titles, sound)
    return [
        f"{key}: {fact!r}" for key, check in _CHECKS.items() for fact in _facts(expect, key) if not check(page, fact)
    ]


class _Page:
    def __init__(self, raw: str, whole: str, lines: Sequence[str], titles: set[str], sound: bool) -> None:
        self.raw, self.whole, self.lines, self.titles, self.sound = raw, whole, lines, titles, sound

    def say(self, text: str) -> str:
        return plain(text, sound=self.sound)

    def has(self, text: str) -> bool:
        return self.say(text) in self.whole

    def any_of(self, texts: Sequence[str]) -> bool:
        return any(self.has(text) for text in texts)

    def lacks(self, text: str) -> bool:
        wanted = " ".join(unicodedata.normalize("NFKC", text).split())
        return text not in self.raw and (not wanted or wanted not in self.whole)

    def heading(self, fact: Mapping[str, Any]) -> bool:
        return self.say(fact["text"]) in self.titles

    def no_heading(self, text: str) -> bool:
        return self.say(text) not in self.titles

    def same_row(self, texts: Sequence[str]) -> bool:
        wanted = [self.say(text) for text in texts]
        return any(all(text in line for text in wanted) for line in self.lines)

    def order(self, texts: Sequence[str]) -> bool:
        at = 0
        for text in texts:
            found = self.whole.find(self.say(text), at)
            if found < 0:
                return False
            at = found + len(self.say(text))
        return True

    def token(self, text: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(self.say(text))}(?!\w)", self.whole) is not None

    def at_least(self, fact: tuple[str, int]) -> bool:
        return self.whole.count(self.say(fact[0])) >= fact[1]

    def at_most(self, fact: tuple[str, int]) -> bool:
        return self.whole.count(self.say(fact[0])) <= fact[1]


def _facts(expect: Mapping[str, Any], key: str) -> list[Any]:
    stated = expect.get(key, ())
    return list(stated.items()) if isinstance(stated, Mapping) else list(stated)


_CHECKS = {
    "contains": _Page.has,
    "any_of": _Page.any_of,
    "not_contains": _Page.lacks,
    "headings": _Page.heading,
    "not_headings": _Page.no_heading,
    "same_row": _Page.same_row,
    "order": _Page.order,
    "tokens": _Page.token,
    "min_count": _Page.at_least,
    "max_count": _Page.at_most,
}
