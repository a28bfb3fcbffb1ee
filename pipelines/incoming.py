"""What waits in ``incoming/`` and which files the next runs take: few runs, each as full as may be."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from assets.sources import IncomingFile
from pipelines.partitions import chunks
from wiki.incoming import settled_files, unsettled_count
from wiki.ingest import hash_file
from wiki.library import Library

MOST_FILES = 200
"""Files of one run."""


@dataclass(frozen=True)
class Waiting:
    """Settled files nobody works on yet, and how many are still being written."""

    files: tuple[IncomingFile, ...]
    unsettled: int
    busy: int
    """Files that a queued or running run has."""


def waiting_files(library: Library, busy: Collection[tuple[str, str]]) -> Waiting:
    """Look into every tenant's ``incoming/``. ``busy``: path and hash of the files that runs have already."""
    found: list[IncomingFile] = []
    unsettled = taken = 0
    busy_paths = {path for path, _ in busy}
    settle = library.settings.cascade.settle_seconds
    for tenant in library.tenants():
        layout = library.tenant(tenant.app_id, tenant.project_id).layout
        unsettled += unsettled_count(layout, settle)
        for file in settled_files(layout, settle):
            path = layout.relative(file)
            if path in busy_paths:
                taken += 1
                continue
            try:
                sha256 = hash_file(file)
            except FileNotFoundError:
                continue
            found.append(IncomingFile(app_id=tenant.app_id, project_id=tenant.project_id, path=path, sha256=sha256))
    return Waiting(tuple(found), unsettled, taken)


def plan_runs(waiting: Waiting) -> Iterator[list[IncomingFile]]:
    """Full batches at once; what is left over only when no run is going and nobody is still copying files in.

    So a thousand files dropped over some seconds become a handful of runs, while one file starts at once.
    """
    for batch in chunks(_same_bytes_together(waiting.files), MOST_FILES):
        if len(batch) == MOST_FILES or (waiting.busy == 0 and waiting.unsettled == 0):
            yield batch


def _same_bytes_together(files: Sequence[IncomingFile]) -> list[IncomingFile]:
    first: dict[tuple[str, str, str], int] = {}
    for index, file in enumerate(files):
        first.setdefault((file.app_id, file.project_id, file.sha256), index)
    order = sorted(range(len(files)), key=lambda i: (first[_bytes_key(files[i])], i))
    return [files[index] for index in order]


def _bytes_key(file: IncomingFile) -> tuple[str, str, str]:
    return file.app_id, file.project_id, file.sha256
