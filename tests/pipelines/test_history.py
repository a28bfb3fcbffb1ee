"""A wiped event history tells once more what is live."""

import dagster as dg

from assets import keys
from pipelines.event_sink import DagsterEvents
from pipelines.history import rotate_history
from tests.pipelines.test_event_sink import told
from wiki.library import Library
from wiki.vaults.audit import Decision, note_decision


def test_decisions_are_told_batch_by_batch_and_in_one_after_a_rotation(
    library: Library, instance: dg.DagsterInstance, events: DagsterEvents, versions: dict[dg.AssetKey, str]
) -> None:
    here = library.tenant()
    (here.layout.home / "vaults" / "work").mkdir(parents=True)
    for second in range(3):
        row = Decision(
            f"2026-12-01T10:00:0{second}Z", "agent", "write", "refused", "path", reason="zebra", path="zebra"
        )
        note_decision(here.layout, row)
        for report in here.index.sync():
            if report:
                events.batch(report)
    before = told(instance, keys.VAULT_AUDIT)
    assert [event.metadata["decisions"].value for event in before] == [1, 1, 1]
    rotate_history(instance, library, versions)
    (event,) = told(instance, keys.VAULT_AUDIT)
    assert (event.metadata["decisions"].value, event.metadata["newest"].value) == (3, "2026-12-01T10:00:02Z")
    assert "zebra" not in repr([*before, event])
