"""What can be run: by a sensor, by a schedule, or by a person in the UI."""

import dagster as dg

from assets import keys
from assets.versions import code_versions, version_tags
from pipelines.batch_events import INGEST_JOB
from pipelines.history import HISTORY_MEGABYTES, history_bytes, prune_chore_runs, rotate_history, trim_index_history
from pipelines.live import live_hashes
from pipelines.partitions import reconcile_partitions
from wiki.library import Library

ingest = dg.define_asset_job(
    INGEST_JOB,
    selection=dg.AssetSelection.assets(*keys.INGEST),
    description="Files from incoming/ become document folders, up to 200 in a run. A bad file goes to incoming/_failed "
    "with its reason and leaves the others alone.",
)

reindex = dg.define_asset_job(
    "reindex",
    selection=dg.AssetSelection.assets(*keys.INDEXES).without_checks(),
    description="Hash the whole root and mend what differs, in batches. Embeds only what changed.",
)

evaluate = dg.define_asset_job(
    "evaluate",
    selection=dg.AssetSelection.checks_for_assets(*keys.INDEXES),
    description="Run every asset check: both stores against the Markdown, and search against the library's own topics.",
)


class RebuildConfig(dg.Config):
    """``cold``: embed everything anew instead of reusing the vectors at hand."""

    cold: bool = False


@dg.op
def rebuild_library(context: dg.OpExecutionContext, config: RebuildConfig, library: dg.ResourceParam[Library]) -> None:
    """Build each tenant's indexes beside the old ones and swap them when complete."""
    versions = code_versions(library.settings)
    for tenant in library.tenants():
        done = library.tenant(tenant.app_id, tenant.project_id).rebuild(cold=config.cold)
        shown = {
            "tenant": f"{tenant.app_id}/{tenant.project_id}",
            "reason": "rebuild",
            "seconds": round(done.seconds, 3),
        }
        counts = {"passages": done.passages, "embedded": done.embedded}
        rows = {"documents": done.documents, "topics": done.topics}
        for key, numbers in ((keys.LANCEDB_INDEX, counts), (keys.DUCKDB_CATALOG, rows)):
            context.log_event(dg.AssetMaterialization(key, metadata=shown | numbers, tags=version_tags(versions, key)))


@dg.job(description="Build both indexes anew from the Markdown; the old ones answer until the new ones are complete.")
def rebuild() -> None:
    rebuild_library()


class UpkeepConfig(dg.Config):
    """``history_megabytes``: above this, Dagster's event history is wiped and the live partitions told again."""

    history_megabytes: int = HISTORY_MEGABYTES


@dg.op
def keep_up(context: dg.OpExecutionContext, config: UpkeepConfig, library: dg.ResourceParam[Library]) -> None:
    """Optimize LanceDB, let staged notes expire, prune partitions of dead hashes, bound Dagster's event history."""
    rotate = history_bytes(context.instance) > config.history_megabytes * 1_000_000
    for tenant in library.tenants():
        here = library.tenant(tenant.app_id, tenant.project_id)
        here.index.optimize()
        if expired := here.expire_inbox():
            context.log.info(f"{tenant.app_id}/{tenant.project_id}: {len(expired)} staged notes expired")
        changes = reconcile_partitions(context.instance, tenant, *live_hashes(here), most=None)
        context.log.info(
            f"{tenant.app_id}/{tenant.project_id}: {changes.added} partitions added, {changes.deleted} pruned"
        )
    versions = code_versions(library.settings)
    if rotate:
        context.log.info(
            f"event history rotated: {rotate_history(context.instance, library, versions)} partitions told again"
        )
    else:
        trim_index_history(context.instance, versions)
    prune_chore_runs(context.instance)


@dg.job(
    description="Optimize LanceDB, let staged notes expire, prune partitions and versions, keep Dagster's event history "
    "below a size."
)
def upkeep() -> None:
    keep_up()


JOBS = (ingest, reindex, rebuild, upkeep, evaluate)
