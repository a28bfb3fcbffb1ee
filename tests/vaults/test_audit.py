"""The audit's files: every line that is a decision is told, in order, whatever else stands there."""

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from wiki.errors import Forbidden, InvalidInput
from wiki.tenants import Layout, Tenant
from wiki.vaults import audit
from wiki.vaults.audit import Decision, allowing, decision_of, note_decision, read_audit, refusing

ONE = Decision("2026-12-01T10:00:00Z", "agent", "write", "allowed", "agent-self", vault="ai", path="identity/a.md")


@pytest.fixture
def layout(root: Path) -> Layout:
    return Layout(root, Tenant())


def test_a_refusal_tells_the_rule_and_the_reason_of_its_error() -> None:
    row = refusing("agent", "move", Forbidden("x" * 900, rule_id="path"), vault="work", note_id="n_0")
    assert (row.outcome, row.rule_id, row.reason) == ("refused", "path", "x" * 300)
    assert (row.actor, row.action, row.vault, row.note_id, row.path) == ("agent", "move", "work", "n_0", None)
    assert refusing("agent", "move", InvalidInput("no")).rule_id is None
    assert refusing("agent", "move", InvalidInput("")).reason is None


def test_what_is_allowed_has_a_rule_and_no_reason() -> None:
    row = allowing("person", "write", "person", path="facts/a.md", content_hash="0" * 64)
    assert (row.outcome, row.rule_id, row.reason, row.path) == ("allowed", "person", None, "facts/a.md")
    assert row.at.endswith("Z")


def test_decisions_are_read_in_order_through_torn_and_foreign_lines(layout: Layout) -> None:
    assert list(read_audit(layout)) == []
    second = replace(ONE, at="2026-12-01T10:00:01Z", reason="Ünïcode and \u2028 a line break of its own")
    note_decision(layout, ONE)
    with (layout.audit / "2026-12.jsonl").open("ab") as file:
        file.write(
            b"\n[]\n" + json.dumps({**asdict(ONE), "extra": 1}).encode() + b"\n" + b"[" * 100_000 + b'\n{"at": "2'
        )
    note_decision(layout, second)
    earlier = replace(ONE, at="2026-11-30T10:00:00Z")
    note_decision(layout, earlier)
    (layout.audit / "2026-10.jsonl").mkdir()
    assert list(read_audit(layout)) == [earlier, ONE, second]


@pytest.mark.parametrize(
    "change", [{"at": None}, {"outcome": "maybe"}, {"rule_id": 3}, {"note_id": ["a"]}, {"reason": "\ud800"}]
)
def test_a_line_with_a_value_no_decision_has_is_none(change: dict[str, object]) -> None:
    assert decision_of(json.dumps(asdict(ONE)).encode()) == ONE
    assert decision_of(json.dumps({**asdict(ONE), **change}).encode()) is None


def test_a_file_is_parsed_once_while_it_stays_as_it_is(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []

    def watched(line: bytes) -> Decision | None:
        parsed.append(line)
        return decision_of(line)

    monkeypatch.setattr(audit, "decision_of", watched)
    note_decision(layout, ONE)
    assert [list(read_audit(layout)) for _ in range(3)] == [[ONE]] * 3
    assert len(parsed) == 1
    note_decision(layout, ONE)
    assert list(read_audit(layout)) == [ONE, ONE]
    path = layout.audit / "2026-12.jsonl"
    state = path.stat()
    path.write_bytes(path.read_bytes().replace(b"agent-self", b"AGENT-SELF"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert [row.rule_id for row in read_audit(layout)] == ["AGENT-SELF"] * 2


def test_a_long_file_is_read_each_time_and_kept_nowhere(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_REMEMBERED_BYTES", 10)
    note_decision(layout, ONE)
    before = audit._remembered.cache_info()
    assert list(read_audit(layout)) == [ONE]
    assert audit._remembered.cache_info() == before
