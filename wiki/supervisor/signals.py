"""Ctrl-C, SIGTERM and SIGHUP end the supervisor in order."""

import signal
import threading
from types import FrameType
from typing import Any

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def catch_signals(stopping: threading.Event) -> dict[int, Any]:
    """Let the signals set ``stopping``; gives the handlers that were there. Nothing outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        return {}

    def stop(_: int, __: FrameType | None) -> None:
        stopping.set()

    return {kind: signal.signal(kind, stop) for kind in STOPPING}


def restore_signals(handlers: dict[int, Any]) -> None:
    """Give the signals back to whoever had them."""
    for kind, handler in handlers.items():
        signal.signal(kind, handler)
