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
