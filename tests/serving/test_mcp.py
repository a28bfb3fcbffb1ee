"""MCP with the SDK's own client: over HTTP against a real server, over stdio against a process."""

import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from serving.app import create_app
from serving.mcp.bounds import MOST_CHARS, piece
from tests.index.notes.vaults_on_disk import write_note
from tests.serving.server import running
from wiki.library import Library
from wiki.settings import Settings
from wiki.vaults.model import note_id

PUMP = note_id("work", "CloudOps/Pump.md")
LONG = note_id("work", "CloudOps/Long.md")
STAGED = note_id("user", "_inbox/Staged.md")
LONG_TEXT = "# Long\n\n" + "".join(f"Line {number} é 水 of a long note.\n" for number in range(2_000))
REPOSITORY = Path(__file__).resolve().parent.parent.parent
LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
BOTH = {"Accept": "application/json, text/event-stream"}
Talk = Callable[[Client], Awaitable[None]]


@pytest.fixture(autouse=True)
def vaults(library: Library, project: str) -> Path:
    vaults = library.root / "default" / project / "vaults"
    write_note(vaults / "work", "CloudOps/Pump.md", "---\ndue: 2026-12-24\n---\n# Pump\n\nLifts water.\n")
    write_note(vaults / "work", "CloudOps/Long.md", LONG_TEXT)
    write_note(vaults / "ai", "interaction-rules/Tone.md", "Answer briefly.\n")
    write_note(vaults / "user", "_inbox/Staged.md", "Lifts water, a secret.\n")
    library.tenant("default", project).sync()
    return vaults


@pytest.fixture
def port(settings: Settings, library: Library) -> Iterator[int]:
    with running(create_app(settings, library)) as port:
        yield port


@pytest.fixture(params=["http", "stdio"])
def talk(request: pytest.FixtureRequest, library: Library, project: str) -> Callable[[Talk], None]:
    """Runs a conversation over each transport."""
    if request.param == "http":
        where: Any = f"http://127.0.0.1:{request.getfixturevalue('port')}/mcp?project_id={project}"
    else:
        arguments = ["-m", "tests.serving.mcp_process", str(library.root), project]
        environment = {"PYTHONPATH": str(REPOSITORY)}
        where = stdio_client(StdioServerParameters(command=sys.executable, args=arguments, env=environment))

    def run(conversation: Talk) -> None:
        async def connected() -> None:
            async with Client(where) as client:
                await conversation(client)

        anyio.run(connected)

    return run


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    shown = result.content[0].text  # type: ignore[union-attr]
    assert json.loads(shown) == result.structured_content
    assert len(shown) < 2 * MOST_CHARS
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    text = result.content[0].text  # type: ignore[union-attr]
    assert "Traceback" not in text
    return json.loads(text)["error"]


def test_tools_and_the_prompt_are_listed(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"search", "get_note", "get_topic", "brief", "write_note", "stage_fact"}
        reading = {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint}
        assert reading == {"search", "get_note", "get_topic", "brief"}
        assert all(tool.output_schema and tool.description for tool in tools.values())
        prompt = await client.get_prompt("brief", {"tokens": "500"})
        assert "Answer briefly. [ai/interaction-rules/Tone.md:1]" in prompt.messages[0].content.text  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="INVALID_INPUT"):
            await client.get_prompt("brief", {"tokens": "7"})

    talk(conversation)


