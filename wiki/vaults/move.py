"""A note moved or renamed within its vault, with every link that leads to it: planned whole, then one recoverable step."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256

from wiki.errors import Conflict, Forbidden, InvalidInput, WikiError
from wiki.tenants import Layout
from wiki.vaults.audit import allowing, note_decision, refusing
from wiki.vaults.contract import Actor, Contract, load_contract
from wiki.vaults.model import Vault, note_id
from wiki.vaults.moving_names import new_file_name, titled
from wiki.vaults.notes.following import Following
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.notes.resolving import NotePlace
from wiki.vaults.notes.rewriting import rewrite_links
from wiki.vaults.permission import may_change, may_enter
from wiki.vaults.placed import PlacedNote, check_unchanged, read_placed, shown_note
from wiki.vaults.places import RULE as PATH_RULE
from wiki.vaults.places import checked_folder, folder_on_disk
from wiki.vaults.relocation import Relocation, Rewritten, relocate
from wiki.vaults.turns import turn
from wiki.vaults.visibility import why_hidden


@dataclass(frozen=True)
class MoveRequest:
    folder: str | None = None
    """Where to, in the note's vault; its own folder when None."""
    title: str | None = None
    """A new title, and with it a new file name."""
    actor: Actor = "agent"
    expected_hash: str | None = None
    """Needed unless it is a dry run."""
    dry_run: bool = False


@dataclass(frozen=True)
class LinkedNote:
    """A note whose links follow."""

    note_id: str
    vault: str
    path: str
    links: int


@dataclass(frozen=True)
class MovedNote:
    note_id: str
    """The new one: the path makes the id."""
    vault: str
    path: str
    old_id: str
    old_path: str
    rule_id: str
    content_hash: str
    linked: tuple[LinkedNote, ...]
    """The notes that are rewritten so that their links follow; staged and hidden ones follow untold."""


@dataclass(frozen=True)
class Surroundings:
    """What a move needs to know of the other notes of all vaults, as they lie on disk now."""

    vaults: Mapping[str, Vault]
    notes: Sequence[tuple[str, str, Sequence[str]]]
    """``(vault, path, aliases)`` of every note, the one that moves among them."""
    linking: Sequence[PlacedNote]
    """Notes that may hold a link that the move concerns."""
    unread: Sequence[PlacedNote] = field(default_factory=list[PlacedNote])
    """Notes that link to the one that moves and cannot be read now."""


Look = Callable[[str], Surroundings]
"""The surroundings for the note's new path."""


def move_note(
    layout: Layout, placed: PlacedNote, vaults: Iterable[Vault], request: MoveRequest, look: Look
) -> MovedNote:
    """Move a note into another folder of its vault, rename it, or both; links that led to it lead to it afterwards.

    Raises NotFound for a note that is gone or hidden, Forbidden with ``rule_id``, Conflict when the note changed, the
    name is taken, a link is ambiguous or a note that links to it cannot be read; nothing has changed then. A dry run
    tells what would be done, and changes nothing.
    """
    try:
        if request.expected_hash is None and not request.dry_run:
            raise InvalidInput("expected_hash is needed: the content_hash of the note you read", field="expected_hash")
        with _turns(layout, vaults):
            return _move(layout, placed, request, look)
    except WikiError as error:
        if not request.dry_run:
            vault, path, note = placed.vault.name, placed.path, placed.note_id
            target = request.folder[:200] if request.folder else None
            row = refusing(request.actor, "move", error, vault=vault, path=path, note_id=note, target=target)
            note_decision(layout, row)
        raise


