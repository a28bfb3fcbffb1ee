"""Documents over HTTP: upload, read back, replace, change, delete."""

import httpx
import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from tests.serving.server import running
from wiki.library import Library
from wiki.settings import Settings

DOCUMENTS = "/api/v1/knowledge/documents"
TEXT = (
    "# Rivers\n\nWater runs downhill and carries stones along, rounding them on the way to the sea.\n\n"
    "## Deltas\n\nWhere a river meets the sea it drops its sand and splits into many arms.\n"
)
OTHER = "# Mountains\n\nGranite peaks rise where plates collide, and glaciers carve their valleys.\n"


def upload(client: TestClient, text: str = TEXT, name: str = "rivers.md", query: str = "", **form: object) -> dict:
    reply = client.post(DOCUMENTS + query, files={"file": (name, text.encode())}, data=form)
    assert reply.status_code in (200, 201), reply.text
    return reply.json()["data"] | {"status": reply.status_code}


def test_an_upload_can_be_read_at_once(client: TestClient) -> None:
    created = upload(client, title="Of rivers", labels="water")
    assert created["status"] == 201
    assert created["title"] == "Of rivers"
    assert created["source_name"] == "rivers.md"
    assert created["duplicate_of"] is None
    detail = client.get(f"{DOCUMENTS}/{created['doc_id']}")
    assert detail.status_code == 200
    data = detail.json()["data"]
    assert len(data["topics"]) == created["topic_count"] >= 1
    assert data["labels"] == ["water"]
    assert not data["md_path"].startswith("/")
    assert not data["original_file_path"].startswith("/")
    topic = client.get(f"/api/v1/knowledge/topics/{data['topics'][0]['topic_id']}").json()["data"]
    assert "Water runs downhill" in topic["content"]
    assert topic["content_labels"] == topic["labels"]


def test_the_title_comes_from_the_file_when_none_is_given(client: TestClient) -> None:
    assert upload(client)["title"] == "Rivers"


def test_the_same_file_twice_is_a_new_document_that_names_the_first(client: TestClient) -> None:
    first = upload(client)
    second = upload(client)
    assert second["status"] == 201
    assert second["doc_id"] != first["doc_id"]
    assert second["duplicate_of"] == first["doc_id"]


@pytest.mark.parametrize("choice", ["return", "replace"])
def test_on_duplicate_can_answer_with_the_existing_document(client: TestClient, choice: str) -> None:
    first = upload(client)
    again = upload(client, query=f"?on_duplicate={choice}")
    assert again["doc_id"] == first["doc_id"]
    assert again["status"] == 200
    assert client.get(DOCUMENTS).json()["data"]["total"] == 1


