"""One library, one cascade and one event thread per process: models load once and stay warm."""

import multiprocessing
import os
import threading
from pathlib import Path

import dagster as dg

from assets.versions import code_versions
from pipelines.event_sink import DagsterEvents
from wiki.index.cascade import Cascade
from wiki.library import Library
from wiki.settings import Settings
from wiki.settings_sources import ROOT_VARIABLE, load_settings

DEFAULT_ROOT = Path(__file__).resolve().parent.parent / "knowledge_root"

_lock = threading.Lock()
_libraries: dict[Path, Library] = {}
_cascades: dict[Path, tuple[Cascade, DagsterEvents]] = {}


def root_path(given: str = "") -> Path:
    """The root to work on: as given, else ``WIKI_ROOT``, else the folder beside the packages."""
    return Path(given or os.environ.get(ROOT_VARIABLE) or DEFAULT_ROOT).resolve()


def settings_of(given: str = "") -> Settings:
    """The root's settings."""
    return load_settings(root_path(given))


def process_library(given: str = "") -> Library:
    """The library of this process, opened and recovered at first use."""
    root = root_path(given)
    with _lock:
        if root not in _libraries:
            library = Library(_for_this_process(load_settings(root)))
            library.recover()
            _libraries[root] = library
        return _libraries[root]


def _for_this_process(settings: Settings) -> Settings:
    """In a run's process the model gets one thread: other runs and the cascade share the machine with it."""
    if multiprocessing.parent_process() is None or settings.embedding.threads:
        return settings
    return settings.model_copy(update={"embedding": settings.embedding.model_copy(update={"threads": 1})})


def process_cascade(instance: dg.DagsterInstance, library: Library) -> tuple[Cascade, DagsterEvents]:
    """The cascade of this process: its watcher and its event thread live across ticks.

    A tick's own instance ends with the tick, so the event thread opens one for itself.
    """
    with _lock:
        if library.root not in _cascades:
            own = dg.DagsterInstance.from_ref(instance.get_ref())
            events = DagsterEvents(own, library.root, code_versions(library.settings))
            _cascades[library.root] = (Cascade(library, events), events)
        return _cascades[library.root]


def close_all() -> None:
    """End every cascade and library of this process."""
    with _lock:
        for cascade, events in _cascades.values():
            cascade.close()
            events.close()
        for library in _libraries.values():
            library.close()
        _cascades.clear()
        _libraries.clear()


class LibraryResource(dg.ConfigurableResource[Library]):
    """Gives assets and sensors the library of their process."""

    root: str = ""
    """Folder to serve; empty: ``WIKI_ROOT``, else ``knowledge_root/``."""

    def create_resource(self, context: dg.InitResourceContext) -> Library:  # noqa: ARG002
        return process_library(self.root)
