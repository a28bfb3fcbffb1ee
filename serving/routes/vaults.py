"""Notes of vaults: read one, what is near it, and the brief for an agent."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from serving.deps import NOTE_ID_PATTERN, QueryTenant, Wait, body_tenant
from serving.envelope import Success, success
from serving.errors import documented
from serving.notes import BriefReply, NeighbourNotes, NewNote, NoteDetail, NoteWritten, RelatedNotes
from serving.routes import audit, links
from wiki.library.notes import BRIEF_TOKENS, MOST_DEPTH, MOST_RELATED
from wiki.vaults.contract import Contract

router = APIRouter(prefix="/api/v1/vaults", tags=["vaults"])
router.include_router(links.router)
router.include_router(audit.router)
NoteId = Annotated[str, Path(pattern=NOTE_ID_PATTERN, description="Id of a note.")]


@router.post("/notes", status_code=201, responses=documented(403, 409))
def write_note(request: Request, response: Response, body: NewNote, wait: Wait = None) -> Success[NoteWritten]:
    """Write a note: the contract decides the vault, the folder and the file name. 200 for a dry run."""
    written, indexed = body_tenant(request, body).write_note(body.to_request(), wait=wait)
    response.status_code = 200 if body.dry_run else 201
    return success(request, NoteWritten(**asdict(written), dry_run=body.dry_run, indexed=indexed))


@router.get("/routes", responses=documented(500))
def routes(request: Request, tenant: QueryTenant) -> Success[Contract]:
    """The writing contract in force."""
    return success(request, tenant.contract())


@router.get("/notes/{note_id}", responses=documented(404))
def get_note(request: Request, response: Response, note_id: NoteId, tenant: QueryTenant) -> Success[NoteDetail]:
    """A note with its text, its front matter, its headings and its links in both directions."""
    view = tenant.note(note_id)
    response.headers["ETag"] = f'"{view.content_hash}"'
    return success(request, NoteDetail.model_validate(view))


@router.get("/notes/{note_id}/related", responses=documented(404))
def related_notes(
    request: Request,
    note_id: NoteId,
    tenant: QueryTenant,
    limit: Annotated[int, Query(ge=1, le=MOST_RELATED)] = 10,
) -> Success[RelatedNotes]:
    """The notes nearest by meaning."""
    return success(request, RelatedNotes.model_validate({"notes": tenant.related_notes(note_id, limit)}))


@router.get("/notes/{note_id}/neighbours", responses=documented(404))
def neighbour_notes(
    request: Request, note_id: NoteId, tenant: QueryTenant, depth: Annotated[int, Query(ge=1, le=MOST_DEPTH)] = 1
) -> Success[NeighbourNotes]:
    """The notes that links lead to or come from, a few steps far."""
    return success(request, NeighbourNotes.model_validate({"notes": tenant.neighbours(note_id, depth)}))


@router.get("/brief", responses=documented())
def brief(
    request: Request,
    tenant: QueryTenant,
    tokens: Annotated[int, Query(ge=BRIEF_TOKENS[0], le=BRIEF_TOKENS[1])] = 1_500,
) -> Success[BriefReply]:
    """What an agent should know when it starts: identity, standing rules, curated facts, recent decisions."""
    return success(request, BriefReply.model_validate(tenant.brief(tokens)))
