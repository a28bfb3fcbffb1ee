"""From sources to outcomes to materializations: the body of the ingest step."""

import os
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from typing import Any

import dagster as dg

from assets import keys, metadata
from assets.sources import Source
from assets.versions import version_tags
from wiki.incoming import IncomingOutcome, describe_document, ingest_incoming
from wiki.library import Library
from wiki.supervisor.record import api_url

Done = tuple[Source, IncomingOutcome]

_FEW = 5


def ingest_sources(context: dg.AssetExecutionContext, library: Library, found: Sequence[Source]) -> list[Done]:
    """Ingest every source, one after another. Files first, events after: a batch is searchable early."""
    context.instance.add_run_tags(context.run.run_id, {keys.PID_TAG: str(os.getpid())})
    standing = _standing(context.instance, library, [source.partition for source in found])
    done: list[Done] = []
    with library.presence.importing() if len(found) > _FEW else nullcontext():
        for source in found:
            outcome = _ingest(library, source, standing)
            if outcome.status == "added" and outcome.doc_id:
                standing[source.partition] = outcome.doc_id
            _log(context, source, outcome)
            done.append((source, outcome))
    return done


def _ingest(library: Library, source: Source, standing: Mapping[str, str]) -> IncomingOutcome:
    if source.file is None:
        return describe_document(library, source.tenant, source.doc_id or "", again=True)
    doc_id = standing.get(source.partition)
    return ingest_incoming(library, source.tenant, source.file, standing={source.sha256: doc_id} if doc_id else {})


def tag_run(context: dg.AssetExecutionContext, done: Sequence[Done]) -> None:
    """Tag the run with its document, or with how many there are."""
    documents = sorted({outcome.doc_id for _, outcome in done if outcome.doc_id})
    if len(documents) == 1:
        context.instance.add_run_tags(context.run.run_id, {keys.DOC_ID_TAG: documents[0]})
    elif documents:
        context.instance.add_run_tags(context.run.run_id, {"wiki/documents": str(len(documents))})


def events(
    library: Library,
    source: Source,
    outcome: IncomingOutcome,
    selected: AbstractSet[dg.AssetKey],
    versions: Mapping[dg.AssetKey, str],
) -> Iterator[dg.AssetMaterialization]:
    """The materializations of one source: none for a file that failed, went away or was there already."""
    if outcome.status not in ("added", "standing") or outcome.doc_id is None:
        return
    link = metadata.document_link(api_url(library.root), source.tenant.tenant, outcome.doc_id)
    shown: dict[dg.AssetKey, dict[str, Any]] = {
        keys.RAW_FILES: metadata.raw_file(outcome),
        keys.PARSED_DOCUMENTS: metadata.parsed_document(outcome),
        keys.MARKDOWN_TOPICS: metadata.markdown_topics(outcome),
    }
    for key in keys.INGEST:
        if key in selected:
            yield dg.AssetMaterialization(
                key,
                partition=source.partition,
                metadata=shown[key] | link,
                tags=version_tags(versions, key, source.sha256) | {keys.DOC_ID_TAG: outcome.doc_id},
            )


def _standing(instance: dg.DagsterInstance, library: Library, partitions: Sequence[str]) -> dict[str, str]:
    """Documents made so lately that the catalog may not have them yet, by partition."""
    if not partitions:
        return {}
    wanted = dg.AssetRecordsFilter(asset_key=keys.MARKDOWN_TOPICS, asset_partitions=list(dict.fromkeys(partitions)))
    found: dict[str, str] = {}
    for record in instance.fetch_materializations(wanted, limit=2 * len(partitions)).records:
        event = record.asset_materialization
        if event is None or event.partition is None or event.partition in found:
            continue
        path = event.metadata.get("path")
        if path is not None and path.value and (library.root / str(path.value)).is_dir():
            found[event.partition] = (event.tags or {}).get(keys.DOC_ID_TAG, "")
    return {partition: doc_id for partition, doc_id in found.items() if doc_id}


def _log(context: dg.AssetExecutionContext, source: Source, outcome: IncomingOutcome) -> None:
    if outcome.status == "failed":
        context.log.warning(f"{outcome.name} was moved to incoming/_failed: {outcome.code}: {outcome.message}")
    elif outcome.status != "added":
        context.log.info(f"{outcome.name}: {outcome.status}, {outcome.message or source.partition}")