def _move(layout: Layout, placed: PlacedNote, request: MoveRequest, look: Look) -> MovedNote:
    data = read_placed(placed)
    note = shown_note(placed, data)
    contract = load_contract(layout)
    allowed = may_change(contract, request.actor, placed.vault.name, placed.path, note.tags)
    if request.expected_hash is not None:
        check_unchanged(placed, data, request.expected_hash)
    own = placed.path.rpartition("/")[0]
    parts = checked_folder(placed.vault, own if request.folder is None else request.folder)
    folder = "/".join(parts)
    if folder != own:
        allowed = may_enter(contract, request.actor, placed.vault.name, folder)
    name = new_file_name(placed.path, request.title)
    path = f"{folder}/{name}" if folder else name
    _check_free(placed, parts, path)
    around = look(path)
    _check_readable(around.unread)
    moved = NotePlace(placed.vault.name, placed.path)
    following = Following(around.notes, moved, path, lambda file: (placed.vault.root / file).is_file())
    content = titled(path, _followed(following, placed, data), request.title)
    rewritten = list(_rewritten(contract, request.actor, following, placed, around.linking))
    result = MovedNote(
        note_id=note_id(placed.vault.name, path),
        vault=placed.vault.name,
        path=path,
        old_id=placed.note_id,
        old_path=placed.path,
        rule_id=allowed.rule_id,
        content_hash=sha256(content).hexdigest(),
        linked=tuple(linked for _, linked in rewritten if linked is not None),
    )
    if not request.dry_run:
        target = folder_on_disk(placed.vault, parts) / name
        row = allowing(
            request.actor,
            "move",
            allowed.rule_id,
            vault=placed.vault.name,
            path=placed.path,
            note_id=placed.note_id,
            content_hash=result.content_hash,
            target=path,
        )
        note_decision(layout, row)
        files = [Rewritten(target, sha256(data).hexdigest(), content), *(file for file, _ in rewritten)]
        relocate(layout, Relocation(placed.location, target, tuple(files), tuple(sorted(around.vaults))))
    return result


def _followed(following: Following, placed: PlacedNote, data: bytes) -> bytes:
    return rewrite_links(data, placed.path, lambda link: following.target(link, placed.vault.name, placed.path))


def _rewritten(
    contract: Contract, actor: Actor, following: Following, moved: PlacedNote, linking: Sequence[PlacedNote]
) -> Iterator[tuple[Rewritten, LinkedNote | None]]:
    for other in linking:
        if (other.vault.name, other.path) == (moved.vault.name, moved.path):
            continue
        data = read_placed(other)
        now = _followed(following, other, data)
        if now == data:
            continue
        note = parse_note(other.path, data)
        hidden = why_hidden(other.vault, other.path) is not None or not note.in_retrieval
        if not hidden:
            _check_may_follow(contract, actor, moved, other, note.tags)
        before, after = note.links, parse_note(other.path, now).links
        count = sum(was.target != link.target for was, link in zip(before, after, strict=False))
        linked = None if hidden else LinkedNote(other.note_id, other.vault.name, other.path, count)
        yield Rewritten(other.location, sha256(data).hexdigest(), now), linked


def _check_may_follow(
    contract: Contract, actor: Actor, moved: PlacedNote, other: PlacedNote, tags: Sequence[str]
) -> None:
    try:
        may_change(contract, actor, other.vault.name, other.path, tags)
    except Forbidden as error:
        raise Forbidden(
            f"{error.message}; it links to {moved.shown}, and a move rewrites that link: ask a person",
            rule_id=error.details.get("rule_id"),
        ) from error


def _check_free(placed: PlacedNote, parts: tuple[str, ...], path: str) -> None:
    if path == placed.path:
        raise InvalidInput(f"{placed.shown} lies there already: give another folder or title", field="folder")
    if (hidden := why_hidden(placed.vault, path)) is not None:
        raise Forbidden(f"rule {PATH_RULE}: {path} would not be found: {hidden}", rule_id=PATH_RULE)
    folder = placed.vault.root.joinpath(*parts)
    name = path.rpartition("/")[2]
    for child in folder.iterdir() if folder.is_dir() else ():
        same = child.parent == placed.location.parent and child.name == placed.location.name
        if child.name.casefold() == name.casefold() and not same:
            raise Conflict(f"{placed.vault.name}/{path} is there already: choose another title", path=path)


def _check_readable(unread: Sequence[PlacedNote]) -> None:
    if unread:
        listed = ", ".join(other.shown for other in unread[:5])
        raise Conflict(f"{listed}: a link in it leads to the note and it cannot be read now: make it readable first")


@contextmanager
def _turns(layout: Layout, vaults: Iterable[Vault]) -> Generator[None]:
    """The turn of every vault, always in the same order, for links may stand in any of them."""
    with ExitStack() as stack:
        for vault in sorted(vaults, key=lambda vault: vault.name):
            stack.enter_context(turn(layout, vault))
        yield
