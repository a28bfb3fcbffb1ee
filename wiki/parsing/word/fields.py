"""Fields of a Word document: what of them a reader sees."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from wiki.parsing.word.symbols import symbol
from wiki.parsing.xml_tree import attribute, child, children

_ADDRESS = re.compile(r'^\s*HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]+)"', re.IGNORECASE)
_MACRO = re.compile(r"^\s*MACROBUTTON\s+\S+\s*(.*)$", re.IGNORECASE | re.DOTALL)
_SYMBOL = re.compile(r"^\s*SYMBOL\s+(0x[0-9a-f]+|\d+)(.*)$", re.IGNORECASE | re.DOTALL)
_FONT = re.compile(r'\\f\s+"?([^"\\]+)"?', re.IGNORECASE)
_EQUATION = re.compile(r"^\s*EQ\s+(.+)$", re.IGNORECASE | re.DOTALL)
_PAGES = re.compile(r"^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)


@dataclass
class Field:
    """A field under way. Its result shows after the separator; without one, some show by themselves."""

    form: Any = None
    instruction: str = ""
    showing: bool = False

    @property
    def link(self) -> str | None:
        return link_of(self.instruction)

    @property
    def counts_pages(self) -> bool:
        return bool(_PAGES.match(self.instruction))

    def own_words(self) -> str:
        """What a field without a result shows."""
        if self.form is not None:
            return _form_words(self.form)
        found = _MACRO.match(self.instruction)
        if found:
            return found.group(1).strip()
        found = _SYMBOL.match(self.instruction)
        if found:
            font = _FONT.search(found.group(2))
            return symbol(int(found.group(1), 0), font.group(1) if font else "")
        found = _EQUATION.match(self.instruction)
        return found.group(1).strip() if found else ""


def link_of(instruction: str) -> str | None:
    found = _ADDRESS.match(instruction)
    return found.group(1) if found else None


def _form_words(form: Any) -> str:
    box = child(form, "w:checkBox")
    if box is not None:
        state = child(box, "w:checked")
        state = state if state is not None else child(box, "w:default")
        checked = state is not None and attribute(state, "w:val", "1") not in ("0", "false", "off")
        return "☒" if checked else "☐"
    choices = child(form, "w:ddList")
    if choices is not None:
        entries = [attribute(entry, "w:val") for entry in children(choices, "w:listEntry")]
        chosen = child(choices, "w:result")
        at = attribute(chosen, "w:val") if chosen is not None else "0"
        return entries[int(at)] if at.isdigit() and int(at) < len(entries) else ""
    return ""
