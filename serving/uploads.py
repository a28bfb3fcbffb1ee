"""Uploads: a multipart form streamed to a temporary file that is gone when the request ends."""

import asyncio
import os
import re
import tempfile
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from serving.deps import DOC_ID_PATTERN, merged_tenant, service_of
from serving.multipart import FormReader
from serving.wording import clean_labels, clean_title
from wiki.errors import InternalError, InvalidInput, WikiError
from wiki.presence import is_alive
from wiki.tenants import INDEX_DIR, Tenant

STALL_SECONDS = 60.0
"""An upload that sends nothing for so long gives its slot back."""
ABANDONED_SECONDS = 3_600
MAX_FILE_NAME_BYTES = 255
QUERY_OPTIONS = {"mode", "on_duplicate", "wait"}
FORM_FIELDS = {"title", "category_id", "doc_id", "source_type", "labels", "app_id", "project_id"}

Given = TypeVar("Given")
Clean = TypeVar("Clean")


@dataclass(frozen=True)
class Upload:
    """A received form: the file on disk and what the caller said of it."""

    path: Path
    name: str
    tenant: Tenant
    title: str | None
    category_id: str | None
    doc_id: str | None
    source_type: str | None
    labels: tuple[str, ...] | None

    def described(self) -> dict[str, Any]:
        """What the caller said, as the library's keyword arguments; what was not said is absent."""
        said = {
            "name": self.name,
            "title": self.title,
            "category_id": self.category_id,
            "source_type": self.source_type,
            "labels": self.labels,
        }
        return {name: value for name, value in said.items() if value is not None}


@asynccontextmanager
async def received(request: Request) -> AsyncGenerator[Upload]:
    """The request's form. Counts against the upload slots and the size limit; leaves no file behind."""
    service = service_of(request)
    try:
        with service.slots.take():
            folder = receiving_folder(service.settings.root)
            descriptor, name = await run_in_threadpool(tempfile.mkstemp, dir=folder, prefix=f"{os.getpid()}-")
            path = Path(name)
            try:
                form = FormReader(request.headers.get("content-type", ""), service.settings.knowledge.max_upload_bytes)
                await _drain(request, form, descriptor)
                yield _upload(request, form, path)
            finally:
                path.unlink(missing_ok=True)
    except WikiError as error:
        service.metrics.upload(error.code)
        raise


def receiving_folder(root: Path) -> Path:
    """Where half-received uploads lie: beside the indexes, never among what is served."""
    folder = root / INDEX_DIR / ".uploads"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def clear_abandoned(root: Path) -> int:
    """Remove what processes that were killed left half-received. Gives the number of files."""
    removed = 0
    for path in receiving_folder(root).iterdir():
        owner = path.name.partition("-")[0]
        if (
            int(owner) == os.getpid()
            or not is_alive(int(owner))
            or path.stat().st_mtime < time.time() - ABANDONED_SECONDS
        ):
            path.unlink(missing_ok=True)
            removed += 1
    return removed


async def _drain(request: Request, form: FormReader, descriptor: int) -> None:
    chunks = aiter(request.stream())
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        while True:
            try:
                chunk = await asyncio.wait_for(anext(chunks), STALL_SECONDS)
            except StopAsyncIteration:
                break
            except TimeoutError:
                raise HTTPException(408, f"nothing was received for {STALL_SECONDS:.0f} seconds") from None
            form.feed(chunk)
            await _store(file.write, form.take(at_least=1024 * 1024))
        form.finish()
        await _store(file.write, form.take(at_least=1))


async def _store(write: Callable[[bytes], int], data: bytes) -> None:
    if not data:
        return
    try:
        await run_in_threadpool(write, data)
    except OSError as error:
        raise InternalError(f"the upload could not be stored: {error.strerror}; free some disk space") from error


def _upload(request: Request, form: FormReader, path: Path) -> Upload:
    if form.file_name is None:
        raise InvalidInput("body.file: the form has no part named file with a file name", where="body.file")
    for field in form.fields:
        if field in QUERY_OPTIONS:
            raise InvalidInput(f"body.{field}: belongs in the query (?{field}=...)", where=f"body.{field}")
        if field not in FORM_FIELDS:
            raise InvalidInput(f"body.{field[:80]}: unknown field", where=f"body.{field[:80]}")
    doc_id = _single(form, "doc_id")
    if doc_id is not None and not re.fullmatch(DOC_ID_PATTERN, doc_id):
        raise InvalidInput("body.doc_id: must be d_ and 12 to 32 of 0-9 a-f", where="body.doc_id")
    title = form.fields.get("title")
    labels = form.fields.get("labels")
    return Upload(
        path=path,
        name=_file_name(form.file_name),
        tenant=merged_tenant(request, _single(form, "app_id"), _single(form, "project_id")),
        title=_clean("title", clean_title, title[-1]) if title else None,
        category_id=_single(form, "category_id"),
        doc_id=doc_id,
        source_type=_single(form, "source_type"),
        labels=tuple(_clean("labels", clean_labels, _split(labels))) if labels else None,
    )


def _clean(field: str, rule: Callable[[Given], Clean], value: Given) -> Clean:
    try:
        return rule(value)
    except ValueError as error:
        raise InvalidInput(f"body.{field}: {error}", where=f"body.{field}") from None


def _single(form: FormReader, field: str) -> str | None:
    values = form.fields.get(field, [])
    if len(values) > 1:
        raise InvalidInput(f"body.{field}: given {len(values)} times", where=f"body.{field}")
    return (values[0].strip() or None) if values else None


def _split(values: list[str]) -> list[str]:
    return [label for value in values for label in value.split(",") if label.strip()]


def _file_name(given: str) -> str:
    name = given.replace("\\", "/").rpartition("/")[2].strip()
    if name in ("", ".", "..") or any(ord(sign) < 32 or ord(sign) == 127 for sign in name):
        raise InvalidInput("body.file: has no usable file name", where="body.file")
    if len(name.encode()) > MAX_FILE_NAME_BYTES:
        raise InvalidInput(f"body.file: its name is longer than {MAX_FILE_NAME_BYTES} bytes", where="body.file")
    return name
