"""A bulk import as a person does it: a real process, stopped with Ctrl-C, started again."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bench.mixed_files import WRITERS, write_mixed_files

pytestmark = [pytest.mark.real_model, pytest.mark.timeout(300)]


# A shell starts what runs in its background deaf to Ctrl-C, and so the tests may be.
LISTENING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from wiki.cli.main import main; main()"
)


def add(files: Path, root: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", LISTENING, "add", str(files), "--root", str(root), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_import_that_was_stopped_goes_on_and_each_file_is_in_once(tmp_path: Path) -> None:
    files, root = tmp_path / "files", tmp_path / "root"
    written = write_mixed_files(files, 2 * len(WRITERS), seed=11)
    (files / "0003 torn.docx").write_bytes((files / "0007.docx").read_bytes()[:900])
    (files / "0015 blank.txt").write_text(" \n")

    first = add(files, root)
    assert first.stdout is not None and first.stderr is not None
    seen = [json.loads(first.stdout.readline()) for _ in range(6)]
    first.send_signal(signal.SIGINT)
    rest, said = first.communicate(timeout=60)
    seen += [json.loads(line) for line in rest.splitlines()]
    assert first.returncode == 130, said
    assert len(seen) < len(written)
    assert "the same command again goes on from here" in said
    assert "Traceback" not in said
    assert not list((root / "default_app").rglob(".staging/*/index.md")) if (root / "default_app").is_dir() else True

    second = add(files, root)
    out, said = second.communicate(timeout=240)
    assert second.returncode == 1, said
    told = [json.loads(line) for line in out.splitlines()]
    by_status = {
        status: [item for item in told if item["status"] == status] for status in ("added", "skipped", "failed")
    }
    before = {item["path"] for item in seen if item["status"] == "added"}
    assert before <= {item["path"] for item in by_status["skipped"]}
    bad = {"0003 torn.docx": "UNSUPPORTED_FORMAT", "0015 blank.txt": "INVALID_INPUT"}
    if shutil.which("soffice") is None:
        bad |= {path.name: "CAPABILITY_UNAVAILABLE" for path in written if path.suffix == ".rtf"}
    assert {Path(item["path"]).name: item["error"]["code"] for item in by_status["failed"]} == bad
    assert len({item["doc_id"] for item in told if item["doc_id"]}) == len(written) + 2 - len(bad)

    status = subprocess.run(
        [sys.executable, "-m", "wiki.cli", "verify", "--root", str(root), "--json"], capture_output=True, text=True
    )
    assert json.loads(status.stdout)["differences"] == []
