"""Everything Dagster loads."""

import dagster as dg

from assets.checks import check_indexes
from assets.indexes import index_asset, topic_vectors, vault_audit
from assets.ingest import ingest_asset
from assets.versions import code_versions
from pipelines.jobs import JOBS
from pipelines.resources import LibraryResource, settings_of
from pipelines.schedules import SCHEDULES
from pipelines.sensors import cascade_a, cascade_b, incoming_sensor

versions = code_versions(settings_of())

defs = dg.Definitions(
    assets=[ingest_asset(versions), topic_vectors(versions), index_asset(versions), vault_audit(versions)],
    asset_checks=[check_indexes],
    jobs=JOBS,
    schedules=SCHEDULES,
    sensors=[cascade_a, cascade_b, incoming_sensor],
    resources={"library": LibraryResource()},
    executor=dg.in_process_executor,
)
