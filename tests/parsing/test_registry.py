from pathlib import Path

import pytest

from wiki.errors import CapabilityUnavailable
from wiki.parsing import media, registry
from wiki.parsing.parser import parse_file


def test_everything_is_ready_where_the_extra_is_installed() -> None:
    assert set(registry.capabilities().values()) == {None}
    assert {media.MARKDOWN, media.PDF, media.DOCX, media.EML} <= set(registry.capabilities())


def test_without_the_extra_the_text_formats_stay_and_the_others_name_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _name: None)
    ready = {kind for kind, missing in registry.capabilities().items() if missing is None}
    assert ready == {media.MARKDOWN, media.TEXT, media.CSV, media.TSV, media.VTT, media.EML}
    path = tmp_path / "upload"
    path.write_bytes(b"%PDF-1.7\n")
    with pytest.raises(
        CapabilityUnavailable, match=r"reading PDF needs the 'multimodal' extra: pip install 'knowledge"
    ):
        parse_file(path, "a.pdf")
