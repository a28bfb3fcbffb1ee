"""Notes changed: sections, front matter, where they lie."""

from dataclasses import asdict

from fastapi import APIRouter, Request

from serving.deps import Wait, body_tenant
from serving.envelope import Success, success
from serving.errors import documented
from serving.note_edits import NoteEdited, NoteMove, NoteMoved, PropertiesEdit, SectionEdit
from serving.routes.vaults import NoteId

router = APIRouter(prefix="/api/v1/vaults", tags=["vaults"])


@router.patch("/notes/{note_id}/sections", responses=documented(403, 404, 409))
def edit_section(request: Request, note_id: NoteId, body: SectionEdit, wait: Wait = None) -> Success[NoteEdited]:
    """Append to a section, or replace all below its heading. No other byte of the note changes."""
    edited, indexed = body_tenant(request, body).edit_section(
        note_id, body.heading_path, body.op, body.body,
        expected_hash=body.expected_hash, actor=body.actor, wait=wait,
    )  # fmt: skip
    return success(request, NoteEdited(**asdict(edited), indexed=indexed))


@router.patch("/notes/{note_id}/properties", responses=documented(403, 404, 409))
def edit_properties(request: Request, note_id: NoteId, body: PropertiesEdit, wait: Wait = None) -> Success[NoteEdited]:
    """Set or remove front matter keys. Only their lines change."""
    edited, indexed = body_tenant(request, body).edit_properties(
        note_id, body.set, body.remove, expected_hash=body.expected_hash, actor=body.actor, wait=wait
    )
    return success(request, NoteEdited(**asdict(edited), indexed=indexed))


@router.post("/notes/{note_id}/move", responses=documented(403, 404, 409))
def move_note(request: Request, note_id: NoteId, body: NoteMove, wait: Wait = None) -> Success[NoteMoved]:
    """Move or rename a note within its vault; links that lead to it follow. 409 when one is ambiguous."""
    moved, indexed = body_tenant(request, body).move_note(note_id, body.to_request(), wait=wait)
    return success(request, NoteMoved(**asdict(moved), dry_run=body.dry_run, indexed=indexed))
