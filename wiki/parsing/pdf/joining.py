"""Lines of a paragraph -> its text."""

import re
import unicodedata

from docling.models.stages.page_assemble.page_assemble_model import PageAssembleModel

_BROKEN_WORD = re.compile(r"[^\W\d_]{2}[-\u2010\u00ad]$")
_LIGATURE = re.compile("[\ufb00-\ufb06]")


def join_lines(lines: list[str]) -> str:
    """One text: a word parted at a line end is whole again, other lines get a space between.

    A hyphen before a capital or a figure belongs to the word ("Jean-Paul", "COVID-19"). Characters
    stay as they are, but for ligatures and soft hyphens; docling's own joining turns typographic
    quotes and dashes into ASCII.
    """
    text = ""
    for line in (line.strip() for line in lines):
        if not line:
            continue
        if _BROKEN_WORD.search(text) and line[0].islower():
            text = text[:-1] + line
        elif text.endswith(("-", "\u2010", "\u2014", "/")) and not text.endswith((" -", " \u2014", " /")):
            text += line
        else:
            text += " " + line if text else line
    text = text.replace("\u00ad", "")
    return _LIGATURE.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)


class Assembly(PageAssembleModel):
    """docling's page assembly with our way to join lines."""

    def sanitize_text(self, lines: list[str]) -> str:
        return join_lines(lines)
