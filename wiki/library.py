"""The facade: one ``Library`` per root, one ``TenantLibrary`` per tenant.

HTTP, CLI and Dagster call this and nothing below it.
"""
