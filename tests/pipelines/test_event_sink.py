"""What Dagster is told of a batch."""

from dataclasses import replace

import dagster as dg

from assets import keys
from pipelines.event_sink import DagsterEvents
from pipelines.partitions import SOURCE_FILES, TOPIC_FILES, reconcile_partitions
from wiki.index.audit.summary import summarised
from wiki.index.rows import BatchReport, CheckResult, DocumentChange, NoteChange, TopicChange
from wiki.tenants import Tenant
from wiki.vaults.audit import Decision

DEFAULT = Tenant()


def sha(text: str) -> str:
    return (text * 64)[:64]


def report(
    *topics: TopicChange,
    tenant: Tenant = DEFAULT,
    documents: tuple[DocumentChange, ...] = (),
    dead: tuple[str, ...] = (),
    checks: tuple[CheckResult, ...] = (),
    notes: tuple[NoteChange, ...] = (),
) -> BatchReport:
    return BatchReport(
        tenant, "watch", topics, documents, dead, (), 3, 1, 2, 7, 1024, 5, 1, len(topics), 9, (), 0.25, checks, notes,
        len(notes),
    )  # fmt: skip


def changed(text: str, previous: str | None = None) -> TopicChange:
    kind = "added" if previous is None else "changed"
    path = f"default/default/knowledge/Others/X_d_0123456789ab/1_{text}.md"
    return TopicChange(kind, "d_0123456789ab_1", "d_0123456789ab", path, sha(text), previous, 3, 2)


def document() -> DocumentChange:
    path = "default/default/knowledge/Others/X_d_0123456789ab"
    return DocumentChange("d_0123456789ab", "X", path, "Others", "x.md", "text/markdown", sha("5"), 12, 1)


def told(instance: dg.DagsterInstance, key: dg.AssetKey) -> list[dg.AssetMaterialization]:
    """Newest first."""
    page = instance.fetch_materializations(key, limit=1000)
    return [record.asset_materialization for record in page.records if record.asset_materialization]


def test_a_changed_topic_shows_under_its_hash_with_path_and_document(
    instance: dg.DagsterInstance, events: DagsterEvents
) -> None:
    events.batch(report(changed("a", sha("0"))))
    (event,) = told(instance, keys.TOPIC_VECTORS)
    assert event.partition == sha("a")
    assert event.tags is not None
    assert event.tags["dagster/data_version"] == sha("a")
    assert event.tags["wiki/doc_id"] == "d_0123456789ab"
    shown = {name: value.value for name, value in event.metadata.items()}
    assert shown["path"].endswith("/1_a.md")
    assert shown | {"path": ""} == {
        "change": "changed",
        "path": "",
        "doc_id": "d_0123456789ab",
        "topic_id": "d_0123456789ab_1",
        "passages": 3,
        "embedded": 2,
        "previous_hash": sha("0"),
    }
    assert instance.get_dynamic_partitions(TOPIC_FILES) == [sha("a")]


def test_a_changed_note_shows_under_its_hash_with_vault_and_path(
    instance: dg.DagsterInstance, events: DagsterEvents
) -> None:
    gone = NoteChange("deleted", "n_000000000000", "user", "facts/b.md", sha("b"), sha("b"))
    events.batch(report(notes=(NoteChange("added", "n_0123456789ab", "work", "Ops/a.md", sha("a"), None, 3, 2), gone)))
    (event,) = told(instance, keys.TOPIC_VECTORS)
    assert event.partition == sha("a")
    assert event.tags is not None
    assert event.tags["dagster/data_version"] == sha("a")
    assert event.tags["wiki/note_id"] == "n_0123456789ab"
    assert {name: value.value for name, value in event.metadata.items()} == {
        "change": "added",
        "vault": "work",
        "path": "Ops/a.md",
        "note_id": "n_0123456789ab",
        "passages": 3,
        "embedded": 2,
    }
    assert instance.get_dynamic_partitions(TOPIC_FILES) == [sha("a")]
    (catalog,) = told(instance, keys.DUCKDB_CATALOG)
    assert (catalog.metadata["notes"].value, catalog.metadata["notes_changed"].value) == (2, 2)


def test_new_decisions_of_an_audit_are_one_event_of_counts_and_ids(
    instance: dg.DagsterInstance, events: DagsterEvents
) -> None:
    rows = [
        Decision(
            f"2026-12-01T10:00:0{second}Z", "agent", "write", "refused", "path", "zebra", "zebra", "zebra/zebra.md",
            "n_0123456789ab" if second else "zebra", None, "zebra", "zebra",
        )
        for second in range(3)
    ]  # fmt: skip
    events.batch(replace(report(), decisions=summarised(rows, ["work"]), decision_count=7))
    events.batch(report())
    (event,) = told(instance, keys.VAULT_AUDIT)
    assert event.tags is not None and event.tags["dagster/code_version"]
    assert {name: value.value for name, value in event.metadata.items()} == {
        "tenant": "default/default",
        "decisions": 3,
        "newest": "2026-12-01T10:00:02Z",
        "actions": {"write": 3},
        "outcomes": {"refused": 3},
        "actors": {"agent": 3},
        "rules": {"path": 3},
        "vaults": {"other": 3},
        "note_ids": ["n_0123456789ab"],
    }
    assert told(instance, keys.DUCKDB_CATALOG)[1].metadata["decisions"].value == 7


def test_each_batch_is_one_event_of_each_store(instance: dg.DagsterInstance, events: DagsterEvents) -> None:
    events.batch(report(changed("a"), changed("b")))
    (lance,), (catalog,) = told(instance, keys.LANCEDB_INDEX), told(instance, keys.DUCKDB_CATALOG)
    assert lance.metadata["rows_upserted"].value == 3
    assert lance.metadata["table_version"].value == 7
    assert catalog.metadata["snapshot"].value == 5


