"""The cascade: whoever holds the baton watches the root and keeps every tenant's indexes in step."""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from wiki.errors import WikiError
from wiki.filesystem import FileLock
from wiki.index.notes.rows import NoteRef
from wiki.index.rows import BatchReport, EventSink
from wiki.index.sync import TenantIndex
from wiki.index.watcher import Touched, Watcher
from wiki.tenants import Tenant, watch_lock

if TYPE_CHECKING:
    from wiki.library import Library

log = logging.getLogger(__name__)
RETRY_SECONDS = 5.0
STAND_BY_SECONDS = 1.0
STAND_BY_WINDOW = 5.0
STAND_BY_POLL = 0.1
STAND_BY_GRACE = 15.0
"""At the start of the whole stack the code server gets this long to take the baton first."""
MASS_DELETE = 20
REST = 3.0
"""While a bulk import runs, the cascade rests this many times as long as its last batch took: every version of the
stores costs each reader a new look at them, and a batch costs nearly the same for ten documents as for one."""
MOST_REST = 2.0
COMPANY_SECONDS = 0.5
"""A decision in the audit waits this long for the note it is about, so that both make one batch; refusals gather."""
_POLL = 0.02
_Name = TypeVar("_Name")


@dataclass(frozen=True)
class WindowSummary:
    """What one window did. ``held`` False: another process had the baton all the while."""

    held: bool
    changes: int = 0
    batches: int = 0
    faults: int = 0
    seconds: float = 0.0


@dataclass
class _Tally:
    changes: int = 0
    batches: int = 0
    held: bool = False
    started: float = field(default_factory=time.monotonic)

    def add(self, report: BatchReport | None) -> None:
        if report:
            self.batches += 1
            self.changes += len(report.topics) + len(report.notes)


