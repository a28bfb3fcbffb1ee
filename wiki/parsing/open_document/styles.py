"""Which OpenDocument styles are bold or numbered, and which slides are hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wiki.parsing.word.numbering import formatted
from wiki.parsing.xml_tree import attribute, below, child, children, name

_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


@dataclass(frozen=True)
class ListLevel:
    """How the items of one level of a list are marked."""

    number_format: str
    prefix: str
    suffix: str
    start: int
    shown: int

    def label(self, counts: list[int]) -> str:
        """The label of the item the counts lead to; empty for a bullet."""
        if not self.number_format:
            return ""
        form = _FORMS.get(self.number_format, "decimal")
        shown = ".".join(formatted(count, form) for count in counts[-max(self.shown, 1) :])
        return f"{self.prefix}{shown}{self.suffix or '.'}"


@dataclass(frozen=True)
class TextStyle:
    bold: bool = False
    italic: bool = False
    strike: bool = False


class OpenStyles:
    """Gathered from the roots of ``content.xml`` and ``styles.xml``."""

    def __init__(self, *roots: Any) -> None:
        self.lists: dict[str, dict[int, ListLevel]] = {}
        self._texts: dict[str, TextStyle] = {}
        self._parents: dict[str, str] = {}
        self.hidden: set[str] = set()
        for root in roots:
            for found in below(root, "text:list-style", "style:style") if root is not None else ():
                if name(found) == "text:list-style":
                    self.lists[attribute(found, "style:name")] = _levels(found)
                else:
                    self._add(found)

    def _add(self, style: Any) -> None:
        named = attribute(style, "style:name")
        self._parents[named] = attribute(style, "style:parent-style-name")
        text = child(style, "style:text-properties")
        if text is not None:
            self._texts[named] = TextStyle(
                attribute(text, "fo:font-weight") in ("bold", "700", "800", "900"),
                attribute(text, "fo:font-style") in ("italic", "oblique"),
                attribute(text, "style:text-line-through-style", "none") != "none",
            )
        page = child(style, "style:drawing-page-properties")
        if page is not None and attribute(page, "presentation:visibility") == "hidden":
            self.hidden.add(named)

    def text(self, named: str) -> TextStyle:
        return self._texts.get(named, TextStyle())

    def is_title(self, named: str) -> bool:
        return "title" in (named.lower(), self._parents.get(named, "").lower())

    def is_code(self, named: str) -> bool:
        return any("preformatted" in found.lower() for found in (named, self._parents.get(named, "")))


def _levels(style: Any) -> dict[int, ListLevel]:
    levels: dict[int, ListLevel] = {}
    for level in children(style):
        at, start, shown = (
            attribute(level, key, "1") for key in ("text:level", "text:start-value", "text:display-levels")
        )
        if at.isdigit():
            numbered = name(level) == "text:list-level-style-number"
            levels[int(at)] = ListLevel(
                attribute(level, "style:num-format") if numbered else "",
                attribute(level, "style:num-prefix"),
                attribute(level, "style:num-suffix"),
                int(start) if start.isdigit() else 1,
                int(shown) if shown.isdigit() else 1,
            )
    return levels