def test_another_tenants_partition_names_it(instance: dg.DagsterInstance, events: DagsterEvents) -> None:
    events.batch(report(changed("a"), tenant=Tenant("acme", "north")))
    assert instance.get_dynamic_partitions(TOPIC_FILES) == [f"acme.north:{sha('a')}"]


def test_a_large_batch_adds_its_partitions_in_bulk_and_tells_one_event(
    instance: dg.DagsterInstance, events: DagsterEvents
) -> None:
    events.batch(report(*(changed(f"{number:03d}-") for number in range(150))))
    assert len(instance.get_dynamic_partitions(TOPIC_FILES)) == 150
    assert told(instance, keys.TOPIC_VECTORS) == []
    assert told(instance, keys.LANCEDB_INDEX)[0].metadata["topics_changed"].value == 150


def test_dead_hashes_lose_their_partition_and_live_again_when_they_come_back(
    instance: dg.DagsterInstance, events: DagsterEvents
) -> None:
    events.batch(report(changed("a")))
    events.batch(report(changed("b", sha("a")), dead=(sha("a"),)))
    assert events.flush(10)
    assert instance.get_dynamic_partitions(TOPIC_FILES) == [sha("b")]
    events.batch(report(changed("a", sha("b")), dead=(sha("b"),)))
    assert events.flush(10)
    assert instance.get_dynamic_partitions(TOPIC_FILES) == [sha("a")]


def test_an_uploaded_document_gets_the_lineage_of_a_run_once(
    instance: dg.DagsterInstance, events: DagsterEvents
) -> None:
    events.batch(report(changed("a"), documents=(document(),)))
    events.batch(report(changed("b"), documents=(document(),)))
    assert events.flush(10)
    for key in keys.INGEST:
        (event,) = told(instance, key)
        assert event.partition == sha("5")
        assert event.tags is not None and event.tags["wiki/doc_id"] == "d_0123456789ab"
    assert instance.get_dynamic_partitions(SOURCE_FILES) == [sha("5")]


def test_a_document_that_a_run_reported_is_not_told_twice(instance: dg.DagsterInstance, events: DagsterEvents) -> None:
    made = dg.AssetMaterialization(keys.MARKDOWN_TOPICS, partition=sha("5"), tags={keys.DOC_ID_TAG: "d_0123456789ab"})
    instance.report_runless_asset_event(made)
    events.batch(report(changed("a"), documents=(document(),)))
    assert events.flush(10)
    assert len(told(instance, keys.MARKDOWN_TOPICS)) == 1
    assert told(instance, keys.RAW_FILES) == []


def test_checks_of_a_batch_are_evaluations(instance: dg.DagsterInstance, events: DagsterEvents) -> None:
    events.batch(report(checks=(CheckResult("lancedb_index", "rows_equal_markdown", False, {"missing": 2}),)))
    key = dg.AssetCheckKey(keys.LANCEDB_INDEX, "rows_equal_markdown")
    (record,) = instance.event_log_storage.get_asset_check_execution_history(key, limit=5)
    assert record.event is not None
    evaluation = record.event.dagster_event.asset_check_evaluation_data  # pyright: ignore[reportOptionalMemberAccess]
    assert not evaluation.passed and evaluation.metadata["missing"].value == 2


def test_a_quiet_cascade_proves_that_it_lives_but_seldom(instance: dg.DagsterInstance, events: DagsterEvents) -> None:
    for _ in range(3):
        events.heartbeat()
    assert events.flush(10)
    (event,) = told(instance, keys.LANCEDB_INDEX)
    assert event.metadata["reason"].value == "watched, nothing changed"


def test_no_event_holds_body_text(instance: dg.DagsterInstance, events: DagsterEvents) -> None:
    events.batch(report(changed("a"), documents=(document(),)))
    assert events.flush(10)
    allowed = {
        *("change", "path", "doc_id", "topic_id", "passages", "embedded", "previous_hash", "document"),
        *("tenant", "reason", "topics_changed", "seconds", "rows_upserted", "rows_deleted", "table_version", "bytes"),
        *("snapshot", "documents", "topics", "faults", "file", "type", "came_from", "title", "category"),
    }
    for key in (*keys.INGEST, keys.TOPIC_VECTORS, *keys.INDEXES):
        for event in told(instance, key):
            assert set(event.metadata) <= allowed


def test_reconcile_adds_missing_keys_and_deletes_dead_ones_of_this_tenant_only(instance: dg.DagsterInstance) -> None:
    other = Tenant("acme", "north")
    instance.add_dynamic_partitions(TOPIC_FILES, [sha("a"), sha("b"), other.partition_key(sha("a"))])
    done = reconcile_partitions(instance, Tenant(), {sha("b"), sha("c")}, {sha("5")})
    assert (done.added, done.deleted, done.left) == (2, 1, 0)
    assert set(instance.get_dynamic_partitions(TOPIC_FILES)) == {sha("b"), sha("c"), other.partition_key(sha("a"))}
    assert instance.get_dynamic_partitions(SOURCE_FILES) == [sha("5")]


def test_reconcile_deletes_no_more_than_it_is_told(instance: dg.DagsterInstance) -> None:
    instance.add_dynamic_partitions(TOPIC_FILES, [sha(f"{number:02d}") for number in range(12)])
    done = reconcile_partitions(instance, Tenant(), set(), set(), most=5)
    assert (done.deleted, done.left) == (5, 7)
