"""Broken and ambiguous links, and notes without links, as lists."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.index.notes.vaults_on_disk import write_note
from wiki.library import Library
from wiki.vaults.model import note_id

LINKS, ORPHANS = "/api/v1/vaults/links", "/api/v1/vaults/orphans"


@pytest.fixture
def vaults(library: Library, project: str) -> Path:
    vaults = library.root / "default" / project / "vaults"
    write_note(vaults / "work", "A.md", "To [[B]], [[Gone]], ![[map.png]], [[#Here]] and [[Twin]].\n\n## Here\n")
    write_note(vaults / "work", "B.md", "Nothing more. [[Release 1.2]]\n")
    write_note(vaults / "work", "x/Twin.md", "One.\n")
    write_note(vaults / "work", "y/Twin.md", "The other.\n")
    write_note(vaults / "work", "Alone.md", "Only [[Missing]] and [[Alone]].\n")
    write_note(vaults / "user", "facts/Lone.md", "Likes tea, see [[Staged]].\n")
    write_note(vaults / "user", "_inbox/Staged.md", "A secret, see [[Nowhere]].\n")
    write_note(vaults / "work", "Template.md", "---\nstatus: template\n---\n[[Nothing yet]]\n")
    library.tenant("default", project).sync()
    return vaults


def read(client: TestClient, place: str, **asked: Any) -> dict[str, Any]:
    reply = client.get(place, params=asked)
    assert reply.status_code == 200, reply.text
    return reply.json()["data"]


@pytest.mark.usefixtures("vaults")
def test_broken_links_are_those_no_note_answers_to(client: TestClient) -> None:
    data = read(client, LINKS)
    assert [(link["path"], link["target"], link["line"]) for link in data["links"]] == [
        ("A.md", "Gone", 1),
        ("Alone.md", "Missing", 1),
        ("B.md", "Release 1.2", 1),
    ]
    assert data["total"] == 3
    assert all(link["state"] == "broken" and link["note_id"] is None for link in data["links"])


@pytest.mark.usefixtures("vaults")
def test_ambiguous_links_name_the_likeliest_note(client: TestClient) -> None:
    (link,) = read(client, LINKS, state="ambiguous")["links"]
    assert (link["target"], link["target_path"], link["state"]) == ("Twin", "x/Twin.md", "ambiguous")


@pytest.mark.usefixtures("vaults")
def test_orphans_have_no_link_to_or_from_another_note(client: TestClient) -> None:
    data = read(client, ORPHANS)
    assert [note["path"] for note in data["notes"]] == ["Alone.md", "y/Twin.md"]
    assert data["notes"][0]["note_id"] == note_id("work", "Alone.md")
    assert read(client, ORPHANS, vault="user")["notes"] == []


@pytest.mark.usefixtures("vaults")
def test_the_lists_come_in_pages(client: TestClient) -> None:
    pages = [read(client, LINKS, state="all", page=page, page_size=2)["links"] for page in (1, 2, 3, 4, 5, 6)]
    whole = read(client, LINKS, state="all", page_size=100)
    assert [link for page in pages for link in page] == whole["links"]
    assert len(whole["links"]) == whole["total"] == 9
    assert [len(read(client, ORPHANS, page=page, page_size=1)["notes"]) for page in (1, 2, 3)] == [1, 1, 0]
    for wrong in ({"page": 0}, {"page_size": 101}, {"state": "odd"}, {"vault": "wrok"}):
        assert client.get(LINKS, params=wrong).status_code == 422


def test_a_hidden_note_is_in_no_list(client: TestClient, vaults: Path) -> None:
    replies = [client.get(LINKS, params={"state": state}).text for state in ("broken", "ambiguous", "all")]
    replies.append(client.get(ORPHANS).text)
    for text in replies:
        for secret in ("_inbox", note_id("user", "_inbox/Staged.md"), "Nowhere", "Nothing yet"):
            assert secret not in text
    (vaults / "work" / "Alone.md").write_text("---\nstatus: template\n---\nOnly [[Missing]].\n")
    assert "Alone.md" not in client.get(ORPHANS).text + client.get(LINKS).text
