"""Writers of a vault take turns, and a new file enters it in one atomic step."""

from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from wiki.errors import Conflict
from wiki.filesystem import FileLock, fsync_dir, rename_noreplace, write_new
from wiki.tenants import Layout
from wiki.vaults.model import Vault

TURN_SECONDS = 10


@contextmanager
def turn(layout: Layout, vault: Vault) -> Generator[None]:
    """One writer of a vault at a time, so that no two take the same number or name.

    Raises Conflict when another one writes for longer than ``TURN_SECONDS``. Not reentrant.
    """
    lock = FileLock(layout.staging / f"vault-{sha256(vault.name.encode()).hexdigest()[:12]}.lock")
    if not lock.acquire(timeout=TURN_SECONDS):
        raise Conflict(f"another write to the vault {vault.name} takes long: try again")
    try:
        yield
    finally:
        lock.release()


def enter_new(folder: Path, name: str, data: bytes) -> None:
    """A file that must not exist yet, whole or not at all. Raises Conflict when there is one of that name."""
    staged = folder / f".{sha256(data).hexdigest()[:16]}.tmp"
    staged.unlink(missing_ok=True)
    try:
        write_new(staged, data)
        rename_noreplace(staged, folder / name)
        fsync_dir(folder)
    except FileExistsError as error:
        raise Conflict(f"{name} was made meanwhile: try again") from error
    finally:
        staged.unlink(missing_ok=True)
