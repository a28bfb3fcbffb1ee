"""``raw_files`` -> ``parsed_documents`` -> ``markdown_topics``: a file becomes a document folder."""

from collections.abc import Iterator, Mapping

import dagster as dg

from assets import keys, outcomes, sources
from wiki.library import Library

_DESCRIPTIONS = {
    keys.RAW_FILES: "The bytes of a file as they came in: its type, its size and where it came from.",
    keys.PARSED_DOCUMENTS: "The whole file as Markdown, each block with its page, sheet, slide or second.",
    keys.MARKDOWN_TOPICS: "The document folder: one Markdown file a topic, its category, the original beside it. "
    "A document that stands already is reported as it is; hand edits are never overwritten.",
}
_KINDS = {
    keys.RAW_FILES: {"file"},
    keys.PARSED_DOCUMENTS: {"markdown", "docling"},
    keys.MARKDOWN_TOPICS: {"markdown"},
}


def ingest_asset(versions: Mapping[dg.AssetKey, str]) -> dg.AssetsDefinition:
    """The three ingest assets as one step: a file goes through whole, and a bad one leaves the others alone."""

    @dg.multi_asset(
        name="ingest_files",
        specs=[
            dg.AssetSpec(
                key,
                deps=[keys.MADE_FROM[key]] if key in keys.MADE_FROM else [],
                description=_DESCRIPTIONS[key],
                group_name="ingest",
                kinds=_KINDS[key],
                code_version=versions[key],
                partitions_def=keys.source_files,
                skippable=True,
            )
            for key in keys.INGEST
        ],
        can_subset=True,
        backfill_policy=dg.BackfillPolicy.single_run(),
    )
    def ingest_files(
        context: dg.AssetExecutionContext, config: sources.IngestConfig, library: dg.ResourceParam[Library]
    ) -> Iterator[dg.AssetMaterialization]:
        found, gone = sources.requested(library, config), []
        if not found and context.has_partition_key:
            found, gone = sources.of_partitions(library, list(context.partition_keys))
        done = outcomes.ingest_sources(context, library, found)
        outcomes.tag_run(context, done)
        for source, outcome in done:
            yield from outcomes.events(library, source, outcome, context.selected_asset_keys, versions)
        if gone:
            raise dg.Failure(
                f"the bytes behind {len(gone)} partition(s) are gone: neither a document nor incoming/ has them any more. "
                "Upload the file again, or delete the partition.",
                metadata={"gone": gone[:50]},
                allow_retries=False,
            )

    return ingest_files
