"""The audit over HTTP: who was allowed or refused what, and no word of a note that cannot be found now."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.index.notes.vaults_on_disk import write_note
from wiki.library import Library, TenantLibrary
from wiki.vaults.audit import Decision, note_decision

AUDIT, NOTES, INBOX = "/api/v1/vaults/audit", "/api/v1/vaults/notes", "/api/v1/vaults/inbox"
WORD = "zymurgy"
FACT = {
    "content_type": "user-facts",
    "kind": "candidate",
    "title": f"Studies {WORD}",
    "body": "Brews at night.\n",
    "front_matter": {"type": "candidate-fact", "source": "chat", "evidence": "said so"},
}


@pytest.fixture
def here(library: Library, project: str) -> TenantLibrary:
    tenant = library.tenant("default", project)
    write_note(tenant.layout.home / "vaults" / "user", "facts/Editor.md", "# Editor\n\nThe user likes vim.\n")
    write_note(tenant.layout.home / "vaults" / "work", "CloudOps/Disks.md", "# Disks\n\nThey spin.\n")
    tenant.sync()
    return tenant


def read(client: TestClient, **asked: Any) -> dict[str, Any]:
    reply = client.get(AUDIT, params=asked)
    assert reply.status_code == 200, reply.text
    return reply.json()["data"]


def decisions(client: TestClient, **asked: Any) -> list[dict[str, Any]]:
    return read(client, **asked)["decisions"]


def stage(client: TestClient) -> dict[str, Any]:
    reply = client.post(NOTES, json=FACT)
    assert reply.status_code == 201, reply.text
    return reply.json()["data"]


def decide(client: TestClient, note: str, verb: str, **asked: Any) -> dict[str, Any]:
    reply = client.post(f"{INBOX}/{note}/{verb}", json={"actor": "person", **asked})
    assert reply.status_code == 200, reply.text
    return reply.json()["data"]


@pytest.mark.usefixtures("here")
def test_decisions_are_told_newest_first_with_what_was_decided(client: TestClient) -> None:
    body = {"content_type": "operational", "kind": "cloudops", "title": "Queues", "body": "One.\n"}
    body["front_matter"] = {"type": "runbook"}  # type: ignore[assignment]
    written = client.post(NOTES, json=body)
    assert written.status_code == 201, written.text
    note = written.json()["data"]
    assert client.post(NOTES, json={**body, "vault": "user", "folder": "facts"}).status_code == 403
    data = read(client)
    refused, allowed = data["decisions"]
    assert (data["total"], data["skipped"], data["indexed"]) == (2, 0, True)
    assert {name: allowed[name] for name in ("actor", "action", "outcome", "rule_id", "vault", "path", "note_id")} == {
        "actor": "agent", "action": "write", "outcome": "allowed", "rule_id": "operational", "vault": "work",
        "path": note["path"], "note_id": note["note_id"],
    }  # fmt: skip
    assert (allowed["content_hash"], allowed["line"], allowed["file"][-6:]) == (note["content_hash"], 1, ".jsonl")
    assert (refused["outcome"], refused["rule_id"], refused["vault"]) == ("refused", "operational", "user")
    assert (refused["path"], refused["reason"], refused["note_id"]) == (None, None, None)


def test_no_word_of_a_staged_note_is_told_whatever_was_tried_with_it(client: TestClient, here: TenantLibrary) -> None:
    staged = stage(client)
    note = staged["note_id"]
    assert WORD in staged["path"]
    assert client.post(f"{INBOX}/{note}/promote", json={"folder": "facts"}).status_code == 403
    wrong = {"folder": f"../{WORD}", "title": WORD, "actor": "person"}
    assert client.post(f"{INBOX}/{note}/promote", json=wrong).status_code == 403
    assert client.post(f"{INBOX}/{note}/reject", json={"reason": WORD * 99, "actor": "person"}).status_code == 422
    asked = {"folder": WORD, "vault": WORD, "content_type": WORD}
    assert client.post(NOTES, json={**FACT, **asked}).status_code in (403, 422)
    section = {"heading_path": [WORD], "op": "append", "body": WORD, "expected_hash": "0" * 64}
    assert client.patch(f"{NOTES}/{note}/sections", json=section).status_code == 404
    data = read(client)
    assert data["total"] >= 4
    assert WORD not in str(data)
    told = [row["action"] for row in decisions(client, note_id=note)]
    assert told == ["append", "reject", "promote", "promote", "write"]
    assert here.verify().differences == ()


@pytest.mark.usefixtures("here")
def test_a_rejected_note_and_the_reason_stay_untold(client: TestClient) -> None:
    staged = stage(client)
    decide(client, staged["note_id"], "reject", reason=f"no {WORD}")
    (rejected, written) = decisions(client)
    assert (rejected["action"], rejected["actor"], rejected["note_id"]) == ("reject", "person", staged["note_id"])
    assert (rejected["path"], rejected["target"], rejected["reason"], written["path"]) == (None, None, None, None)
    assert WORD not in str(read(client))


def test_a_promotion_is_told_once_its_note_is_found_and_untold_when_it_is_hidden(
    client: TestClient, here: TenantLibrary
) -> None:
    staged = stage(client)
    now = decide(client, staged["note_id"], "promote", folder="facts")
    (promoted, written) = decisions(client)
    assert (promoted["path"], promoted["target"]) == (staged["path"], now["path"])
    assert written["path"] is None
    again = stage(client)
    assert again["note_id"] == staged["note_id"]
    assert [row["path"] for row in decisions(client, action="promote")] == [None]
    decide(client, again["note_id"], "reject", reason="the same")
    vault = here.layout.home / "vaults" / "user"
    (vault / now["path"]).rename(vault / "_inbox" / f"{WORD}.md")
    assert WORD not in str(read(client))
    here.sync()
    assert WORD not in str(read(client))


@pytest.mark.usefixtures("here")
def test_a_refused_edit_gives_its_reason_and_a_move_tells_both_places(client: TestClient) -> None:
    (hit,) = client.post("/search", json={"query": "disks", "vaults": ["work"], "hybrid": False}).json()["hits"]
    note = client.get(f"{NOTES}/{hit['note_id']}").json()["data"]
    section = {"heading_path": ["Disks"], "op": "append", "body": "More.\n", "expected_hash": "0" * 64}
    assert client.patch(f"{NOTES}/{note['note_id']}/sections", json=section).status_code == 409
    (refused,) = decisions(client, outcome="refused")
    assert (refused["action"], refused["path"]) == ("append", "CloudOps/Disks.md")
    assert "expected_hash" in refused["reason"]
    asked = {"folder": "SecOps", "expected_hash": note["content_hash"], "actor": "person"}
    moved = client.post(f"{NOTES}/{note['note_id']}/move", json=asked)
    assert moved.status_code == 200, moved.text
    (row,) = decisions(client, action="move")
    assert (row["path"], row["target"], row["note_id"]) == ("CloudOps/Disks.md", "SecOps/Disks.md", note["note_id"])
    (refused,) = decisions(client, outcome="refused")
    assert (refused["path"], refused["reason"]) == (None, None)


def test_the_list_is_filtered_and_paged(client: TestClient, here: TenantLibrary) -> None:
    for day in range(1, 8):
        actor, vault = ("person", "work") if day % 2 else ("agent", "user")
        outcome = "allowed" if day < 5 else "refused"
        row = Decision(
            f"2026-11-0{day}T12:00:00Z", actor, "write", outcome, "path", vault=vault, note_id=f"n_{day:012x}"
        )  # type: ignore[arg-type]
        note_decision(here.layout, row)
    note_decision(here.layout, Decision("2025-01-01T00:00:00Z", "upkeep", "expire", "allowed", "inbox", vault="old"))

    def days(**asked: Any) -> list[int]:
        return [int(row["at"][8:10]) for row in decisions(client, **asked)]

    assert days() == [7, 6, 5, 4, 3, 2, 1, 1]
    assert days(actor="agent") == [6, 4, 2]
    assert days(action="expire") == [1] == days(vault="old")
    assert days(outcome="refused", vault="work") == [7, 5]
    assert days(note_id=f"n_{3:012x}") == [3]
    assert days(since="2026-11-06") == [7, 6]
    assert days(since="2026-11-06T13:30:00+01:00") == [7]
    pages = [read(client, page=page, page_size=3) for page in (1, 2, 3, 4)]
    assert [len(page["decisions"]) for page in pages] == [3, 3, 2, 0]
    assert {page["total"] for page in pages} == {8}
    assert [row for page in pages for row in page["decisions"]] == decisions(client)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "asked",
    [{"vault": "nowhere"}, {"since": "yesterday"}, {"page": 0}, {"page_size": 101}, {"outcome": "x"}, {"note_id": "x"}],
)
def test_what_cannot_be_asked_is_422(client: TestClient, asked: dict[str, Any]) -> None:
    reply = client.get(AUDIT, params=asked)
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "INVALID_INPUT")


def test_lines_that_are_no_decision_are_counted(client: TestClient, here: TenantLibrary) -> None:
    folder: Path = here.layout.audit
    folder.mkdir()
    (folder / "2026-11.jsonl").write_bytes(b'nonsense\n\n{"at": "torn')
    data = read(client)
    assert (data["total"], data["skipped"], data["indexed"]) == (0, 1, True)


def test_another_tenant_has_an_audit_of_its_own(client: TestClient, here: TenantLibrary) -> None:
    note_decision(here.layout, Decision("2026-11-01T12:00:00Z", "agent", "write", "refused", "path"))
    assert len(decisions(client)) == 1
    assert decisions(client, project_id="another") == []
