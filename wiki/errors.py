"""Every error a person or a caller can meet.

::

    WikiError
    ├── InvalidInput                422 INVALID_INPUT
    ├── ExtractionEmpty             422 EXTRACTION_EMPTY
    ├── Unauthorized                401 UNAUTHORIZED
    ├── Forbidden                   403 FORBIDDEN
    ├── NotFound                    404 NOT_FOUND
    ├── Conflict                    409 CONFLICT
    ├── TooLarge                    413 TOO_LARGE
    ├── UnsupportedFormat           415 UNSUPPORTED_FORMAT
    ├── RateLimited                 429 RATE_LIMITED                  (retry helps)
    ├── ConfigurationError          500 CONFIGURATION_ERROR
    │   └── IndexModelMismatch      the index was made by another model
    ├── InternalError               500 INTERNAL_ERROR
    ├── ExternalServiceUnavailable  503 EXTERNAL_SERVICE_UNAVAILABLE  (retry helps)
    └── CapabilityUnavailable       503 CAPABILITY_UNAVAILABLE

A message says what was wrong, where, and what to run or change.
"""

from typing import Any, ClassVar


class WikiError(Exception):
    """Root of the tree. ``code`` and ``http_status`` are fixed per class."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.details)


def _rebuild(kind: type[WikiError], message: str, details: dict[str, Any]) -> WikiError:
    return kind(message, **details)


class InvalidInput(WikiError):
    """A value is empty, too long, of the wrong form, or unknown."""

    code = "INVALID_INPUT"
    http_status = 422


def check_range(name: str, value: float, least: float, most: float) -> None:
    """Raises InvalidInput when a number is not in ``least..most``."""
    if not least <= value <= most:
        raise InvalidInput(f"{name} {value} is not in {least}..{most}", field=name)


class ExtractionEmpty(WikiError):
    """The file could be read but holds no text."""

    code = "EXTRACTION_EMPTY"
    http_status = 422


class Unauthorized(WikiError):
    """No key, or an unknown one."""

    code = "UNAUTHORIZED"
    http_status = 401


class Forbidden(WikiError):
    """The caller may not do this, or the Host or Origin is not allowed."""

    code = "FORBIDDEN"
    http_status = 403


class NotFound(WikiError):
    """No such document, topic or job in this tenant."""

    code = "NOT_FOUND"
    http_status = 404


class Conflict(WikiError):
    """The id exists, the content hash differs, or another replace is running."""

    code = "CONFLICT"
    http_status = 409


class TooLarge(WikiError):
    """The upload is over the limit, which the message names."""

    code = "TOO_LARGE"
    http_status = 413


class UnsupportedFormat(WikiError):
    """Not a known format, damaged, or encrypted; the message says which."""

    code = "UNSUPPORTED_FORMAT"
    http_status = 415


class RateLimited(WikiError):
    """Too many requests at once; ``details["retry_after"]`` in seconds."""

    code = "RATE_LIMITED"
    http_status = 429
    retryable = True


class ConfigurationError(WikiError):
    """A setting is wrong or a needed provider is not configured."""

    code = "CONFIGURATION_ERROR"
    http_status = 500


class IndexModelMismatch(ConfigurationError):
    """The index was made by another embedding model; ``wiki rebuild`` is needed."""


class InternalError(WikiError):
    """A fault of ours. The request id finds it in the log."""


class ExternalServiceUnavailable(WikiError):
    """A configured provider failed when called."""

    code = "EXTERNAL_SERVICE_UNAVAILABLE"
    http_status = 503
    retryable = True


class CapabilityUnavailable(WikiError):
    """An extra, a program or a model is not installed; the message names it."""

    code = "CAPABILITY_UNAVAILABLE"
    http_status = 503
