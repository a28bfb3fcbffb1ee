"""Times as the front matter writes them: UTC, ``2026-11-30T19:40:52Z``."""

import re
from datetime import UTC, date, datetime

_PARTIAL = re.compile(r"[0-9]{4}(-[0-9]{2})?")


def now() -> str:
    return write_time(datetime.now(UTC))


def write_time(moment: datetime) -> str:
    """An aware time in UTC, whole seconds."""
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def read_time(text: str) -> datetime | None:
    """An ISO date or time as an aware UTC time; one without zone counts as UTC. None when it is neither."""
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_date(text: str) -> str | None:
    """``2026``, ``2026-11`` or ``2026-11-30`` (the date of a time, too) in that form, else None."""
    written = text.strip()
    if _PARTIAL.fullmatch(written):
        try:
            date.fromisoformat(f"{written}-01-01"[:10])
        except ValueError:
            return None
        return written
    try:
        return datetime.fromisoformat(written).date().isoformat()
    except ValueError:
        return None
