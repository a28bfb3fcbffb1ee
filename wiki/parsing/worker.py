"""Warm parser processes with a limit on time and memory.

A damaged or hostile file can hang or crash a native library. Here that costs one child process:
the caller gets UnsupportedFormat with the reason, and the next call finds a fresh child.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import IO, cast

import wiki
from wiki.errors import InternalError, UnsupportedFormat
from wiki.parsing.blocks import ParsedDocument
from wiki.parsing.exchange import Reply, Request, read_frame, write_frame
from wiki.parsing.media import detect
from wiki.parsing.memory import tree_bytes
from wiki.parsing.parser import parse_file, parser_version
from wiki.parsing.registry import FORMATS
from wiki.parsing.source import Progress, Step
from wiki.settings import ParsingSettings

_QUICK_BYTES = 1024 * 1024
_POLL_SECONDS = 0.1
_RECYCLE_AFTER = 500
_LOG_SECONDS = 5.0
_FULL = 0.6

log = logging.getLogger(__name__)


class ParserPool:
    """``settings.workers`` parser processes, started when first needed. Thread safe; callers queue.

    Text formats (Markdown, plain text, CSV, TSV, captions) of up to 1 MiB are read in the calling
    process: their converters are plain Python and linear, and a hop to the child would cost more.
    """

    def __init__(self, settings: ParsingSettings, *, child: str = "wiki.parsing.child") -> None:
        self._settings = settings
        self._child = child
        self._closed = threading.Event()
        self._workers: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._all = [_Worker(settings, child) for _ in range(settings.workers)]
        for worker in self._all:
            self._workers.put(worker)

    def parse(
        self, path: Path, name: str, declared_type: str | None = None, progress: Progress | None = None
    ) -> ParsedDocument:
        """The file as blocks. ``progress`` hears of each page, sheet or minute of a long file; so does the log.

        Errors as in ``parser.parse_file``; a parser that dies, hangs or takes too much memory is
        UnsupportedFormat, and names the setting that bounds it.
        """
        if self._closed.is_set():
            raise InternalError("the parser is closed")
        if path.stat().st_size <= _QUICK_BYTES:
            media_type = detect(path, name, declared_type, max_unpacked_mb=self._settings.max_unpacked_mb)
            if FORMATS[media_type].quick:
                return parse_file(path, name, declared_type, settings=self._settings)
        worker = self._workers.get()
        try:
            request = Request(str(path.absolute()), name, declared_type, self._settings)
            return worker.parse(request, _logged(name, progress))
        finally:
            self._workers.put(worker)

    @property
    def fingerprint(self) -> str:
        """``parser.parser_version`` of these settings."""
        return parser_version(self._settings)

    def close(self) -> None:
        """Ends every child process; a parse under way fails."""
        self._closed.set()
        for worker in self._all:
            worker.stop()


class _Gone(Exception):
    """The child ended before it took the request."""


class _Worker:
    """One slot: at most one child process, and one request at a time."""

    def __init__(self, settings: ParsingSettings, child: str) -> None:
        self._settings = settings
        self._child = child
        self._process: _Process | None = None
        self._closed = False

    def parse(self, request: Request, progress: Progress) -> ParsedDocument:
        try:
            try:
                reply = self._running().ask(request, self._settings, progress)
            except _Gone:
                # It ended while it had nothing to do; this file is not to blame.
                self._end()
                reply = self._running().ask(request, self._settings, progress)
        except _Gone as error:
            self._end()
            raise InternalError("the parser process ends as soon as it starts") from error
        except BaseException:
            self._end()
            raise
        if reply.error is not None:
            raise reply.error
        if reply.document is None:
            raise InternalError(f"the parser gave no answer for {request.name}")
        return reply.document

    def _running(self) -> _Process:
        process = self._process
        if process is None or not process.alive or process.answered >= _RECYCLE_AFTER or self._is_full(process):
            self._end()
            if self._closed:
                raise InternalError("the parser is closed")
            process = self._process = _Process(self._child)
        return process

    def _is_full(self, process: _Process) -> bool:
        """Whether what earlier files left in it (models, caches) takes the room the next one may need."""
        return process.bytes > _FULL * self._settings.memory_mb * 1024 * 1024

    def stop(self) -> None:
        self._closed = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()


class _Process:
    """A running child. The thread that starts it reads its replies and lives as long as it does,
    because Linux ends the child with the thread that made it, not with the process."""

    def __init__(self, module: str) -> None:
        self.answered = 0
        self._frames: queue.Queue[bytes | None] = queue.Queue()
        self._last_words: deque[str] = deque(maxlen=20)
        self._started: queue.Queue[subprocess.Popen[bytes] | OSError] = queue.Queue()
        threading.Thread(target=self._run, args=(module,), name="parser", daemon=True).start()
        started = self._started.get()
        if isinstance(started, OSError):
            raise InternalError(f"the parser process cannot be started: {started}") from started
        self._popen = started

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    @property
    def bytes(self) -> int:
        """Resident memory of the child and all it started."""
        return tree_bytes(self._popen.pid)

    def ask(self, request: Request, settings: ParsingSettings, progress: Progress) -> Reply:
        stdin = cast("IO[bytes]", self._popen.stdin)
        try:
            write_frame(stdin, pickle.dumps(request))
        except (OSError, ValueError) as error:
            raise _Gone from error
        deadline = time.monotonic() + settings.timeout_seconds
        limit = settings.memory_mb * 1024 * 1024
        last: Step | None = None
        while True:
            try:
                frame = self._frames.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if time.monotonic() > deadline:
                    raise UnsupportedFormat(
                        f"{request.name} took longer than {settings.timeout_seconds:g} s to read and was given up"
                        f"{f' after {last}' if last else ''}; the setting parsing.timeout_seconds allows more"
                    ) from None
                self._stay_below(limit, request, settings)
                continue
            if frame is None:
                raise UnsupportedFormat(f"{request.name} cannot be read: the parser died on it ({self._cause()})")
            said = cast("Reply | Step", pickle.loads(frame))
            if isinstance(said, Reply):
                self.answered += 1
                return said
            last = said
            deadline = time.monotonic() + settings.timeout_seconds
            progress(said)
            self._stay_below(limit, request, settings)

    def _stay_below(self, limit: int, request: Request, settings: ParsingSettings) -> None:
        if self.bytes > limit:
            raise UnsupportedFormat(
                f"{request.name} needs more than {settings.memory_mb} MB of memory to read and was given up; "
                "the setting parsing.memory_mb allows more"
            )

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._popen.pid, signal.SIGKILL)
            else:
                self._popen.kill()
        self._popen.wait()

    def _run(self, module: str) -> None:
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(),
                process_group=0,
            )
        except OSError as error:
            self._started.put(error)
            return
        self._started.put(process)
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        words = threading.Thread(target=self._listen, args=(process.stderr,), name="parser-log", daemon=True)
        words.start()
        try:
            while (frame := read_frame(process.stdout)) is not None:
                self._frames.put(frame)
        finally:
            process.wait()
            words.join()
            self._frames.put(None)
            for stream in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(OSError):
                    stream.close()

    def _listen(self, stream: IO[bytes]) -> None:
        for line in stream:
            words = line.decode("utf-8", "replace").rstrip()
            if words:
                self._last_words.append(words)
                log.debug("parser: %s", words)

    def _cause(self) -> str:
        code = self._popen.returncode
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                return signal.Signals(-code).name
        return self._last_words[-1][:200] if self._last_words else f"exit code {code}"


def _logged(name: str, progress: Progress | None) -> Progress:
    """Passes steps on, and writes one to the log every few seconds."""
    told = time.monotonic()

    def tell(step: Step) -> None:
        nonlocal told
        if time.monotonic() - told >= _LOG_SECONDS:
            told = time.monotonic()
            log.info("reading %s: %s", name, step)
        if progress is not None:
            progress(step)

    return tell


def _environment() -> dict[str, str]:
    package_root = str(Path(wiki.__file__).resolve().parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([package_root, *([inherited] if inherited else [])]),
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
