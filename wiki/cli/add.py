"""``wiki add``: files and folders into the library, one after another, with nothing lost on the way."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wiki.cli.adding import LARGE_BYTES, JobFailed, add_as_job, add_directly, finish_interrupted
from wiki.cli.boundary import FOUND_TROUBLE, STOPPED, unexpected
from wiki.cli.output import on_terminal, print_json, say
from wiki.cli.progress import Progress
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, opened, scope
from wiki.errors import InvalidInput, NotFound, WikiError
from wiki.views import OnDuplicate

if TYPE_CHECKING:
    from wiki.library import TenantLibrary
    from wiki.parsing.source import Step

_NICENESS = 10
PATIENCE_SECONDS = 30.0
"""How long the running cascade may index nothing before we stop waiting for it."""


@dataclass(frozen=True)
class Added:
    """What became of one file: a line of ``wiki add --json``."""

    path: str
    status: Literal["added", "skipped", "failed"]
    doc_id: str | None = None
    error: dict[str, str] | None = None
    extraction_fallback: str | None = None
    """Why the outline took the place of the language model; told only then."""


@dataclass(frozen=True)
class Wanted:
    """What the options ask for each file."""

    title: str | None = None
    category_id: str | None = None
    labels: tuple[str, ...] = ()
    on_duplicate: OnDuplicate = "return"


def register(app: typer.Typer) -> None:
    app.command("add")(add)


def add(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders.", show_default=False)],
    title: Annotated[str | None, typer.Option("--title", help="Title, for a single file.", show_default=False)] = None,
    category: Annotated[
        str | None, typer.Option("--category", help="Category id; else the text decides.", show_default=False)
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", help="Label of each document; may be repeated.", show_default=False)
    ] = None,
    on_duplicate: Annotated[
        OnDuplicate,
        typer.Option("--on-duplicate", help="When the same bytes are there: skip (return), add again, replace."),
    ] = "return",
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Add files, and folders with all that is in them.

    Hidden files are left out. A file that can't be read is listed at the end with its reason; the others still go in.
    What is there already is skipped, so the same command again goes on where it stopped; a file over 5 MiB
    is copied first, and finished by the next `wiki add` or the service if this one is stopped.
    Works whether or not the wiki is up, and gives way to searches.

    \b
    Examples:
        wiki add report.pdf --title "Quarterly report" --category Finance
        wiki add ~/Documents/papers --label reading --json
    """
    from wiki.presence import Presence

    where = scope(root, app, project, create=True)
    give_way()
    files = list(collect(paths, where.root))
    if title is not None and (len(files) != 1 or paths != files):
        raise InvalidInput("--title names one document; give a single file with it")
    wanted = Wanted(title, category, tuple(label or ()), on_duplicate)
    done: list[Added] = []
    try:
        with opened(where) as library:
            where.root.mkdir(parents=True, exist_ok=True)
            finish_interrupted(library)
            catch_up(library)
            with Presence(where.root).importing(), Progress("adding") as progress:
                progress.update(0, len(files))
                for item in add_files(library, files, wanted, progress):
                    done.append(item)
                    progress.update(len(done), len(files))
                    _tell(item, as_json)
            if on_terminal():
                say("indexing")
            catch_up(library)
    except KeyboardInterrupt:
        _list_failures(done)
        say(
            f"stopped: {_summary(done)}, {len(files) - len(done)} not looked at; the same command again goes on from here"
        )
        raise typer.Exit(STOPPED) from None
    failed = [item for item in done if item.status == "failed"]
    if not as_json:
        typer.echo(_summary(done))
        for item in done:
            if item.extraction_fallback:
                say(f"note: {item.path} has the topics of its outline: {item.extraction_fallback}")
        _list_failures(failed)
    if failed:
        raise typer.Exit(FOUND_TROUBLE)


def collect(paths: Sequence[Path], library_root: Path) -> Iterator[Path]:
    """Files as given, folders walked in sorted order without hidden entries, links to folders or the library itself."""
    for path in paths:
        if path.is_dir():
            yield from _walk(path, library_root)
        else:
            yield path


