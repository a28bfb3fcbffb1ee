import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openpyxl
import pytest

from tests.parsing.containers import ole_container
from wiki.errors import UnsupportedFormat
from wiki.parsing.legacy import is_encrypted
from wiki.parsing.parser import parse_file
from wiki.settings import ParsingSettings

needs_office = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
RTF = rb"{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0\fcharset204 Arial;}}\f0 \'cd\'e0\'f1\'ee\'f1 works\par}"


def stand_in(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program named soffice that does what the script says."""
    program = folder / "soffice"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@needs_office
def test_several_rtf_files_at_once_are_all_read(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.rtf" for number in range(3)]
    for path in paths:
        path.write_bytes(b"\n" + RTF)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda path: parse_file(path, "letter.doc").markdown, paths))
    assert found == ["Насос works\n\n"] * 3


@needs_office
def test_an_old_workbook_keeps_what_a_person_sees(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Stock"
    sheet.append(["Code", "Count", "Note"])
    sheet.append(["007", 12, "NA"])
    book.create_sheet("Secret").append(["x"])
    book["Secret"].sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    office = shutil.which("soffice")
    assert office is not None
    profile = (tmp_path / "profile").as_uri()
    command = [office, f"-env:UserInstallation={profile}", "--headless", "--convert-to", "xls"]
    subprocess.run([*command, "--outdir", str(tmp_path), str(tmp_path / "a.xlsx")], check=True, capture_output=True)
    found = parse_file(tmp_path / "a.xls", "a.xls").markdown
    assert "| 007 | 12 | NA |" in found and "## Secret (hidden)" in found


def test_no_file_is_an_error_with_the_words_of_libreoffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, "echo 'Error: source file could not be loaded'", monkeypatch)
    (tmp_path / "a.rtf").write_bytes(RTF)
    with pytest.raises(UnsupportedFormat, match="source file could not be loaded"):
        parse_file(tmp_path / "a.rtf", "a.rtf")


def test_a_conversion_that_hangs_is_ended_with_all_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, f"sleep 60 & echo $! > {tmp_path}/pid; wait", monkeypatch)
    (tmp_path / "a.rtf").write_bytes(RTF)
    began = time.monotonic()
    with pytest.raises(UnsupportedFormat, match=r"parsing\.office_seconds"):
        parse_file(tmp_path / "a.rtf", "a.rtf", settings=ParsingSettings(office_seconds=1))
    assert time.monotonic() - began < 10
    assert _gone(int((tmp_path / "pid").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_libreoffice_ends_when_its_parser_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        tmp_path, f"echo $$ > {tmp_path}/pid.new; mv {tmp_path}/pid.new {tmp_path}/pid; exec sleep 60", monkeypatch
    )
    (tmp_path / "a.rtf").write_bytes(RTF)
    code = f"from pathlib import Path; from wiki.parsing.parser import parse_file; parse_file(Path({str(tmp_path / 'a.rtf')!r}), 'a.rtf')"
    parser = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    deadline = time.monotonic() + 30
    while not (tmp_path / "pid").exists() and time.monotonic() < deadline:
        assert parser.poll() is None
    parser.send_signal(signal.SIGKILL)
    parser.wait()
    assert _gone(int((tmp_path / "pid").read_text()))


def _gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
    return False


def test_encryption_is_known_without_libreoffice() -> None:
    assert is_encrypted(ole_container("EncryptedSummary", "PowerPoint Document"))
    assert not is_encrypted(ole_container("PowerPoint Document"))
    assert is_encrypted(b"\xdb\xa5\x2d\x00" + bytes(6) + b"\x00\x01" + bytes(20))
