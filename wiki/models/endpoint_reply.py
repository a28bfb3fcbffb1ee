"""What an endpoint said no with: its reason without secrets or sent text, and the error a person gets."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from wiki.errors import ConfigurationError, ExternalServiceUnavailable, WikiError

LONGEST_REASON = 240


@dataclass(frozen=True)
class Answer:
    """A whole HTTP reply; header names in lower case."""

    status: int
    body: bytes
    headers: Mapping[str, str]


def reason_of(answer: Answer, hidden: Iterable[str] = ()) -> str:
    """The endpoint's own words; empty when it gave none. See ``reason_in``."""
    try:
        return reason_in(json.loads(answer.body), hidden)
    except (ValueError, RecursionError):
        return ""


def reason_in(body: object, hidden: Iterable[str] = ()) -> str:
    """The message of a JSON error on one line of at most 240 characters, never an echoed request; each of ``hidden``
    is left out.
    """
    said = _message(body)
    for text in sorted(hidden, key=len, reverse=True):
        said = said.replace(text, "…").replace(" ".join(text.split()), "…")
    said = " ".join(said.split())
    return said if len(said) <= LONGEST_REASON else said[: LONGEST_REASON - 1] + "…"


def rejection(section: str, noun: str, url: str, answer: Answer, hidden: Iterable[str]) -> WikiError:
    """The error for a reply that trying again can't change."""
    status = answer.status
    where = f"the {noun} at {url}"
    if status in (401, 403):
        what, look, reason = "rejects the key", f"set {section}.api_key", ""
    else:
        reason = reason_of(answer, hidden)
        said = f": {reason}" if reason else ""
        if status == 404:
            what, look = f"is not there{said}", f"check {section}.base_url and {section}.model"
        elif status < 400:
            what, look = "sends the request elsewhere", f"set {section}.base_url to the address it redirects to"
        else:
            what, look = f"rejects the request{said}", f"check {section}.model and the other settings of {section}"
    kind = ConfigurationError if status < 401 or status in (401, 403, 404) else ExternalServiceUnavailable
    return kind(f"{where} {what} ({status}): {look}", provider=section, status=status, reason=reason)


def _message(body: object) -> str:
    """``error.message``, ``error``, ``message``, ``msg`` or ``detail`` of a JSON error, whichever there is."""
    if isinstance(body, list):
        return _message(cast(list[object], body)[0]) if body else ""
    if not isinstance(body, dict):
        return ""
    fields = cast(dict[str, object], body)
    for name in ("error", "message", "msg", "detail"):
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, dict | list) and (found := _message(cast(object, value))):
            return found
    return ""
