"""From exceptions to failure envelopes: the error table of the HTTP reference."""

import logging
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Scope

from serving.envelope import Failure, failure
from wiki.errors import InternalError, InvalidInput, WikiError

LOG = logging.getLogger("serving.errors")

HTTP_CODES = {
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    408: "REQUEST_TIMEOUT",
    413: "TOO_LARGE",
    416: "RANGE_NOT_SATISFIABLE",
    429: "RATE_LIMITED",
}

_MEANING = {
    403: "Host or Origin is not allowed",
    404: "no such document, topic or job in this tenant",
    409: "the id exists, If-Match does not match, another replace is running, or the job can't be changed now",
    413: "the body is over the limit",
    415: "unknown, damaged or encrypted file",
    422: "a value is missing, malformed or unknown; or the file holds no text",
    429: "too many uploads at once; see Retry-After",
    500: "a provider that is needed is not configured, or a fault of the service",
    503: "a configured provider failed, or something is not installed",
}


def documented(*statuses: int, envelope: bool = True) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route for OpenAPI: the failure envelope for each status, 403 and 422 and 500 always.

    ``envelope=False`` for routes whose success is no JSON: FastAPI would give failures their media type too.
    """
    failure_text = {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}}
    shape: dict[str, Any] = {"model": Failure} if envelope else {"content": failure_text}
    return {status: {**shape, "description": _MEANING[status]} for status in sorted({403, 422, 500, *statuses})}


def answer(scope: Scope, error: WikiError) -> JSONResponse:
    """One of our errors as its failure envelope, without any absolute path of the root."""
    details = dict(error.details)
    headers: dict[str, str] = {}
    if error.http_status == 429:
        headers["Retry-After"] = str(max(1, round(float(details.setdefault("retry_after", 1)))))
    root = scope["app"].state.service.settings.root if "app" in scope else None
    message = without_root(error.message, root)
    return failure(scope, error.http_status, error.code, message, without_root(details, root), headers)


def install(app: FastAPI) -> None:
    """Register the handlers. What none of them knows is answered by the outermost middleware."""

    async def ours(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, WikiError)
        if isinstance(error, InternalError):
            LOG.error("request_id=%s %s", request.state.request_id, error.message, exc_info=error)
        return answer(request.scope, error)

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        if isinstance(error.__cause__, WikiError):
            return answer(request.scope, error.__cause__)
        if error.status_code == 400:
            return answer(request.scope, InvalidInput(f"the body cannot be read: {error.detail}", where="body"))
        code = HTTP_CODES.get(error.status_code, "INTERNAL_ERROR" if error.status_code >= 500 else "INVALID_INPUT")
        message = _http_message(request, error)
        return failure(request.scope, error.status_code, code, message, headers=dict(error.headers or {}))

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return answer(request.scope, explain(error))

    app.add_exception_handler(WikiError, ours)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)


def explain(error: RequestValidationError | ValidationError) -> InvalidInput:
    """A validation error in words: where and what, never the value itself."""
    found = [{"where": _where(item), "what": _what(item)} for item in error.errors()[:20]]
    return InvalidInput("; ".join(f"{item['where']}: {item['what']}" for item in found), errors=found)


def _where(item: dict[str, Any]) -> str:
    location = item["loc"][:1] if item["type"] == "json_invalid" else item["loc"]
    return ".".join(str(part)[:80] for part in location) or "body"


def _what(item: dict[str, Any]) -> str:
    if item["type"] == "extra_forbidden":
        return "unknown field"
    if item["type"] == "missing":
        return "is required"
    if item["type"] == "json_invalid":
        return f"not valid JSON: {item.get('ctx', {}).get('error', 'cannot be read')}"
    return str(item["msg"]).removeprefix("Value error, ")


def _http_message(request: Request, error: HTTPException) -> str:
    if error.status_code == 404:
        return "no such route; /openapi.json lists them all"
    if error.status_code == 405:
        return f"{request.method} is not allowed here"
    return str(error.detail)


def without_root(value: Any, root: Path | None) -> Any:
    """The value without any absolute path of the root."""
    if isinstance(value, str) and root is not None:
        return value.replace(f"{root}/", "").replace(str(root), "the root")
    if isinstance(value, Path):
        return without_root(str(value), root)
    if isinstance(value, dict):
        return {key: without_root(item, root) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_root(item, root) for item in value]
    return value
