"""Where settings come from: defaults, ``<root>/wiki.toml``, the environment, then flags. Later ones win."""

import json
import logging
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import SecretStr, ValidationError

from wiki.errors import ConfigurationError
from wiki.settings import Settings
from wiki.settings_keys import ENV_PREFIX, SettingKey, nearest, sections, setting_keys

SETTINGS_FILE = "wiki.toml"
ROOT_VARIABLE = "WIKI_ROOT"
DEFAULT_ROOT = "knowledge_root"
PEER_PREFIX = "EVEROS_"
MASK = "********"

_PEER_KEYS = {
    **{
        f"EVEROS_{section.upper()}__{key.upper()}": f"{section}.{key}"
        for section in ("embedding", "rerank", "llm")
        for key in ("model", "api_key", "base_url")
    },
    "EVEROS_EMBEDDING__DIM": "embedding.dim",
    "EVEROS_EMBEDDING__DIMENSIONS": "embedding.dim",
    **{
        f"EVEROS_KNOWLEDGE__SEARCH__{key.upper()}": f"knowledge.search.{key}"
        for key in ("recall_n", "rerank_n", "lambda", "mass_top_m", "top_k_cap")
    },
}

_log = logging.getLogger("wiki.settings")


@dataclass(frozen=True)
class Given:
    """A value somebody set, and where: ``wiki.toml line 3``, a variable's name, ``flag``."""

    value: Any
    source: str


@dataclass(frozen=True)
class SettingSource:
    """One line of ``wiki config``."""

    key: str
    value: Any
    """Plain JSON; a secret that is set shows as asterisks."""
    source: str
    description: str


def default_root(environ: Mapping[str, str] | None = None) -> Path:
    """The root when no ``--root`` is given: ``WIKI_ROOT``, else ``knowledge_root`` in the working folder."""
    return Path((os.environ if environ is None else environ).get(ROOT_VARIABLE) or DEFAULT_ROOT)


