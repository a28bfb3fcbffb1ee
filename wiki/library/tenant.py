"""One tenant's library, whole."""

from wiki.library.keeping import Keeping
from wiki.library.writing import Writing


class TenantLibrary(Writing, Keeping):
    """Everything one tenant can do: write documents, read and search them, keep the indexes in step."""