def test_search_read_and_brief(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        found = await call(client, "search", query="what lifts water", top=3)
        assert found["hits"][0]["note_id"] == PUMP
        note = await call(client, "get_note", vault="work", path="CloudOps/Pump.md")
        assert (note["note_id"], note["content"], note["next_offset"]) == (PUMP, "# Pump\n\nLifts water.\n", None)
        assert note["about"]["front_matter"] == [{"key": "due", "value": "2026-12-24"}]
        assert "Answer briefly" in (await call(client, "brief", tokens=500))["text"]

    talk(conversation)


def test_a_long_note_is_read_to_its_last_character_and_a_long_answer_of_hits_too(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        text, after = "", 0
        while after is not None:
            part = await call(client, "get_note", note_id=LONG, offset=after, max_chars=MOST_CHARS)
            text, after = text + part["content"], part["next_offset"]
        assert text == LONG_TEXT
        ids, offset = [], 0
        while offset is not None:
            found = await call(client, "search", query="a long note", top=50, max_per_note=50, offset=offset)
            ids += [hit["lines"][0] for hit in found["hits"] if hit["note_id"] == LONG]
            offset = found["next_offset"]
        assert len(ids) == len(set(ids)) > 20

    talk(conversation)


def test_what_cannot_be_is_told_with_code_and_remedy(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        for wanted in ("n_000000000000", STAGED):
            error = await refused(client, "get_note", note_id=wanted)
            assert (error["code"], "`search`" in error["message"]) == ("NOT_FOUND", True)
        assert (await refused(client, "get_topic", topic_id="d_000000000000_1"))["code"] == "NOT_FOUND"
        for tool, wrong in {"search": {"query": ""}, "get_note": {}, "brief": {"tokens": 1}}.items():
            assert (await refused(client, tool, **wrong))["code"] == "INVALID_INPUT"
        assert "unknown field" in (await refused(client, "brief", colour="red"))["message"]
        assert (await refused(client, "get_note", note_id=PUMP, offset=10_000))["code"] == "INVALID_INPUT"
        new = {"content_type": "operational", "kind": "secops", "title": "Keys", "body": "Rotate."}
        error = await refused(client, "write_note", **new, folder="CloudOps")
        assert (error["code"], error["details"]["rule_id"]) == ("FORBIDDEN", "operational")
        with pytest.raises(MCPError, match="no tool"):
            await client.call_tool("delete_everything", {})

    talk(conversation)


def test_a_note_is_written_and_replaced_only_with_its_hash(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        new = {"content_type": "operational", "kind": "secops", "title": "Key rotation", "body": "Every spring.\n"}
        assert (await call(client, "write_note", **new, dry_run=True))["dry_run"]
        written = await call(client, "write_note", **new)
        assert written["path"] == "SecOps/key-rotation.md"
        assert (await call(client, "get_note", note_id=written["note_id"]))["content"] == "Every spring.\n"
        again = {**new, "body": "Every autumn.\n", "expected_hash": written["content_hash"]}
        assert (await call(client, "write_note", **again))["path"] == "SecOps/key-rotation.md"
        assert (await refused(client, "write_note", **again))["code"] == "CONFLICT"

    talk(conversation)


def test_a_staged_fact_is_in_no_answer(talk: Callable[[Talk], None], vaults: Path) -> None:
    async def conversation(client: Client) -> None:
        fact = {"title": "Editor", "fact": "Uses vimzzz.", "source": "chat", "evidence": "I use vimzzz"}
        staged = await call(client, "stage_fact", **fact)
        assert "vimzzz" in (vaults / "user" / staged["path"]).read_text(encoding="utf-8")
        assert (await refused(client, "get_note", vault="user", path=staged["path"]))["code"] == "NOT_FOUND"
        for tool, arguments in {"search": {"query": "vimzzz"}, "brief": {}}.items():
            assert "vimzzz" not in json.dumps(await call(client, tool, **arguments))
        assert (await refused(client, "stage_fact", **{**fact, "evidence": " "}))["code"] == "INVALID_INPUT"

    talk(conversation)


def test_pieces_make_up_the_whole() -> None:
    text = "ab\ncd\n" * 100
    parts, after = [], 0
    while after is not None:
        part = piece(text, after, 50)
        parts.append(part.content)
        after = part.next_offset
    assert "".join(parts) == text
    assert max(map(len, parts)) <= 50


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_the_endpoint_has_no_redirect_and_the_same_guards_as_every_route(port: int, path: str) -> None:
    url = f"http://127.0.0.1:{port}{path}"
    reply = httpx.post(url, json=LISTING, headers=BOTH)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    assert len(reply.json()["result"]["tools"]) == 6
    assert reply.headers["x-request-id"]
    for header in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        assert httpx.post(url, json=LISTING, headers=BOTH | header).status_code == 403
    assert httpx.get(url, headers=BOTH).status_code == 405
    assert (
        httpx.post(url, content=b"x" * (9 * 1024 * 1024), headers={"Content-Type": "application/json"}).status_code
        == 413
    )
    assert 'route="/mcp"' in httpx.get(f"http://127.0.0.1:{port}/metrics").text


def test_the_command_ends_on_ctrl_c_and_with_its_input_and_prints_only_protocol(root: Path) -> None:
    (root / "default").mkdir()
    command = [sys.executable, "-m", "wiki.cli", "mcp", "--root", str(root)]
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    for way in ("input", "signal"):
        with subprocess.Popen(
            command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(hello) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "knowledge-wiki"
            process.stdin.close() if way == "input" else process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
            assert process.stdout.read() == ""