def add_files(
    library: "TenantLibrary", files: Iterable[Path], wanted: Wanted, progress: Progress | None = None
) -> Iterator[Added]:
    """Add each file and say what became of it; one file's error never stops the others.

    Raises InvalidInput at once for a wrong category: no file could go in.
    """
    if wanted.category_id is not None:
        known = [category.category_id for category in library.categories() if category.defined]
        if wanted.category_id not in known:
            raise InvalidInput(f"there is no category {wanted.category_id!r}; there are {', '.join(known)}")
    seen: dict[str, str] = {}
    for path in files:
        try:
            yield _add_file(library, path, wanted, seen, progress)
        except (WikiError, JobFailed) as error:
            yield _failed(path, error)
        except OSError as error:
            yield _failed(path, InvalidInput(f"can't be read: {error.strerror or error}"))
        except Exception as error:
            yield _failed(path, unexpected(error))


def give_way() -> None:
    """Lower this process's priority, so that a bulk import does not slow down whoever searches meanwhile."""
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, 0, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))


def catch_up(library: "TenantLibrary") -> None:
    """Returns once the index holds what is on disk: by the running cascade, or by one sync of our own."""
    fewest, patience = None, time.monotonic() + PATIENCE_SECONDS
    while followed(library.layout.root):
        pending = library.status().pending
        if pending == 0:
            return
        if fewest is None or pending < fewest:
            fewest, patience = pending, time.monotonic() + PATIENCE_SECONDS
        elif time.monotonic() > patience:
            say(f"{pending} documents are still pending; `wiki status` shows them and any faults")
            return
        time.sleep(0.1)
    library.sync()


def followed(root: Path) -> bool:
    """Whether changes are indexed without us: `wiki up` runs on the root, or some process holds the baton."""
    from wiki.presence import Presence

    presence = Presence(root)
    return bool(presence.run()) or presence.somebody_watches()


def _add_file(
    library: "TenantLibrary", path: Path, wanted: Wanted, seen: dict[str, str], progress: Progress | None
) -> Added:
    from wiki.ingest import hash_file

    if progress is not None:
        progress.detail(path.name[:40])

    if not path.is_file():
        raise NotFound("there is no such file" if not path.exists() else "is neither a file nor a folder")
    sha256 = hash_file(path)
    if wanted.on_duplicate == "return":
        known = seen.get(sha256) or library.has_source(sha256)
        if known:
            return Added(str(path), "skipped", known)

    def tell(step: "Step") -> None:
        if progress is not None:
            progress.detail(f"{path.name[:40]} {step}")

    add_it = add_as_job if path.stat().st_size > LARGE_BYTES else add_directly
    result = add_it(
        library,
        path,
        title=wanted.title,
        category_id=wanted.category_id,
        labels=wanted.labels,
        on_duplicate=wanted.on_duplicate,
        progress=tell,
    )
    seen[sha256] = result.doc_id
    fresh = result.created or wanted.on_duplicate == "replace"
    fallback = result.extraction_fallback if fresh else None
    return Added(str(path), "added" if fresh else "skipped", result.doc_id, extraction_fallback=fallback)


def _failed(path: Path, error: WikiError | JobFailed) -> Added:
    return Added(str(path), "failed", error={"code": error.code, "message": error.message})


def _walk(folder: Path, library_root: Path) -> Iterator[Path]:
    for child in sorted(folder.iterdir()):
        if child.name.startswith("."):
            continue
        if child.is_dir():
            if not child.is_symlink() and child.absolute() != library_root:
                yield from _walk(child, library_root)
        elif child.is_file():
            yield child


def _tell(item: Added, as_json: bool) -> None:
    if as_json:
        line = asdict(item)
        if item.extraction_fallback is None:
            del line["extraction_fallback"]
        print_json(line, indent=None)
    elif not on_terminal():
        typer.echo(f"{item.status:<7} {item.path}{f'  {item.doc_id}' if item.doc_id else ''}")


def _summary(done: Sequence[Added]) -> str:
    counts = {status: sum(item.status == status for item in done) for status in ("added", "skipped", "failed")}
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def _list_failures(done: Sequence[Added]) -> None:
    for item in done:
        if item.error:
            say(f"error {item.error['code']}: {item.path}: {item.error['message']}")
