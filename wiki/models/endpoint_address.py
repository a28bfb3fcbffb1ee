"""The address of an endpoint: what was configured, and the URLs it may mean."""

import ipaddress

import httpx

from wiki.errors import ConfigurationError


def parsed_url(section: str, base_url: str) -> httpx.URL:
    """Raises ConfigurationError, which never quotes the address: it may hold a password."""
    try:
        url = httpx.URL(base_url.strip())
        port = url.port
    except (httpx.InvalidURL, ValueError):
        url, port = None, None
    if url is None or url.scheme not in ("http", "https") or not url.host or port == 0:
        raise ConfigurationError(f"{section}.base_url is no address like https://host/v1: set it again")
    return url


def routes(base: httpx.URL, paths: tuple[str, ...]) -> list[httpx.URL]:
    """``base`` with each of ``paths`` behind it, without what ``base`` already ends with, each URL once.

    ``https://host/v1`` with ``v1/rerank`` is ``https://host/v1/rerank``, as are ``https://host`` and
    ``https://host/v1/rerank`` itself. A query stays, a fragment doesn't.
    """
    root = base.path.rstrip("/")
    found: list[str] = []
    for path in paths:
        parts = path.split("/")
        if any(root.endswith("/" + "/".join(parts[first:])) for first in range(len(parts))):
            found.append(root)
            continue
        given = next((n for n in range(len(parts), 0, -1) if root.endswith("/" + "/".join(parts[:n]))), 0)
        found.append("/".join([root, *parts[given:]]))
    return [base.copy_with(path=route, fragment=None) for route in dict.fromkeys(found)]


def shown(url: httpx.URL) -> str:
    """For messages: without credentials, query and fragment."""
    return str(url.copy_with(username=None, password=None, query=None, fragment=None))


def on_this_machine(host: str) -> bool:
    """Whether ``host`` is a loopback name or address."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
