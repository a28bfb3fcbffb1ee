"""The facade over everything: one ``Library`` per root, one ``TenantLibrary`` per tenant.

HTTP, CLI and Dagster call this and nothing below it.
"""

from wiki.library.library import Library
from wiki.library.tenant import TenantLibrary

__all__ = ["Library", "TenantLibrary"]
