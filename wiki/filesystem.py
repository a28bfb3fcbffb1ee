"""Locks, durability and atomic exchange, the same on Linux, macOS and Windows.

Everything that must survive ``kill -9`` or power loss goes through here.
"""

import contextlib
import ctypes
import errno
import os
import shutil
import stat
import sys
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any, Self

POLL_SECONDS = 0.02

_AT_FDCWD = -100
_RENAME_NOREPLACE = 1
_RENAME_EXCHANGE = 2
_RENAME_SWAP_MAC = 2
_RENAME_EXCL_MAC = 4
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


class FileLock:
    """A lock on a file, between threads and between processes; gone when its process dies.

    Not reentrant: one object is one holder. A lock file that was deleted while somebody waited is
    made anew, so deleting the folder it lies in blocks nobody.
    """

    def __init__(self, path: Path, *, remove: bool = False) -> None:
        """``remove``: delete the lock file on release (for locks with a name per document)."""
        self.path = path
        self._remove = remove
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock and its file is still the one on disk."""
        return self._descriptor is not None and _same_file(self._descriptor, self.path)

    def try_acquire(self) -> bool:
        """Take the lock if it is free now."""
        if self._descriptor is not None:
            raise RuntimeError(f"the lock {self.path.name} is already held by this object")
        while True:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            except FileNotFoundError:
                continue
            if not _lock(descriptor):
                os.close(descriptor)
                return False
            if _same_file(descriptor, self.path):
                self._descriptor = descriptor
                return True
            os.close(descriptor)

    def acquire(self, timeout: float | None = None) -> bool:
        """Take the lock, polling; False when ``timeout`` seconds went by. None waits for ever."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self.try_acquire():
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def release(self) -> None:
        """Give the lock up; harmless when it is not held."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        try:
            # A lock file that cannot be deleted does no harm: it is free all the same.
            with contextlib.suppress(OSError):
                if self._remove and sys.platform != "win32" and _same_file(descriptor, self.path):
                    self.path.unlink()
        finally:
            _unlock(descriptor)
            os.close(descriptor)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def fsync_file(path: Path) -> None:
    """Force a file's bytes to disk."""
    descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def fsync_dir(path: Path) -> None:
    """Force a folder's entries to disk (Windows does so by itself)."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def fsync_tree(path: Path) -> None:
    """Force every file and folder at and below ``path`` to disk, children first."""
    for folder, _, names in os.walk(path, topdown=False):
        for name in names:
            child = Path(folder, name)
            if not child.is_symlink():
                fsync_file(child)
        fsync_dir(Path(folder))


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        import fcntl

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
    os.fsync(descriptor)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that must not exist yet, and force it to disk."""
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        _sync(file.fileno())


def write_atomic(path: Path, data: bytes, staging: Path | None = None) -> None:
    """Replace a file's bytes in one step: a reader sees the old or the new ones, also after a crash.

    The temporary file lies in ``staging`` (same file system) or beside ``path``. The mode of an existing file is kept.
    """
    temporary = (staging or path.parent) / f".{uuid.uuid4().hex}.tmp"
    try:
        write_new(temporary, data)
        try:
            os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
        except FileNotFoundError:
            pass
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    fsync_dir(path.parent)


def rename_noreplace(source: Path, target: Path) -> None:
    """Rename within one file system; FileExistsError when ``target`` exists, also an empty folder."""
    failure = _native_rename(source, target, exchange=False)
    if failure is None:
        return
    if failure not in _UNSUPPORTED:
        raise OSError(failure, os.strerror(failure), str(source), None, str(target))
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    os.rename(source, target)


def exchange(public: Path, staged: Path) -> None:
    """Swap two files or folders of one file system in one step.

    Where the system has no such call, three renames do it through ``<staged>.exchanging``; a crash between
    them is mended by ``recover_exchange`` with the same two paths.
    """
    failure = _native_rename(public, staged, exchange=True)
    if failure is None:
        return
    if failure not in _UNSUPPORTED:
        raise OSError(failure, os.strerror(failure), str(public), None, str(staged))
    exchange_by_renames(public, staged)


def exchange_by_renames(public: Path, staged: Path) -> None:
    """The portable exchange. ``public`` is missing for an instant."""
    aside = _aside(staged)
    os.rename(public, aside)
    try:
        os.rename(staged, public)
        os.rename(aside, staged)
    except OSError:
        if os.path.lexists(public):
            os.rename(public, staged)
        os.rename(aside, public)
        raise


def recover_exchange(public: Path, staged: Path) -> None:
    """Finish or undo an exchange by renames that a crash cut short; does nothing otherwise."""
    aside = _aside(staged)
    if not os.path.lexists(aside):
        return
    if os.path.lexists(public):
        os.rename(aside, staged)
    else:
        os.rename(aside, public)


def remove_tree(path: Path) -> None:
    """Delete a file, a link or a whole folder; nothing when absent."""
    if path.is_symlink() or path.is_file():
        path.unlink(missing_ok=True)
    elif path.exists():
        shutil.rmtree(path)


def _aside(staged: Path) -> Path:
    return staged.with_name(staged.name + ".exchanging")


def _native_rename(source: Path, target: Path, *, exchange: bool) -> int | None:
    """None when done, else the error number."""
    library = _libc()
    first, second = os.fsencode(source), os.fsencode(target)
    if library is None:
        return errno.ENOSYS
    if sys.platform == "darwin":
        flags = _RENAME_SWAP_MAC if exchange else _RENAME_EXCL_MAC
        result = library.renamex_np(first, second, ctypes.c_uint(flags))
    else:
        flags = _RENAME_EXCHANGE if exchange else _RENAME_NOREPLACE
        result = library.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, ctypes.c_uint(flags))
    return None if result == 0 else ctypes.get_errno()


_LIBRARY: list[Any] = []


def _libc() -> Any | None:
    if not _LIBRARY:
        wanted = {"linux": "renameat2", "darwin": "renamex_np"}.get(sys.platform)
        library = ctypes.CDLL(None, use_errno=True) if wanted else None
        _LIBRARY.append(library if wanted and hasattr(library, wanted) else None)
    return _LIBRARY[0]
