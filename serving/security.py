"""Who may talk to the service at all: the bind address, the Host header and the Origin header."""

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from serving.errors import answer
from wiki.errors import ConfigurationError, Forbidden
from wiki.settings import ApiSettings, Settings

_DEFAULT_PORTS = {"http": 80, "https": 443}


def check_bind(settings: Settings) -> None:
    """Refuse a bind that others could reach while no key protects it. Raises ``ConfigurationError``."""
    if not settings.api.loopback:
        raise ConfigurationError(
            f"api.host {settings.api.host!r} can be reached from other machines, and no keys are set up; "
            "bind to 127.0.0.1 (--host 127.0.0.1) and put a proxy that checks callers before it",
            setting="api.host",
        )


def is_loopback(host: str) -> bool:
    """Whether the name in a Host header means this machine only."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class HostGuard:
    """Refuses a foreign Host (DNS rebinding) and a foreign Origin (another site's page), on every route."""

    def __init__(self, app: ASGIApp, api: ApiSettings) -> None:
        self.app = app
        self.hosts = {host.rstrip(".").lower() for host in (api.host, *api.allowed_hosts)}
        self.origins = {origin.rstrip("/").lower() for origin in api.allowed_origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refusal := self.refusal(scope)):
            await answer(scope, refusal)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def refusal(self, scope: Scope) -> Forbidden | None:
        """Why this request may not pass, or None."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._host_allowed(hosts[0]):
            return Forbidden("this Host is not served here; api.allowed_hosts names further ones", header="Host")
        for origin in headers.getlist("origin"):
            if not self._origin_allowed(origin, scope["scheme"], hosts[0]):
                return Forbidden(
                    "this Origin is not allowed; api.allowed_origins names those that are", header="Origin"
                )
        return None

    def _host_allowed(self, header: str) -> bool:
        place = _netloc("http", header)
        return place is not None and (is_loopback(place[0]) or place[0].rstrip(".") in self.hosts)

    def _origin_allowed(self, origin: str, scheme: str, host: str) -> bool:
        if origin.rstrip("/").lower() in self.origins:
            return True
        given, _, rest = origin.partition("://")
        return given.lower() == scheme and _netloc(scheme, rest) == _netloc(scheme, host) is not None


def _netloc(scheme: str, value: str) -> tuple[str, int] | None:
    """``(host, port)`` of a Host header, lower case; None when it is not one."""
    if not value or any(sign in value for sign in "/?#@\\ \t,"):
        return None
    try:
        parts = urlsplit(f"{scheme}://{value}")
        return (parts.hostname or "", parts.port or _DEFAULT_PORTS.get(scheme, 0)) if parts.hostname else None
    except ValueError:
        return None
