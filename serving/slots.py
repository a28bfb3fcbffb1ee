"""How many uploads may run at once."""

from collections.abc import Generator
from contextlib import contextmanager

from wiki.errors import RateLimited


class UploadSlots:
    """A count of running uploads, kept on the event loop."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.taken = 0

    @contextmanager
    def take(self) -> Generator[None]:
        """Hold one slot. Raises ``RateLimited`` when none is free: a refused upload costs nothing."""
        if self.taken >= self.limit:
            raise RateLimited(
                f"{self.taken} uploads are running, the most at once (api.max_concurrent_uploads); try again shortly",
                retry_after=1,
            )
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1
