"""Marks of what was generated: a value that no longer fits its mark was chosen by a person."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any


def mark(*values: str) -> str:
    """Eight hex digits of a name or of labels in their order."""
    return sha256("\n".join(values).encode(errors="surrogateescape")).hexdigest()[:8]


def is_generated(marks: Mapping[str, Any], key: str, *values: str) -> bool:
    """Whether ``values`` are what was generated under ``key``. Without a mark a person chose them; no value is nobody's."""
    return not any(values) or str(marks.get(key)) == mark(*values)


def without(marks: Mapping[str, Any], chosen: Mapping[str, str]) -> dict[str, Any] | None:
    """``marks`` without those equal to what a person chose now; None when all stay."""
    kept = {key: value for key, value in marks.items() if key not in chosen or str(value) != chosen[key]}
    return None if len(kept) == len(marks) else kept
