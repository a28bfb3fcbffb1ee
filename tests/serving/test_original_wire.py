"""The request agents already know, against vaults made by ``wiki vault init``, and the questions its documents ask."""

import pytest
from fastapi.testclient import TestClient

from tests.index.notes.vaults_on_disk import write_note
from wiki.library import Library
from wiki.tenants import Layout, Tenant
from wiki.vaults.init import NAMES, init_vaults

RIGHT = {
    "how do I record an architecture decision": "Architecture/decisions/0001-one-queue.md",
    "certificate rotation": "SecOps/rotation-of-certificates.md",
    "cost anomaly": "FinOps/2026-11-cost-review.md",
}
NOTES = {
    "Architecture/decisions/0001-one-queue.md": "---\ntype: adr\nstatus: accepted\ndate: 2026-11-02\n---\n# One queue for "
    "all jobs\n\nEach architecture decision is recorded as a numbered note here, with why it was taken.\n",
    "SecOps/rotation-of-certificates.md": "---\ntype: rotation\n---\n# Certificates of the gateway\n\nTheir rotation takes "
    "place each quarter; a certificate is replaced two weeks before it ends.\n",
    "FinOps/2026-11-cost-review.md": "---\ntype: cost-review\n---\n# November\n\nOne anomaly: the cost of storage doubled "
    "after the backup was moved.\n",
    "CloudOps/backup.md": "---\ntype: runbook\n---\n# Backup\n\nHow the nightly copy is made and brought back.\n",
    "DevOps/release.md": "---\ntype: release-flow\n---\n# Release\n\nA tag on the main branch starts the pipeline.\n",
}
CONVENTIONS = "README.md"
"""Tells how decisions are recorded as well: it may stand above the decision itself."""
ALL_FIELDS = {"top": 8, "vaults": [], "namespaces": [], "hybrid": True, "mmr": True, "mmr_lambda": 0.7}
OF_A_HIT = {"chunk_id", "vault_id", "namespace", "path", "heading", "content", "score"}


@pytest.fixture
def made(client: TestClient, library: Library, project: str) -> TestClient:
    layout = Layout(library.root, Tenant("default", project))
    init_vaults(layout, NAMES)
    for path, text in NOTES.items():
        write_note(layout.home / "vaults" / "work", path, text)
    library.tenant("default", project).sync()
    return client


def test_the_seven_fields_are_taken_and_hits_have_the_known_shape(made: TestClient, library: Library) -> None:
    reply = made.post("/search", json={"query": "certificate rotation", **ALL_FIELDS})
    assert reply.status_code == 200
    hits = reply.json()["hits"]
    assert hits and all(hit.keys() >= OF_A_HIT for hit in hits)
    best = hits[0]
    assert (best["vault_id"], best["namespace"], best["path"]) == ("work", "SecOps", RIGHT["certificate rotation"])
    assert best["heading"] == "Certificates of the gateway"
    assert best["heading_path"] == ["Certificates of the gateway"]
    assert str(library.root) not in reply.text


@pytest.mark.parametrize("question", RIGHT)
@pytest.mark.parametrize("asked", [{}, {"hybrid": True}, {"vaults": ["work"]}, {"mmr": True, "mmr_lambda": 0.9}])
def test_each_documented_question_finds_its_note_before_other_notes(
    made: TestClient, question: str, asked: dict[str, object]
) -> None:
    hits = made.post("/search", json={"query": question, **asked}).json()["hits"]
    first = next(hit["path"] for hit in hits if hit["path"] != CONVENTIONS)
    assert first == RIGHT[question]


@pytest.mark.parametrize("question", RIGHT)
def test_words_alone_find_it_too(made: TestClient, question: str) -> None:
    asked = {"query": question, "method": "keyword", "filters": {"record_type": ["note"]}}
    reply = made.post("/api/v1/knowledge/search", json=asked)
    assert reply.status_code == 200
    assert reply.json()["data"]["hits"][0]["md_path"] == f"work/{RIGHT[question]}"


def test_filters_by_vault_and_namespace_hold_and_a_wrong_name_is_told(made: TestClient) -> None:
    asked = {"query": "certificate rotation", "hybrid": False, "namespaces": ["FinOps", "DevOps"]}
    paths = {hit["path"] for hit in made.post("/search", json=asked).json()["hits"]}
    assert paths >= {"FinOps/2026-11-cost-review.md", "DevOps/release.md"}
    assert all(path.startswith(("FinOps/", "DevOps/")) for path in paths)
    assert made.post("/search", json={"query": "cost", "vaults": ["wrok"]}).status_code == 422
    for wrong in ({"top": 0}, {"top": 51}, {"mmr_lambda": 2}, {"query": " "}):
        assert made.post("/search", json={"query": "cost", **wrong}).status_code == 422


@pytest.mark.parametrize("hybrid", [True, False])
def test_templates_and_examples_are_in_no_answer(
    made: TestClient, library: Library, project: str, hybrid: bool
) -> None:
    rows = library.tenant("default", project).index.snapshots.cursor()
    assert rows is not None
    hidden = {row[0] for row in rows.execute("SELECT path FROM notes WHERE hidden IS NOT NULL").fetchall()}
    assert hidden
    for question in (*RIGHT, "template example", "runbook decision review observation"):
        found = made.post("/search", json={"query": question, "top": 50, "hybrid": hybrid}).json()["hits"]
        assert not hidden & {hit["path"] for hit in found}
