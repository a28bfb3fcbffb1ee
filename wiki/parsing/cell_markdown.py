"""The bare text of a table's cell -> Markdown a viewer shows as that very text."""

from __future__ import annotations

import re

_ANY = re.compile(r"[\\`*_~\[<&|]")
_TOKEN = re.compile(
    r"(?P<address>(?<![^\s(])https?://[^\s<>]+)"
    r"|(?P<backslash>\\(?=[!-/:-@\[-`{-~\n]|$))"
    r"|(?P<run>\*+|_+|~+)"
    r"|(?P<code>`)"
    r"|(?P<bracket>[\[\]])"
    r"|(?P<tag><(?=[A-Za-z/!?]))"
    r"|(?P<entity>&(?=(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});))"
)
_RUN = {mark: re.compile(re.escape(mark) + "+") for mark in "*_~"}
_PIPE = re.compile(r"(?<!\\)((?:\\\\)*)\|")


def cell_markdown(text: str) -> str:
    """``text`` escaped only where GitHub's Markdown would read markup in a table's cell; every pipe is.

    So ``a_b``, ``3 * 4``, ``<5 mg`` and ``x < y`` stay as they are, ``*x*`` and ``<b>`` do not. White space
    is collapsed already; line ends stay, and count as marks, since a cell shows them as ``<br>``.
    """
    return escape_pipes(_escaped(text)) if _ANY.search(text) else text


def escape_pipes(markdown: str) -> str:
    """Inline Markdown as it stands in a table's cell: pipes that are not escaped yet are."""
    return _PIPE.sub(r"\1\\|", markdown) if "|" in markdown else markdown


def _escaped(text: str) -> str:
    """Every mark is judged by the whole text: alone, it is none."""
    live = {"backslash", "entity"}
    live |= {mark for mark, runs in _RUN.items() if mark in text and _emphasises(text, runs)}
    live |= {"code"} if text.count("`") > 1 else set()
    live |= {"bracket"} if "](" in text else set()
    live |= {"tag"} if ">" in text or "\n" in text else set()

    def escaped(found: re.Match[str]) -> str:
        kind, words = found.lastgroup or "", found[0]
        if kind == "address":
            # Its link would lead elsewhere with backslashes in it; in angle brackets its marks are none.
            return f"<{words}>" if _TOKEN.sub(escaped, words[1:]) != words[1:] else words
        if kind == "run":
            return "\\" + "\\".join(words) if words[0] in live and not _inert(found) else words
        if kind not in live:
            return words
        return "&amp;" if kind == "entity" else f"\\{words}"

    return _TOKEN.sub(escaped, text)


def _emphasises(text: str, runs: re.Pattern[str]) -> bool:
    """Whether a run of marks that may open stands before one that may close. In doubt, yes."""
    opened = False
    for run in runs.finditer(text):
        before, after = _beside(run)
        if opened and before != " " and not _inert(run):
            return True
        opened = opened or (after != " " and not _inert(run))
    return False


def _inert(run: re.Match[str]) -> bool:
    """Between blanks no mark is emphasis, between letters or digits no underscore."""
    before, after = _beside(run)
    return before == after == " " or (run[0][0] == "_" and before.isalnum() and after.isalnum())


def _beside(run: re.Match[str]) -> tuple[str, str]:
    text = run.string
    return text[run.start() - 1 : run.start()] or " ", text[run.end() : run.end() + 1] or " "
