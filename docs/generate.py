"""Writes the generated pages: ``python -m docs.generate``. ``tests/test_docs.py`` checks that they are current."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import typer.main
from typer.testing import CliRunner

from wiki.cli.main import app
from wiki.settings_keys import SettingKey, sections, setting_keys

DOCS = Path(__file__).resolve().parent
NOTE = "<!-- Written by `make docs`; change the code, not this page. -->"

SETTINGS_INTRODUCTION = """\
# Settings

Four places, each stronger than the one before:

1. the defaults below;
2. `wiki.toml` in the root of the library, a table for each section;
3. the environment: `WIKI_<SECTION>__<KEY>`, e.g. `WIKI_KNOWLEDGE__SEARCH__RECALL_N=300`. Lists are written with
   commas or as JSON;
4. flags of the command.

`wiki config` prints every value in force and where it came from; secrets show as asterisks. A key that doesn't exist
is refused with its file and line, or its variable, and the nearest right name; a value out of bounds is refused with
the bounds.

```toml
# <root>/wiki.toml
[knowledge.search]
rerank_n = 30

[api]
port = 8100
allowed_hosts = ["wiki.home.example"]
```

Which root: `--root`, else `WIKI_ROOT`, else `knowledge_root` in the working folder.

EverOS names for model, key, base URL, dimension and search tuning (`EVEROS_EMBEDDING__MODEL`,
`EVEROS_KNOWLEDGE__SEARCH__RECALL_N`, ...) are read as well, below the `WIKI_` ones; others of that prefix are ignored
with a warning.
"""

CLI_INTRODUCTION = """\
# Command line

`wiki COMMAND --help` prints the same text. Exit codes: 0 all is well, 1 trouble was found, 2 the command or a setting
is wrong, 130 stopped by Ctrl-C. Errors are one line on stderr, `error CODE: message`, with the codes of the HTTP API;
with `--json` they are an object `{"error": {"code", "message", "details"}}` on stdout. What is meant for a person goes
to stderr, so stdout holds data only. `WIKI_TRACEBACK=1` adds the traceback to an unexpected error.
"""

CLI_JSON = """\
## JSON that scripts rely on

- `wiki add --json`: a line a file, `{"path", "status": "added"|"skipped"|"failed", "doc_id", "error"}`; `error` is null
  or `{"code", "message"}`; `extraction_fallback` is there only when the outline took the place of the language model.
- `wiki reextract --json`: a line a document, `{"doc_id", "status": "changed"|"same"|"failed", "topics", "kept", "error",
  "extraction_fallback"}`.
- `wiki search --json`: `{"hits", "total", "took_ms", "timings", "facets"}`, a hit as in the HTTP API.
- `wiki verify --json`: `{"ok", "checked", "differences": [{"kind", "id", "path"}]}`.
- `wiki status --json`: `{"documents", "topics", "notes", "passages", "pending", "faults": [{"path", "reason", "since",
  "remedy"}], "processes"}`.
- `wiki config --json`: `{"root", "settings": {"<key>": {"value", "source"}}}`.
- `wiki eval DIR --json`: `{"collection", "queries", "methods": {"<method>": {"ndcg@10", "recall@100", "mrr@10",
  "p50_ms", "p95_ms"}}}`.
"""


def settings_page() -> str:
    """Every setting by section: key, type and bounds, default, meaning."""
    parts = [NOTE, "", SETTINGS_INTRODUCTION]
    for section in sorted(sections(), key=_section_order):
        keys = [key for name, key in setting_keys().items() if name.rsplit(".", 1)[0] == section]
        if keys:
            parts += [f"## `[{section}]`", "", *_settings_table(keys), ""]
    return "\n".join(parts)


def cli_page() -> str:
    """The help of every command, as printed on an 88-column terminal."""
    parts = [NOTE, "", CLI_INTRODUCTION, "```text", _help([]), "```", ""]
    for words in commands():
        parts += [f"## `wiki {' '.join(words)}`", "", "```text", _help(words), "```", ""]
    return "\n".join([*parts, CLI_JSON])


def commands() -> list[list[str]]:
    """Every command as its words, those of a group by themselves; a group that does something alone is one too."""
    return list(_commands([], typer.main.get_group(app).commands))


def _commands(above: list[str], commands: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, command in commands.items():
        inner = getattr(command, "commands", None)
        if not inner or command.invoke_without_command:
            yield [*above, name]
        yield from _commands([*above, name], inner or {})


def pages() -> dict[Path, str]:
    return {DOCS / "settings.md": settings_page(), DOCS / "cli.md": cli_page()}


def _settings_table(keys: Iterable[SettingKey]) -> list[str]:
    rows = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"]
    for key in keys:
        leaf = key.name.rsplit(".", 1)[1]
        rows.append(f"| `{leaf}` | {key.kind} | {_default(key)} | {key.description} |")
    return rows


def _default(key: SettingKey) -> str:
    value: Any = "" if key.secret else key.default
    shown = {"": "", None: "", (): "`[]`"}.get(value) if value in ("", None, ()) else json.dumps(value)
    return f"`{shown}`" if shown and not shown.startswith("`") else shown or ""


def _section_order(section: str) -> int:
    names = [name.rsplit(".", 1)[0] for name in setting_keys()]
    return names.index(section) if section in names else len(names)


def _help(arguments: list[str]) -> str:
    result = CliRunner().invoke(app, [*arguments, "--help"], prog_name="wiki", env={"COLUMNS": "88"})
    return result.output.rstrip()


def main() -> int:
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {os.path.relpath(path)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
