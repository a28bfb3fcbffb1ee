"""Documents: upload, replace, change, delete, list, read."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse

from serving.deps import DocId, IfMatch, QueryTenant, Service, ServiceDep, Wait, body_tenant, open_tenant
from serving.envelope import Success, success
from serving.errors import documented
from serving.files import OriginalFile
from serving.forms import UPLOAD_FORM
from serving.requests import DocumentListing, DocumentPatch, UploadOptions
from serving.schemas import (
    DocumentCreated,
    DocumentDeleted,
    DocumentDetail,
    DocumentList,
    DocumentPatched,
    DocumentReextracted,
    JobAccepted,
    JobDetail,
    JobLinks,
)
from serving.uploads import Upload, received
from wiki.errors import InvalidInput

router = APIRouter(prefix="/api/v1/knowledge/documents", tags=["documents"])


@dataclass(frozen=True)
class NewDocument:
    upload: Upload
    options: UploadOptions


@dataclass(frozen=True)
class NewVersion:
    doc_id: str
    upload: Upload
    if_match: str | None
    wait: float | None


async def new_document(request: Request, options: Annotated[UploadOptions, Query()]) -> AsyncIterator[NewDocument]:
    """An upload; its query parameters are checked before a byte is read."""
    async with received(request) as upload:
        yield NewDocument(upload, options)


async def new_version(request: Request, doc_id: DocId, tag: IfMatch, wait: Wait = None) -> AsyncIterator[NewVersion]:
    """A replacement; path, query and headers are checked before a byte is read."""
    async with received(request) as upload:
        if upload.doc_id not in (None, doc_id):
            raise InvalidInput(f"body.doc_id: is {upload.doc_id}, the path says {doc_id}", where="body.doc_id")
        yield NewVersion(doc_id, upload, tag, wait)


@router.post(
    "",
    status_code=201,
    openapi_extra=UPLOAD_FORM,
    response_model=Success[DocumentCreated],
    responses={
        200: {"model": Success[DocumentCreated], "description": "`on_duplicate` gave or replaced an existing document"},
        202: {
            "model": Success[JobAccepted],
            "description": "`mode=async`: the file is safe on disk, a job works on it",
        },
        **documented(409, 413, 415, 429, 503),
    },
)
def upload_document(
    request: Request,
    response: Response,
    service: ServiceDep,
    new: Annotated[NewDocument, Depends(new_document, scope="function")],
) -> Success[DocumentCreated] | JSONResponse:
    """Turn a file into a document of topics. Answers when it is on disk and, within `wait` seconds, indexed.

    With `mode=async` it answers as soon as the file is safe: `GET /jobs/{job_id}` tells the rest.
    """
    upload = new.upload
    if new.options.mode == "async":
        return accept_document(request, service, new)
    result = open_tenant(request, upload.tenant).upload(
        upload.path,
        doc_id=upload.doc_id,
        on_duplicate=new.options.on_duplicate,
        wait=new.options.wait,
        **upload.described(),
    )
    response.status_code = 201 if result.created else 200
    request.state.doc_id = result.doc_id
    service.metrics.upload("created" if result.created else "existing")
    return success(request, DocumentCreated.model_validate(result))


def accept_document(request: Request, service: Service, new: NewDocument) -> JSONResponse:
    """The job that will turn the file into a document."""
    upload = new.upload
    tenant = open_tenant(request, upload.tenant)
    with tenant.accept(
        upload.path, doc_id=upload.doc_id, on_duplicate=new.options.on_duplicate, take=True, **upload.described()
    ) as claim:
        job = JobDetail.model_validate(claim.job.view())
    request.state.doc_id = job.doc_id
    service.metrics.upload("accepted")
    scope = urlencode({"app_id": upload.tenant.app_id, "project_id": upload.tenant.project_id})
    place = f"/api/v1/knowledge/jobs/{job.job_id}"
    links = JobLinks(self=f"{place}?{scope}", events=f"{place}/events?{scope}")
    accepted = success(request, JobAccepted(**dict(job), links=links))
    return JSONResponse(accepted.model_dump(mode="json"), 202, {"Location": links.self})


@router.put("/{doc_id}", openapi_extra=UPLOAD_FORM, responses=documented(404, 409, 413, 415, 429, 503))
def replace_document(
    request: Request,
    service: ServiceDep,
    new: Annotated[NewVersion, Depends(new_version, scope="function")],
) -> Success[DocumentCreated]:
    """Put a new version in a document's place. The old one answers until the new one stands."""
    upload = new.upload
    result = open_tenant(request, upload.tenant).replace(
        new.doc_id, upload.path, **upload.described(), if_match=new.if_match, wait=new.wait
    )
    service.metrics.upload("replaced")
    return success(request, DocumentCreated.model_validate(result))


