"""One headless LibreOffice conversion: its own profile, a time limit, and a queue for the whole machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

from wiki.errors import CapabilityUnavailable, UnsupportedFormat
from wiki.filesystem import FileLock
from wiki.parsing.memory import descendants, end_with_parent
from wiki.parsing.source import Source, Step

_RESTART = 81
_POLL_SECONDS = 0.05
_STEP_SECONDS = 5.0
_QUEUE = "knowledge-wiki-office"


def convert_file(source: Source, path: Path, target: str, folder: Path, *, filter_name: str | None = None) -> Path:
    """``path`` converted to ``target`` (``docx``, ``xlsx``, ``pptx``), as a new file below ``folder``.

    At most one call a core runs on this machine, the others wait their turn. ``source`` gives the name
    for messages, the time limit ``office_seconds`` and whom to tell that the work goes on. Raises
    UnsupportedFormat with LibreOffice's own words when it gives no file or takes too long,
    CapabilityUnavailable when it is not installed or cannot be started.
    """
    program = _program()
    output = folder / "converted"
    command = [
        str(program),
        f"-env:UserInstallation={(folder / 'profile').resolve().as_uri()}",
        *("--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck"),
        *([f"--infilter={filter_name}"] if filter_name else []),
        *("--convert-to", target, "--outdir", str(output), str(path)),
    ]
    with _turn(source):
        deadline = time.monotonic() + source.settings.office_seconds
        code, words = _run(command, source, deadline)
        if code == _RESTART:
            # A new profile: the first start sets it up and asks to be started again.
            code, words = _run(command, source, deadline)
    made = next((found for found in output.glob(f"*.{target}") if found.stat().st_size), None)
    if made is None:
        said = _said(words) or (f"signal {-code}" if code < 0 else f"exit code {code}, no file and no word why")
        raise UnsupportedFormat(f"{source.name} cannot be read, it may be damaged (LibreOffice: {said})")
    return made


def _program() -> Path:
    found = shutil.which("soffice")
    if found is None:
        raise CapabilityUnavailable("LibreOffice is not installed: there is no soffice on the path")
    # The program itself where it can be found: the script in front of it starts further processes.
    binary = Path(found).resolve().with_name("soffice.bin")
    return binary if binary.is_file() else Path(found)


@contextlib.contextmanager
def _turn(source: Source) -> Generator[None]:
    """One of as many places as the machine has cores. A place is free again when its holder dies."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    places = Path(tempfile.gettempdir()) / f"{_QUEUE}-{user}"
    places.mkdir(mode=0o700, exist_ok=True)
    locks = [FileLock(places / f"{number}.lock") for number in range(os.cpu_count() or 1)]
    began = told = time.monotonic()
    while True:
        for lock in locks:
            if lock.try_acquire():
                try:
                    yield
                finally:
                    lock.release()
                return
        time.sleep(_POLL_SECONDS)
        if time.monotonic() - told >= _STEP_SECONDS:
            told = time.monotonic()
            source.progress(Step("waiting for LibreOffice, second", int(told - began)))


def _run(command: list[str], source: Source, deadline: float) -> tuple[int, str]:
    """Exit code and words. The process stays in our own process group and ends when we do."""
    with tempfile.TemporaryFile() as words:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=subprocess.STDOUT,
                preexec_fn=end_with_parent if sys.platform == "linux" else None,
            )
        except OSError as error:
            raise CapabilityUnavailable(f"LibreOffice cannot be started: {error}") from error
        try:
            _wait(process, source, deadline)
        finally:
            _end(process)
        words.seek(0)
        return process.returncode, words.read().decode("utf-8", "replace")


def _wait(process: subprocess.Popen[bytes], source: Source, deadline: float) -> None:
    began = told = time.monotonic()
    while True:
        now = time.monotonic()
        if now > deadline:
            raise UnsupportedFormat(
                f"LibreOffice took longer than {source.settings.office_seconds:g} s with {source.name} and was ended; "
                "the setting parsing.office_seconds allows more"
            )
        if now - told >= _STEP_SECONDS:
            told = now
            source.progress(Step("LibreOffice second", int(now - began)))
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=min(_STEP_SECONDS, max(deadline - now, 0.01)))
            return


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and all it started, also what outlived it; nothing to do when it ended by itself."""
    if process.poll() is not None:
        return
    for pid in [*descendants(process.pid), process.pid]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _said(words: str) -> str:
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower() or "exception" in line.lower()]
    return "; ".join(errors or lines)[:300]
