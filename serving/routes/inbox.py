"""The inbox of the vaults: what is staged, and a person's decisions on it."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request

from serving.deps import QueryTenant, Wait, body_tenant
from serving.envelope import Success, success
from serving.errors import documented
from serving.inbox import InboxReply, NotePromoted, NoteRejected, PromoteNote, RejectNote, StateName
from serving.requests import Name
from serving.routes.vaults import NoteId

router = APIRouter(prefix="/api/v1/vaults/inbox", tags=["vaults"])


@router.get("", responses=documented())
def inbox(
    request: Request,
    tenant: QueryTenant,
    state: StateName = "staged",
    vault: Annotated[Name | None, Query(description="One vault only.")] = None,
) -> Success[InboxReply]:
    """What waits for a person's decision, or what was decided on. Never the text of a note."""
    return success(request, InboxReply.model_validate({"notes": tenant.inbox(state, vault)}))


@router.post("/{note_id}/promote", responses=documented(404, 409))
def promote(request: Request, note_id: NoteId, body: PromoteNote, wait: Wait = None) -> Success[NotePromoted]:
    """Move a staged note into a folder of its vault; from then on it is found. Only a person may."""
    promoted, indexed = body_tenant(request, body).promote_note(body.to_request(note_id), wait=wait)
    return success(request, NotePromoted(**asdict(promoted), dry_run=body.dry_run, indexed=indexed))


@router.post("/{note_id}/reject", responses=documented(404, 409))
def reject(request: Request, note_id: NoteId, body: RejectNote, wait: Wait = None) -> Success[NoteRejected]:
    """Move a staged note to the trash, with a reason. Only a person may."""
    rejected = body_tenant(request, body).reject_note(body.to_request(note_id), wait=wait)
    return success(request, NoteRejected(**asdict(rejected), dry_run=body.dry_run))
