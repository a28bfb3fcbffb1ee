"""What a Word document's paragraph styles say: headings, titles, code, lists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from wiki.parsing.xml_tree import attribute, child, children

_HEADING = re.compile(r"heading (\d)")
_CODE = frozenset(
    {"source code", "html preformatted", "preformatted text", "code", "code block", "macro text", "codeblock"}
)
_BODY_LEVEL = 9


@dataclass(frozen=True)
class NumberingUse:
    """A paragraph's place in a list as stated: ``level`` is None where only the style names the list."""

    list_id: str
    level: int | None


@dataclass(frozen=True)
class _Style:
    name: str
    based_on: str
    outline: int | None
    numbering: NumberingUse | None


class Styles:
    """``root`` is the styles part, None when the document has none."""

    def __init__(self, root: Any) -> None:
        self._styles: dict[str, _Style] = {}
        self._default = ""
        for style in children(root, "w:style") if root is not None else ():
            if attribute(style, "w:type", "paragraph") != "paragraph":
                continue
            identity = attribute(style, "w:styleId")
            named, based = child(style, "w:name"), child(style, "w:basedOn")
            properties = child(style, "w:pPr")
            self._styles[identity] = _Style(
                attribute(named, "w:val").lower() if named is not None else "",
                attribute(based, "w:val") if based is not None else "",
                outline_level(properties),
                numbering_use(properties),
            )
            if attribute(style, "w:default") in ("1", "true", "on"):
                self._default = identity

    def identity(self, properties: Any) -> str:
        """The style id of a paragraph with these ``w:pPr``."""
        used = child(properties, "w:pStyle") if properties is not None else None
        return attribute(used, "w:val") if used is not None else self._default

    def is_title(self, properties: Any) -> bool:
        return any(style.name == "title" for style in self._chain(self.identity(properties)))

    def is_code(self, properties: Any) -> bool:
        return any(style.name in _CODE for style in self._chain(self.identity(properties)))

    def heading_level(self, properties: Any) -> int | None:
        """1 to 9 for a heading, None for any other paragraph."""
        outline = outline_level(properties)
        if outline is None:
            for style in self._chain(self.identity(properties)):
                named = _HEADING.fullmatch(style.name)
                if style.outline is not None or named:
                    outline = style.outline if style.outline is not None else int(named.group(1)) - 1 if named else None
                    break
        return outline + 1 if outline is not None and outline < _BODY_LEVEL else None

    def numbering(self, properties: Any) -> NumberingUse | None:
        """The list a paragraph belongs to, by itself or by its style."""
        own = numbering_use(properties)
        inherited = next((s.numbering for s in self._chain(self.identity(properties)) if s.numbering), None)
        if own is None:
            return inherited
        if not own.list_id:
            return NumberingUse(inherited.list_id, own.level) if inherited else None
        return own

    def list_of_style(self, identity: str) -> str:
        """The list a numbering style names."""
        return next((s.numbering.list_id for s in self._chain(identity) if s.numbering), "")

    def _chain(self, identity: str) -> list[_Style]:
        chain: list[_Style] = []
        seen: set[str] = set()
        while identity in self._styles and identity not in seen:
            seen.add(identity)
            chain.append(self._styles[identity])
            identity = chain[-1].based_on
        return chain


def outline_level(properties: Any) -> int | None:
    found = child(properties, "w:outlineLvl") if properties is not None else None
    value = attribute(found, "w:val") if found is not None else ""
    return int(value) if value.isdigit() else None


def numbering_use(properties: Any) -> NumberingUse | None:
    found = child(properties, "w:numPr") if properties is not None else None
    if found is None:
        return None
    used, level = child(found, "w:numId"), child(found, "w:ilvl")
    depth = attribute(level, "w:val") if level is not None else ""
    return NumberingUse(attribute(used, "w:val") if used is not None else "", int(depth) if depth.isdigit() else None)
