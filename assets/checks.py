"""Asset checks on the two stores. They run from the UI and weekly; the cascade also reports them per batch."""

from collections.abc import Iterator, Sequence

import dagster as dg

from assets import keys
from wiki.index.notes.rows import is_note_id
from wiki.library import Library, TenantLibrary
from wiki.views import Difference, FaultView, SearchQuery

SPECS = (
    dg.AssetCheckSpec(
        "rows_equal_markdown",
        asset=keys.LANCEDB_INDEX,
        description="Every topic's passages are in LanceDB, made from the bytes that lie on disk now.",
    ),
    dg.AssetCheckSpec(
        "no_orphan_rows", asset=keys.LANCEDB_INDEX, description="No passage belongs to a topic that is gone."
    ),
    dg.AssetCheckSpec(
        "rows_match_catalog",
        asset=keys.LANCEDB_INDEX,
        description="LanceDB holds as many passages as the catalog counts. Also told by the cascade, per batch.",
    ),
    dg.AssetCheckSpec(
        "no_stale_summaries",
        asset=keys.LANCEDB_INDEX,
        description="No passage is ranked by a summary made from an older body.",
    ),
    dg.AssetCheckSpec(
        "search_floor",
        asset=keys.LANCEDB_INDEX,
        description="Topics of the library itself, asked for by name, are among the first ten hits.",
    ),
    dg.AssetCheckSpec(
        "rows_equal_markdown",
        asset=keys.DUCKDB_CATALOG,
        description="The catalog lists exactly the documents, topics and files that lie on disk.",
    ),
    dg.AssetCheckSpec(
        "no_orphan_rows", asset=keys.DUCKDB_CATALOG, description="No row belongs to a file that is gone."
    ),
    dg.AssetCheckSpec(
        "no_faults",
        asset=keys.DUCKDB_CATALOG,
        description="Files that can't be served as they should be, with the remedy. A fault warns, it doesn't fail.",
    ),
)

GOLDEN_TOPICS = 20
GOLDEN_FLOOR = 0.9
_SHOWN = 20


@dg.multi_asset_check(name="check_indexes", specs=SPECS, can_subset=True)
def check_indexes(
    context: dg.AssetCheckExecutionContext, library: dg.ResourceParam[Library]
) -> Iterator[dg.AssetCheckResult]:
    """Compare both stores with the Markdown, and ask the library for its own topics."""
    here = [library.tenant(tenant.app_id, tenant.project_id) for tenant in library.tenants()]
    wanted = context.selected_asset_check_keys
    verified = [(tenant, difference) for tenant in here for difference in tenant.verify().differences]
    faults = [fault for tenant in here for fault in tenant.faults()]
    results = [
        *_comparisons([difference for _, difference in verified]),
        _stale_summaries(verified),
        _counts(here),
        _faults(faults),
    ]
    if dg.AssetCheckKey(keys.LANCEDB_INDEX, "search_floor") in wanted:
        results.append(_search_floor(here))
    yield from (result for result in results if _key(result) in wanted)


def store_of(difference: Difference) -> dg.AssetKey:
    """The store a difference is in, by its kind."""
    return (
        keys.LANCEDB_INDEX
        if any(word in difference.kind for word in ("passage", "lance", "vector"))
        else keys.DUCKDB_CATALOG
    )


def _comparisons(differences: Sequence[Difference]) -> Iterator[dg.AssetCheckResult]:
    for asset in keys.INDEXES:
        mine = [difference for difference in differences if store_of(difference) == asset]
        orphans = [difference for difference in mine if "orphan" in difference.kind]
        yield _result(asset, "rows_equal_markdown", [difference for difference in mine if difference not in orphans])
        yield _result(asset, "no_orphan_rows", orphans)


def _result(asset: dg.AssetKey, name: str, found: Sequence[Difference]) -> dg.AssetCheckResult:
    lines = [f"- {difference.kind}: {difference.id} ({difference.path})" for difference in found[:_SHOWN]]
    metadata: dict[str, object] = {"differences": len(found)}
    if lines:
        metadata["first"] = dg.MetadataValue.md("\n".join(lines))
        metadata["remedy"] = "run `wiki sync`; if it stays, `wiki rebuild`"
    return dg.AssetCheckResult(asset_key=asset, check_name=name, passed=not found, metadata=metadata)


def _stale_summaries(found: Sequence[tuple[TenantLibrary, Difference]]) -> dg.AssetCheckResult:
    """A stale summary is left out of what is indexed; a row that differs and has one may be ranked by it."""
    topics = [
        (tenant, difference.id.partition("#")[0])
        for tenant, difference in found
        if difference.kind == "passage_differs" and not is_note_id(difference.id)
    ]
    stale = sorted({topic_id for tenant, topic_id in topics if tenant.topic(topic_id).summary_stale})
    return dg.AssetCheckResult(
        asset_key=keys.LANCEDB_INDEX,
        check_name="no_stale_summaries",
        passed=not stale,
        metadata={"topics": len(stale), "first": stale[:_SHOWN]},
    )


def _counts(tenants: Sequence[TenantLibrary]) -> dg.AssetCheckResult:
    expected = sum(tenant.status().passages for tenant in tenants)
    stored = sum(tenant.index.store().count() for tenant in tenants) if expected else 0
    return dg.AssetCheckResult(
        asset_key=keys.LANCEDB_INDEX,
        check_name="rows_match_catalog",
        passed=stored == expected,
        metadata={"passages": stored, "expected": expected},
    )


def _faults(faults: Sequence[FaultView]) -> dg.AssetCheckResult:
    lines = [f"- {fault.path}: {fault.reason}. {fault.remedy}" for fault in faults[:_SHOWN]]
    return dg.AssetCheckResult(
        asset_key=keys.DUCKDB_CATALOG,
        check_name="no_faults",
        passed=not faults,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"faults": len(faults), "first": dg.MetadataValue.md("\n".join(lines) or "none")},
    )


def _search_floor(tenants: Sequence[TenantLibrary]) -> dg.AssetCheckResult:
    missed: list[str] = []
    asked = 0
    for tenant in tenants:
        for topic_id, name in golden_topics(tenant):
            asked += 1
            hits = tenant.search(SearchQuery(name, top_k=10)).hits
            if topic_id not in {hit.topic_id for hit in hits}:
                missed.append(topic_id)
    found = 1.0 if asked == 0 else 1 - len(missed) / asked
    return dg.AssetCheckResult(
        asset_key=keys.LANCEDB_INDEX,
        check_name="search_floor",
        passed=found >= GOLDEN_FLOOR,
        metadata={"asked": asked, "found_share": found, "floor": GOLDEN_FLOOR, "missed": missed[:_SHOWN]},
    )


def golden_topics(tenant: TenantLibrary, most: int = GOLDEN_TOPICS) -> list[tuple[str, str]]:
    """Topics to ask for by name, evenly picked: ``(topic_id, name)``. Names that occur twice are left out."""
    page = tenant.list_documents(page=1, page_size=100, sort_by="created_at", sort_order="desc")
    topics = [topic for document in page.documents for topic in tenant.document(document.doc_id).topics]
    names = [topic.topic_name.casefold() for topic in topics]
    single = [
        topic for topic, name in zip(topics, names, strict=True) if names.count(name) == 1 and len(name.split()) > 1
    ]
    step = max(1, len(single) // most)
    return [(topic.topic_id, topic.topic_name) for topic in single[::step][:most]]


def _key(result: dg.AssetCheckResult) -> dg.AssetCheckKey:
    assert result.asset_key is not None and result.check_name is not None
    return dg.AssetCheckKey(result.asset_key, result.check_name)
