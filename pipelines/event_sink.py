"""Tells Dagster what the cascade did, from a thread of its own: an event takes 6 to 20 ms, an edit must not wait for it."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import dagster as dg

from pipelines import batch_events
from pipelines.partitions import (
    MOST_PRUNED,
    SOURCE_FILES,
    TOPIC_FILES,
    add_partitions,
    prune_partitions,
    reconcile_partitions,
)
from wiki.index.rows import BatchReport, DocumentChange
from wiki.tenants import Tenant

HEARTBEAT_SECONDS = 50
"""A window without changes still proves that the cascade lives, this seldom: docs/decisions/0004-freshness.md."""

LINEAGE_DELAY = 2.0
"""A real run gets this long to report its own document before it is reported for it."""

_RETRY_SECONDS = (0.1, 0.5, 2.0, 5.0, 10.0, 20.0)

_log = logging.getLogger("wiki.dagster")


@dataclass(frozen=True)
class _Late:
    """A document whose lineage is reported at ``due`` (monotonic seconds), if no run did it by then."""

    due: float
    tenant: Tenant
    change: DocumentChange

    @property
    def partition(self) -> str:
        return self.tenant.partition_key(self.change.source_sha256)


class DagsterEvents:
    """An ``EventSink`` over a Dagster instance.

    The cascade hands over its batches from a thread of its own and keeps each until it was taken, so a crash may
    repeat an event but loses none. What is not urgent (lineage of uploads, pruning, heartbeats) is told by a thread here.
    """

    def __init__(
        self,
        instance: dg.DagsterInstance,
        root: Path,
        versions: Mapping[dg.AssetKey, str],
        *,
        lineage_delay: float = LINEAGE_DELAY,
    ) -> None:
        self.instance = instance
        self.root = root
        self.versions = versions
        self.lineage_delay = lineage_delay
        self.reconciled = False
        self._tasks: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._later: list[_Late] = []
        self._dead: dict[tuple[str, str], None] = {}
        self._last_index_event = 0.0
        self._flushing = threading.Event()
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=self._work, name="dagster-events", daemon=True)
        self._thread.start()

    def batch(self, report: BatchReport) -> None:
        """Tell a batch. Raises when the instance fails: the cascade's own thread keeps the report and comes again."""
        with self._lock:
            self._batch(report)

    def heartbeat(self) -> None:
        """Queue a proof that the cascade watched, unless an index event was told lately."""
        self._tasks.put(self._heartbeat)

    def reconcile(self, live: Mapping[Tenant, tuple[set[str], set[str]]]) -> None:
        """Queue a comparison of the partitions with the live hashes of topic and source files, once a process."""
        self.reconciled = True

        def compare() -> None:
            for tenant, hashes in live.items():
                reconcile_partitions(self.instance, tenant, *hashes)

        self._tasks.put(compare)

    def flush(self, timeout: float) -> bool:
        """Wait until everything queued so far is told, late lineage and pruning included. False: time ran out."""
        done = threading.Event()
        self._flushing.set()
        self._tasks.put(done.set)
        return done.wait(timeout)

    def close(self, timeout: float = 10) -> None:
        """Tell what is queued, then end the thread."""
        self.flush(timeout)
        self._tasks.put(None)
        self._thread.join(timeout)

    def _work(self) -> None:
        while True:
            try:
                task = self._tasks.get(timeout=0.5)
            except queue.Empty:
                self._late_work(all_of_it=False)
                continue
            if task is None:
                return
            if self._flushing.is_set() and self._tasks.empty():
                self._flushing.clear()
                self._late_work(all_of_it=True)
            self._patiently(task)

    def _late_work(self, *, all_of_it: bool) -> None:
        now = time.monotonic()
        with self._lock:
            due = [late for late in self._later if all_of_it or late.due <= now]
            self._later = [late for late in self._later if late not in due]
        if due:
            self._patiently(lambda: self._lineage(due))
        if self._dead:
            self._patiently(lambda: self._prune(None if all_of_it else MOST_PRUNED))

    def _patiently(self, task: Callable[[], None]) -> None:
        """Run a task; while the instance fails, try again for about 40 s, then log what is lost and go on."""
        for pause in (*_RETRY_SECONDS, None):
            try:
                with self._lock:
                    task()
                return
            except Exception as error:
                if pause is None:
                    _log.exception("Dagster did not take an event; the indexes are right, `upkeep` reports it again")
                    return
                _log.warning("Dagster did not take an event (%s), trying again in %s s", error, pause)
                time.sleep(pause)

    def _batch(self, report: BatchReport) -> None:
        tenant = report.tenant
        changes = (*report.topics, *report.notes)
        live = [tenant.partition_key(change.sha256) for change in changes if change.kind != "deleted"]
        sources = [tenant.partition_key(change.source_sha256) for change in report.documents]
        self._add(TOPIC_FILES, live)
        self._add(SOURCE_FILES, sources)
        for event in self._described(report):
            self._report(event)
        self._last_index_event = time.monotonic()
        due = time.monotonic() + self.lineage_delay
        self._later.extend(_Late(due, tenant, change) for change in report.documents)
        for name, hashes in ((TOPIC_FILES, report.dead_hashes), (SOURCE_FILES, report.dead_source_hashes)):
            self._dead.update({(name, tenant.partition_key(sha256)): None for sha256 in hashes})
        self._prune(MOST_PRUNED)

    def _described(self, report: BatchReport) -> list[batch_events.Event]:
        """The events of a batch. One that Dagster finds malformed would be so again: it is logged, not retried."""
        try:
            return list(batch_events.of_batch(report, self.versions, self.root))
        except (dg.DagsterError, ValueError):
            _log.exception("a batch can't be told as Dagster events; the indexes are right")
            return []

    def _heartbeat(self) -> None:
        if time.monotonic() - self._last_index_event >= HEARTBEAT_SECONDS or self._last_index_event == 0.0:
            self._report(batch_events.heartbeat(self.versions))
            self._last_index_event = time.monotonic()

    def _lineage(self, due: list["_Late"]) -> None:
        """Report the ingest assets of documents that came in without a run, once each."""
        going = {sha256 for _, sha256 in batch_events.requested_in_progress(self.instance)}
        while due:
            late = due[0]
            if late.change.source_sha256 in going:
                self._later.append(replace(late, due=time.monotonic() + max(self.lineage_delay, 1.0)))
            elif not batch_events.already_told(self.instance, late.partition, late.change.doc_id):
                for event in batch_events.of_document(late.tenant, late.change, self.versions, self.root):
                    self._report(event)
            due.pop(0)

    def _add(self, name: str, partitions: list[str]) -> None:
        for partition in partitions:
            self._dead.pop((name, partition), None)
        if partitions:
            add_partitions(self.instance, name, partitions)

    def _prune(self, most: int | None) -> None:
        for name, partition in list(self._dead)[:most]:
            prune_partitions(self.instance, name, [partition])
            self._dead.pop((name, partition), None)

    def _report(self, event: dg.AssetMaterialization | dg.AssetCheckEvaluation) -> None:
        self.instance.report_runless_asset_event(event)
