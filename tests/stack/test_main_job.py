"""The main job on the whole stack, with the real model: files in, Markdown on disk, found at once, seen in Dagster."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import lancedb
import pytest

from tests.library.conftest import HANDBOOK
from tests.stack.running import Stack, as_json, running, sha256_of, within
from tests.supervisor.test_stack import is_ready
from tests.supervisor.test_supervisor import pids, until
from wiki.supervisor.ports import answers
from wiki.supervisor.record import read_record

pytestmark = [pytest.mark.stack, pytest.mark.real_model, pytest.mark.timeout(600)]
KNOWLEDGE = "default/default/knowledge"
SOON = 90
"""Seconds; far above the promises, which the freshness benchmark measures: other tests share the machine."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running(tmp_path_factory.mktemp("main") / "root") as stack:
        yield stack


@pytest.fixture(scope="module")
def document(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    file = tmp_path_factory.mktemp("files") / "handbook.md"
    file.write_text(HANDBOOK, encoding="utf-8")
    return stack.upload(file)


def topic_files(stack: Stack, document: dict[str, str]) -> list[Path]:
    (folder,) = (stack.root / KNOWLEDGE).glob(f"*/*{document['doc_id']}*")
    return sorted(folder.glob("[0-9]*.md"))


def test_an_upload_is_a_folder_found_by_search_and_seen_in_dagster(stack: Stack, document: dict[str, str]) -> None:
    assert document["indexed"]
    files = topic_files(stack, document)
    assert len(files) == document["topic_count"] == 3
    assert stack.search("spring is tired")[0]["document"]["doc_id"] == document["doc_id"]
    text = stack.call("GET", f"/api/v1/knowledge/documents/{document['doc_id']}/markdown").text
    assert text == HANDBOOK
    sha = sha256_of(files[0])
    within(SOON, lambda: stack.materializations("topic_vectors", sha))
    event = stack.materializations("topic_vectors", sha)[0]
    assert event["metadata"]["doc_id"] == document["doc_id"]
    assert event["metadata"]["path"].endswith(files[0].name)
    assert {"key": "dagster/data_version", "value": sha} in event["tags"]
    original = next((files[0].parent / "_original").iterdir())
    within(SOON, lambda: stack.materializations("markdown_topics", sha256_of(original)))


def test_hand_edits_are_found(stack: Stack, document: dict[str, str], tmp_path: Path) -> None:
    first, second, third = topic_files(stack, document)
    first.write_text(first.read_text() + "\nA quixotic remark.\n")
    within(SOON, lambda: stack.search("quixotic"))
    replacement = tmp_path / "new"
    replacement.write_text(second.read_text() + "\nA zymurgic remark.\n")
    os.replace(replacement, second)
    within(SOON, lambda: stack.search("zymurgic"))
    renamed = third.rename(third.with_name("3_Renamed_by_hand.md"))
    within(SOON, lambda: stack.search("motors autumn")[0]["md_path"].endswith(renamed.name))
    folder = first.parent
    moved = stack.root / KNOWLEDGE / "Science" / "named by hand"
    moved.parent.mkdir(exist_ok=True)
    folder.rename(moved)
    within(SOON, lambda: stack.search("quixotic")[0]["category_id"] == "Science")
    view = stack.call("GET", f"/api/v1/knowledge/documents/{document['doc_id']}").json()["data"]
    assert (view["md_path"], view["category_id"]) == (f"{KNOWLEDGE}/Science/named by hand", "Science")
    sha = sha256_of(moved / first.name)
    within(SOON, lambda: stack.materializations("topic_vectors", sha))
    (moved / first.name).unlink()
    within(SOON, lambda: not stack.search("quixotic"))
    assert stack.wiki("verify").returncode == 0


def test_deleting_in_one_tenant_changes_nothing_in_the_other(stack: Stack, tmp_path: Path) -> None:
    file = tmp_path / "same.md"
    file.write_text("# Shared\n\nThe lighthouse keeper counts gannets.\n")
    one = stack.upload(file, app_id="acme", project_id="one")
    two = stack.upload(file, app_id="acme", project_id="two")
    keys = {name: f"acme.{name}:{sha256_of(file)}" for name in ("one", "two")}
    within(SOON, lambda: all(stack.materializations("markdown_topics", key) for key in keys.values()))
    gone = stack.call("DELETE", f"/api/v1/knowledge/documents/{one['doc_id']}?app_id=acme&project_id=one")
    assert gone.json()["data"]["deleted_topics"] == 1
    assert stack.search("gannets", app_id="acme", project_id="one") == []
    assert stack.search("gannets", app_id="acme", project_id="two")[0]["document"]["doc_id"] == two["doc_id"]
    assert (stack.root / two["md_path"] / "index.md").exists()
    assert stack.call("GET", f"/api/v1/knowledge/documents/{two['doc_id']}").status_code == 404
    assert stack.materializations("markdown_topics", keys["two"])


def test_a_killed_code_server_loses_no_edit(stack: Stack, tmp_path: Path) -> None:
    source = tmp_path / "many.md"
    paragraphs = (
        f"## Part {n}\n\n" + f"Number {n} of the machine hall is checked by the shift leader. " * 9 for n in range(100)
    )
    source.write_text("# Machine hall\n\n" + "\n\n".join(paragraphs) + "\n")
    many = stack.upload(source)
    files = topic_files(stack, many)
    assert len(files) >= 100
    record = read_record(stack.root)
    assert record is not None
    server = pids(stack.root)["code-server"]
    for number, path in enumerate(files[:100]):
        path.write_text(path.read_text() + "\nAn auroral note.\n")
        if number == 50:
            os.kill(server, signal.SIGKILL)
    assert until(lambda: pids(stack.root).get("code-server") not in (None, server), 10)
    assert until(lambda: answers(record.ports["code-server"]), 90)
    within(SOON, lambda: len(stack.search("auroral", top_k=100)) == 100)
    assert as_json(stack.wiki("verify", "--json"))["ok"]
    shas = [sha256_of(path) for path in (files[0], files[99])]
    within(150, lambda: all(stack.materializations("topic_vectors", sha) for sha in shas))


def test_killed_api_and_code_server_lose_no_accepted_upload(stack: Stack) -> None:
    before = pids(stack.root)
    jobs: list[dict[str, str]] = []
    for number in range(20):
        text = f"# Harvest {number}\n\nField {number} was mown in June and again in September, before the rain.\n"
        files = {"file": (f"harvest-{number}.md", text.encode())}
        reply = stack.call("POST", "/api/v1/knowledge/documents?mode=async", files=files, data={"labels": "harvest"})
        assert reply.status_code == 202, reply.text
        jobs.append(reply.json()["data"])
        if number == 9:
            os.kill(before["code-server"], signal.SIGKILL)
    os.kill(before["api"], signal.SIGKILL)
    assert list((stack.root / "default/default/.jobs").glob("j_*")), "the kill came too late to prove anything"
    assert until(lambda: pids(stack.root).get("api") not in (None, before["api"]) and is_ready(stack.root), 60)

    def states() -> list[str]:
        return [stack.call("GET", f"/api/v1/knowledge/jobs/{job['job_id']}").json()["data"]["status"] for job in jobs]

    within(120, lambda: set(states()) == {"done"})
    listed = stack.call("GET", "/api/v1/knowledge/documents?label=harvest&page_size=100").json()["data"]["documents"]
    assert sorted(item["doc_id"] for item in listed) == sorted(job["doc_id"] for job in jobs)
    assert stack.search("september rain", top_k=100, filters={"label": "harvest"})
    assert as_json(stack.wiki("verify", "--json"))["ok"]


def test_verify_tells_a_removed_row_and_a_deleted_index_comes_back(tmp_path: Path) -> None:
    root = tmp_path / "root"
    file = tmp_path / "handbook.md"
    file.write_text(HANDBOOK, encoding="utf-8")
    with running(root, "--lite") as stack:
        document = stack.upload(file)
        before = stack.call("GET", f"/api/v1/knowledge/documents/{document['doc_id']}").json()["data"]
        assert stack.wiki("verify").returncode == 0
        lancedb.connect(root / ".index/default/default/lance").open_table("passages").delete(
            f"record_id = '{document['doc_id']}_1'"
        )
        assert stack.wiki("verify").returncode == 1
        rebuilt = as_json(stack.wiki("rebuild", "--json"))
        assert rebuilt["embedded"] <= 1
        assert stack.wiki("verify").returncode == 0
        assert as_json(stack.wiki("rebuild", "--json"))["embedded"] == 0
    shutil.rmtree(root / ".index")
    with running(root, "--lite") as stack:
        after = stack.call("GET", f"/api/v1/knowledge/documents/{document['doc_id']}").json()["data"]
        assert after == before
        assert stack.search("spring is tired")
