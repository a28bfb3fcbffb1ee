"""Styled runs of text -> one stretch of inline Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wiki.parsing.escape import escape_inline, escape_line_starts

# A relative link leads nowhere once the document is stored; its words stay.
_LINK = re.compile(r"(?:https?|mailto|ftp|tel):", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")


@dataclass(frozen=True)
class Run:
    """A stretch of text of one style. ``\\n`` is a line break. ``math`` text is LaTeX."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    math: bool = False
    link: str | None = None

    @property
    def plain(self) -> bool:
        return not (self.bold or self.italic or self.strike)


def inline(runs: Iterable[Run], *, emphasis: bool = True) -> str:
    """The runs as Markdown: escaped, white space collapsed, line breaks kept, ends trimmed.

    Emphasis is written only where Markdown reads it as such, so no stray asterisk gets into a word.
    """
    merged = _merged(runs if emphasis else (replace(run, bold=False, italic=False, strike=False) for run in runs))
    text = ""
    for at, run in enumerate(merged):
        following = merged[at + 1].text[:1] if at + 1 < len(merged) else ""
        text += _written(run, text[-1:], following)
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    return escape_line_starts("\n".join(line for line in lines if line))


def one_line(runs: Iterable[Run]) -> str:
    """The runs for a heading: no emphasis, no line breaks, no marks that would close the heading."""
    line = " ".join(inline(runs, emphasis=False).split())
    return re.sub(r"(\s|^)(#+)$", r"\1\\\2", line)


def text_of(runs: Iterable[Run]) -> str:
    """The bare words, white space collapsed."""
    return " ".join("".join(run.text for run in runs).split())


def _merged(runs: Iterable[Run]) -> Sequence[Run]:
    merged: list[Run] = []
    for run in runs:
        if not run.text:
            continue
        last = merged[-1] if merged else None
        if last and not run.math and replace(last, text="") == replace(run, text=""):
            merged[-1] = replace(last, text=last.text + run.text)
        elif last and not run.text.strip() and run.link is None and last.link is None and not last.math | last.code:
            merged[-1] = replace(last, text=last.text + run.text)
        else:
            merged.append(run)
    return merged


def _written(run: Run, before: str, after: str) -> str:
    core = run.text.strip()
    if not core:
        return run.text
    lead = run.text[: len(run.text) - len(run.text.lstrip())]
    trail = run.text[len(run.text.rstrip()) :]
    if run.math:
        return f"{lead}${' '.join(core.split())}${trail}"
    if run.code:
        marked = _code(core)
    else:
        marked = escape_inline(core)
        open_before = not lead and (before.isalnum() or before in "*~\\")
        open_after = not trail and after.isalnum()
        if not run.plain and "\n" not in core and not (open_before and before) and not open_after:
            marked = _emphasised(marked, run)
    if run.link and _LINK.match(run.link) and run.link != core:
        target = re.sub(r"\s", "%20", run.link.strip()).replace("(", "%28").replace(")", "%29")
        target = target.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
        marked = f"[{' '.join(marked.split())}]({target})"
    return lead + marked + trail


def _emphasised(words: str, run: Run) -> str:
    words = f"**{words}**" if run.bold else words
    words = f"*{words}*" if run.italic else words
    return f"~~{words}~~" if run.strike else words


def _code(words: str) -> str:
    line = " ".join(words.split())
    return f"`` {line} ``" if "`" in line else f"`{line}`"
