"""The documents' own models and calls, with the Python SDK: profiles `gmail` and `vault` against their pydantic models,
`smtp` and `email` against their shapes.

usage: python_documents.py MAILKEEP HOME
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Literal

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from pydantic import BaseModel, TypeAdapter, ValidationError

from errand import check


class SendEmailInput(BaseModel):
    to: str                           # recipient email address
    subject: str                      # email subject line
    body: str                         # plain-text or HTML body
    reply_to_message_id: str | None = None  # thread reply; uses In-Reply-To header


class ListEmailsInput(BaseModel):
    query: str = "is:unread"          # Gmail search query (same syntax as Gmail UI)
    max_results: int = 10             # 1–100; Gmail API enforces upper bound


class GetEmailInput(BaseModel):
    message_id: str                   # Gmail message ID (from list_emails)


class MoveEmailInput(BaseModel):
    message_id: str                   # Gmail message ID
    destination_label: str            # Gmail label name, e.g. "INBOX", "DONE", custom label


class AddLabelInput(BaseModel):
    message_id: str                   # Gmail message ID
    label_name: str                   # Label to apply, e.g. "AI_PROCESSED"


class EmailSummary(BaseModel):
    id: str                           # Gmail message ID
    subject: str                      # decoded subject header
    sender: str                       # From: header value
    date: str                         # ISO8601 date string
    snippet: str                      # Gmail snippet (~100 chars)


class EmailFull(BaseModel):
    id: str
    subject: str
    sender: str                       # From: header
    to: str                           # To: header
    date: str                         # ISO8601
    body: str                         # decoded plain-text body
    has_attachments: bool             # True if MIME multipart with attachments
    attachment_names: list[str]       # filenames only — no content download


class SendEmailResult(BaseModel):
    message_id: str                   # sent Gmail message ID
    thread_id: str                    # Gmail thread ID
    sent_at: str                      # ISO8601 timestamp


class ReadNoteInput(BaseModel):
    path: str                         # vault-relative path, e.g. "Needs_Action/email-001.md"


class WriteNoteInput(BaseModel):
    path: str                         # vault-relative path (created if not exists)
    frontmatter: dict                 # YAML key-value pairs
    body: str                         # markdown body content


class ListNotesInput(BaseModel):
    directory: str                    # vault-relative directory, e.g. "Needs_Action"
    filter: str | None = None         # frontmatter filter, e.g. "status:pending"


class MoveNoteInput(BaseModel):
    source: str                       # vault-relative source path
    destination: str                  # vault-relative destination path


class SearchNotesInput(BaseModel):
    query: str                        # text to search for in note body or frontmatter values


class NoteContent(BaseModel):
    path: str                         # vault-relative path (canonical)
    frontmatter: dict                 # parsed YAML frontmatter
    body: str                         # body text (after frontmatter block)


class NoteMatch(BaseModel):
    path: str                         # vault-relative path
    snippet: str | None = None        # matched text context (search_notes only)


class NoteList(BaseModel):
    notes: list[NoteMatch]


MCPErrorCode = Literal[
    "auth_required", "not_found", "rate_limited",
    "permission_denied", "parse_error", "send_failed",
    "mcp_unavailable", "internal_error",
]


class MCPError(BaseModel):
    error: MCPErrorCode               # see Error Taxonomy below
    message: str                      # human-readable description
    details: dict | None = None       # optional structured context


def server(mailkeep, home, profile, **more):
    # Nothing is sent here, so the server that takes mail need not be there.
    env = {**os.environ, "SMTP_HOST": "127.0.0.1", "SMTP_PORT": "9", "SMTP_USER": "ada.berg@example.org", **more}
    command = StdioServerParameters(command=mailkeep, args=["--home", home, "mcp", "--profile", profile], env=env)
    return Client(stdio_client(command))


async def call(client, tool, arguments):
    given = arguments.model_dump(exclude_none=True) if isinstance(arguments, BaseModel) else arguments
    answer = await client.call_tool(tool, given)
    return answer.is_error, answer.content[0].text


async def gmail(mailkeep, home):
    async with server(mailkeep, home, "gmail") as client:
        _, text = await call(client, "list_emails", ListEmailsInput(query="subject:invoice", max_results=5))
        found = TypeAdapter(list[EmailSummary]).validate_json(text, strict=True)
        check(0 < len(found) <= 5, "list_emails")
        _, text = await call(client, "list_emails", ListEmailsInput())
        check(len(TypeAdapter(list[EmailSummary]).validate_json(text, strict=True)) <= 10, "the defaults")
        _, text = await call(client, "get_email", GetEmailInput(message_id=found[0].id))
        full = EmailFull.model_validate_json(text, strict=True)
        check(full.id == found[0].id and full.subject == found[0].subject, "get_email")
        answer = SendEmailInput(to="bob@example.org", subject="Re: x", body="Hi", reply_to_message_id=full.id)
        wrong, text = await call(client, "send_email", answer)
        check(not wrong, text)
        sent = SendEmailResult.model_validate_json(text, strict=True)
        check(sent.sent_at == "" and sent.thread_id and sent.message_id, text)
        check(json.loads(text)["status"] == "pending_approval", text)
        wrong, text = await call(client, "add_label", AddLabelInput(message_id=full.id, label_name="AI_PROCESSED"))
        check(not wrong, text)
        wrong, text = await call(client, "move_email", MoveEmailInput(message_id=full.id, destination_label="DONE"))
        check(not wrong and json.loads(text)["moved"], text)
        wrong, text = await call(client, "get_email", GetEmailInput(message_id="18c2f0a1b2c3d4e5"))
        check(wrong and MCPError.model_validate_json(text).error == "not_found", text)
        try:
            SendEmailInput(subject="x", body="y")
        except ValidationError:
            wrong, _ = await call(client, "send_email", {"subject": "x", "body": "y"})
            check(wrong, "what the model refuses is refused")


async def smtp(mailkeep, home):
    async with server(mailkeep, home, "smtp") as client:
        wrong, text = await call(client, "send-email", {"to": ["a@example.org", "b@example.org"], "subject": "Hi", "body": "Hi"})
        answer = json.loads(text)
        check(not wrong and answer["success"] and answer["messageId"] and answer["timestamp"], text)
        _, text = await call(client, "get-email-status", {"messageId": answer["messageId"]})
        check(json.loads(text)["status"] == "pending_approval", text)
        wrong, text = await call(client, "send-email", {})
        error = json.loads(text)
        check(wrong and error["success"] is False and error["errorCode"] == "INVALID_REQUEST", text)
        _, text = await call(client, "validate-email", {"email": "bob@gmial.com"})
        check(json.loads(text)["valid"] is False and "gmail.com" in json.loads(text)["reason"], text)


async def email(mailkeep, home):
    async with server(mailkeep, home, "email") as client:
        tools = (await client.list_tools()).tools
        check([tool.name for tool in tools] == ["send_email"], "one tool")
        wrong, text = await call(client, "send_email", {"to": "user@example.com", "subject": "Test", "body": "Test message"})
        check(not wrong and json.loads(text)["status"] == "pending_approval", text)


async def vault(mailkeep, home):
    with tempfile.TemporaryDirectory() as place:
        async with server(mailkeep, home, "vault", VAULT_PATH=place) as client:
            tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
            models = {"read_note": ReadNoteInput, "write_note": WriteNoteInput, "list_notes": ListNotesInput,
                      "move_note": MoveNoteInput, "search_notes": SearchNotesInput}
            for name, model in models.items():
                wanted = model.model_json_schema()
                check(set(tools[name]["properties"]) == set(wanted["properties"]), f"inputs of {name}")
                check(tools[name]["required"] == wanted["required"], f"what {name} needs")
            fields = {"status": "pending", "priority": 2, "tags": ["mail", "a: b"], "due": "2026-02-24", "done": False, "x": None}
            note = WriteNoteInput(path="Needs_Action/email-001.md", frontmatter=fields, body="---\nHello Ünïcode")
            _, text = await call(client, "write_note", note)
            written = NoteContent.model_validate_json(text, strict=True)
            _, text = await call(client, "read_note", ReadNoteInput(path=note.path))
            read = NoteContent.model_validate_json(text, strict=True)
            check(read == written and read.model_dump() == note.model_dump(), text)
            for wanted in ("status:pending", "priority:2", "tags:a: b", "due:2026-02-24", "done:false"):
                _, text = await call(client, "list_notes", ListNotesInput(directory="Needs_Action", filter=wanted))
                check([one.path for one in NoteList.model_validate_json(text, strict=True).notes] == [note.path], wanted)
            _, text = await call(client, "search_notes", SearchNotesInput(query="ÜNÏCODE"))
            check("Hello Ünïcode" in NoteList.model_validate_json(text, strict=True).notes[0].snippet, text)
            _, text = await call(client, "move_note", MoveNoteInput(source=note.path, destination="Drafts/new/reply.md"))
            check(json.loads(text) == {"moved": True} and not (Path(place) / note.path).exists(), text)
            (Path(place) / "broken.md").write_text("---\na: [1\n---\n")
            for tool, arguments, word in (
                ("read_note", ReadNoteInput(path=note.path), "not_found"),
                ("read_note", ReadNoteInput(path="../../etc/passwd"), "permission_denied"),
                ("read_note", ReadNoteInput(path="broken.md"), "parse_error"),
                ("write_note", WriteNoteInput(path="broken.md", frontmatter={}, body=""), "parse_error"),
                ("move_note", MoveNoteInput(source="Drafts/new/reply.md", destination="Approved/reply.md"), "permission_denied"),
                ("move_note", MoveNoteInput(source="Drafts/new/reply.md", destination="broken.md"), "permission_denied"),
            ):
                wrong, text = await call(client, tool, arguments)
                check(wrong and MCPError.model_validate_json(text).error == word, text)


async def main(mailkeep, home):
    await vault(mailkeep, home)
    await gmail(mailkeep, home)
    await smtp(mailkeep, home)
    await email(mailkeep, home)
    print("ok")


anyio.run(main, sys.argv[1], sys.argv[2])
