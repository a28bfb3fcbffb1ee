"""``wiki reextract``: the topics of documents made anew by the present method."""

import signal
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wiki.cli.add import catch_up, give_way
from wiki.cli.boundary import FOUND_TROUBLE, STOPPED, unexpected
from wiki.cli.output import print_json, say
from wiki.cli.progress import Progress
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, opened, scope
from wiki.errors import InvalidInput, WikiError

if TYPE_CHECKING:
    from wiki.library import TenantLibrary

_PAGE = 100


@dataclass(frozen=True)
class Redone:
    """What became of one document: a line of ``wiki reextract --json``."""

    doc_id: str
    status: Literal["changed", "same", "failed"]
    topics: int | None = None
    kept: tuple[str, ...] = ()
    error: dict[str, str] | None = None
    extraction_fallback: str | None = None


def register(app: typer.Typer) -> None:
    app.command("reextract")(reextract)


def reextract(
    documents: Annotated[
        list[str] | None, typer.Argument(metavar="DOC...", help="Ids of documents.", show_default=False)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every document.")] = False,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Make the topics of documents anew: after a change of `extraction.*` in the settings, or of many edits.

    The text stays to the byte, edits included; it is only divided, named and summarised again. Names, labels and
    categories that a person chose stay as well, and topics with the same text keep their ids. What comes out the
    same is not touched.

    \b
    Examples:
        wiki reextract d_a1b2c3d4e5f6
        wiki reextract --all --json
    """
    if bool(documents) == everything:
        raise InvalidInput("name documents, or give --all" if not documents else "give documents or --all, not both")
    where = scope(root, app, project)
    give_way()
    done: list[Redone] = []
    total = 0
    stop = threading.Event()
    try:
        with opened(where) as library, Progress("reextracting") as progress, _stop_between() as stop:
            catch_up(library)
            wanted = documents or list(_every_document(library))
            total = len(wanted)
            for item in _redo(library, wanted, progress, stop):
                done.append(item)
                progress.update(len(done), total)
                _tell(item, as_json)
            catch_up(library)
    except KeyboardInterrupt:
        stop.set()
    if stop.is_set():
        _list_failures(done)
        say(f"stopped: {_summary(done)}, {total - len(done)} not looked at")
        raise typer.Exit(STOPPED)
    if not as_json:
        typer.echo(_summary(done))
    if _list_failures(done):
        raise typer.Exit(FOUND_TROUBLE)


@contextmanager
def _stop_between() -> Generator[threading.Event]:
    """Ctrl-C lets the present document be finished; a second one stops at once, and that document stays as it was."""
    asked = threading.Event()

    def ask(*_: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        say("stopping after this document; Ctrl-C again stops now")

    before = signal.getsignal(signal.SIGINT)
    try:
        if before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, ask)
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def _every_document(library: "TenantLibrary") -> Iterator[str]:
    page = 1
    while True:
        found = library.list_documents(page=page, page_size=_PAGE, sort_by="created_at", sort_order="asc")
        yield from (document.doc_id for document in found.documents)
        if page * _PAGE >= found.total:
            return
        page += 1


def _redo(
    library: "TenantLibrary", documents: Sequence[str], progress: Progress, stop: threading.Event
) -> Iterator[Redone]:
    for doc_id in documents:
        if stop.is_set():
            return
        progress.detail(doc_id)
        try:
            found = library.reextract(doc_id, wait=0)
        except WikiError as error:
            yield Redone(doc_id, "failed", error={"code": error.code, "message": error.message})
        except Exception as error:
            wrong = unexpected(error)
            yield Redone(doc_id, "failed", error={"code": wrong.code, "message": wrong.message})
        else:
            status = "changed" if found.changed else "same"
            yield Redone(doc_id, status, found.topic_count, found.kept, None, found.extraction_fallback)


def _tell(item: Redone, as_json: bool) -> None:
    if as_json:
        print_json(asdict(item), indent=None)
        return
    topics = f"  {item.topics} topics" if item.topics is not None else ""
    kept = f", kept: {', '.join(item.kept)}" if item.kept else ""
    typer.echo(f"{item.status:<7} {item.doc_id}{topics}{kept}")
    if item.extraction_fallback:
        say(f"note: {item.doc_id} has the topics of its outline: {item.extraction_fallback}")


def _list_failures(done: Sequence[Redone]) -> bool:
    failed = [(item.doc_id, item.error) for item in done if item.error]
    for doc_id, error in failed:
        say(f"error {error['code']}: {doc_id}: {error['message']}")
    return bool(failed)


def _summary(done: Sequence[Redone]) -> str:
    counts = {status: sum(item.status == status for item in done) for status in ("changed", "same", "failed")}
    return ", ".join(f"{count} {status}" for status, count in counts.items())
