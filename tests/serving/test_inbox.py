"""The inbox over HTTP: what waits, who decides, and that no word of it is in any answer until a person promotes it."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.index.notes.vaults_on_disk import write_note
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


def answers(client: TestClient, note: str) -> dict[str, str]:
    """Everything that may be asked, by what was asked."""
    found: dict[str, str] = {}
    for method in ("keyword", "vector", "hybrid"):
        for query in (WORD, "what does the user do at night"):
            body = {"query": query, "method": method, "top_k": 20, "include_content": True}
            found[f"{method} {query}"] = client.post("/api/v1/knowledge/search", json=body).text
    for hybrid in (True, False):
        for mmr in (True, False):
            body = {"query": WORD, "hybrid": hybrid, "mmr": mmr, "top": 20, "explain": True}
            hits = client.post("/search", json=body).json()
            hits.pop("query", None)
            found[f"search {hybrid} {mmr}"] = str(hits["hits"])
    notes = "/api/v1/vaults/notes"
    editor = next(iter(client.post("/search", json={"query": "vim"}).json()["hits"]))["note_id"]
    for tail in ("", "/related", "/neighbours?depth=3"):
        found[f"editor{tail}"] = client.get(f"{notes}/{editor}{tail}").text
        found[f"note{tail}"] = client.get(f"{notes}/{note}{tail}").text
    for path in ("brief?tokens=5000", "links?state=all", "orphans", "inbox", "audit?page_size=100"):
        found[path] = client.get(f"/api/v1/vaults/{path}").text
    return found


def stage(client: TestClient) -> dict[str, Any]:
    reply = client.post("/api/v1/vaults/notes", json=FACT)
    assert reply.status_code == 201, reply.text
    return reply.json()["data"]


@pytest.mark.usefixtures("vaults")
def test_a_staged_note_waits_unread_until_a_person_promotes_it(client: TestClient) -> None:
    staged = stage(client)
    assert not [asked for asked, answer in answers(client, staged["note_id"]).items() if WORD in answer]
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
    found = answers(client, now["note_id"])
    wanted = [asked for asked in found if asked.startswith(("search", "brief"))]
    assert not [asked for asked in wanted if WORD not in found[asked]]
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
    assert not [asked for asked, answer in answers(client, staged["note_id"]).items() if WORD in answer]
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
