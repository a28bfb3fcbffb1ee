"""The text of a mail as Markdown: plain, flowed, and invitations."""

import re

from wiki.parsing.escape import escape_text
from wiki.parsing.mail_headers import charset_text

_QUOTES = re.compile(r"(?:> ?)*>|")
_CALENDAR = {
    "SUMMARY": "What",
    "DTSTART": "From",
    "DTEND": "To",
    "RRULE": "Repeats",
    "LOCATION": "Where",
    "ORGANIZER": "Organizer",
    "ATTENDEE": "Attendee",
    "DESCRIPTION": "Description",
}
_TOLD = ("VEVENT", "VTO", "VJOURNAL")
"""How the parts that say something begin; time zones and alarms do not count."""
_ESCAPES = {"n": "\n", "N": "\n"}


def plain_markdown(text: str) -> str:
    """Mail text as Markdown: quoted lines stay quotes, everything else is escaped."""
    lines = (line if line.startswith(">") else escape_text(line) for line in text.strip("\n").split("\n"))
    # Four spaces would be code.
    return "\n".join(re.sub(r"^\s{4,}(?=\S)", "   ", line.rstrip()) for line in lines)


def unflowed(text: str, *, delete_space: bool = False) -> str:
    """Text of ``format=flowed`` with its soft line ends undone, https://www.rfc-editor.org/rfc/rfc3676."""
    done: list[str] = []
    open_depth: int | None = None
    for line in text.split("\n"):
        quotes = _QUOTES.match(line)
        mark = quotes.group() if quotes else ""
        depth = mark.count(">")
        words = line[len(mark) :].removeprefix(" ") if depth else line.removeprefix(" ")
        if open_depth == depth and done and words != "-- ":
            done[-1] += words
        else:
            done.append(f"{'>' * depth} {words}" if depth else words)
        flows = words.endswith(" ") and words != "-- "
        if flows and delete_space:
            done[-1] = done[-1][:-1]
        open_depth = depth if flows else None
    return "\n".join(done)


def calendar_lines(data: bytes, name: str) -> str:
    """An invitation (iCalendar) as a list a line a property; times as ``2026-03-01 10:00``."""
    text = re.sub(r"\n[ \t]", "", charset_text(data, "utf-8", name))
    lines: list[str] = []
    inside: list[str] = []
    for line in text.split("\n"):
        key, _, value = line.strip().partition(":")
        key, _, parameters = key.partition(";")
        if key == "BEGIN":
            inside.append(value)
        elif key == "END" and inside:
            inside.pop()
            if value.startswith(_TOLD) and lines:
                lines.append("\n")
        elif inside and inside[-1].startswith(_TOLD) and key in _CALENDAR and value.strip():
            lines.append(f"- **{_CALENDAR[key]}:** {_shown(key, parameters, value)}\n")
    return "".join(lines).rstrip("\n") + "\n\n"


def _shown(key: str, parameters: str, value: str) -> str:
    when = re.fullmatch(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?", value)
    if when:
        zone = re.search(r"TZID=\"?([^;\"]+)", parameters)
        clock = f" {when[4]}:{when[5]}" if when[4] else ""
        return f"{when[1]}-{when[2]}-{when[3]}{clock}{' UTC' if when[7] else f' {zone[1]}' if zone and clock else ''}"
    person = re.search(r"CN=\"?([^;\"]+)", parameters)
    value = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), value)
    address = re.sub(r"^mailto:", "", value, flags=re.IGNORECASE) if key in ("ORGANIZER", "ATTENDEE") else value
    shown = f"{person[1]} ({address})" if person and person[1] != address else address
    return "<br>".join(escape_text(line.strip()) for line in shown.split("\n") if line.strip())