def test_a_callers_own_id_is_kept_and_a_second_use_of_it_conflicts(client: TestClient) -> None:
    assert upload(client, doc_id="d_0123456789ab")["doc_id"] == "d_0123456789ab"
    reply = client.post(DOCUMENTS, files={"file": ("m.md", OTHER.encode())}, data={"doc_id": "d_0123456789ab"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "CONFLICT")


def test_an_unknown_category_is_refused_and_nothing_stays(client: TestClient) -> None:
    reply = client.post(DOCUMENTS, files={"file": ("a.md", TEXT.encode())}, data={"category_id": "Astrology9"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "INVALID_INPUT")
    assert client.get(DOCUMENTS).json()["data"]["total"] == 0


def test_a_replacement_keeps_the_id(client: TestClient) -> None:
    doc_id = upload(client)["doc_id"]
    reply = client.put(f"{DOCUMENTS}/{doc_id}", files={"file": ("m.md", OTHER.encode())})
    assert reply.status_code == 200, reply.text
    assert reply.json()["data"]["doc_id"] == doc_id
    assert "Granite" in client.get(f"{DOCUMENTS}/{doc_id}/markdown").text


def test_a_replacement_of_nothing_is_404_and_one_that_names_another_id_422(client: TestClient) -> None:
    files = {"file": ("m.md", OTHER.encode())}
    assert client.put(f"{DOCUMENTS}/d_00000000000f", files=files).status_code == 404
    doc_id = upload(client)["doc_id"]
    reply = client.put(f"{DOCUMENTS}/{doc_id}", files=files, data={"doc_id": "d_00000000000f"})
    assert reply.status_code == 422


def test_if_match_guards_replace_and_patch(client: TestClient) -> None:
    doc_id = upload(client)["doc_id"]
    tag = client.get(f"{DOCUMENTS}/{doc_id}").headers["ETag"]
    assert tag.startswith('"') and tag.endswith('"')
    stale = {"If-Match": '"another"'}
    files = {"file": ("m.md", OTHER.encode())}
    for reply in (
        client.patch(f"{DOCUMENTS}/{doc_id}", json={"title": "New"}, headers=stale),
        client.put(f"{DOCUMENTS}/{doc_id}", files=files, headers=stale),
    ):
        assert (reply.status_code, reply.json()["error"]["code"]) == (409, "CONFLICT")
    assert client.patch(f"{DOCUMENTS}/{doc_id}", json={"title": "New"}, headers={"If-Match": tag}).status_code == 200
    changed = client.get(f"{DOCUMENTS}/{doc_id}").headers["ETag"]
    assert changed != tag
    assert client.put(f"{DOCUMENTS}/{doc_id}", files=files, headers={"If-Match": tag}).status_code == 409
    assert client.put(f"{DOCUMENTS}/{doc_id}", files=files, headers={"If-Match": changed}).status_code == 200
    assert client.patch(f"{DOCUMENTS}/{doc_id}", json={}, headers={"If-Match": "*"}).status_code == 200
    assert client.patch(f"{DOCUMENTS}/{doc_id}", json={}, headers={"If-Match": '"a", "b"'}).status_code == 422


def test_a_patch_changes_what_it_names_and_tells_so(client: TestClient) -> None:
    doc_id = upload(client)["doc_id"]
    body = {
        "title": "All rivers",
        "category_id": "Science",
        "labels": ["wet"],
        "document_date": "2026-01-31",
        "fields": {"owner": "Ada"},
    }
    reply = client.patch(f"{DOCUMENTS}/{doc_id}", json=body)
    assert set(reply.json()["data"]["updated_fields"]) == set(body)
    data = client.get(f"{DOCUMENTS}/{doc_id}").json()["data"]
    assert {key: data[key] for key in body} == body
    assert client.patch(f"{DOCUMENTS}/{doc_id}", json={}).json()["data"]["updated_fields"] == []


@pytest.mark.parametrize(
    "body",
    [
        {"title": ""},
        {"title": " - "},
        {"title": "x" * 501},
        {"labels": [""]},
        {"labels": ["x" * 101]},
        {"labels": "wet"},
        {"document_date": "yesterday"},
        {"document_date": "2026-13-01"},
        {"category_id": ""},
        {"category_id": "Astrology9"},
        {"fields": {"": 1}},
        {"fields": ["a"]},
        {"titel": "x"},
        {"app_id": "../x"},
    ],
)
def test_a_patch_that_cannot_be_is_refused(client: TestClient, body: dict) -> None:
    doc_id = upload(client)["doc_id"]
    reply = client.patch(f"{DOCUMENTS}/{doc_id}", json=body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "INVALID_INPUT"), reply.text


def test_a_delete_tells_how_many_topics_went_and_then_finds_nothing(client: TestClient) -> None:
    created = upload(client)
    reply = client.delete(f"{DOCUMENTS}/{created['doc_id']}")
    assert reply.status_code == 200
    assert reply.json()["data"] == {"doc_id": created["doc_id"], "deleted_topics": created["topic_count"]}
    again = client.delete(f"{DOCUMENTS}/{created['doc_id']}")
    assert (again.status_code, again.content) == (204, b"")
    for path in ("", "/original", "/markdown"):
        assert client.get(f"{DOCUMENTS}/{created['doc_id']}{path}").status_code == 404


@pytest.mark.parametrize("doc_id", ["x", "d_123", "d_0123456789AB", "d_" + "0" * 33, "d_0123456789ab%0A"])
def test_an_id_of_the_wrong_form_is_422_everywhere(client: TestClient, doc_id: str) -> None:
    replies = [
        client.get(f"{DOCUMENTS}/{doc_id}"),
        client.get(f"{DOCUMENTS}/{doc_id}/original"),
        client.get(f"{DOCUMENTS}/{doc_id}/markdown"),
        client.delete(f"{DOCUMENTS}/{doc_id}"),
        client.patch(f"{DOCUMENTS}/{doc_id}", json={}),
        client.put(f"{DOCUMENTS}/{doc_id}", files={"file": ("a.md", b"# A\n\ntext")}),
    ]
    assert [reply.status_code for reply in replies] == [422] * len(replies)


def test_the_list_pages_sorts_and_filters(client: TestClient) -> None:
    upload(client, title="Beta", labels="wet", category_id="Science")
    upload(client, OTHER, "m.md", title="Alpha", category_id="Travel")
    upload(client, OTHER + "more\n", "n.md", title="Gamma", category_id="Travel")

    def titles(query: str) -> list[str]:
        data = client.get(f"{DOCUMENTS}?{query}").json()["data"]
        return [item["title"] for item in data["documents"]]

    assert titles("sort_by=title&sort_order=asc") == ["Alpha", "Beta", "Gamma"]
    assert titles("sort_by=title&sort_order=desc&page_size=2&page=2") == ["Alpha"]
    assert titles("page=1000000000") == []
    assert titles("label=wet") == ["Beta"]
    assert titles("q=alph") == ["Alpha"]
    assert sorted(titles("category_id=Travel")) == ["Alpha", "Gamma"]
    assert client.get(DOCUMENTS).json()["data"]["total"] == 3


@pytest.mark.parametrize("query", ["page=0", "page_size=101", "page_size=0", "sort_by=size", "sort_order=up", "page=x"])
def test_a_list_parameter_out_of_bounds_is_refused(client: TestClient, query: str) -> None:
    assert client.get(f"{DOCUMENTS}?{query}").status_code == 422


def test_the_original_comes_back_byte_for_byte_as_an_attachment(client: TestClient) -> None:
    doc_id = upload(client, name='flüsse "2026".md')["doc_id"]
    reply = client.get(f"{DOCUMENTS}/{doc_id}/original")
    assert reply.content == TEXT.encode()
    disposition = reply.headers["Content-Disposition"]
    assert disposition.startswith("attachment; ")
    assert "filename*=UTF-8''fl%C3%BCsse%20" in disposition
    assert reply.headers["Content-Type"].startswith("text/markdown")
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in reply.headers["Content-Security-Policy"]


def test_ranges_of_the_original_are_answered_over_a_real_connection(settings: Settings, library: Library) -> None:
    content = TEXT.encode()
    with running(create_app(settings, library)) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        doc_id = client.post(DOCUMENTS, files={"file": ("a.md", content)}).json()["data"]["doc_id"]

        def part(asked: str) -> httpx.Response:
            return client.get(f"{DOCUMENTS}/{doc_id}/original", headers={"Range": asked})

        first = part("bytes=0-3")
        assert (first.status_code, first.content) == (206, content[:4])
        assert first.headers["Content-Range"] == f"bytes 0-3/{len(content)}"
        assert part("bytes=-5").content == content[-5:]
        assert part("bytes=10-").content == content[10:]
        assert part("bytes=0-1,8-9").headers["Content-Type"].startswith("multipart/byteranges")
        beyond = part(f"bytes={len(content)}-")
        assert (beyond.status_code, beyond.json()["error"]["code"]) == (416, "RANGE_NOT_SATISFIABLE")
        assert beyond.headers["Content-Range"] == f"bytes */{len(content)}"
        assert (part("lines=1-2").status_code, part("lines=1-2").content) == (200, content)
        assert client.head(f"{DOCUMENTS}/{doc_id}/original").headers["Content-Length"] == str(len(content))


def test_the_markdown_is_the_whole_document_without_an_envelope(client: TestClient) -> None:
    reply = client.get(f"{DOCUMENTS}/{upload(client)['doc_id']}/markdown")
    assert reply.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert "Water runs downhill" in reply.text
    assert "splits into many arms" in reply.text


def test_tenants_do_not_see_each_other(client: TestClient) -> None:
    doc_id = upload(client, app_id="acme")["doc_id"]
    assert client.get(f"{DOCUMENTS}/{doc_id}").status_code == 404
    assert client.get(f"{DOCUMENTS}/{doc_id}", params={"app_id": "acme", "project_id": "other"}).status_code == 404
    assert client.get(f"{DOCUMENTS}/{doc_id}", params={"app_id": "acme"}).status_code == 200
    assert client.patch(f"{DOCUMENTS}/{doc_id}", json={"title": "Mine"}).status_code == 404
    assert client.delete(f"{DOCUMENTS}/{doc_id}").status_code == 204
    assert client.patch(f"{DOCUMENTS}/{doc_id}", json={"title": "Mine", "app_id": "acme"}).status_code == 200


def test_a_tenant_in_the_query_of_an_upload_counts_and_may_not_contradict_the_form(client: TestClient) -> None:
    doc_id = upload(client, query="?app_id=acme")["doc_id"]
    assert client.get(f"{DOCUMENTS}/{doc_id}?app_id=acme").status_code == 200
    reply = client.post(f"{DOCUMENTS}?app_id=acme", files={"file": ("a.md", b"# A\n")}, data={"app_id": "other"})
    assert reply.status_code == 422


@pytest.mark.parametrize("name", ["..", ".hidden", "a/b", "x" * 65, "a b", "-a", ""])
def test_a_tenant_name_of_the_wrong_form_is_refused(client: TestClient, name: str) -> None:
    assert client.get(DOCUMENTS, params={"app_id": name}).status_code == 422
    assert client.post("/api/v1/knowledge/search", json={"query": "x", "project_id": name}).status_code == 422


def test_reading_an_unused_tenant_makes_nothing_on_disk(client: TestClient, library: Library) -> None:
    name = "nobody"
    assert client.get(DOCUMENTS, params={"app_id": name}).json()["data"]["total"] == 0
    assert client.post("/api/v1/knowledge/search", json={"query": "rain", "app_id": name}).json()["data"]["hits"] == []
    assert not (library.root / name).exists()


def test_a_document_is_reextracted(client: TestClient) -> None:
    created = upload(client)
    place = f"{DOCUMENTS}/{created['doc_id']}"
    found = client.get(place)
    topics = found.json()["data"]["topics"]
    same = client.post(f"{place}/reextract")
    assert same.status_code == 200
    assert same.json()["data"] == {
        "doc_id": created["doc_id"], "changed": False, "method": "outline", "topic_count": len(topics),
        "category_id": created["category_id"], "kept": [], "indexed": True, "extraction_fallback": None,
    }  # fmt: skip
    assert client.get(place).headers["etag"] == found.headers["etag"]
    renamed = client.patch(f"/api/v1/knowledge/topics/{topics[0]['topic_id']}", json={"name": "My rivers"})
    assert renamed.status_code == 200
    assert client.post(f"{place}/reextract").json()["data"]["kept"] == ["My rivers"]
    assert client.get(place).json()["data"]["topics"][0]["topic_name"] == "My rivers"


def test_reextracting_what_is_not_there_or_was_changed_is_refused(client: TestClient) -> None:
    assert client.post(f"{DOCUMENTS}/d_000000000000/reextract").status_code == 404
    place = f"{DOCUMENTS}/{upload(client)['doc_id']}/reextract"
    refused = client.post(place, headers={"If-Match": f'"{"0" * 32}"'})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "CONFLICT")


def test_an_edited_document_is_reextracted_and_its_index_follows(client: TestClient) -> None:
    created = upload(client)
    place = f"{DOCUMENTS}/{created['doc_id']}"
    [first, *_] = client.get(place).json()["data"]["topics"]
    topic = f"/api/v1/knowledge/topics/{first['topic_id']}"
    content = client.get(topic).json()["data"]["content"]
    assert client.patch(topic, json={"content": content + "Eels pass the weir at night.\n\n"}).status_code == 200
    text = client.get(f"{place}/markdown").text
    tag = client.get(place).headers["etag"]
    answer = client.post(f"{place}/reextract", headers={"If-Match": tag})
    assert (answer.status_code, answer.json()["data"]["changed"], answer.json()["data"]["indexed"]) == (200, True, True)
    assert client.get(f"{place}/markdown").text == text
    assert client.get(place).headers["etag"] != tag
    assert client.post(f"{place}/reextract", headers={"If-Match": tag}).status_code == 409
    assert client.post(f"{place}/reextract", params={"project_id": "other"}).status_code == 404


def test_a_document_that_is_being_replaced_is_not_reextracted(
    client: TestClient, library: Library, project: str
) -> None:
    doc_id = upload(client)["doc_id"]
    tenant = library.tenant(project_id=project)
    with tenant.documents.replacing(doc_id):
        assert client.post(f"{DOCUMENTS}/{doc_id}/reextract").status_code == 409
    assert client.post(f"{DOCUMENTS}/{doc_id}/reextract").status_code == 200
