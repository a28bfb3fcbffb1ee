"""Dagster's event history: 2.3 KB an event for ever, unless somebody bounds it."""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg

from assets import keys
from pipelines.batch_events import heartbeat, of_decisions, of_document, of_note, of_topic
from pipelines.live import live_decisions, live_documents, live_notes
from wiki.library import Library

HISTORY_MEGABYTES = 512
MOST_INDEX_EVENTS = 10_000
"""Of ``lancedb_index``: about 25 MB, six days of heartbeats."""

KEPT_CHORE_DAYS = 14
_CHORES = ("upkeep", "reindex", "evaluate")
_FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


def history_bytes(instance: dg.DagsterInstance) -> int:
    """What the event history takes on this disk, in bytes."""
    return sum(path.stat().st_size for path in _shards(instance))


def rotate_history(instance: dg.DagsterInstance, library: Library, versions: Mapping[dg.AssetKey, str]) -> int:
    """Wipe the history of every asset, give the disk back, tell what is live once more. Gives the events told."""
    instance.wipe_assets([*keys.INGEST, keys.TOPIC_VECTORS, *keys.INDEXES, keys.VAULT_AUDIT])
    _empty_runless_shard(instance)
    _vacuum(instance)
    told = 0
    for event in _live_events(library, versions):
        instance.report_runless_asset_event(event)
        told += 1
    return told


def trim_index_history(instance: dg.DagsterInstance, versions: Mapping[dg.AssetKey, str]) -> bool:
    """Wipe the history of the two index assets once it is long; the topics' own history stays. True when wiped."""
    wanted = dg.AssetRecordsFilter(asset_key=keys.LANCEDB_INDEX)
    count = 0
    cursor: str | None = None
    while True:
        page = instance.fetch_materializations(wanted, limit=1_000, cursor=cursor)
        count += len(page.records)
        if count > MOST_INDEX_EVENTS:
            break
        if not page.has_more:
            return False
        cursor = page.cursor
    instance.wipe_assets(list(keys.INDEXES))
    instance.report_runless_asset_event(heartbeat(versions))
    return True


def prune_chore_runs(instance: dg.DagsterInstance, days: float = KEPT_CHORE_DAYS) -> int:
    """Delete finished runs of the chores older than ``days``: each is a file of 150 KB. Gives how many."""
    before = datetime.now(UTC) - timedelta(days=days)
    deleted = 0
    for job in _CHORES:
        wanted = dg.RunsFilter(job_name=job, statuses=_FINISHED, updated_before=before)
        for run in instance.get_runs(wanted, limit=500):
            instance.delete_run(run.run_id)
            for path in _shards(instance, f"{run.run_id}.db*"):
                path.unlink(missing_ok=True)
            deleted += 1
    return deleted


def _live_events(library: Library, versions: Mapping[dg.AssetKey, str]) -> Iterator[dg.AssetMaterialization]:
    for document in live_documents(library):
        if document.change is not None:
            yield from of_document(document.tenant, document.change, versions, library.root)
        for topic in document.topics:
            yield of_topic(document.tenant, topic, versions, library.root)
    for tenant, change in live_notes(library):
        yield of_note(tenant, change, versions)
    for tenant, summary in live_decisions(library):
        yield of_decisions(tenant, summary, versions)
    yield heartbeat(versions)


def _shards(instance: dg.DagsterInstance, pattern: str = "*.db*") -> list[Path]:
    return sorted((Path(instance.root_directory) / "history").rglob(pattern))


def _empty_runless_shard(instance: dg.DagsterInstance) -> None:
    """Events without a run lie twice: in the index, which a wipe clears, and in the shard named ``.db``, which nothing does."""
    for path in _shards(instance, ".db"):
        with closing(sqlite3.connect(path, timeout=30)) as connection, connection:
            connection.execute("DELETE FROM event_logs")
            connection.execute("DELETE FROM asset_event_tags")


def _vacuum(instance: dg.DagsterInstance) -> None:
    for path in _shards(instance, "*.db"):
        deadline = time.monotonic() + 30
        while True:
            try:
                with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as connection:
                    connection.execute("VACUUM")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                break
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)
