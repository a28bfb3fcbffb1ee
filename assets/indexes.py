"""``topic_vectors``, ``lancedb_index``, ``duckdb_catalog`` and ``vault_audit``: what the cascade keeps in step."""

import time
from collections.abc import Iterator, Mapping
from datetime import timedelta

import dagster as dg

from assets import keys
from assets.versions import version_tags
from wiki.library import Library

FRESHNESS = timedelta(seconds=120)
"""Two heartbeats (docs/decisions/0004-freshness.md) and the daemon's own 30 s step."""


_ANY_OF = dg.SpecificPartitionsPartitionMapping([])
"""Which document a topic file belongs to is known by its ``wiki/doc_id``, not by its partition: without this, Dagster
would call every older topic stale whenever a document is added."""


def topic_vectors(versions: Mapping[dg.AssetKey, str]) -> dg.AssetSpec:
    """Made by the cascade as files change, so there is nothing to run."""
    return dg.AssetSpec(
        keys.TOPIC_VECTORS,
        deps=[dg.AssetDep(keys.MARKDOWN_TOPICS, partition_mapping=_ANY_OF)],
        description="Vectors and token vectors of one topic file's or note's exact bytes. Made by the cascade when the file "
        "appears or changes; an edit embeds only the passages it changed, a rename none.",
        group_name="index",
        kinds={"embedding"},
        code_version=versions[keys.TOPIC_VECTORS],
        partitions_def=keys.topic_files,
    )


def vault_audit(versions: Mapping[dg.AssetKey, str]) -> dg.AssetSpec:
    """Made by the cascade as decisions are noted, so there is nothing to run."""
    return dg.AssetSpec(
        keys.VAULT_AUDIT,
        description="Who was allowed or refused what in the vaults of every tenant: the files of `audit/`, listed in "
        "DuckDB. Each batch of new decisions is one event with their counts and the notes' ids, never a path, a title or "
        "a reason.",
        group_name="index",
        kinds={"json", "duckdb"},
        code_version=versions[keys.VAULT_AUDIT],
    )


def index_asset(versions: Mapping[dg.AssetKey, str]) -> dg.AssetsDefinition:
    """The two stores. The cascade reports them per batch; a run of this step is the ``reindex`` job."""

    @dg.multi_asset(
        name="reindex_library",
        specs=[
            dg.AssetSpec(
                keys.LANCEDB_INDEX,
                deps=[dg.AssetDep(keys.TOPIC_VECTORS, partition_mapping=_ANY_OF)],
                description="The passages of every tenant in LanceDB: rows, table version, size. Reported by the "
                "cascade per batch; materializing it hashes the whole root again and mends what differs.",
                group_name="index",
                kinds={"lancedb"},
                code_version=versions[keys.LANCEDB_INDEX],
                freshness_policy=dg.FreshnessPolicy.time_window(fail_window=FRESHNESS),
            ),
            dg.AssetSpec(
                keys.DUCKDB_CATALOG,
                deps=[dg.AssetDep(keys.MARKDOWN_TOPICS, partition_mapping=_ANY_OF)],
                description="Documents, topics, notes, files and faults of every tenant in DuckDB, published as snapshots.",
                group_name="index",
                kinds={"duckdb"},
                code_version=versions[keys.DUCKDB_CATALOG],
            ),
        ],
        can_subset=False,
    )
    def reindex_library(
        context: dg.AssetExecutionContext, library: dg.ResourceParam[Library]
    ) -> Iterator[dg.MaterializeResult]:
        started, changed, passages, documents, notes = time.perf_counter(), 0, 0, 0, 0
        for tenant in library.tenants():
            here = library.tenant(tenant.app_id, tenant.project_id)
            changed += sum(here.reindex())
            status = here.status()
            passages, documents = passages + status.passages, documents + status.documents
            notes += status.notes
            context.log.info(f"{tenant.app_id}/{tenant.project_id}: {changed} changed files so far")
        shown = {"reason": "reindex", "topics_changed": changed, "seconds": round(time.perf_counter() - started, 3)}
        for key, count in (
            (keys.LANCEDB_INDEX, {"passages": passages}),
            (keys.DUCKDB_CATALOG, {"documents": documents} | ({"notes": notes} if notes else {})),
        ):
            yield dg.MaterializeResult(key, metadata=shown | count, tags=version_tags(versions, key))

    return reindex_library
