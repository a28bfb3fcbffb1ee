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
    if len(merged) == 1 and merged[0].text.isalnum() and merged[0] == Run(merged[0].text):
        return merged[0].text
    parts: list[str] = []
    before = ""
    for at, run in enumerate(merged):
        following = merged[at + 1].text[:1] if at + 1 < len(merged) else ""
        parts.append(_written(run, before, following))
        before = parts[-1][-1:] or before
    text = "".join(parts)
    if "\n" in text:
        lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
        return escape_line_starts("\n".join(line for line in lines if line))
    return escape_line_starts(_BLANKS.sub(" ", text).strip())


def one_line(runs: Iterable[Run]) -> str:
    """The runs for a heading: no emphasis, no line breaks, no marks that would close the heading."""
    line = " ".join(inline(runs, emphasis=False).split())
    return re.sub(r"(\s|^)(#+)$", r"\1\\\2", line)


def text_of(runs: Iterable[Run]) -> str:
    """The bare words, white space collapsed."""
    return " ".join("".join(run.text for run in runs).split())


def _merged(runs: Iterable[Run]) -> Sequence[Run]:
    groups: list[tuple[Run, list[str]]] = []
    for run in runs:
        if not run.text:
            continue
        last = groups[-1][0] if groups else None
        if last and (_alike(last, run) or _is_space_after(last, run)):
            groups[-1][1].append(run.text)
        else:
            groups.append((run, [run.text]))
    return [run if len(texts) == 1 else replace(run, text="".join(texts)) for run, texts in groups]


def _alike(one: Run, other: Run) -> bool:
    return (
        one.bold == other.bold
        and one.link == other.link
        and one.italic == other.italic
        and one.code == other.code
        and one.strike == other.strike
        and not (one.math or other.math)
    )


def _is_space_after(last: Run, run: Run) -> bool:
    return not run.text.strip() and run.link is None and last.link is None and not last.math | last.code


def _written(run: Run, before: str, after: str) -> str:
    core = run.text.strip()
    if not core:
        return run.text
    if not (run.math or run.code or run.link) and run.plain:
        return _escaped(run.text)
    lead = run.text[: len(run.text) - len(run.text.lstrip())]
    trail = run.text[len(run.text.rstrip()) :]
    if run.math:
        return f"{lead}${' '.join(core.split())}${trail}"
    if run.code:
        marked = _code(core)
    else:
        marked = _escaped(core)
        open_before = not lead and (before.isalnum() or before in "*~\\")
        open_after = not trail and after.isalnum()
        if not run.plain and "\n" not in core and not (open_before and before) and not open_after:
            marked = _emphasised(marked, run)
    if run.link and _LINK.match(run.link) and run.link != core:
        target = re.sub(r"\s", "%20", run.link.strip()).replace("(", "%28").replace(")", "%29")
        target = target.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
        marked = f"[{' '.join(marked.split())}]({target})"
    return lead + marked + trail


def _escaped(words: str) -> str:
    return words if words.isalnum() else escape_inline(words)


def _emphasised(words: str, run: Run) -> str:
    words = f"**{words}**" if run.bold else words
    words = f"*{words}*" if run.italic else words
    return f"~~{words}~~" if run.strike else words


def _code(words: str) -> str:
    line = " ".join(words.split())
    return f"`` {line} ``" if "`" in line else f"`{line}`"
