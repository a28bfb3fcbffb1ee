"""Where the bytes behind a partition lie: in ``incoming/`` or in a document's ``_original/``."""

from dataclasses import dataclass
from pathlib import Path

import dagster as dg
from pydantic import Field

from wiki.incoming import settled_files
from wiki.ingest import hash_file
from wiki.library import Library, TenantLibrary
from wiki.tenants import Tenant


class IncomingFile(dg.Config):
    """A file the sensor found, as the run is told of it."""

    app_id: str = "default"
    project_id: str = "default"
    path: str
    """Relative to the root."""
    sha256: str


class IngestConfig(dg.Config):
    """What a run of ``ingest`` works on; empty: the partitions it was started for."""

    files: list[IncomingFile] = Field(default_factory=list[IncomingFile])


@dataclass(frozen=True)
class Source:
    """One partition with its bytes: a dropped file, or a document that stands already."""

    tenant: TenantLibrary
    sha256: str
    file: Path | None
    doc_id: str | None = None

    @property
    def partition(self) -> str:
        return self.tenant.tenant.partition_key(self.sha256)


def tenant_of(partition: str, tenants: list[Tenant]) -> tuple[Tenant, str] | None:
    """The tenant and the hash a partition key stands for; None when no such tenant is left."""
    sha256 = partition.rpartition(":")[2]
    for tenant in (*tenants, Tenant()):
        if tenant.partition_key(sha256) == partition:
            return tenant, sha256
    return None


def requested(library: Library, config: IngestConfig) -> list[Source]:
    """The files a sensor asked for."""
    return [
        Source(library.tenant(file.app_id, file.project_id), file.sha256, library.root / file.path)
        for file in config.files
    ]


def of_partitions(library: Library, partitions: list[str]) -> tuple[list[Source], list[str]]:
    """The sources behind partitions chosen in the UI, and those whose bytes are gone."""
    found: list[Source] = []
    gone: list[str] = []
    tenants = library.tenants()
    dropped = {
        tenant.partition_key(hash_file(file)): file
        for tenant in tenants
        for file in settled_files(library.tenant(tenant.app_id, tenant.project_id).layout, 0)
    }
    for partition in partitions:
        known = tenant_of(partition, tenants)
        here = library.tenant(known[0].app_id, known[0].project_id) if known else None
        doc_id = here.has_source(known[1]) if here and known else None
        if here is None or known is None or (doc_id is None and partition not in dropped):
            gone.append(partition)
        else:
            found.append(Source(here, known[1], dropped.get(partition), doc_id))
    return found, gone
