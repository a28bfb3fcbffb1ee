"""Files of other formats than text over HTTP: at the same moment, and through parsers that misbehave."""

import io
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from tests.serving.conftest import BASE
from tests.standins import WordEmbedder
from wiki.library import Library
from wiki.parsing.worker import ParserPool
from wiki.settings import ParsingSettings, Settings

DOCUMENTS = "/api/v1/knowledge/documents"
needs_libreoffice = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")


@needs_libreoffice
def test_old_office_files_uploaded_at_the_same_moment_are_all_read(client: TestClient) -> None:
    def upload(number: int) -> int:
        text = rf"{{\rtf1\ansi {{\b Minutes {number}}}\par The pump of hall {number} runs again since Monday.\par}}"
        file = (f"minutes {number}.rtf", io.BytesIO(text.encode("ascii")), "application/rtf")
        return client.post(DOCUMENTS, files={"file": file}).status_code

    with ThreadPoolExecutor(4) as uploads:
        assert list(uploads.map(upload, range(4))) == [201] * 4


@pytest.mark.parametrize(
    ("name", "says"),
    [("hang.html", "parsing.timeout_seconds"), ("die.html", "died on it"), ("hungry.html", "parsing.memory_mb")],
)
def test_a_parser_that_misbehaves_costs_one_answer_and_the_service_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word_embedder: WordEmbedder, name: str, says: str
) -> None:
    seconds = 3 if name == "hang.html" else 60
    parsing = ParsingSettings(timeout_seconds=seconds, memory_mb=256, workers=1)
    pool = ParserPool(parsing, child="tests.parsing.faulty_child")
    monkeypatch.setattr("wiki.parsing.worker._QUICK_BYTES", 0)
    monkeypatch.setattr(Library, "parser", pool, raising=False)
    library = Library(Settings(root=tmp_path / "root"), embedder=word_embedder)
    try:
        with TestClient(create_app(library.settings, library), base_url=BASE) as client:
            refused = client.post(DOCUMENTS, files={"file": (name, b"<html><body>words</body></html>")})
            assert refused.status_code == 415
            assert says in refused.json()["error"]["message"]
            assert not [path for path in library.tenant().layout.knowledge.rglob("*") if path.is_file()]
            assert client.get("/health").status_code == 200
            good = client.post(DOCUMENTS, files={"file": ("good.md", b"# Words\n\nThe service goes on.\n")})
            assert good.status_code == 201
    finally:
        pool.close()
        library.close()
