"""Search filters -> a Lance condition, pushed down before recall."""

from collections.abc import Callable
from datetime import UTC, date, datetime

from wiki.errors import InvalidInput
from wiki.index.lance import any_of, quote
from wiki.views import SearchFilters

RECORD_TYPES = ("topic", "note")


def filter_condition(filters: SearchFilters) -> str:
    """The condition every recalled passage meets. Raises ``InvalidInput`` for an unknown type or a bad date.

    ``…_after`` holds from that moment on, ``…_before`` until just before it.
    """
    for record_type in filters.record_type:
        if record_type not in RECORD_TYPES:
            raise InvalidInput(f"filters.record_type {record_type[:80]!r} is none of {', '.join(RECORD_TYPES)}")
    terms = [any_of("record_type", filters.record_type or ("topic",))]
    for column, values in (
        ("namespace", filters.category_id),
        ("vault", filters.vault),
        ("doc_id", filters.doc_id),
        ("type", filters.type),
        ("status", filters.status),
        ("language", filters.language),
    ):
        if values:
            terms.append(any_of(column, values))
    if filters.label:
        terms.append(f"array_has_any(labels, [{', '.join(map(quote, filters.label))}])")
    terms.extend(f"array_has(fields, {quote(f'{name}={value}')})" for name, value in filters.fields.items())
    for column, after, before, normal in (
        ("created_at", filters.created_after, filters.created_before, _moment),
        ("updated_at", filters.updated_after, filters.updated_before, _moment),
        ("document_date", filters.document_date_after, filters.document_date_before, _day),
    ):
        terms.extend(_range(column, after, before, normal))
    return " AND ".join(terms)


def _range(column: str, after: str | None, before: str | None, normal: Callable[[str, str], str]) -> list[str]:
    terms: list[str] = []
    if after is not None:
        terms.append(f"{column} >= {quote(normal(f'{column}_after', after))}")
    if before is not None:
        terms.append(f"{column} < {quote(normal(f'{column}_before', before))}")
    return terms


def _moment(name: str, value: str) -> str:
    """A date stays a date: as text it sorts before every moment of that day."""
    try:
        if len(value) == 10:
            return date.fromisoformat(value).isoformat()
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise _bad_date(name, value) from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _day(name: str, value: str) -> str:
    try:
        return datetime.fromisoformat(value).date().isoformat()
    except ValueError as error:
        raise _bad_date(name, value) from error


def _bad_date(name: str, value: str) -> InvalidInput:
    name = name.replace("_at_", "_").replace("document_date_", "document_date_")
    return InvalidInput(
        f"filters.{name} {value[:80]!r} is no ISO date or time, e.g. 2026-11-30 or 2026-11-30T19:40:52Z"
    )
