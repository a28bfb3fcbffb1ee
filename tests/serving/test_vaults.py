"""Notes over HTTP: one, what is near it, the brief."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.index.notes.vaults_on_disk import write_note
from wiki.library import Library
from wiki.vaults.model import note_id

NOTES = "/api/v1/vaults/notes"
PUMP = note_id("work", "CloudOps/Pump.md")


@pytest.fixture
def vaults(library: Library, project: str) -> Path:
    vaults = library.root / "default" / project / "vaults"
    write_note(
        vaults / "work", "CloudOps/Pump.md", "---\ndue: 2026-12-24\n---\n# Pump\n\nLifts water, see [[Valve]].\n"
    )
    write_note(vaults / "work", "CloudOps/Valve.md", "# Valve\n\nHolds water back.\n")
    write_note(vaults / "ai", "interaction-rules/Tone.md", "Answer briefly.\n")
    write_note(vaults / "user", "_inbox/Staged.md", "Lifts water, a secret.\n")
    library.tenant("default", project).sync()
    return vaults


@pytest.mark.usefixtures("vaults")
def test_a_note_what_is_near_it_and_the_brief(client: TestClient) -> None:
    reply = client.get(f"{NOTES}/{PUMP}")
    assert reply.status_code == 200
    data = reply.json()["data"]
    assert reply.headers["etag"] == f'"{data["content_hash"]}"'
    assert (data["path"], data["front_matter"]) == ("CloudOps/Pump.md", {"due": "2026-12-24"})
    assert data["content"] == "# Pump\n\nLifts water, see [[Valve]].\n"
    valve = note_id("work", "CloudOps/Valve.md")
    assert [link["note_id"] for link in data["links"]] == [valve]
    assert [n["note_id"] for n in client.get(f"{NOTES}/{PUMP}/neighbours?depth=1").json()["data"]["notes"]] == [valve]
    assert client.get(f"{NOTES}/{PUMP}/related").json()["data"]["notes"][0]["note_id"] == valve
    brief = client.get("/api/v1/vaults/brief?tokens=500").json()["data"]
    assert brief["text"] == "## Standing rules\n\n- Answer briefly. [ai/interaction-rules/Tone.md:1]\n"
    assert brief["left_out"] == 0


@pytest.mark.usefixtures("vaults")
def test_what_is_staged_or_not_there_is_404_and_numbers_have_bounds(client: TestClient) -> None:
    staged = note_id("user", "_inbox/Staged.md")
    for note in (staged, "n_000000000000"):
        for tail in ("", "/related", "/neighbours"):
            reply = client.get(f"{NOTES}/{note}{tail}")
            assert (reply.status_code, reply.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert client.get(f"{NOTES}/{PUMP}/neighbours?depth=9").status_code == 422
    assert client.get("/api/v1/vaults/brief?tokens=1").status_code == 422
    assert client.get(f"{NOTES}/../secrets").status_code in (404, 422)


@pytest.mark.usefixtures("vaults")
def test_a_note_is_written_where_the_contract_says_and_found_at_once(client: TestClient) -> None:
    new = {"content_type": "operational", "kind": "secops", "title": "Key rotation", "body": "Rotate every spring.\n"}
    planned = client.post(NOTES, json={**new, "dry_run": True})
    assert planned.status_code == 200
    assert client.get(f"{NOTES}/{planned.json()['data']['note_id']}").status_code == 404
    reply = client.post(NOTES, json=new)
    data = reply.json()["data"]
    assert reply.status_code == 201
    assert data | {"content_hash": ""} == {
        "note_id": note_id("work", "SecOps/key-rotation.md"), "vault": "work", "path": "SecOps/key-rotation.md",
        "rule_id": "operational", "content_hash": "", "dry_run": False, "indexed": True,
        "near_duplicates": [],
    }  # fmt: skip
    hits = client.post("/search", json={"query": "rotate spring"}).json()["hits"]
    assert hits[0]["note_id"] == data["note_id"]
    again = client.post(NOTES, json={**new, "body": "Every autumn.\n", "expected_hash": data["content_hash"]})
    assert (again.status_code, again.json()["data"]["path"]) == (201, "SecOps/key-rotation.md")
    late = client.post(NOTES, json={**new, "expected_hash": data["content_hash"]})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "CONFLICT")


@pytest.mark.usefixtures("vaults")
def test_what_the_contract_does_not_allow_is_403_with_the_rule(client: TestClient) -> None:
    new = {"content_type": "user-facts", "title": "Editor", "body": "Uses vim.\n"}
    fact = {"type": "candidate-fact", "source": "chat", "evidence": "I use vim"}
    for wrong in ({"vault": "user", "folder": "facts"}, {"vault": "work"}):
        reply = client.post(NOTES, json={**new, "front_matter": fact, **wrong})
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "FORBIDDEN")
        assert reply.json()["error"]["details"]["rule_id"] == "user-facts"
    assert client.post(NOTES, json=new).status_code == 422
    staged = client.post(NOTES, json={**new, "front_matter": fact})
    assert (staged.status_code, staged.json()["data"]["indexed"]) == (201, False)
    assert client.get(f"{NOTES}/{staged.json()['data']['note_id']}").status_code == 404
    assert "vim" not in client.post("/search", json={"query": "editor vim"}).text


def test_the_contract_in_force_is_told(client: TestClient) -> None:
    contract = client.get("/api/v1/vaults/routes").json()["data"]
    assert [route["content_type"] for route in contract["routes"]] == ["agent-self", "user-facts", "operational"]