@router.patch("/{doc_id}", responses=documented(404, 409))
def patch_document(
    request: Request, doc_id: DocId, body: DocumentPatch, tag: IfMatch, wait: Wait = None
) -> Success[DocumentPatched]:
    """Change what a document is called, filed or labelled under. Folder, paths and index follow."""
    changes: dict[str, Any] = body.model_dump(exclude={"app_id", "project_id"})
    result = body_tenant(request, body).patch_document(doc_id, **changes, if_match=tag, wait=wait)
    return success(request, DocumentPatched.model_validate(result))


@router.post("/{doc_id}/reextract", responses=documented(404, 409, 503))
def reextract_document(
    request: Request, doc_id: DocId, tenant: QueryTenant, tag: IfMatch, wait: Wait = None
) -> Success[DocumentReextracted]:
    """Make a document's topics anew by the present method. The text, and what a person chose, stay as they are."""
    return success(request, DocumentReextracted.model_validate(tenant.reextract(doc_id, if_match=tag, wait=wait)))


@router.delete(
    "/{doc_id}",
    response_model=Success[DocumentDeleted],
    responses={204: {"description": "no such document"}, **documented()},
)
def delete_document(request: Request, doc_id: DocId, tenant: QueryTenant) -> Success[DocumentDeleted] | Response:
    """Delete a document with its topics and its uploaded file. It is gone from search before the answer."""
    deleted = tenant.delete_document(doc_id)
    if deleted is None:
        return Response(status_code=204)
    return success(request, DocumentDeleted(doc_id=doc_id, deleted_topics=deleted))


@router.get("", responses=documented())
def list_documents(
    request: Request, tenant: QueryTenant, listing: Annotated[DocumentListing, Query()]
) -> Success[DocumentList]:
    """A page of documents. A page past the end is empty."""
    return success(request, DocumentList.model_validate(tenant.list_documents(**listing.model_dump())))


@router.get("/{doc_id}", responses=documented(404))
def get_document(request: Request, response: Response, doc_id: DocId, tenant: QueryTenant) -> Success[DocumentDetail]:
    """A document's metadata, summary, topic tree and faults. `ETag` fits `If-Match` of PUT and PATCH."""
    view = tenant.document(doc_id)
    response.headers["ETag"] = f'"{view.etag}"'
    return success(request, DocumentDetail.model_validate(view))


@router.head("/{doc_id}/original", include_in_schema=False)
@router.get(
    "/{doc_id}/original",
    response_class=FileResponse,
    responses={
        200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}},
        206: {"description": "the range asked for"},
        **documented(404, envelope=False),
    },
)
def get_original(doc_id: DocId, tenant: QueryTenant) -> OriginalFile:
    """The uploaded bytes, as an attachment. Range requests are answered."""
    return OriginalFile(*tenant.original(doc_id))


@router.get(
    "/{doc_id}/markdown",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/markdown": {"schema": {"type": "string"}}}}, **documented(404, envelope=False)},
)
def get_markdown(doc_id: DocId, tenant: QueryTenant) -> PlainTextResponse:
    """The whole document as one Markdown text, without an envelope."""
    return PlainTextResponse(tenant.markdown(doc_id), media_type="text/markdown")
