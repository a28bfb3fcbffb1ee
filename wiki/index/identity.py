"""Which id a folder or file on disk has: a pure function of what lies there.

A claim is an id written in front matter. The first path in sorted order that
makes a claim keeps it; the others, and those without a claim, get an id derived
from their place. Because the answer for one path only depends on the paths that
share a claim or a candidate with it, a change is resolved by re-assigning that
small group, and a rebuild that assigns everything agrees.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath


@dataclass(frozen=True)
class Claimant:
    """A path that needs an id. ``path`` is POSIX, relative to the tenant's ``knowledge`` folder."""

    path: str
    claim: str | None
    """The id its front matter claims."""
    candidates: tuple[str, ...]
    """Ids it may have without a winning claim, in order of preference; the last is always unique to its path."""

    @property
    def sort_key(self) -> tuple[str, ...]:
        return PurePosixPath(self.path).parts

    @property
    def interests(self) -> frozenset[str]:
        """Every id whose holder may depend on this path, or on whose holder this path depends."""
        return frozenset(self.candidates) | ({self.claim} if self.claim else frozenset())


@dataclass(frozen=True)
class Assignment:
    """The id of a path. ``lost_to`` is the path that keeps the id this one claims."""

    id: str
    lost_to: str | None = None


def assign(claimants: Iterable[Claimant]) -> dict[str, Assignment]:
    """Give each path its id. The input must hold every path that shares an interest with another in it."""
    ordered = sorted(claimants, key=lambda claimant: claimant.sort_key)
    holder: dict[str, str] = {}
    for claimant in ordered:
        if claimant.claim:
            holder.setdefault(claimant.claim, claimant.path)
    assigned: dict[str, Assignment] = {}
    for claimant in ordered:
        if claimant.claim and holder[claimant.claim] == claimant.path:
            assigned[claimant.path] = Assignment(claimant.claim)
            continue
        chosen = next((c for c in claimant.candidates if c not in holder), None)
        if chosen is None:
            chosen = _unique(claimant, holder)
        holder[chosen] = claimant.path
        assigned[claimant.path] = Assignment(chosen, holder[claimant.claim] if claimant.claim else None)
    return assigned


def _unique(claimant: Claimant, holder: Mapping[str, str]) -> str:
    """A last candidate that someone else claims: derive another from the full path until one is free."""
    stem = claimant.candidates[-1]
    prefix, length = (stem[:-8], 8) if "_h" in stem else ("d_", 12)
    attempt = 0
    while True:
        digest = sha256(f"{claimant.path}\0{attempt}".encode()).hexdigest()[:length]
        if prefix + digest not in holder:
            return prefix + digest
        attempt += 1


def normalised(name: str) -> str:
    """NFC, so that a file system that stores NFD gives the same id."""
    return unicodedata.normalize("NFC", name)
