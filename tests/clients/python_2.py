"""The errand with the Python SDK 2: both eras, over stdio and HTTP. usage: python_2.py URL COMMAND [ARGUMENT...]"""

import sys

import anyio
from mcp import Client, StdioServerParameters, stdio_client

from errand import ERRAND, Errand, check


async def run(target, mode):
    errand = Errand()
    async with Client(target, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        for call, tool, arguments in errand.calls():
            check(tool in names, f"{tool} is not listed")
            answer = await client.call_tool(tool, arguments)
            errand.answered(call, answer.is_error, answer.content[0].text, answer.structured_content)
        refused = await client.call_tool(ERRAND["wrong"]["tool"], ERRAND["wrong"]["arguments"])
        check(refused.is_error, "a wrong call")
        manual = await client.read_resource(ERRAND["resource"])
        check(manual.contents[0].text, "resource")
        prompt = await client.get_prompt(ERRAND["prompt"], {"email_id": errand.kept["message"]})
        check(errand.kept["message"] in prompt.messages[0].content.text, "prompt")
        return client.protocol_version


async def main(url, command):
    for mode in ("legacy", "2026-07-28", "auto"):
        stdio = stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
        for name, target in (("stdio", stdio), ("http", url)):
            print(f"{name} {mode}: {await run(target, mode)}")


anyio.run(main, sys.argv[1], sys.argv[2:])
