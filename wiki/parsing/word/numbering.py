"""The labels Word counts for list paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from wiki.parsing.word.styles import NumberingUse, Styles
from wiki.parsing.xml_tree import attribute, child, children

_PLACE = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_LEVELS = 9


@dataclass(frozen=True)
class ListPlace:
    """Where a paragraph stands. ``label`` is empty for a bullet; ``indent`` is in twentieths of a point."""

    list_id: str
    level: int
    label: str
    indent: int | None


@dataclass(frozen=True)
class _Level:
    form: str
    text: str
    start: int
    restarts: bool
    legal: bool
    style: str
    indent: int | None


class Numbering:
    """Counts the paragraphs of every list in reading order. ``root`` is the numbering part or None."""

    def __init__(self, root: Any, styles: Styles) -> None:
        self._lists: dict[str, dict[int, _Level]] = {}
        self._uses: dict[str, tuple[str, dict[int, int], dict[int, _Level]]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()
        links: dict[str, str] = {}
        for found in children(root, "w:abstractNum") if root is not None else ():
            identity = attribute(found, "w:abstractNumId")
            self._lists[identity] = _levels(found)
            link = child(found, "w:numStyleLink")
            if link is not None:
                links[identity] = attribute(link, "w:val")
        for found in children(root, "w:num") if root is not None else ():
            of = child(found, "w:abstractNumId")
            starts: dict[int, int] = {}
            for override in children(found, "w:lvlOverride"):
                start = child(override, "w:startOverride")
                if start is not None:
                    starts[_integer(attribute(override, "w:ilvl"))] = _integer(attribute(start, "w:val"), 1)
            levels = {k: v for o in children(found, "w:lvlOverride") for k, v in _levels(o).items()}
            abstract = attribute(of, "w:val") if of is not None else ""
            self._uses[attribute(found, "w:numId")] = (abstract, starts, levels)
        for identity, style in links.items():
            target = self._uses.get(styles.list_of_style(style))
            if target and not self._lists[identity]:
                self._lists[identity] = self._lists.get(target[0], {})

    def place(self, use: NumberingUse | None, style: str) -> ListPlace | None:
        """Counts one paragraph. None when it belongs to no list, or to one that shows nothing."""
        if use is None or use.list_id not in self._uses:
            return None
        abstract, starts, overridden = self._uses[use.list_id]
        levels = {**self._lists.get(abstract, {}), **overridden}
        level = use.level
        if level is None:
            level = next((number for number, found in levels.items() if found.style == style), 0)
        level = min(level, _LEVELS - 1)
        counts = self._counts.setdefault(abstract, {})
        for number, start in starts.items():
            if (use.list_id, number) not in self._started and number <= level:
                self._started.add((use.list_id, number))
                counts[number] = start - 1
        found = levels.get(level)
        counts[level] = counts.get(level, (found.start if found else 1) - 1) + 1
        for deeper in [n for n in counts if n > level and (n not in levels or levels[n].restarts)]:
            del counts[deeper]
        if found is None:
            return ListPlace(abstract, level, "", None)
        if found.form == "none" and not found.text.strip():
            return None
        return ListPlace(abstract, level, self._label(found, levels, counts), found.indent)

    @staticmethod
    def _label(level: _Level, levels: dict[int, _Level], counts: dict[int, int]) -> str:
        if level.form == "bullet":
            return ""

        def number(match: re.Match[str]) -> str:
            at = int(match.group(1)) - 1
            of = levels.get(at)
            count = counts.get(at, of.start if of else 1)
            return formatted(count, "decimal" if level.legal or of is None else of.form)

        return _PLACE.sub(number, level.text).strip()


def formatted(number: int, form: str) -> str:
    """A count as Word writes it; forms that are not known count in digits."""
    if form in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        text, rest = "", number
        for value, sign in _ROMAN:
            text += sign * (rest // value)
            rest %= value
        return text.upper() if form == "upperRoman" else text
    if form in ("lowerLetter", "upperLetter") and 0 < number <= 780:
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return text.upper() if form == "upperLetter" else text
    if form == "decimalZero":
        return f"{number:02d}"
    return "" if form == "none" else str(number)


def _levels(parent: Any) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for level in children(parent, "w:lvl"):
        form, text = child(level, "w:numFmt"), child(level, "w:lvlText")
        start, restart, legal = child(level, "w:start"), child(level, "w:lvlRestart"), child(level, "w:isLgl")
        style, indent = child(level, "w:pStyle"), child(level, "w:pPr", "w:ind")
        found[_integer(attribute(level, "w:ilvl"))] = _Level(
            attribute(form, "w:val", "decimal") if form is not None else "decimal",
            attribute(text, "w:val") if text is not None else "",
            _integer(attribute(start, "w:val"), 1) if start is not None else 1,
            restart is None or attribute(restart, "w:val") != "0",
            legal is not None and attribute(legal, "w:val", "1") not in ("0", "false", "off"),
            attribute(style, "w:val") if style is not None else "",
            indent_of(indent),
        )
    return found


def indent_of(indent: Any) -> int | None:
    """The left indent a ``w:ind`` states, in twentieths of a point."""
    stated = (attribute(indent, "w:left") or attribute(indent, "w:start")) if indent is not None else ""
    return _integer(stated) if stated else None


def _integer(text: str, default: int = 0) -> int:
    try:
        return int(float(text))
    except ValueError:
        return default
