"""Code versions of the assets: when one changes, Dagster shows what was made by the older one as stale."""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

import dagster as dg

from assets import keys
from wiki.extraction.llm.prompts import VERSION as PROMPTS
from wiki.extraction.outline import VERSION as OUTLINE
from wiki.parsing.parser import parser_version
from wiki.settings import Settings

STORAGE_VERSION = "1"


def code_versions(settings: Settings) -> dict[dg.AssetKey, str]:
    """The code version of each asset under these settings: parser, extractor and model decide."""
    model = ":".join(part for part in (settings.embedding.provider, settings.embedding.model) if part)
    parser = parser_version(settings.parsing) + _package("docling-slim") + _package("pdfplumber")
    return {
        keys.RAW_FILES: STORAGE_VERSION,
        keys.PARSED_DOCUMENTS: parser,
        keys.MARKDOWN_TOPICS: _extraction(settings),
        keys.TOPIC_VECTORS: model,
        keys.LANCEDB_INDEX: f"{STORAGE_VERSION}+{model}",
        keys.DUCKDB_CATALOG: STORAGE_VERSION,
        keys.VAULT_AUDIT: STORAGE_VERSION,
    }


def _extraction(settings: Settings) -> str:
    """The method, and for a language model its name and the version of its prompts."""
    name = f"{settings.extraction.method}-{OUTLINE}"
    return name if settings.extraction.method != "llm" else f"{name}+{settings.llm.model}+prompts-{PROMPTS}"


def version_tags(
    versions: Mapping[dg.AssetKey, str], asset: dg.AssetKey, data_version: str | None = None
) -> dict[str, str]:
    """Tags that let Dagster tell fresh from stale for an event reported outside a step's own output."""
    tags = {keys.CODE_VERSION_TAG: versions[asset]}
    if data_version is not None:
        tags[keys.DATA_VERSION_TAG] = data_version
        if asset in keys.MADE_FROM:
            tags[f"{keys.INPUT_VERSION_TAG}/{keys.MADE_FROM[asset].to_user_string()}"] = data_version
    return tags


def _package(name: str) -> str:
    try:
        return f"+{name}-{version(name)}"
    except PackageNotFoundError:
        return ""
