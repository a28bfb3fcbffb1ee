"""Dynamic partitions: one per live hash. Dead ones are pruned, so the set stays as large as the library."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import dagster as dg

from assets.keys import source_files, topic_files
from wiki.tenants import Tenant

CHUNK = 500
"""Keys added in one call: SQLite limits the variables of a statement."""

MOST_PRUNED = 200
"""Keys deleted at a time: each is a call of its own."""

SOURCE_FILES = source_files.name or ""
TOPIC_FILES = topic_files.name or ""


@dataclass(frozen=True)
class PartitionChanges:
    """What a reconcile of the keys did; ``left`` dead keys wait for the next one."""

    added: int
    deleted: int
    left: int


def add_partitions(instance: dg.DagsterInstance, name: str, keys: Collection[str]) -> None:
    """Add keys in chunks; those that exist stay as they are."""
    for chunk in chunks(list(dict.fromkeys(keys)), CHUNK):
        instance.add_dynamic_partitions(name, chunk)


def prune_partitions(instance: dg.DagsterInstance, name: str, keys: Iterable[str]) -> int:
    """Delete keys; one that is gone already is no error."""
    count = 0
    for key in keys:
        instance.delete_dynamic_partition(name, key)
        count += 1
    return count


def reconcile_partitions(
    instance: dg.DagsterInstance,
    tenant: Tenant,
    live_hashes: Collection[str],
    live_source_hashes: Collection[str],
    *,
    most: int | None = MOST_PRUNED,
) -> PartitionChanges:
    """Make a tenant's keys equal its live hashes: missing ones are added, dead ones deleted (at most ``most``)."""
    added = deleted = left = 0
    for name, hashes in ((TOPIC_FILES, live_hashes), (SOURCE_FILES, live_source_hashes)):
        live = {tenant.partition_key(sha256) for sha256 in hashes}
        known = {key for key in instance.get_dynamic_partitions(name) if belongs_to(key, tenant)}
        missing, dead = sorted(live - known), sorted(known - live)
        add_partitions(instance, name, missing)
        now = dead if most is None else dead[:most]
        added, deleted, left = (
            added + len(missing),
            deleted + prune_partitions(instance, name, now),
            left + len(dead) - len(now),
        )
    return PartitionChanges(added, deleted, left)


def belongs_to(key: str, tenant: Tenant) -> bool:
    """Whether a partition key is one of the tenant's."""
    return tenant.partition_key(key.rpartition(":")[2]) == key


def chunks(values: Sequence[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(values), size):
        yield list(values[start : start + size])
