"""The audit in the catalog: every decision, by file and line, read on from where the last batch stopped."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.index.notes.conftest import Shelves
from wiki.errors import Conflict, ExternalServiceUnavailable
from wiki.index.audit import plan
from wiki.index.catalog import Catalog
from wiki.index.rebuild import rebuild
from wiki.index.rows import BatchReport
from wiki.index.verify import verify
from wiki.vaults.audit import FIELDS, Decision, decision_of, note_decision, read_audit

FULL = Decision(
    "2026-12-01T10:00:00Z", "person", "promote", "allowed", "inbox", "user-facts", "user", "_inbox/zebra.md",
    "n_0123456789ab", "a" * 64, "because", "facts/zebra.md", "b" * 64,
)  # fmt: skip
TORN = b'{"at": "2026-12-01T10:00:03Z", "act'
FOREIGN = [b"", b"nonsense", b"[1]", b'{"at": "x"}', b'{"at": 1, "actor": "a", "action": "b", "outcome": "allowed", "rule_id": null}',
           b"[" * 100_000, b'{"at": "\\ud800", "actor": "a", "action": "b", "outcome": "allowed", "rule_id": null}',
           b'{"at": "x", "actor": "a", "action": "b", "outcome": "maybe", "rule_id": null}', b"\xff\xfe"]  # fmt: skip


def refusal(second: int, **more: Any) -> Decision:
    return Decision(f"2026-12-01T10:00:{second:02}Z", "agent", "write", "refused", "path", **more)


def audit_file(shelves: Shelves) -> Path:
    return shelves.layout.audit / "2026-12.jsonl"


def lines_of(shelves: Shelves) -> list[int]:
    return [row.line for row in shelves.decisions()]


def told(reports: list[BatchReport]) -> int:
    return sum(report.decisions.count for report in reports if report.decisions)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """The lines that a batch parsed."""
    seen: list[bytes] = []

    def watched(line: bytes) -> Decision | None:
        seen.append(line)
        return decision_of(line)

    monkeypatch.setattr(plan, "decision_of", watched)
    yield seen


def test_every_field_of_a_decision_is_in_the_catalog_with_its_file_and_line(shelves: Shelves) -> None:
    note_decision(shelves.layout, FULL)
    note_decision(shelves.layout, Decision("2026-11-30T10:00:00Z", "agent", "write", "refused", None))
    assert shelves.index.drift().audit == ("2026-11.jsonl", "2026-12.jsonl")
    assert told(shelves.sync()) == 2
    rows = shelves.decisions()
    assert [(row.file, row.line) for row in rows] == [("2026-11.jsonl", 1), ("2026-12.jsonl", 1)]
    assert [Decision(*row.told) for row in rows] == list(read_audit(shelves.layout))
    assert all(getattr(rows[1], name) == getattr(FULL, name) is not None for name in FIELDS)
    assert shelves.sync() == []
    shelves.check()


def test_a_batch_reads_on_from_where_the_last_one_stopped(shelves: Shelves, parsed: list[bytes]) -> None:
    for second in range(5):
        note_decision(shelves.layout, refusal(second))
    shelves.sync()
    assert len(parsed) == 5
    note_decision(shelves.layout, refusal(9))
    (report,) = [report for report in shelves.sync() if report.decisions]
    assert (len(parsed), lines_of(shelves)) == (6, [1, 2, 3, 4, 5, 6])
    assert report.decisions and (report.decisions.count, report.decision_count) == (1, 6)
    shelves.check()


def test_any_batch_takes_the_audit_along(shelves: Shelves) -> None:
    shelves.sync()
    note_decision(shelves.layout, refusal(1))
    assert (report := shelves.index.apply((), "watch")) is not None
    assert told([report]) == 1
    assert shelves.index.apply((), "watch") is None
    assert lines_of(shelves) == [1]


def test_a_file_edited_before_where_reading_stopped_is_read_anew(shelves: Shelves) -> None:
    for second in range(3):
        note_decision(shelves.layout, refusal(second, reason=f"word{second}"))
    shelves.sync()
    path = audit_file(shelves)
    state = path.stat()
    path.write_bytes(path.read_bytes().replace(b"word1", b"WORD1"))
    note_decision(shelves.layout, refusal(3))
    reports = shelves.sync()
    assert [row.reason for row in shelves.decisions()] == ["word0", "WORD1", "word2", None]
    assert told(reports) == 2
    path.write_bytes(path.read_bytes().replace(b"word0", b"WORD0"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    shelves.sync()
    assert shelves.decisions()[0].reason == "WORD0"
    shelves.check()


def test_a_change_that_no_stamp_shows_is_found_when_everything_is_read(shelves: Shelves) -> None:
    note_decision(shelves.layout, refusal(1, reason="word"))
    shelves.sync()
    path = audit_file(shelves)
    state = path.stat()
    path.write_bytes(path.read_bytes().replace(b"word", b"WORD"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert shelves.sync() == []
    assert [report.snapshot for report in shelves.index.sync(everything=True) if report]
    assert shelves.decisions()[0].reason == "WORD"
    assert [report for report in shelves.index.sync(everything=True) if report] == []


@pytest.mark.parametrize("line", FOREIGN)
def test_a_foreign_line_is_skipped_as_read_audit_skips_it(shelves: Shelves, line: bytes) -> None:
    note_decision(shelves.layout, FULL)
    with audit_file(shelves).open("ab") as file:
        file.write(line + b"\n")
    note_decision(shelves.layout, refusal(5))
    shelves.sync()
    assert lines_of(shelves) == [1, 3]
    assert len(list(read_audit(shelves.layout))) == 2
    assert shelves.audit_files()["2026-12.jsonl"].skipped == bool(line)
    shelves.check()


def test_a_torn_line_is_read_again_until_it_ends(shelves: Shelves) -> None:
    note_decision(shelves.layout, FULL)
    with audit_file(shelves).open("ab") as file:
        file.write(TORN)
    shelves.sync()
    assert (lines_of(shelves), shelves.audit_files()["2026-12.jsonl"].skipped) == ([1], 0)
    note_decision(shelves.layout, refusal(5))
    shelves.sync()
    assert (lines_of(shelves), shelves.audit_files()["2026-12.jsonl"].skipped) == ([1, 3], 1)
    path = audit_file(shelves)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert told(shelves.sync()) == 0
    note_decision(shelves.layout, refusal(6))
    assert told(shelves.sync()) == 1
    assert lines_of(shelves) == [1, 3, 4] == [row.line for row in shelves.decisions()]
    shelves.check()


def test_a_file_that_goes_takes_its_rows_and_one_renamed_tells_nothing_again(shelves: Shelves) -> None:
    note_decision(shelves.layout, FULL)
    note_decision(shelves.layout, Decision("2026-11-30T10:00:00Z", "agent", "write", "refused", None))
    shelves.sync()
    audit_file(shelves).rename(shelves.layout.audit / "older.jsonl")
    assert told(shelves.sync()) == 0
    assert [row.file for row in shelves.decisions()] == ["2026-11.jsonl", "older.jsonl"]
    (shelves.layout.audit / "older.jsonl").unlink()
    shelves.sync()
    assert [row.file for row in shelves.decisions()] == ["2026-11.jsonl"]
    shelves.check()
    (shelves.layout.audit / "2026-11.jsonl").unlink()
    shelves.layout.audit.rmdir()
    shelves.sync()
    assert (shelves.decisions(), shelves.audit_files()) == ([], {})
    shelves.check()


def test_what_is_no_file_is_a_fault_and_no_decision(shelves: Shelves) -> None:
    note_decision(shelves.layout, FULL)
    (shelves.layout.audit / "2026-01.jsonl").mkdir()
    (shelves.layout.audit / "2026-02.jsonl").symlink_to("2026-02.jsonl")
    os.mkfifo(shelves.layout.audit / "2026-03.jsonl")
    (shelves.layout.audit / ".2026-12.jsonl").write_bytes(audit_file(shelves).read_bytes())
    shelves.sync()
    assert lines_of(shelves) == [1]
    assert len(list(read_audit(shelves.layout))) == 1
    assert sorted(shelves.faults()) == [f"default/default/audit/2026-0{number}.jsonl" for number in (1, 2, 3)]
    shelves.check()


def test_a_file_that_cannot_be_read_keeps_its_rows_and_is_a_fault(
    shelves: Shelves, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_decision(shelves.layout, FULL)
    shelves.sync()
    note_decision(shelves.layout, refusal(5))

    def closed(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(plan, "open_audit", closed)
        shelves.sync()
        assert shelves.faults() == {"default/default/audit/2026-12.jsonl": "cannot be read: Permission denied"}
        assert (lines_of(shelves), shelves.index.drift().pending) == ([1], 0)
        with pytest.raises(Conflict, match="would lose decisions"):
            rebuild(shelves.index, shelves.taxonomy, lambda: shelves.embedder)
    shelves.sync()
    assert (lines_of(shelves), shelves.faults()) == ([1, 2], {})


def test_a_rebuild_has_the_same_rows_and_tells_what_no_batch_told(shelves: Shelves) -> None:
    note_decision(shelves.layout, FULL)
    shelves.sync()
    note_decision(shelves.layout, refusal(5))
    for path, _ in shelves.index.outbox.waiting():
        path.unlink()
    rebuild(shelves.index, shelves.taxonomy, lambda: shelves.embedder)
    assert lines_of(shelves) == [1, 2]
    assert told([report for _, report in shelves.index.outbox.waiting()]) == 1
    assert shelves.sync() == []
    shelves.check()


def test_verify_finds_a_row_that_is_lost_or_differs(shelves: Shelves) -> None:
    for second in range(3):
        note_decision(shelves.layout, refusal(second))
    shelves.sync()
    with Catalog(shelves.layout.catalog) as catalog:
        catalog.connection.execute("DELETE FROM decisions WHERE line = 1")
        catalog.connection.execute("UPDATE decisions SET actor = 'person' WHERE line = 2")
    found = verify(shelves.index, shelves.taxonomy, lambda: shelves.embedder)
    assert {(difference.kind, difference.id, difference.path) for difference in found.differences} == {
        ("catalog_decision_differs", "2026-12.jsonl:2", "default/default/audit/2026-12.jsonl"),
        ("catalog_decision_missing", "2026-12.jsonl:1", "default/default/audit/2026-12.jsonl"),
    }
    assert found.checked == 3
    for _ in shelves.index.sync(everything=True):
        pass
    shelves.check()


def test_the_model_may_fail_and_the_audit_is_taken_all_the_same(
    shelves: Shelves, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelves.sync()
    shelves.write("work/A.md", "Whales sing.\n")
    note_decision(shelves.layout, FULL)

    def fails(*_: object) -> None:
        raise ExternalServiceUnavailable("no model now")

    monkeypatch.setattr(shelves.embedder, "embed", fails)
    with pytest.raises(ExternalServiceUnavailable):
        shelves.sync()
    assert lines_of(shelves) == [1]


def test_the_report_holds_counts_and_ids_and_no_word_of_anybody(shelves: Shelves) -> None:
    (shelves.home / "user").mkdir(parents=True)
    note_decision(shelves.layout, FULL)
    words = {"content_type": "zebra", "vault": "zebra", "path": "zebra", "note_id": "zebra", "reason": "zebra"}
    note_decision(shelves.layout, refusal(5, **words))
    odd = Decision("zebra", "zebra", "zebra", "refused", "Zebra here", note_id="n_zebrazebraz")
    note_decision(shelves.layout, odd)
    shelves.sync()
    reports = [report for _, report in shelves.index.outbox.waiting()]
    (summary,) = [report.decisions for report in reports if report.decisions]
    assert summary.count == 3
    assert (summary.newest, summary.note_ids) == ("2026-12-01T10:00:05Z", ("n_0123456789ab",))
    assert (summary.actions, summary.actors) == (
        {"other": 1, "promote": 1, "write": 1}, {"agent": 1, "other": 1, "person": 1},
    )  # fmt: skip
    assert (summary.rules, summary.vaults) == (
        {"inbox": 1, "other": 1, "path": 1}, {"none": 1, "other": 1, "user": 1},
    )  # fmt: skip
    assert "zebra" not in repr(reports).casefold()
