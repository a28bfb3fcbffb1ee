"""The events of one batch, one document, one heartbeat: pure, but for two questions to the instance."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import dagster as dg

from assets import keys, metadata
from assets.versions import version_tags
from wiki.index.rows import BatchReport, DecisionSummary, DocumentChange, NoteChange, TopicChange
from wiki.supervisor.record import api_url
from wiki.tenants import Tenant

MOST_SINGLE = 100
"""Topics and notes told one by one; a larger batch adds its partitions in bulk and tells one index event."""

INGEST_JOB = "ingest"

GOING = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)
"""A run in one of these has its files."""

Event = dg.AssetMaterialization | dg.AssetCheckEvaluation


def of_batch(report: BatchReport, versions: Mapping[dg.AssetKey, str], root: Path) -> Iterator[Event]:
    """One event a topic or note, one for each store, one for new decisions, and the batch's asset checks."""
    if len(report.topics) + len(report.notes) <= MOST_SINGLE:
        for change in report.topics:
            if change.kind != "deleted":
                yield of_topic(report.tenant, change, versions, root)
        for change in report.notes:
            if change.kind != "deleted":
                yield of_note(report.tenant, change, versions)
    yield dg.AssetMaterialization(
        keys.LANCEDB_INDEX,
        metadata=metadata.lance_batch(report),
        tags=version_tags(versions, keys.LANCEDB_INDEX),
    )
    yield dg.AssetMaterialization(
        keys.DUCKDB_CATALOG,
        metadata=metadata.catalog_batch(report),
        tags=version_tags(versions, keys.DUCKDB_CATALOG),
    )
    if report.decisions is not None:
        yield of_decisions(report.tenant, report.decisions, versions)
    for check in report.checks:
        severity = dg.AssetCheckSeverity.WARN if check.name == "no_faults" else dg.AssetCheckSeverity.ERROR
        yield dg.AssetCheckEvaluation(
            asset_key=dg.AssetKey(check.asset),
            check_name=check.name,
            passed=check.passed,
            metadata=check.metadata,
            severity=severity,
        )


def of_document(
    tenant: Tenant, change: DocumentChange, versions: Mapping[dg.AssetKey, str], root: Path
) -> Iterator[dg.AssetMaterialization]:
    """The three ingest assets of a document that came in over HTTP or the command line."""
    shown, link = metadata.uploaded(change), metadata.document_link(api_url(root), tenant, change.doc_id)
    for key in keys.INGEST:
        yield dg.AssetMaterialization(
            key,
            partition=tenant.partition_key(change.source_sha256),
            metadata=shown[key.to_user_string()] | link,
            tags=version_tags(versions, key, change.source_sha256) | {keys.DOC_ID_TAG: change.doc_id},
        )


def heartbeat(versions: Mapping[dg.AssetKey, str]) -> dg.AssetMaterialization:
    """Proof that the cascade watched and found nothing to do."""
    return dg.AssetMaterialization(
        keys.LANCEDB_INDEX,
        metadata={"reason": "watched, nothing changed"},
        tags=version_tags(versions, keys.LANCEDB_INDEX),
    )


def already_told(instance: dg.DagsterInstance, partition: str, doc_id: str) -> bool:
    """Whether this partition's topics were reported for this document before, say by a run."""
    wanted = dg.AssetRecordsFilter(asset_key=keys.MARKDOWN_TOPICS, asset_partitions=[partition])
    for record in instance.fetch_materializations(wanted, limit=20).records:
        event = record.asset_materialization
        if event is not None and (event.tags or {}).get(keys.DOC_ID_TAG) == doc_id:
            return True
    return False


def requested_in_progress(instance: dg.DagsterInstance) -> set[tuple[str, str]]:
    """Path and hash of the files that queued or running ingest runs work on."""
    going = instance.get_runs(dg.RunsFilter(job_name=INGEST_JOB, statuses=list(GOING)), limit=50)
    return {(file["path"], file["sha256"]) for run in going for file in requested_files(run.run_config)}


def requested_files(run_config: Mapping[str, object]) -> list[dict[str, str]]:
    """The ``files`` of an ingest run's configuration."""
    found: object = run_config
    for key in ("ops", "ingest_files", "config", "files"):
        found = found.get(key, {}) if isinstance(found, Mapping) else {}
    return list(found) if isinstance(found, list) else []


def of_topic(
    tenant: Tenant, change: TopicChange, versions: Mapping[dg.AssetKey, str], root: Path
) -> dg.AssetMaterialization:
    """One topic's vectors; its partition is the hash of its file."""
    return dg.AssetMaterialization(
        keys.TOPIC_VECTORS,
        partition=tenant.partition_key(change.sha256),
        metadata=metadata.topic(change) | metadata.document_link(api_url(root), tenant, change.doc_id),
        tags=version_tags(versions, keys.TOPIC_VECTORS, change.sha256) | {keys.DOC_ID_TAG: change.doc_id},
    )


def of_note(tenant: Tenant, change: NoteChange, versions: Mapping[dg.AssetKey, str]) -> dg.AssetMaterialization:
    """One note's vectors; its partition is the hash of its file, as a topic's is."""
    return dg.AssetMaterialization(
        keys.TOPIC_VECTORS,
        partition=tenant.partition_key(change.sha256),
        metadata=metadata.note(change),
        tags=version_tags(versions, keys.TOPIC_VECTORS, change.sha256) | {keys.NOTE_ID_TAG: change.note_id},
    )


def of_decisions(
    tenant: Tenant, summary: DecisionSummary, versions: Mapping[dg.AssetKey, str]
) -> dg.AssetMaterialization:
    """New decisions of a tenant's audit."""
    return dg.AssetMaterialization(
        keys.VAULT_AUDIT,
        metadata=metadata.decisions(tenant, summary),
        tags=version_tags(versions, keys.VAULT_AUDIT),
    )
