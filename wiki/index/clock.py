"""The time of day, as the stores write it."""

from datetime import UTC, datetime


def now_iso() -> str:
    """Now in UTC, to the second: ``2026-11-30T19:40:52Z``."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
