"""An errand with the Python SDK 2: both eras, over stdio and HTTP. usage: python_2.py URL COMMAND [ARGUMENT...]"""

import sys

import anyio
from mcp import Client, StdioServerParameters, stdio_client

from errand import ACCOUNT, QUERY, check


async def errand(target, mode):
    async with Client(target, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        check("search_emails" in names, f"tools: {names}")
        accounts = await client.call_tool("list_accounts", {})
        check(not accounts.is_error and ACCOUNT in accounts.content[0].text, "list_accounts")
        found = await client.call_tool("search_emails", {"query": QUERY, "account": ACCOUNT})
        message = found.structured_content["items"][0]["id"]
        read = await client.call_tool("read_email", {"email_id": message, "account": ACCOUNT})
        check(message in read.content[0].text, "read_email")
        refused = await client.call_tool("search_emails", {"query": "no-such-operator:x", "account": ACCOUNT})
        check(refused.is_error, "a wrong query")
        manual = await client.read_resource("mailkeep://search-language")
        check("has:attachment" in manual.contents[0].text, "resource")
        prompt = await client.get_prompt("reply", {"email_id": message})
        check(message in prompt.messages[0].content.text, "prompt")
        return client.protocol_version


async def main(url, command):
    for mode in ("legacy", "2026-07-28", "auto"):
        stdio = stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
        for name, target in (("stdio", stdio), ("http", url)):
            print(f"{name} {mode}: {await errand(target, mode)}")


anyio.run(main, sys.argv[1], sys.argv[2:])
