"""What every benchmark is told."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    topics: int = 2_000
    queries: int = 200
    tries: int = 60
    """Edits whose way to the search is timed."""
    files: int = 500
    """Files of mixed formats in a bulk import."""
    notes: int = 10_000
    idle_seconds: float = 30
    seed: int = 7


def percentile(values: list[float], share: float) -> float:
    """The value below which ``share`` of ``values`` lie, by the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(values: list[float], digits: int = 1) -> dict[str, float]:
    """``p50``, ``p95`` and ``max``."""
    return {
        "p50": round(percentile(values, 0.5), digits),
        "p95": round(percentile(values, 0.95), digits),
        "max": round(max(values), digits),
    }
