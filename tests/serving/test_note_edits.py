"""Parts of notes changed over HTTP: only what was meant changes, and only for whom the contract lets."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.index.notes.vaults_on_disk import write_note
from wiki.library import Library
from wiki.vaults.audit import read_audit
from wiki.vaults.model import note_id

NOTES = "/api/v1/vaults/notes"
PUMP = ("work", "CloudOps/Pump.md")
TEXT = "---\r\ndue: 2026-12-24 # soon\r\ntags: [water]\r\n---\r\n# Pump\r\n\r\nLifts water.\r\n\r\n## Noise\r\n\r\n- hums\r\n"
STAGED = "---\ntype: fact\n---\n# Tea\n\nPrefers tea.\n"


@pytest.fixture
def vaults(library: Library, project: str) -> Path:
    vaults = library.root / "default" / project / "vaults"
    write_note(vaults / "work", "CloudOps/Pump.md", TEXT)
    write_note(vaults / "work", "CloudOps/pumps/Old.md", "# Old\n")
    write_note(vaults / "work", "CloudOps/Twice.md", "# A\n\n# A\n")
    write_note(vaults / "work", "CloudOps/Form.md", "---\nstatus: template\n---\n# Form\n")
    write_note(vaults / "work", "README.md", "# Conventions\n")
    write_note(vaults / "work", "Unsure.md", "---\ntags: [needs-routing]\n---\n# Unsure\n")
    write_note(vaults / "work", "Board.canvas", '{"nodes": [], "edges": []}')
    write_note(vaults / "ai", "identity/Me.md", "# Me\n")
    write_note(vaults / "user", "facts/Editor.md", "# Editor\n")
    write_note(vaults / "user", "_inbox/Tea.md", STAGED)
    write_note(vaults / "other", "Own.md", "# Own\n")
    library.tenant("default", project).sync()
    return vaults


def patch(client: TestClient, vaults: Path, where: tuple[str, str], what: str, **body: Any) -> Any:
    digest = sha256((vaults / where[0] / where[1]).read_bytes()).hexdigest()
    return client.patch(f"{NOTES}/{note_id(*where)}/{what}", json={"expected_hash": digest, **body})


def test_text_is_appended_to_a_section_and_found_and_no_other_byte_changes(client: TestClient, vaults: Path) -> None:
    reply = patch(client, vaults, PUMP, "sections", heading_path=["Pump", "Noise"], op="append", body="- rattles")
    assert reply.status_code == 200, reply.text
    data = reply.json()["data"]
    now = (vaults / "work" / "CloudOps" / "Pump.md").read_bytes()
    assert now == (TEXT + "- rattles\r\n").encode()
    assert (data["content_hash"], data["rule_id"], data["indexed"]) == (sha256(now).hexdigest(), "operational", True)
    hits = client.post("/search", json={"query": "rattles", "hybrid": False}).json()["hits"]
    assert [(hit["path"], hit["lines"]) for hit in hits[:1]] == [("CloudOps/Pump.md", [5, 12])]


def test_a_section_is_replaced_below_its_heading(client: TestClient, vaults: Path) -> None:
    reply = patch(client, vaults, PUMP, "sections", heading_path=["Pump", "Noise"], op="replace", body="None.\n")
    assert reply.status_code == 200, reply.text
    assert (vaults / "work" / "CloudOps" / "Pump.md").read_bytes() == TEXT.replace("- hums", "None.").encode()


def test_properties_change_their_own_lines_only(client: TestClient, vaults: Path) -> None:
    reply = patch(client, vaults, PUMP, "properties", set={"owner": "Mira"}, remove=["tags"])
    assert reply.status_code == 200, reply.text
    now = (vaults / "work" / "CloudOps" / "Pump.md").read_bytes().decode()
    assert now == TEXT.replace("tags: [water]", "owner: Mira")
    same = patch(client, vaults, PUMP, "properties", set={"owner": "Mira"})
    assert same.json()["data"]["content_hash"] == reply.json()["data"]["content_hash"]


def test_a_section_that_is_absent_is_404_and_an_ambiguous_one_409(client: TestClient, vaults: Path) -> None:
    edit = {"op": "append", "body": "x"}
    absent = patch(client, vaults, PUMP, "sections", heading_path=["Noise"], **edit)
    assert (absent.status_code, "Pump > Noise" in absent.text) == (404, True)
    twice = patch(client, vaults, ("work", "CloudOps/Twice.md"), "sections", heading_path=["A"], **edit)
    assert (twice.status_code, twice.json()["error"]["code"]) == (409, "CONFLICT")


def test_the_hash_is_needed_and_must_be_that_of_the_note(client: TestClient, vaults: Path) -> None:
    url = f"{NOTES}/{note_id(*PUMP)}"
    for what, body in (
        ("sections", {"heading_path": [], "op": "append", "body": "x"}),
        ("properties", {"set": {"a": 1}}),
    ):
        assert client.patch(f"{url}/{what}", json=body).status_code == 422
        stale = client.patch(f"{url}/{what}", json={**body, "expected_hash": "0" * 64})
        assert (stale.status_code, stale.json()["error"]["code"]) == (409, "CONFLICT")
    assert (vaults / "work" / "CloudOps" / "Pump.md").read_bytes() == TEXT.encode()


@pytest.mark.parametrize(
    ("where", "agent", "person"),
    [
        (("work", "CloudOps/pumps/Old.md"), 200, 200),
        (("work", "Unsure.md"), 200, 200),
        (("ai", "identity/Me.md"), 200, 200),
        (("work", "README.md"), 403, 200),
        (("user", "facts/Editor.md"), 403, 200),
        (("other", "Own.md"), 403, 200),
        (("user", "_inbox/Tea.md"), 404, 404),
        (("work", "CloudOps/Form.md"), 404, 404),
        (("work", "Board.canvas"), 422, 422),
    ],
)
def test_who_may_change_which_note(
    client: TestClient, vaults: Path, where: tuple[str, str], agent: int, person: int, library: Library, project: str
) -> None:
    file = vaults / where[0] / where[1]
    for actor, expected in (("agent", agent), ("person", person)):
        for what, body in (
            ("sections", {"heading_path": [], "op": "append", "body": f"By {actor}."}),
            ("properties", {"set": {"by": actor}}),
        ):
            before = file.read_bytes()
            reply = patch(client, vaults, where, what, actor=actor, **body)
            assert reply.status_code == expected, reply.text
            assert (file.read_bytes() != before) == (expected == 200)
            assert reply.status_code != 403 or "no-route" in reply.text
    rows = [row for row in read_audit(library.tenant("default", project).layout) if row.note_id == note_id(*where)]
    assert [row.outcome for row in rows] == [
        "allowed" if code == 200 else "refused" for code in (agent, agent, person, person)
    ]
    assert all("By agent" not in str(row) for row in rows)


def test_a_folder_that_became_a_link_leads_nowhere(client: TestClient, vaults: Path, tmp_path: Path) -> None:
    folder = vaults / "work" / "CloudOps"
    away = folder.rename(tmp_path / "away")
    folder.symlink_to(away)
    reply = patch(client, vaults, PUMP, "properties", set={"a": "b"}, actor="person")
    assert reply.status_code == 404
    assert (away / "Pump.md").read_bytes() == TEXT.encode()


@pytest.mark.usefixtures("vaults")
def test_another_tenant_cannot_change_the_note(client: TestClient, vaults: Path) -> None:
    reply = patch(client, vaults, PUMP, "properties", set={"a": "b"}, actor="person", project_id="elsewhere")
    assert reply.status_code in (404, 422)
    assert (vaults / "work" / "CloudOps" / "Pump.md").read_bytes() == TEXT.encode()


def test_a_note_is_moved_with_its_links_dry_run_first(client: TestClient, vaults: Path) -> None:
    write_note(vaults / "work", "Weekly/Week.md", "See [[Pump]].\n")
    url = f"{NOTES}/{note_id(*PUMP)}/move"
    digest = sha256(TEXT.encode()).hexdigest()
    wanted = {"folder": "SecOps", "title": "Big Pump", "expected_hash": digest}
    planned = client.post(url, json={**wanted, "dry_run": True})
    assert planned.status_code == 200, planned.text
    assert (vaults / "work" / "CloudOps" / "Pump.md").is_file()
    moved = client.post(url, json=wanted)
    assert moved.status_code == 200, moved.text
    told = moved.json()["data"]
    assert {**planned.json()["data"], "dry_run": False, "indexed": True} == told
    assert (told["path"], [note["path"] for note in told["linked"]]) == ("SecOps/Big Pump.md", ["Weekly/Week.md"])
    assert (vaults / "work" / "Weekly" / "Week.md").read_text() == "See [[Big Pump]].\n"
    assert client.get(f"{NOTES}/{told['note_id']}").status_code == 200
    assert client.get(f"{NOTES}/{told['old_id']}").status_code == 404
    assert client.post(url, json=wanted).status_code == 404


def test_a_staged_note_cannot_be_moved_and_a_taken_name_is_a_conflict(client: TestClient, vaults: Path) -> None:
    staged = f"{NOTES}/{note_id('user', '_inbox/Tea.md')}/move"
    digest = sha256(STAGED.encode()).hexdigest()
    for actor in ("agent", "person"):
        reply = client.post(staged, json={"folder": "facts", "expected_hash": digest, "actor": actor})
        assert reply.status_code == 404, reply.text
    write_note(vaults / "work", "SecOps/Pump.md", "# Twin\n")
    reply = client.post(
        f"{NOTES}/{note_id(*PUMP)}/move", json={"folder": "SecOps", "expected_hash": sha256(TEXT.encode()).hexdigest()}
    )
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "CONFLICT")
    assert (vaults / "user" / "_inbox" / "Tea.md").read_text() == STAGED
