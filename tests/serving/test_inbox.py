"""The inbox over HTTP: what waits, who decides, and that no word of it is in any answer until a person promotes it."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.index.notes.vaults_on_disk import write_note
from tests.serving.asking import answers
from wiki.library import Library

INBOX = "/api/v1/vaults/inbox"
WORD = "zymurgy"
FACT = {
    "content_type": "user-facts",
    "kind": "candidate",
    "title": "Brewing",
    "body": f"The user studies {WORD} at night, see [[Editor]].\n",
    "front_matter": {"type": "candidate-fact", "source": "chat of Monday", "evidence": "said so"},
}


@pytest.fixture
def vaults(library: Library, project: str) -> Path:
    vaults = library.root / "default" / project / "vaults"
    write_note(vaults / "user", "facts/Editor.md", "# Editor\n\nThe user likes vim.\n")
    write_note(vaults / "user", "_inbox/README.txt", "not a note")
    library.tenant("default", project).sync()
    return vaults


def asked(client: TestClient, note: str) -> dict[str, str]:
    """Everything that may be asked, about this note and the one beside it, by what was asked."""
    editor = client.post("/search", json={"query": "vim"}).json()["hits"][0]["note_id"]
    return answers(client, [WORD, "what does the user do at night"], [editor, note])


def stage(client: TestClient) -> dict[str, Any]:
    reply = client.post("/api/v1/vaults/notes", json=FACT)
    assert reply.status_code == 201, reply.text
    return reply.json()["data"]


@pytest.mark.usefixtures("vaults")
def test_a_staged_note_waits_unread_until_a_person_promotes_it(client: TestClient) -> None:
    staged = stage(client)
    assert not [question for question, answer in asked(client, staged["note_id"]).items() if WORD in answer]
    listed = client.get(INBOX).json()["data"]["notes"]
    assert {note["path"]: note["fault"] is None for note in listed} == {
        staged["path"]: True,
        "_inbox/README.txt": False,
    }
    mine = next(note for note in listed if note["note_id"] == staged["note_id"])
    assert (mine["state"], mine["source"], mine["content_hash"]) == ("staged", "chat of Monday", staged["content_hash"])
    assert mine["expires_at"] > mine["staged_at"]

    url = f"{INBOX}/{staged['note_id']}/promote"
    refused = client.post(url, json={"folder": "facts"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert "rule_id" in refused.text
    stale = client.post(url, json={"folder": "facts", "actor": "person", "expected_hash": "0" * 64})
    assert stale.status_code == 409
    promoted = client.post(url, json={"folder": "facts", "actor": "person", "expected_hash": staged["content_hash"]})
    assert promoted.status_code == 200, promoted.text
    now = promoted.json()["data"]
    assert now["indexed"] and now["path"].startswith("facts/")
    found = asked(client, now["note_id"])
    wanted = [question for question in found if question.startswith(("search", "brief"))]
    assert not [question for question in wanted if WORD not in found[question]]
    note = client.get(f"/api/v1/vaults/notes/{now['note_id']}").json()["data"]
    assert note["front_matter"]["promoted_from"] == staged["path"]
    assert client.post(url, json={"folder": "facts", "actor": "person"}).status_code == 409
    told = client.get(f"{INBOX}?state=promoted").json()["data"]["notes"]
    assert [(note["note_id"], note["decided_by"]) for note in told] == [(staged["note_id"], "person")]


@pytest.mark.usefixtures("vaults")
def test_a_rejected_note_is_kept_in_the_trash_and_in_no_answer(client: TestClient) -> None:
    staged = stage(client)
    url = f"{INBOX}/{staged['note_id']}/reject"
    assert client.post(url, json={"reason": "untrue"}).status_code == 403
    assert client.post(url, json={"actor": "person"}).status_code == 422
    rejected = client.post(url, json={"reason": "untrue", "actor": "person"})
    assert rejected.status_code == 200, rejected.text
    assert not [question for question, answer in asked(client, staged["note_id"]).items() if WORD in answer]
    told = client.get(f"{INBOX}?state=rejected").json()["data"]["notes"]
    assert [(note["note_id"], note["reason"]) for note in told] == [(staged["note_id"], "untrue")]


@pytest.mark.usefixtures("vaults")
def test_staging_the_same_fact_again_warns(client: TestClient) -> None:
    first = stage(client)
    again = client.post("/api/v1/vaults/notes", json={**FACT, "title": "Brews"}).json()["data"]
    assert [(near["note_id"], near["staged"]) for near in again["near_duplicates"]] == [(first["note_id"], True)]
    assert client.get(f"{INBOX}?vault=nowhere").status_code == 422


@pytest.mark.usefixtures("vaults")
@pytest.mark.parametrize("folder", ["../work", "_inbox", "/etc", ".x", "facts/../_inbox", "CON", "a\\b"])
def test_nobody_promotes_out_of_the_vault_or_into_hiding(client: TestClient, folder: str) -> None:
    staged = stage(client)
    reply = client.post(f"{INBOX}/{staged['note_id']}/promote", json={"folder": folder, "actor": "person"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert [n["note_id"] for n in client.get(INBOX).json()["data"]["notes"] if n["fault"] is None] == [
        staged["note_id"]
    ]
