"""What ``wiki up --add --ask`` does once the wiki is ready: put files in over HTTP and show a first answer."""

import mimetypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wiki.cli.add import collect

if TYPE_CHECKING:
    import httpx

    from wiki.cli.scope import Scope

UPLOAD_SECONDS = 600.0
WAIT_SECONDS = 30
SNIPPET_CHARACTERS = 300


def take_first_steps(
    url: str, where: "Scope", paths: Sequence[Path], question: str | None, tell: Callable[[str], None]
) -> None:
    """Upload each file (what is there by hash stays as it is), then search. A refused file is told and passed over."""
    import httpx

    with httpx.Client(base_url=f"{url}/api/v1/knowledge", timeout=UPLOAD_SECONDS) as client:
        for path in collect(paths, where.root):
            tell(f"{_upload(client, where, path)} {path}")
        if question:
            tell(_answer(client, where, question))


def _upload(client: "httpx.Client", where: "Scope", path: Path) -> str:
    if not path.is_file():
        return "missing"
    form = {"app_id": where.app_id, "project_id": where.project_id}
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    with path.open("rb") as stream:
        reply = client.post(
            "/documents",
            params={"on_duplicate": "return", "wait": WAIT_SECONDS},
            data=form,
            files={"file": (path.name, stream, kind)},
        )
    if reply.status_code >= 400:
        return f"failed ({_problem(reply)})"
    return "added  " if reply.status_code == 201 else "skipped"


def _answer(client: "httpx.Client", where: "Scope", question: str) -> str:
    body = {"query": question, "top_k": 1, "app_id": where.app_id, "project_id": where.project_id}
    reply = client.post("/search", json=body)
    if reply.status_code >= 400:
        return f"search failed ({_problem(reply)})"
    hits: list[dict[str, Any]] = reply.json()["data"]["hits"]
    if not hits:
        return f"{question}\n  nothing found yet"
    hit = hits[0]
    text = " ".join((hit.get("snippet") or {}).get("text", hit["summary"]).split())[:SNIPPET_CHARACTERS]
    return f"{question}\n  {hit['topic_path']} ({hit['score']:.2f})\n  {text}\n  {hit.get('md_path', '')}".rstrip()


def _problem(reply: "httpx.Response") -> str:
    try:
        error = reply.json()["error"]
        return f"{error['code']}: {error['message']}"
    except (ValueError, KeyError):
        return f"HTTP {reply.status_code}"
