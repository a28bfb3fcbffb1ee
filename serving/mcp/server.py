"""The server over any transport: lists tools and the prompt, runs them in threads, turns errors into answers."""

import json
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from serving.errors import explain, without_root
from serving.mcp.arguments import Brief
from serving.mcp.reading import brief
from serving.mcp.tools import INSTRUCTIONS, TOOLS, Tool
from serving.requests import Scoped
from wiki import __version__
from wiki.errors import InternalError, InvalidInput, WikiError
from wiki.library import TenantLibrary

LOG = logging.getLogger("serving.mcp")
TenantOf = Callable[[Any, str | None, str | None], TenantLibrary]
"""Gives the tenant of a call from the HTTP request (None over stdio) and the names among the arguments."""
Context = ServerRequestContext[Any, Any]


def make_server(root: Path, tenant_of: TenantOf, *, scoped: bool) -> Server[Any]:
    """The server. ``scoped``: whether a call may name its tenant, as over HTTP."""

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_told(name, tool, scoped) for name, tool in TOOLS.items()])

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name[:80]!r}; there are {', '.join(TOOLS)}")
        run = partial(_run, tenant_of, ctx.request, tool.takes, tool.run, params.arguments or {})
        try:
            answer = await anyio.to_thread.run_sync(run)
        except Exception as error:
            return types.CallToolResult(content=[_text(_failure(error, root))], is_error=True)
        shown = answer.model_dump(mode="json")
        return types.CallToolResult(content=[_text(shown)], structured_content=shown)

    async def list_prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_prompt(scoped)])

    async def get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != "brief":
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name[:80]!r}; there is brief")
        run = partial(_run, tenant_of, ctx.request, Brief, brief, dict(params.arguments or {}))
        try:
            answer = await anyio.to_thread.run_sync(run)
        except Exception as error:
            failed = _failure(error, root)["error"]
            raise MCPError(types.INVALID_PARAMS, f"{failed['code']}: {failed['message']}") from None
        text = (
            answer.model_dump()["text"] or "There is nothing to know yet: the vaults hold no identity, rules or facts."
        )
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description="What to know at the start.", messages=[message])

    return Server(
        "knowledge-wiki",
        title="Knowledge Wiki",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _run(
    tenant_of: TenantOf,
    request: Any,
    takes: type[Scoped],
    run: Callable[[TenantLibrary, Any], BaseModel],
    arguments: dict[str, Any],
) -> BaseModel:
    asked = takes.model_validate(arguments)
    return run(tenant_of(request, asked.app_id, asked.project_id), asked)


def _failure(error: Exception, root: Path) -> dict[str, Any]:
    if isinstance(error, ValidationError):
        error = explain(error)
    if not isinstance(error, WikiError) or isinstance(error, InternalError):
        LOG.error("a call failed", exc_info=error)
    if not isinstance(error, WikiError):
        error = InternalError("the service failed on this call; its log tells more")
    told = {"code": error.code, "message": error.message, "details": error.details}
    return {"error": without_root(told, root)}


def _text(value: dict[str, Any]) -> types.TextContent:
    return types.TextContent(type="text", text=json.dumps(value, ensure_ascii=False, default=str))


def _told(name: str, tool: Tool, scoped: bool) -> types.Tool:
    takes = tool.takes.model_json_schema()
    if not scoped:
        takes["properties"] = {k: v for k, v in takes["properties"].items() if k not in ("app_id", "project_id")}
    return types.Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=takes,
        output_schema=tool.gives.model_json_schema(mode="serialization"),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=tool.replaces,
            idempotent_hint=tool.reads,
            open_world_hint=False,
        ),
    )


def _prompt(scoped: bool) -> types.Prompt:
    names = {"tokens": "About so long at most; 1500 when absent."}
    if scoped:
        names |= {"app_id": "`default` when absent.", "project_id": "`default` when absent."}
    arguments = [types.PromptArgument(name=name, description=text, required=False) for name, text in names.items()]
    return types.Prompt(name="brief", title="Brief", description=TOOLS["brief"].description, arguments=arguments)


def fixed_tenant(tenant: TenantLibrary) -> TenantOf:
    """Every call goes to this tenant; one that names another is refused."""

    def pick(_: Any, app_id: str | None, project_id: str | None) -> TenantLibrary:
        own = tenant.tenant
        if (app_id or own.app_id, project_id or own.project_id) != (own.app_id, own.project_id):
            raise InvalidInput(f"this server serves {own.app_id}/{own.project_id} only", field="project_id")
        return tenant

    return pick
