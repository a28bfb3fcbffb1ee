"""Values as YAML text, in one plain style any YAML 1.1 or 1.2 reader understands the same way."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

MAX_FLOW = 120
MAX_SIMPLE_KEY = 120
"""YAML allows 1,024; longer keys need the ``? key : value`` form."""

_PLAIN = re.compile(r"[^\W\d_](?:[\w./()&+'-]| (?=[\w./()&+'-]))*(?<![\s])")
_SHA256 = re.compile(r"(?=[0-9a-f]*[a-df])(?!0b)[0-9a-f]{64}")
"""Holds a digit no number has, so that no reader takes it for one."""
_WORDS_WITH_MEANING = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True)
class Bare:
    """Text to be written as it is, e.g. a time, which a reader may take for a date."""

    text: str


@dataclass(frozen=True)
class Quoted:
    """Text that is always quoted, e.g. a position such as ``1.10``."""

    text: str


def entry(key: str, value: Any) -> str:
    """``key: value`` with its line end: on one line, or as a block where one line would be too long."""
    flow = f"{inline(key)}: {inline(value)}\n"
    if len(flow) <= MAX_FLOW or not isinstance(value, Mapping) or not value:
        return flow
    members = cast(Mapping[Any, Any], value)
    return f"{inline(key)}:\n" + "".join(
        f"  {_member(name, member, end=chr(10))}\n" for name, member in members.items()
    )


def inline(value: Any) -> str:
    """``value`` in flow style, without line breaks."""
    match value:
        case Bare():
            return value.text
        case Quoted():
            return _quote(value.text)
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case int():
            return str(value)
        case float():
            return _number(value)
        case str():
            return _scalar(value)
        case datetime() | date():
            return _quote(value.isoformat())
        case Mapping():
            members = cast(Mapping[Any, Any], value)
            return "{" + ", ".join(_member(key, member, end=" ") for key, member in members.items()) + "}"
        case Sequence() | set() | frozenset():
            return "[" + ", ".join(inline(member) for member in cast(Sequence[Any], value)) + "]"
        case _:
            return _quote(str(value))


def _member(key: Any, value: Any, *, end: str) -> str:
    name = inline(key)
    if len(name) <= MAX_SIMPLE_KEY:
        return f"{name}: {inline(value)}"
    return f"? {name}{end}{'  ' if end != ' ' else ''}: {inline(value)}"


def _scalar(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS_WITH_MEANING and text.isprintable():
        return text
    if _SHA256.fullmatch(text):
        return text
    return _quote(text)


def _quote(text: str) -> str:
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "\\uFFFD" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04X}"


def _number(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return text if "." in mantissa else f"{mantissa}.0{e}{exponent}"
