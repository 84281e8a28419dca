"""The knowledge base for language models' programs: a server of the Model Context Protocol (MCP).

    stdio (`indexer mcp`) ─┐
                           ├▶ server ▶ tools ▶ searching · asking · documents · changes · standing ▶ readable
    http (/mcp) ───────────┘

Everything here only reads. The SDK is imported by whoever serves, never by the other commands.
"""
