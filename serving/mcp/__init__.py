"""The MCP server: what an agent may do, over stdio and HTTP."""
