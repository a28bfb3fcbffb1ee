"""Names, summaries and labels as a model wrote them, made fit to be kept."""

import re
import unicodedata
from collections.abc import Iterator
from typing import cast

from wiki.extraction.llm.prompts import leaks
from wiki.extraction.llm.schemas import LONGEST_LABEL, LONGEST_REASON, MOST_LABELS
from wiki.extraction.prose import plain, split_sentences
from wiki.extraction.sections import LONGEST_NAME
from wiki.extraction.summaries import LONGEST_SUMMARY
from wiki.extraction.words import shorten

LONGEST_DOCUMENT_SUMMARY = 900
_HIDDEN = ("Cc", "Cs", "Co", "Cn", "Cf")
_JOINERS = "\u200c\u200d"
_TAG = re.compile(r"</?[A-Za-z!][^<>]*>")
_LEADING_MARKS = re.compile(r"^(?:[#>*+~=|`\-–—]+\s*)+(?=\D|$)")
_NUMBERED = re.compile(r"^\d{1,3}(?:\.\d{1,3})*[.)]\s+(?=\S)")
_QUOTES = "\"'“”„«»`"


class Wording:
    """Cleans what a model wrote, and counts what had to be changed or dropped."""

    def __init__(self) -> None:
        self.repairs = 0

    def name(self, value: object) -> str:
        """One line of plain text, 120 characters at most; empty when nothing of it can be kept."""
        text = self._line(value)
        bare = _NUMBERED.sub("", text).strip(_QUOTES + " ")
        if len(bare) > LONGEST_NAME:
            bare = shorten(bare, LONGEST_NAME)
            self.repairs += 1
        return bare

    def summary(self, value: object, longest: int = LONGEST_SUMMARY) -> str:
        """One paragraph of plain text, cut behind a sentence where it is too long."""
        text = self._line(value)
        if len(text) <= longest:
            return text
        self.repairs += 1
        kept = ""
        for sentence in split_sentences(text):
            if len(kept) + len(sentence) + 1 > longest:
                break
            kept = f"{kept} {sentence}".strip()
        return kept if len(kept) > longest // 3 else shorten(text, longest)

    def labels(self, value: object, most: int = MOST_LABELS) -> tuple[str, ...]:
        """Lower case, each once, none empty or long."""
        given = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
        if value is not None and not isinstance(value, list):
            self.repairs += 1
        kept = dict.fromkeys(self._kept_labels(cast(list[object], given)))
        if len(kept) > most:
            self.repairs += 1
        return tuple(kept)[:most]

    def reason(self, value: object) -> str:
        return shorten(self._line(value), LONGEST_REASON)

    def _kept_labels(self, given: list[object]) -> Iterator[str]:
        for item in given:
            label = self._line(item).lower().strip(_QUOTES + " .,;:#") if isinstance(item, str) else ""
            if 0 < len(label) <= LONGEST_LABEL:
                yield label
            else:
                self.repairs += 1

    def _line(self, value: object) -> str:
        """Plain text on one line, without Markdown, tags and characters nobody sees; empty for a leak of the prompt."""
        if not isinstance(value, str):
            self.repairs += value is not None
            return ""
        spaced = "".join(" " if char.isspace() else char for char in value)
        text = "".join(char for char in spaced if char in _JOINERS or unicodedata.category(char) not in _HIDDEN)
        text = _TAG.sub("", plain(text)).replace("[[", "[").replace("]]", "]")
        text = _LEADING_MARKS.sub("", " ".join(text.split()))
        if text and not any(char.isalnum() for char in text):
            self.repairs += 1
            return ""
        if leaks(text):
            self.repairs += 1
            return ""
        self.repairs += any(mark in value.strip() for mark in "\n\r\x0b\x0c\x85\u2028\u2029")
        return text
