"""The envelope of every knowledge reply: ``{request_id, data}`` or ``{request_id, error}``."""

from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.requests import Request
from starlette.types import Scope

Data = TypeVar("Data")


class Success(BaseModel, Generic[Data]):
    """What a request that worked answers."""

    request_id: str
    data: Data


class ErrorBody(BaseModel):
    """What went wrong, in words for a person and a code for a program."""

    code: str
    message: str
    details: dict[str, Any] | None = None
    path: str
    timestamp: datetime


class Failure(BaseModel):
    """What a refused or failed request answers."""

    request_id: str
    error: ErrorBody


def request_id(scope: Scope) -> str:
    """The id the outermost middleware gave this request."""
    return scope["state"]["request_id"]


def success(request: Request, data: Data) -> Success[Data]:
    return Success[type(data)](request_id=request_id(request.scope), data=data)


def failure(
    scope: Scope,
    status: int,
    code: str,
    message: str,
    details: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """The failure envelope as a response. Never holds more than its arguments say."""
    error: dict[str, Any] = {"code": code, "message": message}
    if details:
        error["details"] = details
    error["path"] = scope["path"]
    error["timestamp"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return JSONResponse(_encodable({"request_id": request_id(scope), "error": error}), status, headers)


def _encodable(value: Any) -> Any:
    """The value with nothing JSON or UTF-8 cannot carry: lone surrogates escaped, unknown types as text."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(str(key)): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_encodable(item) for item in value]
    if value is None or isinstance(value, bool | int):
        return value
    return str(value)
