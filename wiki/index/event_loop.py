"""One event loop in a thread of its own, on which blocking callers wait for LanceDB's asynchronous reads.

LanceDB's synchronous query builders make several round trips for one query; the asynchronous ones make one.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def wait_for(work: Coroutine[Any, Any, _T]) -> _T:
    """The result of ``work``, or its error. Must not be called from a coroutine on the same loop."""
    return asyncio.run_coroutine_threadsafe(work, _running_loop()).result()


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="lance-reads", daemon=True).start()
        return _loop


def _forget() -> None:
    """A forked child has no such thread: it starts its own."""
    global _loop, _lock
    _loop, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
