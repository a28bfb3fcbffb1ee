"""The JSON object in what a model wrote, around which there may be prose, fences or rubbish."""

import json
import re
from collections import deque
from collections.abc import Iterator
from typing import cast

MOST_PASSES, FREE_CHARACTERS = 2, 1_000_000
"""Characters looked at, in lengths of the text and beside them: keeps the time linear, whatever the text."""
MOST_MARKS = 400_000
"""Quotes, braces and backslashes looked at: a megabyte of JSON has fewer."""
MOST_CANDIDATES = 64
_MARK = re.compile(r'["\\{}]')
_COMMA = re.compile(r'"(?:[^"\\]++|\\.)*+"|(,)\s*+(?=[}\]])', re.DOTALL)
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def read_json(text: str) -> dict[str, object] | None:
    """The object ``text`` is, or the largest balanced one inside that can be read; None without one.

    Fences, prose around, trailing commas, line ends inside strings and what follows the end are borne; nothing is
    guessed that isn't there, and nothing is run. NaN and infinities become None, lone surrogates U+FFFD. Linear in
    the text's length.
    """
    found = _parse(text.strip().lstrip("\ufeff"))
    spans = [] if found is not None else sorted(_objects(text), key=lambda span: span[0] - span[1])
    for start, end in spans:
        inner = text[start:end]
        found = _parse(inner) or _parse(_COMMA.sub(lambda mark: "" if mark[1] else mark[0], inner))
        if found is not None:
            break
    return found


def _parse(text: str) -> dict[str, object] | None:
    try:
        value = _DECODER.decode(text) if text.startswith("{") else None
        return cast(dict[str, object] | None, _whole_characters(value) if "\\u" in text else value)
    except (ValueError, RecursionError):
        return None


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """Spans of balanced braces, outer ones first, until enough was looked at."""
    characters, marks, found = MOST_PASSES * len(text) + FREE_CHARACTERS, MOST_MARKS, 0
    ranges = deque([(0, len(text))])
    while ranges:
        place, limit = ranges.popleft()
        while (start := text.find("{", place, limit)) >= 0:
            end, looked = _balanced_end(text, start, min(limit, start + characters), marks)
            characters -= (end or limit) - start
            marks -= looked
            if end is not None:
                found += 1
                yield start, end
                ranges.append((start + 1, end - 1))
            place = end or start + 1
            if characters <= 0 or marks <= 0 or found >= MOST_CANDIDATES:
                return


def _balanced_end(text: str, start: int, limit: int, marks: int) -> tuple[int | None, int]:
    """Behind the brace that closes the one at ``start``, None when there is none; and how many marks that took."""
    depth, quoted, looked, skip = 0, False, 0, -1
    for looked, mark in enumerate(_MARK.finditer(text, start, limit), 1):
        sign, at = mark[0], mark.start()
        if at == skip:
            continue
        if sign == '"':
            quoted = not quoted
        elif sign == "\\":
            skip = at + 1 if quoted else skip
        elif not quoted:
            depth += 1 if sign == "{" else -1
            if not depth:
                return at + 1, looked
        if looked >= marks:
            break
    return None, looked


def _whole_characters(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_whole_characters(item) for item in cast(list[object], value)]
    if isinstance(value, dict):
        pairs = cast(dict[str, object], value).items()
        return {str(_whole_characters(key)): _whole_characters(item) for key, item in pairs}
    return value