def load_settings(root: Path | None = None, *, overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings of a root, read from every place.

    ``overrides`` are flags: ``{"api.port": 8100}`` or nested; a None in it counts as not given.
    Raises ConfigurationError for an unknown key or a value out of bounds, naming the place and the remedy.
    """
    return _load(root, overrides)[0]


def explain_settings(root: Path | None = None, *, overrides: Mapping[str, Any] | None = None) -> list[SettingSource]:
    """Each setting with its value in force and the place it came from; secrets are masked."""
    settings, given = _load(root, overrides)
    explained: list[SettingSource] = []
    for name, key in setting_keys().items():
        place = given[name].source if name in given else "default"
        explained.append(SettingSource(name, _shown(_value(settings, name)), place, key.description))
    return explained


def _load(root: Path | None, overrides: Mapping[str, Any] | None) -> tuple[Settings, dict[str, Given]]:
    where = Path(root or default_root()).expanduser().absolute()
    given = {
        **_from_file(where / SETTINGS_FILE),
        **_from_peer(os.environ),
        **_from_environment(os.environ),
        **_from_flags(overrides or {}),
    }
    tree: dict[str, Any] = {"root": where}
    for name, item in given.items():
        *parents, leaf = name.split(".")
        table = tree
        for parent in parents:
            table = table.setdefault(parent, {})
        table[leaf] = item.value
    try:
        return Settings.model_validate(tree), given
    except ValidationError as error:
        raise ConfigurationError("\n".join(_complaints(error, given))) from None


def _from_file(path: Path) -> dict[str, Given]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} can't be read: {error}; correct the file or its permissions") from error
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}") from error
    lines = _key_lines(text)
    given: dict[str, Given] = {}
    for name, value in _flatten(parsed):
        source = f"{path.name} line {lines.get(name, 1)}"
        if name not in setting_keys():
            raise _unknown(f"{path}, line {lines.get(name, 1)}", name, list(setting_keys()), name)
        given[name] = Given(value, source)
    return given


def _from_environment(environ: Mapping[str, str]) -> dict[str, Given]:
    by_variable = {key.env: key for key in setting_keys().values()}
    given: dict[str, Given] = {}
    for variable, raw in sorted(environ.items()):
        if not variable.startswith(ENV_PREFIX) or variable == ROOT_VARIABLE:
            continue
        key = by_variable.get(variable.upper())
        if key is None:
            if _looks_like_a_setting(variable):
                name = variable.removeprefix(ENV_PREFIX).lower().replace("__", ".")
                raise _unknown(f"the environment variable {variable}", name, list(by_variable), variable)
            continue
        if raw or key.text:
            given[key.name] = Given(_parse(key, raw, variable), variable)
    return given


def _from_peer(environ: Mapping[str, str]) -> dict[str, Given]:
    given: dict[str, Given] = {}
    for variable, raw in sorted(environ.items()):
        if not variable.startswith(PEER_PREFIX):
            continue
        name = _PEER_KEYS.get(variable)
        if name is None:
            _log.warning("the environment variable %s is ignored: no setting of this wiki has that name", variable)
        elif raw:
            given[name] = Given(_parse(setting_keys()[name], raw, variable), variable)
    return given


def _from_flags(overrides: Mapping[str, Any]) -> dict[str, Given]:
    given: dict[str, Given] = {}
    for name, value in _flatten(overrides):
        if name not in setting_keys():
            raise _unknown("the flags", name, list(setting_keys()), name)
        if value is not None:
            given[name] = Given(value, "flag")
    return given


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in tree.items():
        dotted = prefix + name
        if isinstance(value, Mapping) and (value or dotted in sections()):
            yield from _flatten(cast(Mapping[str, Any], value), dotted + ".")
        else:
            yield dotted, value


def _key_lines(text: str) -> dict[str, int]:
    """The line of each ``key = value``, by dotted name. Multi-line values don't hold such lines in our settings."""
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            table = _bare(header[1]) + "."
            lines.setdefault(table[:-1], number)
        elif pair := re.match(r"\s*([\w\"'.\- ]+?)\s*=", line):
            lines.setdefault(table + _bare(pair[1]), number)
    return lines


def _bare(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


def _looks_like_a_setting(variable: str) -> bool:
    """Whether a stray ``WIKI_`` name must be a misspelt setting: it has ``__`` or begins with a section's name."""
    name = variable.removeprefix(ENV_PREFIX)
    return "__" in name or name.lower().split("_", 1)[0] in sections()


def _parse(key: SettingKey, raw: str, variable: str) -> Any:
    if not key.many:
        return raw
    if not raw.lstrip().startswith("["):
        return tuple(part.strip() for part in raw.split(",") if part.strip())
    try:
        return tuple(json.loads(raw))
    except ValueError as error:
        raise ConfigurationError(f"{variable} is not a JSON list: {error}; or separate values by commas") from None


def _unknown(place: str, name: str, known: list[str], spelled: str) -> ConfigurationError:
    if name.split(".")[0] == "root":
        return ConfigurationError(f"{place}: the root is set by --root or {ROOT_VARIABLE}, not by {spelled}", key=name)
    close = nearest(spelled, known)
    hint = f"did you mean {close}?" if close else "`wiki config` lists every setting"
    return ConfigurationError(f"{place}: there is no setting {name}; {hint}", key=name, nearest=close)


def _complaints(error: ValidationError, given: Mapping[str, Given]) -> Iterable[str]:
    for fault in error.errors():
        path = ".".join(str(part) for part in fault["loc"])
        name = next((key for key in given if path == key or path.startswith(key + ".")), path)
        key = setting_keys().get(name)
        if key is None or name not in given:
            yield f"{name} must be a table of settings, not {fault['input']!r}"
            continue
        value = MASK if key.secret else repr(given[name].value)
        yield f"{name} is {value} ({given[name].source}); it must be {key.kind.replace('`', '')}"


def _value(settings: Settings, name: str) -> Any:
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, "lambda_" if part == "lambda" else part)
    return value


def _shown(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return MASK if value.get_secret_value() else ""
    return list(value) if isinstance(value, tuple) else value
