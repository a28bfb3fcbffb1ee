"""Every setting as a dotted key: its field, its bounds in words, its environment name, its nearest right name."""

import difflib
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from wiki.settings import Settings

ENV_PREFIX = "WIKI_"


@dataclass(frozen=True)
class SettingKey:
    """One setting: ``knowledge.search.recall_n``."""

    name: str
    field: FieldInfo

    @property
    def env(self) -> str:
        return ENV_PREFIX + self.name.upper().replace(".", "__")

    @property
    def default(self) -> Any:
        return None if self.field.default is PydanticUndefined else self.field.default

    @property
    def secret(self) -> bool:
        return self.field.annotation is SecretStr

    @property
    def text(self) -> bool:
        """Whether an empty string is a value of it."""
        return self.field.annotation is str or self.secret

    @property
    def many(self) -> bool:
        return get_origin(self.field.annotation) is tuple

    @property
    def description(self) -> str:
        return self.field.description or ""

    @property
    def kind(self) -> str:
        """The type and bounds in words: ``integer, 1 to 2000``."""
        annotation = self.field.annotation
        if get_origin(annotation) is Literal:
            return " or ".join(f"`{choice}`" for choice in get_args(annotation))
        names: dict[Any, str] = {
            bool: "true or false",
            int: "integer",
            float: "number",
            str: "text",
            SecretStr: "secret text",
        }
        if get_origin(annotation) in (Union, UnionType):
            inner = [part for part in get_args(annotation) if part is not type(None)]
            kind = " or ".join(names.get(part, str(part)) for part in inner)
        else:
            kind = "list of text" if self.many else names.get(annotation, str(annotation))
        return ", ".join(filter(None, (kind, self.bounds)))

    @property
    def bounds(self) -> str:
        low = next((mark for mark in self.field.metadata if isinstance(mark, Ge | Gt)), None)
        high = next((mark for mark in self.field.metadata if isinstance(mark, Le | Lt)), None)
        start = low.ge if isinstance(low, Ge) else low.gt if isinstance(low, Gt) else None
        end = high.le if isinstance(high, Le) else high.lt if isinstance(high, Lt) else None
        if isinstance(low, Gt):
            return f"above {start}" + (f", at most {end}" if high else "")
        if low and high:
            return f"{start} to {end}"
        return f"at least {start}" if low else f"at most {end}" if high else ""


@cache
def setting_keys() -> dict[str, SettingKey]:
    """Every key a person may set, in the order of ``wiki.settings``; ``root`` is not one of them."""
    found = dict(_walk(Settings, ""))
    del found["root"]
    return found


@cache
def sections() -> frozenset[str]:
    """Every table of ``wiki.toml``: ``embedding``, ``knowledge``, ``knowledge.search``."""
    tables = {name for name in Settings.model_fields if name != "root"}
    return frozenset(tables | {key.rsplit(".", 1)[0] for key in setting_keys()})


def nearest(word: str, among: list[str]) -> str | None:
    """The name most like ``word``, or None when nothing is near."""
    matches = difflib.get_close_matches(word.lower(), [name.lower() for name in among], n=1, cutoff=0.5)
    return next((name for name in among if matches and name.lower() == matches[0]), None)


def _walk(model: type[BaseModel], prefix: str) -> list[tuple[str, SettingKey]]:
    keys: list[tuple[str, SettingKey]] = []
    for name, field in model.model_fields.items():
        dotted = prefix + (field.alias or name)
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            keys.extend(_walk(annotation, dotted + "."))
        else:
            keys.append((dotted, SettingKey(dotted, field)))
    return keys
