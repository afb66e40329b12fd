#!/usr/bin/env python3
"""Reads a server's list of tools as the strictest of its clients would.

usage: lint.py COMMAND [ARGUMENT...]
One line per finding; exits 1 when there is one.
"""

import json
import re
import sys

from raw import Server

# Several hosts hide a whole server over one name that does not match, and put `mcp__SERVER__` before it.
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONGEST_FULL_NAME = 64
SERVER = "mailkeep"
DESCRIPTION = range(40, 1025)
# Claude Code cuts instructions there.
LONGEST_INSTRUCTIONS = 2048
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
COMBINATORS = ("anyOf", "oneOf", "allOf")
# Names that say all there is to say: a description would only repeat them, in every tool that a model is shown.
SAY_IT_ALL = {
    "account", "bcc", "body", "cc", "cursor", "days", "draft_id", "email_id", "html", "idempotency_key", "limit", "max_chars",
    "offset", "query", "remove_labels", "reply_all", "reply_to_id", "subject", "to", "unread_only", "waiting_for",
    "without_attachments",
}
# Tools whose document gives them these few words.
AS_THE_DOCUMENT_SAYS = {"send_message", "create_post"}
# Formats of JSON Schema; validators warn about others.
FORMATS = {"date-time", "date", "time", "email", "uri"}


def listed(server):
    tools, cursor, number = [], None, 1
    while True:
        page = server.ask(number, "tools/list", {"cursor": cursor} if cursor else {})["result"]
        tools, cursor, number = tools + page["tools"], page.get("nextCursor"), number + 1
        if not cursor:
            return tools


def schema_findings(schema, place, described):
    """What is wrong anywhere in a schema; `described`: properties need a description."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield f"{place}: a reference, which several hosts do not resolve"
    if schema.get("format", "date") not in FORMATS:
        yield f"{place}: format {schema['format']!r} is none of JSON Schema"
    for name, inner in schema.get("properties", {}).items():
        if described and not inner.get("description") and name not in SAY_IT_ALL:
            yield f"{place}.{name}: no description"
        yield from schema_findings(inner, f"{place}.{name}", described)
    missing = set(schema.get("required", [])) - set(schema.get("properties", {}))
    if missing:
        yield f"{place}: requires {', '.join(sorted(missing))}, which it does not have"
    yield from schema_findings(schema.get("items"), f"{place}[]", described)
    for word in COMBINATORS:
        for inner in schema.get(word, []):
            yield from schema_findings(inner, place, described)


def tool_findings(tool):
    name, description, hints = tool["name"], tool.get("description", ""), tool.get("annotations", {})
    if not NAME.fullmatch(name) or len(f"mcp__{SERVER}__{name}") > LONGEST_FULL_NAME:
        yield "a name that some hosts refuse"
    if len(description) not in DESCRIPTION and name not in AS_THE_DOCUMENT_SAYS:
        yield f"a description of {len(description)} characters"
    if not tool.get("title"):
        yield "no title"
    yield from (f"{hint} is missing" for hint in HINTS if hint not in hints)
    for side, described in (("inputSchema", True), ("outputSchema", False)):
        schema = tool.get(side)
        if not schema or schema.get("type") != "object":
            yield f"{side} is not an object"
            continue
        if any(word in schema for word in COMBINATORS):
            yield f"{side} begins with a choice, which model APIs refuse"
        yield from schema_findings(schema, side, described)


def main(command):
    with Server(command) as server:
        instructions = server.initialize()["result"].get("instructions", "")
        tools = listed(server)
    findings = [(tool["name"], finding) for tool in tools for finding in tool_findings(tool)]
    if not 0 < len(instructions) <= LONGEST_INSTRUCTIONS:
        findings.append(("server", f"instructions of {len(instructions)} characters"))
    names = [tool["name"] for tool in tools]
    findings += [(name, "listed twice") for name in sorted(set(names)) if names.count(name) > 1]
    for name, finding in findings:
        print(f"{name}: {finding}")
    parts = [{part: tool[part] for part in ("name", "description", "inputSchema")} for tool in tools]
    size = sum(len(json.dumps(part, separators=(",", ":"))) for part in parts)
    print(f"{len(tools)} tools, {size} bytes of definitions, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else __doc__)
