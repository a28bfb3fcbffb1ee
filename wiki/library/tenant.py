"""One tenant's library, whole."""

from dataclasses import replace

from wiki.library.audit import AuditReading
from wiki.library.inbox import Inbox
from wiki.library.jobs import Accepting
from wiki.library.keeping import Keeping
from wiki.library.links import Links
from wiki.library.note_edits import NoteEdits
from wiki.library.reextract import Reextracting
from wiki.views import StatusView


class TenantLibrary(Reextracting, Accepting, Links, NoteEdits, Inbox, AuditReading, Keeping):
    """Everything one tenant can do: write documents, read and search them, keep the indexes in step."""

    def status(self) -> StatusView:
        return replace(super().status(), jobs=self.count_jobs())
