"""One tenant's library, whole."""

from wiki.library.jobs import Accepting
from wiki.library.keeping import Keeping


class TenantLibrary(Accepting, Keeping):
    """Everything one tenant can do: write documents, read and search them, keep the indexes in step."""