class Cascade:
    """One per process. The watcher and the models stay warm from window to window."""

    def __init__(self, library: "Library", sink: EventSink | None = None) -> None:
        self._library = library
        self._settings = library.settings.cascade
        self._sink = sink
        self._watcher: Watcher | None = None
        self._lock = FileLock(watch_lock(library.root))
        self._one_window = threading.Lock()
        self._reconciled = 0.0
        self._retried = 0.0
        self._tidied: set[Tenant] = set()
        self._left: set[Touched] = set()
        """Tenants to look at whole, told while another look was going on."""
        self._held_deletes: dict[tuple[Tenant, str], float] = {}
        self._closed = threading.Event()
        self._teller: threading.Thread | None = None

    def window(self, seconds: float, *, wait_for_baton: float, stop: threading.Event | None = None) -> WindowSummary:
        """Take the baton, bring everything in step, then apply changes as they land until ``seconds`` are over."""
        self._warm()
        deadline = time.monotonic() + wait_for_baton
        if not self._one_window.acquire(timeout=wait_for_baton):
            return WindowSummary(held=False)
        try:
            if not self._take_baton(deadline, stop):
                return WindowSummary(held=False)
            try:
                return self._watch(seconds, stop)
            finally:
                self._lock.release()
        finally:
            self._one_window.release()

    def run(self, stop: threading.Event) -> None:
        """Window after window, until ``stop``: the cascade without Dagster."""
        while not stop.is_set():
            try:
                self.window(self._settings.window_seconds, wait_for_baton=1.0, stop=stop)
            except Exception:
                log.exception("the cascade's window failed; starting the next one")
                stop.wait(1.0)

    def stand_by(self, stop: threading.Event) -> None:
        """Watch while nobody else does, until ``stop``: the service follows edits when the code server is down.

        A handover between two windows is far shorter than what this waits for.
        """
        free_since: float | None = None
        started = time.monotonic()
        while not stop.wait(STAND_BY_POLL):
            now = time.monotonic()
            if now - started < STAND_BY_GRACE and self._library.presence.run().get("dagster_url"):
                continue
            if self._library.presence.somebody_watches():
                free_since = None
            elif free_since is None:
                free_since = now
            elif now - free_since >= STAND_BY_SECONDS:
                try:
                    self.window(STAND_BY_WINDOW, wait_for_baton=0.0, stop=stop)
                except Exception:
                    log.exception("the stand-in cascade's window failed; starting the next one")
                free_since = time.monotonic() - STAND_BY_SECONDS + 2 * STAND_BY_POLL

    def close(self) -> None:
        """Stop watching and telling. Reports not told yet wait in the outbox."""
        self._closed.set()
        if self._watcher:
            self._watcher.close()
        if self._teller:
            self._teller.join(timeout=10)

    def _warm(self) -> None:
        """Load what a batch needs before taking the baton: nobody waits for an import then."""
        try:
            self._library.warm()
        except WikiError as error:
            log.warning("the models are not ready: %s: %s", error.code, error.message)

    def _take_baton(self, deadline: float, stop: threading.Event | None) -> bool:
        while not self._lock.try_acquire():
            if time.monotonic() > deadline or self._closed.is_set() or (stop and stop.is_set()):
                return False
            time.sleep(_POLL)
        return True

    def _watch(self, seconds: float, stop: threading.Event | None) -> WindowSummary:
        tally = _Tally()
        if self._watcher is None:
            self._watcher = Watcher(
                self._library.root,
                mode=self._settings.watch,
                debounce_ms=self._settings.debounce_ms,
                tenants=self._library.tenants,
                vaults=lambda tenant: self._index(tenant).vaults(),
            )
        self._start_teller()
        # A reconcile opens every window: another process may have held the baton, and its own watcher with it.
        self._reconcile(tally, stop)
        waiting: set[Touched] = set()
        rest_until, alone_until = 0.0, float("inf")
        while time.monotonic() - tally.started < seconds and not (stop and stop.is_set()):
            waiting |= self._watcher.next() | self._left
            self._left = set()
            if waiting and time.monotonic() < rest_until and self._library.presence.somebody_imports():
                continue
            if waiting and all(touched.audit for touched in waiting):
                alone_until = min(alone_until, time.monotonic() + COMPANY_SECONDS)
                if time.monotonic() < alone_until:
                    continue
            if waiting:
                began = time.monotonic()
                self._apply(waiting, tally)
                waiting, alone_until = set(), float("inf")
                rest_until = time.monotonic() + min(REST * (time.monotonic() - began), MOST_REST)
            else:
                self._idle(tally)
        self._apply(waiting, tally)
        faults = sum(len(self._library.tenant(t.app_id, t.project_id).faults()) for t in self._library.tenants())
        return WindowSummary(True, tally.changes, tally.batches, faults, time.monotonic() - tally.started)

    def _reconcile(self, tally: _Tally, stop: threading.Event | None) -> None:
        for tenant in self._library.tenants():
            self._sync(tenant, tally, stop)
        self._reconciled = time.monotonic()
        self._library.presence.beat()

    def _sync(self, tenant: Tenant, tally: _Tally, stop: threading.Event | None = None) -> None:
        """Bring one tenant in step; edits that land meanwhile are taken between two batches."""
        try:
            held = partial(self._hold, tenant)
            for report in self._index(tenant).sync("reconcile", hold=held):
                tally.add(report)
                if stop and stop.is_set():
                    return
                if self._watcher and report:
                    landed = self._watcher.next()
                    self._left |= {t for t in landed if t.whole}
                    self._apply(landed - self._left, tally)
        except Exception as error:
            self._failed(tenant, error)

    def _apply(self, touched: Iterable[Touched], tally: _Tally) -> None:
        folders: dict[Tenant, set[str]] = {}
        notes: dict[Tenant, set[NoteRef]] = {}
        whole = {t.tenant for t in touched if t.whole}
        for item in touched:
            if item.folder and item.tenant not in whole:
                folders.setdefault(item.tenant, set()).add(item.folder)
            if item.note and item.tenant not in whole:
                notes.setdefault(item.tenant, set()).add(item.note)
        for tenant in whole:
            self._sync(tenant, tally)
        for tenant, names in folders.items():
            index = self._index(tenant)
            if self._deletes_much(index, names):
                self._sync(tenant, tally)
                continue
            for group in _groups(sorted(names), self._settings.batch_files):
                self._attempt(tenant, tally, partial(index.apply, group, "watch"))
        for tenant, refs in notes.items():
            self._apply_notes(tenant, refs, tally)
        for tenant in {t.tenant for t in touched if t.audit} - whole:
            self._attempt(tenant, tally, partial(self._index(tenant).apply, (), "watch"))

    def _apply_notes(self, tenant: Tenant, touched: set[NoteRef], tally: _Tally) -> None:
        index = self._index(tenant)
        try:
            refs, missing = index.touched_notes(touched)
        except Exception as error:
            self._failed(tenant, error)
            return
        if missing > MASS_DELETE:
            self._sync(tenant, tally)
            return
        for group in _groups(refs, self._settings.batch_files):
            self._attempt(tenant, tally, partial(index.apply, (), "watch", notes=group))

    def _attempt(self, tenant: Tenant, tally: _Tally, apply: Callable[[], BatchReport | None]) -> None:
        try:
            tally.add(apply())
        except Exception as error:
            self._failed(tenant, error)

    def _idle(self, tally: _Tally) -> None:
        now = time.monotonic()
        if now - self._reconciled > self._settings.reconcile_minutes * 60:
            self._reconcile(tally, None)
        if now - self._retried > RETRY_SECONDS:
            self._retried = now
            for tenant in self._library.tenants():
                if self._index(tenant).has_queue() or any(held == tenant for held, _ in self._held_deletes):
                    self._sync(tenant, tally)
                self._tidy(tenant)

    def _tidy(self, tenant: Tenant) -> None:
        index = self._index(tenant)
        try:
            if index.upserts_since_optimize >= self._settings.optimize_every:
                index.optimize()
            elif index.upserts_since_optimize or tenant not in self._tidied:
                index.tidy()
                self._tidied.add(tenant)
        except Exception as error:
            self._failed(tenant, error)

    def _deletes_much(self, index: TenantIndex, folders: set[str]) -> bool:
        if len(folders) <= MASS_DELETE:
            return False
        return sum(not (index.layout.knowledge / folder).exists() for folder in folders) > MASS_DELETE

    def _hold(self, tenant: Tenant, kind: Literal["documents", "notes"], gone: int, known: int) -> bool:
        """A mass delete waits for a second look a window later: a lost mount looks the same."""
        if gone <= MASS_DELETE or gone * 2 <= known:
            self._held_deletes.pop((tenant, kind), None)
            return False
        since = self._held_deletes.setdefault((tenant, kind), time.monotonic())
        if time.monotonic() - since < self._settings.window_seconds:
            told = (*_names(tenant), gone, known, kind)
            log.warning("%s/%s: %d of %d %s vanished; looking again before deleting", *told)
            return True
        del self._held_deletes[tenant, kind]
        return False

    def _failed(self, tenant: Tenant, error: Exception) -> None:
        if isinstance(error, WikiError):
            log.warning("%s/%s: %s: %s", *_names(tenant), error.code, error.message)
        else:
            log.error("%s/%s: a batch failed", *_names(tenant), exc_info=error)

    def _index(self, tenant: Tenant) -> TenantIndex:
        return self._library.tenant(tenant.app_id, tenant.project_id).index

    def _start_teller(self) -> None:
        if self._sink and self._teller is None:
            self._teller = threading.Thread(target=self._tell, name="cascade-events", daemon=True)
            self._teller.start()

    def _tell(self) -> None:
        """Hand committed reports to the sink, each until it was taken: a crash repeats one, never loses one."""
        while not self._closed.wait(_POLL):
            for tenant in self._library.tenants():
                for path, report in self._index(tenant).outbox.waiting():
                    if self._closed.is_set():
                        return
                    assert self._sink is not None
                    try:
                        self._sink.batch(report)
                    except Exception:
                        log.exception("a batch of %s/%s could not be told; trying again", *_names(tenant))
                        self._closed.wait(1.0)
                        break
                    path.unlink(missing_ok=True)


def _names(tenant: Tenant) -> tuple[str, str]:
    return tenant.app_id, tenant.project_id


def _groups(names: list[_Name], size: int) -> Iterable[list[_Name]]:
    return (names[start : start + size] for start in range(0, len(names), size))
