"""What ``wiki doctor`` looks at: the root, the models, the index, and each format, with a remedy for what is missing."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from wiki.errors import ConfigurationError
from wiki.parsing.media_types import EXTENSIONS
from wiki.parsing.registry import FORMATS, capabilities

if TYPE_CHECKING:
    from wiki.library import Library, TenantLibrary
    from wiki.settings import ParsingSettings

Status = Literal["ready", "missing", "faulty", "warning"]


@dataclass(frozen=True)
class Check:
    """One thing looked at. ``remedy`` says what to run or to set when it is not ready. A warning is no trouble."""

    name: str
    status: Status
    detail: str
    remedy: str | None = None


@dataclass(frozen=True)
class FormatCheck:
    """Whether a format can be read here, and if not, why and what to install."""

    format: str
    extensions: tuple[str, ...]
    media_type: str
    ready: bool
    reason: str | None = None


@dataclass(frozen=True)
class Diagnosis:
    checks: tuple[Check, ...]
    formats: tuple[FormatCheck, ...]

    @property
    def ok(self) -> bool:
        well = all(check.status in ("ready", "warning") for check in self.checks)
        return well and all(item.ready for item in self.formats)


def diagnose(library: "Library", tenant: "TenantLibrary") -> Diagnosis:
    """Every check of a root and a tenant in it. Changes nothing and loads no model."""
    checks = (_root(library), *_models(library), _cascade(library), *_index(tenant))
    return Diagnosis(checks, formats(library.settings.parsing))


def formats(settings: "ParsingSettings") -> tuple[FormatCheck, ...]:
    """Each format with ready, or why not."""
    return tuple(
        FormatCheck(FORMATS[media_type].label, EXTENSIONS[media_type], media_type, reason is None, reason)
        for media_type, reason in capabilities(settings).items()
    )


def _root(library: "Library") -> Check:
    root = library.root
    if not root.is_dir():
        return Check("root", "missing", f"{root} is not there", f"wiki add PATH --root {root} makes it")
    if not os.access(root, os.W_OK | os.X_OK):
        return Check(
            "root", "faulty", f"{root} cannot be written to", "give the user who runs the wiki the right to write"
        )
    return Check("root", "ready", str(root))


def _models(library: "Library") -> Iterator[Check]:
    from wiki.models.factory import make_embedder, make_reranker
    from wiki.models.installed import missing_model, pip_command

    settings = library.settings
    for name, provider, make in (
        ("embedding", settings.embedding.provider, lambda: make_embedder(settings.embedding)),
        ("rerank", settings.rerank.provider, lambda: make_reranker(settings.rerank)),
    ):
        try:
            make()
        except ConfigurationError as error:
            yield Check(name, "faulty", error.message, f"set {name}.provider in wiki.toml")
            continue
        reason = missing_model(provider)
        if reason:
            yield Check(name, "missing", reason, pip_command(provider))
        else:
            yield Check(name, "ready", provider)
    yield _language_model(library)


def _language_model(library: "Library") -> Check:
    from wiki.models.factory import make_chat

    llm, method = library.settings.llm, library.settings.extraction.method
    if llm.provider == "none" and method != "llm":
        return Check("llm", "ready", "none: topic trees follow the outline of the text")
    try:
        make_chat(llm)
    except ConfigurationError as error:
        return Check("llm", "faulty", error.message, "set llm.provider, llm.base_url and llm.model in wiki.toml")
    used = "makes the topic trees" if method == "llm" else 'not used: extraction.method is "outline"'
    return Check("llm", "ready", f"{llm.model} at {llm.base_url or 'the default endpoint'}, {used}")


def _cascade(library: "Library") -> Check:
    run = library.presence.run()
    if run or library.presence.somebody_watches():
        return Check("cascade", "ready", "edits are followed")
    return Check("cascade", "ready", "not running: `wiki up` follows edits, `wiki sync` takes them in once")


def _index(tenant: "TenantLibrary") -> Iterator[Check]:
    view = tenant.status()
    state = f"{view.pending} changes pending" if view.pending else "in step"
    yield Check("index", "ready", f"{view.documents} documents, {state}")
    for warning in view.warnings:
        yield Check("language", "warning", warning.message, warning.remedy)
    for fault in view.faults:
        line = f":{fault.line}" if fault.line else ""
        yield Check("file", "faulty", f"{fault.path}{line}: {fault.reason}", fault.remedy)
