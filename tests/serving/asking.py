"""Every question that may be put to the service, for tests of what no answer may hold."""

from collections.abc import Iterable

from fastapi.testclient import TestClient

METHODS = ("keyword", "vector", "hybrid")


def answers(client: TestClient, queries: Iterable[str], notes: Iterable[str]) -> dict[str, str]:
    """The answers to ``queries`` by every method and leg, about these note ids, and of every list, by what was asked."""
    found: dict[str, str] = {}
    for query in queries:
        for method in METHODS:
            found[f"{method} {query}"] = search(client, query, method)
        for hybrid in (True, False):
            for mmr in (True, False):
                body = {"query": query, "hybrid": hybrid, "mmr": mmr, "top": 50, "explain": True}
                found[f"search {hybrid} {mmr} {query}"] = str(client.post("/search", json=body).json()["hits"])
    for note in notes:
        for tail in ("", "/related", "/neighbours?depth=3"):
            found[f"{note}{tail}"] = client.get(f"/api/v1/vaults/notes/{note}{tail}").text
    for path in (
        "brief?tokens=20000",
        "links?state=all&page_size=100",
        "orphans?page_size=100",
        "inbox",
        "routes",
        "audit?page_size=100",
    ):
        found[path] = client.get(f"/api/v1/vaults/{path}").text
    for state in ("promoted", "rejected", "expired"):
        found[f"inbox {state}"] = client.get(f"/api/v1/vaults/inbox?state={state}").text
    for path in ("/ready", "/health", "/metrics", "/api/v1/knowledge/categories", "/api/v1/knowledge/documents"):
        found[path] = client.get(path).text
    return found


def search(client: TestClient, query: str, method: str) -> str:
    """What the knowledge search says, of topics and notes."""
    body = {"query": query, "method": method, "top_k": 50, "include_content": True, "explain": True}
    filters = {"record_type": ["topic", "note"]}
    reply = client.post("/api/v1/knowledge/search", json={**body, "filters": filters})
    assert reply.status_code == 200, reply.text
    return reply.text
