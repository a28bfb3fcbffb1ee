"""Replies kept on disk, so that the same question is paid for once. Derived: may be deleted at any time."""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import cast
from uuid import uuid4

from wiki.extraction.llm.prompts import VERSION


@dataclass(frozen=True)
class Question:
    """One call: what the model is told, the form of the reply, and how long it may be."""

    system: str
    user: str
    schema: dict[str, object]
    max_tokens: int

    def key(self, model: str) -> str:
        """SHA-256 over all that decides the answer: the text shown, the prompts, the categories, the model's name."""
        parts = [VERSION, model, self.system, self.user, self.schema, self.max_tokens]
        return sha256(json.dumps(parts, sort_keys=True).encode("ascii")).hexdigest()


@dataclass(frozen=True)
class KeptReply:
    text: str
    cut: bool


class Replies:
    """A folder of replies, one JSON file each. Thread safe, also between processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> KeptReply | None:
        """The reply kept under ``key``; None when there is none or its file is torn."""
        try:
            value = json.loads((self._folder / f"{key}.json").read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        fields = cast(dict[str, object], value) if isinstance(value, dict) else {}
        text, cut = fields.get("text"), fields.get("cut")
        return KeptReply(text, cut) if isinstance(text, str) and isinstance(cut, bool) else None

    def put(self, key: str, reply: KeptReply, model: str) -> None:
        """Keep a reply; an older one is replaced in one step."""
        self._folder.mkdir(parents=True, exist_ok=True)
        staged = self._folder / f".{key}.{uuid4().hex}"
        staged.write_text(json.dumps({"model": model, "text": reply.text, "cut": reply.cut}), encoding="ascii")
        staged.replace(self._folder / f"{key}.json")
