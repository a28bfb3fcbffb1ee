"""``python -m serving`` as a process: quick to start, clean to stop, refusing what it must."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from serving.run import listen, main
from tests.serving.server import wait_until

HEAVY = ("torch", "docling", "sentence_transformers", "onnxruntime", "dagster")
START = (
    "import sys; from serving.run import main; "
    f"print([name for name in {HEAVY} if name in sys.modules], flush=True); "
    "sys.exit(main(sys.argv[1:]))"
)


def test_it_starts_without_heavy_imports_serves_on_a_free_port_and_stops_on_sigterm(root: Path) -> None:
    command = [sys.executable, "-c", START, "--root", str(root), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "[]\n"
        url = re.fullmatch(r"Knowledge Wiki API: (http://127\.0\.0\.1:\d+)\n", process.stdout.readline())
        assert url is not None

        def healthy() -> bool:
            try:
                return httpx.get(f"{url[1]}/health").status_code == 200
            except httpx.TransportError:
                return False

        try:
            wait_until(healthy, 20)
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(20) in (0, -signal.SIGTERM)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1"])
def test_an_open_bind_is_refused_with_a_remedy(root: Path, host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root), "--host", host, "--port", "0"]) == 2
    assert "127.0.0.1" in capsys.readouterr().err


def test_a_setting_out_of_bounds_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root), "--port", "70000"]) == 2
    assert "api.port" in capsys.readouterr().err


def test_a_port_in_use_is_told_with_a_remedy(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        assert main(["--root", str(root), "--port", str(taken.getsockname()[1])]) == 2
    assert "--port" in capsys.readouterr().err
