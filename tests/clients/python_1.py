"""An errand with the Python SDK 1, over stdio and HTTP. usage: python_1.py URL COMMAND [ARGUMENT...]"""

import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from pydantic import AnyUrl

from errand import ACCOUNT, QUERY, check


async def errand(streams):
    async with streams as (reader, writer, *_):
        async with ClientSession(reader, writer) as session:
            version = (await session.initialize()).protocolVersion
            names = [tool.name for tool in (await session.list_tools()).tools]
            check("search_emails" in names, f"tools: {names}")
            found = await session.call_tool("search_emails", {"query": QUERY, "account": ACCOUNT})
            message = found.structuredContent["items"][0]["id"]
            read = await session.call_tool("read_email", {"email_id": message, "account": ACCOUNT})
            check(message in read.content[0].text, "read_email")
            refused = await session.call_tool("search_emails", {"query": "no-such-operator:x", "account": ACCOUNT})
            check(refused.isError, "a wrong query")
            manual = await session.read_resource(AnyUrl("mailkeep://search-language"))
            check("has:attachment" in manual.contents[0].text, "resource")
            prompt = await session.get_prompt("reply", {"email_id": message})
            check(message in prompt.messages[0].content.text, "prompt")
            return version


async def main(url, command):
    print("stdio:", await errand(stdio_client(StdioServerParameters(command=command[0], args=command[1:]))))
    print("http:", await errand(streamablehttp_client(url)))


anyio.run(main, sys.argv[1], sys.argv[2:])
