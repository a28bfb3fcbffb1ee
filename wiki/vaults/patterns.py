"""Patterns as a .gitignore has them."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple


class _Rule(NamedTuple):
    written: str
    found: re.Pattern[str]
    folders_only: bool
    again: bool
    """``!``: what an earlier one excluded is let in again."""


def matching(patterns: Sequence[str], path: str) -> str | None:
    """The pattern that excludes the file at ``path``; None when none does. The last that fits counts.

    Nothing below an excluded folder can be let in again, as with git.
    """
    rules = _rules(tuple(patterns))
    parts = path.split("/") if rules else []
    for length in range(1, len(parts) + 1):
        here, last = "/".join(parts[:length]), length == len(parts)
        fitting = [rule for rule in rules if not (last and rule.folders_only) and rule.found.fullmatch(here)]
        if fitting and not fitting[-1].again:
            return fitting[-1].written
    return None


@lru_cache(maxsize=64)
def _rules(patterns: tuple[str, ...]) -> tuple[_Rule, ...]:
    return tuple(_rule(pattern.strip()) for pattern in patterns if pattern.strip() and not pattern.startswith("#"))


def _rule(pattern: str) -> _Rule:
    body = pattern.removeprefix("!").removeprefix("\\")
    folders_only = body.endswith("/")
    body = body.rstrip("/")
    anywhere = "/" not in body
    expression = "".join(_translated(body.removeprefix("/")))
    if anywhere:
        expression = f"(?:.*/)?{expression}"
    return _Rule(pattern, re.compile(expression, re.DOTALL), folders_only, pattern.startswith("!"))


def _translated(body: str) -> list[str]:
    tokens = re.findall(r"/\*\*/|\*\*/|/\*\*|\*+|\?|\[!?\]?[^\]]*\]|\\?.", body, re.DOTALL)
    meaning = {"/**/": "/(?:.*/)?", "**/": "(?:.*/)?", "/**": "/.*", "?": "[^/]"}
    translated: list[str] = []
    for token in tokens:
        if token in meaning:
            translated.append(meaning[token])
        elif token.startswith("*"):
            translated.append("[^/]*")
        elif token.startswith("[") and len(token) > 2:
            inner = token[1:-1].replace("\\", "\\\\")
            translated.append(f"(?!/)[{'^' + inner[1:] if inner.startswith('!') else inner}]")
        else:
            translated.append(re.escape(token[-1]))
    return translated
