"""Whatever is sent to search and list, the answer is an envelope and never a 500."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serving.app import create_app
from tests.serving.conftest import BASE
from wiki.library import Library

MODEST = settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXT = st.text(st.characters(codec=None), max_size=40)
AWKWARD = st.sampled_from(
    [
        '"',
        "'",
        "%",
        "_",
        "\\",
        "*",
        "?",
        "(",
        "a AND",
        "NOT",
        "a:b",
        "\x00",
        "--",
        ";",
        "^",
        "~2",
        "日本",
        "\u202e",
        "🜁",
        "[",
        "{",
    ]
)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | AWKWARD
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=5
)
NAMES = ["category_id", "doc_id", "record_type", "label", "labels", "tag", "type", "status", "language", "fields"]
NAMES += [f"{kind}_{side}" for kind in ("created", "updated", "document_date") for side in ("after", "before")]
FIELDS = st.dictionaries(TEXT | AWKWARD, SCALAR, max_size=3)
DATES = st.datetimes().map(str) | st.dates().map(str)
FILTERS = st.dictionaries(
    st.sampled_from(NAMES), AWKWARD | st.lists(AWKWARD, max_size=3) | DATES | FIELDS | VALUE, max_size=4
)
SENT = {
    "query": AWKWARD | TEXT | VALUE,
    "method": st.sampled_from(["keyword", "vector", "hybrid"]) | VALUE,
    "top_k": st.integers(-1, 200) | VALUE,
    "offset": st.integers(-1, 2_000_000) | VALUE,
    "score_threshold": st.floats() | VALUE,
    "filters": FILTERS | VALUE,
    "facets": st.booleans(),
    "explain": st.booleans(),
    "include_content": st.booleans(),
    "fusion": st.sampled_from(["rrf", "score"]) | VALUE,
    "app_id": st.just("default") | VALUE,
}
ALLOWED = {200, 422}


@pytest.fixture(scope="module")
def served(library: Library) -> Iterator[TestClient]:
    """The tenant default/default, which no other test here uses."""
    with TestClient(create_app(library.settings, library), base_url=BASE) as client:
        for number in range(3):
            text = f"# Note {number}\n\nA text of words, 日本語, and (brackets) [too] number {number}.\n"
            client.post("/api/v1/knowledge/documents?wait=20", files={"file": ("a.md", text.encode())})
        yield client


def check(reply: Any) -> None:
    assert reply.status_code in ALLOWED, reply.text
    assert set(reply.json()) == {"request_id", "data" if reply.status_code == 200 else "error"}


@MODEST
@given(st.fixed_dictionaries({"query": SENT["query"]}, optional={k: v for k, v in SENT.items() if k != "query"}))
def test_any_search_is_answered_or_refused(served: TestClient, body: dict[str, Any]) -> None:
    check(
        served.post(
            "/api/v1/knowledge/search", content=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
        )
    )


@MODEST
@given(
    AWKWARD | TEXT.filter(str.strip),
    FILTERS.map(lambda filters: {name: value for name, value in filters.items() if value is not None}),
    st.sampled_from(["keyword", "vector", "hybrid"]),
)
def test_a_well_formed_search_survives_every_query_text(
    served: TestClient, query: str, filters: dict[str, Any], method: str
) -> None:
    body = json.dumps({"query": query, "filters": filters, "method": method, "facets": True, "explain": True})
    check(served.post("/api/v1/knowledge/search", content=body.encode(), headers={"Content-Type": "application/json"}))


@MODEST
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "category_id": AWKWARD | TEXT,
            "label": AWKWARD | TEXT,
            "q": AWKWARD | TEXT,
            "page": st.integers() | TEXT,
            "page_size": st.integers(-1, 200),
            "sort_by": st.sampled_from(["title", "created_at", "updated_at"]) | TEXT,
            "sort_order": st.sampled_from(["asc", "desc"]) | TEXT,
            "project_id": st.just("default") | TEXT,
        },
    )
)
def test_any_list_is_answered_or_refused(served: TestClient, query: dict[str, Any]) -> None:
    sent = {name: str(value).encode("utf-8", "replace").decode() for name, value in query.items()}
    check(served.get("/api/v1/knowledge/documents", params=sent))
