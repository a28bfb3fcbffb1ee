"""Ports: free ones are picked, taken ones are told of before anything starts."""

import socket

from wiki.errors import ConfigurationError

LOOPBACK = "127.0.0.1"


def choose_port(host: str, port: int, flag: str) -> int:
    """``port`` when it can be bound on ``host``, any free one for 0. Raises ConfigurationError when it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError as error:
            raise ConfigurationError(
                f"port {port} on {host} can't be used ({error.strerror}): stop the program that has it, "
                f"or give another one with {flag} (0 picks a free one)",
                port=port,
            ) from error
        return int(probe.getsockname()[1])


def answers(port: int, host: str = LOOPBACK) -> bool:
    """Whether something accepts connections there."""
    try:
        with socket.create_connection((host, port), timeout=0.5):
            return True
    except OSError:
        return False
