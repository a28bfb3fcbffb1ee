"""``routing.json``: who may write what into which folder of which vault. Read and checked here, applied in ``routing``."""

import json
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from wiki.errors import ConfigurationError
from wiki.tenants import Layout

FILE = "routing.json"
TEMPLATE = Path(__file__).resolve().parent / "templates" / FILE
SCHEMA = Path(__file__).resolve().parent / "routing.schema.json"
Actor = Literal["person", "agent"]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
VaultName = Annotated[str, StringConstraints(pattern=r"^[^/\\\x00.][^/\\\x00]{0,63}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _folder(text: str) -> str:
    parts = text.removesuffix("/").split("/") if text else []
    if text.startswith("/") or "\\" in text or "\0" in text or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{text!r} is no folder inside a vault; write it like Architecture/decisions/")
    return "/".join(parts)


def _pattern(text: str) -> str:
    if not text.endswith(".md") or "/" in text or "<slug>" not in text:
        raise ValueError(f"{text!r} is no file name pattern; it needs <slug> and ends with .md")
    return text


class Numbered(_Part):
    """Notes of some types that get the next free number of their folder."""

    kind: Name
    types: tuple[str, ...] = Field(min_length=1, description="Values of the front matter's `type`.")
    folder: str
    filename_pattern: str = Field(description="With `NNNN` for the number.")

    _check_folder = field_validator("folder")(_folder)
    _check_pattern = field_validator("filename_pattern")(_pattern)


class Unsure(_Part):
    """Where a note goes whose kind is not known."""

    folder: str = ""
    tag: Name = "needs-routing"

    _check_folder = field_validator("folder")(_folder)


class Route(_Part):
    content_type: Name
    description: str = ""
    vault_id: VaultName
    folders: dict[Name, str] = Field(min_length=1, description="Folder in the vault by kind.")
    filename_pattern: str = Field(default="<slug>.md", description="`YYYY`, `MM`, `DD` and `<slug>` are filled in.")
    numbered: Numbered | None = None
    unsure: Unsure | None = None
    required: tuple[str, ...] = Field(default=(), description="Keys the front matter must have.")
    writers: tuple[Actor, ...] = Field(default=("person",), min_length=1)
    rules: tuple[str, ...] = Field(default=(), description="For those who read; not enforced.")

    _check_pattern = field_validator("filename_pattern")(_pattern)

    @field_validator("folders")
    @classmethod
    def _check_folders(cls, folders: dict[str, str]) -> dict[str, str]:
        return {kind: _folder(folder) for kind, folder in folders.items()}

    @property
    def rule_id(self) -> str:
        return self.content_type


class Contract(_Part):
    schema_version: Literal[1]
    comment: str = ""
    routes: tuple[Route, ...] = Field(min_length=1)
    decision_order: tuple[str, ...] = Field(default=(), description="How to choose a route, for those who read.")

    @model_validator(mode="after")
    def _no_route_twice(self) -> "Contract":
        names = [route.content_type for route in self.routes]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"content_type {twice[0]!r} has two routes")
        return self

    def route(self, content_type: str) -> Route | None:
        return next((route for route in self.routes if route.content_type == content_type), None)


def load_contract(layout: Layout) -> Contract:
    """The contract in force: the tenant's ``routing.json``, else the one that is packaged.

    Raises ConfigurationError that names the file, the line and the place in it.
    """
    path = layout.home / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        path, text = TEMPLATE, TEMPLATE.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{layout.relative(path)} cannot be read: {error}") from error
    shown = layout.relative(path) if path.is_relative_to(layout.root) else path.name
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ConfigurationError(f"{shown}: no JSON: {error}. Mend it, or remove it to use the default") from error
    try:
        return Contract.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "__root__")
        line = _line_of(text, [part for part in first["loc"] if isinstance(part, str)])
        message = f"{shown} line {line}: {where or 'the contract'}: {first['msg'].removeprefix('Value error, ')}"
        raise ConfigurationError(f"{message}. Mend it, or remove the file to use the default", line=line) from error


def schema_text() -> str:
    """The JSON Schema of a contract, as ``routing.schema.json`` holds it."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Writing contract of vaults"}
    return json.dumps({**Contract.model_json_schema(), **schema}, indent=2, ensure_ascii=False) + "\n"


def _line_of(text: str, keys: list[str]) -> int:
    """The line of the innermost key that stands in the text, 1 when none does."""
    at = 0
    for key in keys:
        found = text.find(f'"{key}"', at)
        at = found if found >= 0 else at
    return text.count("\n", 0, at) + 1
