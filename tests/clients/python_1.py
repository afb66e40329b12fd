"""The errand with the Python SDK 1, over stdio and HTTP. usage: python_1.py URL COMMAND [ARGUMENT...]"""

import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from pydantic import AnyUrl

from errand import ERRAND, Errand, check


async def run(streams):
    errand = Errand()
    async with streams as (reader, writer, *_):
        async with ClientSession(reader, writer) as session:
            version = (await session.initialize()).protocolVersion
            names = [tool.name for tool in (await session.list_tools()).tools]
            for call, tool, arguments in errand.calls():
                check(tool in names, f"{tool} is not listed")
                answer = await session.call_tool(tool, arguments)
                errand.answered(call, answer.isError, answer.content[0].text, answer.structuredContent)
            refused = await session.call_tool(ERRAND["wrong"]["tool"], ERRAND["wrong"]["arguments"])
            check(refused.isError, "a wrong call")
            manual = await session.read_resource(AnyUrl(ERRAND["resource"]))
            check(manual.contents[0].text, "resource")
            prompt = await session.get_prompt(ERRAND["prompt"], {"email_id": errand.kept["message"]})
            check(errand.kept["message"] in prompt.messages[0].content.text, "prompt")
            return version


async def main(url, command):
    print("stdio:", await run(stdio_client(StdioServerParameters(command=command[0], args=command[1:]))))
    print("http:", await run(streamablehttp_client(url)))


anyio.run(main, sys.argv[1], sys.argv[2:])
