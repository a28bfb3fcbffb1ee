"""What is shown beside an event about a language model's part."""

from pathlib import Path

import pytest

from assets import keys, metadata
from assets.versions import code_versions
from wiki.settings import ExtractionSettings, LlmSettings, Settings


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ({"method": "outline", "model": None, "version": 1}, {}),
        ({}, {}),
        (
            {"method": "llm", "model": "m", "repaired": "3", "calls": "2", "cached": "0", "coverage": "1.000"},
            {"method": "llm", "model": "m", "repairs": 3, "llm_calls": 2, "llm_cached": 0, "coverage": 1.0},
        ),
        (
            {"method": "outline", "model": None, "fallback": "no use", "calls": "2"},
            {"method": "outline", "model": "None", "llm_calls": 2, "fallback": "no use"},
        ),
        ({"method": "llm", "model": "m", "repaired": ["by hand"], "calls": "two"}, {"method": "llm", "model": "m"}),
    ],
)
def test_repairs_and_calls_are_numbers(told: dict[str, object], shown: dict[str, object]) -> None:
    assert metadata.extraction(told) == shown


def test_another_model_makes_what_the_first_one_made_stale(tmp_path: Path) -> None:
    def version(method: str, model: str) -> str:
        extraction = ExtractionSettings.model_validate({"method": method})
        settings = Settings(root=tmp_path, extraction=extraction, llm=LlmSettings(model=model))
        return code_versions(settings)[keys.MARKDOWN_TOPICS]

    assert version("outline", "a") == version("outline", "b")
    assert len({version("outline", "a"), version("llm", "a"), version("llm", "b")}) == 3
