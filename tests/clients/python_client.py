"""The client that we ship, against `serve`, and against servers that misbehave.

usage: python_client.py MAILKEEP
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "clients/python"))
from mailkeep_client import MCPEmailClient, MCPError, NetworkError


def check(holds, what):
    if not holds:
        sys.exit(f"not so: {what}")


class Postbox(threading.Thread):
    """Just enough of SMTP for a server to start with it."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.mails = []
        self.start()

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        lines = connection.makefile("rwb", buffering=0)
        lines.write(b"220 ready\r\n")
        for line in lines:
            word = line.split()[0].upper() if line.split() else b""
            if word == b"EHLO":
                lines.write(b"250-postbox\r\n250 AUTH PLAIN\r\n")
            elif word == b"AUTH":
                lines.write(b"235 welcome\r\n")
            elif word == b"DATA":
                lines.write(b"354 go on\r\n")
                mail = []
                for part in lines:
                    if part == b".\r\n":
                        break
                    mail.append(part)
                self.mails.append(b"".join(mail))
                lines.write(b"250 taken\r\n")
            elif word == b"QUIT":
                lines.write(b"221 bye\r\n")
                return
            else:
                lines.write(b"250 ok\r\n")


class Failing(BaseHTTPRequestHandler):
    """Answers with the statuses it was given, in turn; keeps the keys it was sent."""

    statuses, keys = [], []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.keys.append(body.get("idempotencyKey"))
        status = self.statuses.pop(0)
        answer = {"success": True, "messageId": "1", "timestamp": ""} if status == 200 else {
            "success": False, "error": "no", "errorCode": "INTERNAL_ERROR" if status >= 500 else "INVALID_REQUEST",
            "timestamp": "", "retryable": status >= 500}
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


def outcome(statuses):
    """What a client makes of a server that answers so; the outcome and the keys that were sent."""
    Failing.statuses, Failing.keys = list(statuses), []
    server = HTTPServer(("127.0.0.1", 0), Failing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = MCPEmailClient(f"http://127.0.0.1:{server.server_port}", retry_delay=0.01)
    try:
        return client.send_email("a@example.org", "s", "b"), list(Failing.keys)
    except MCPError as error:
        return error, list(Failing.keys)
    finally:
        server.shutdown()


def retries():
    answer, keys = outcome([503, 500, 200])
    check(answer["success"] and len(keys) == 3 and len(set(keys)) == 1 and keys[0], "5xx is tried again under one key")
    error, keys = outcome([400, 200])
    check(isinstance(error, MCPError) and error.code == "INVALID_REQUEST" and len(keys) == 1, "4xx is not tried again")
    error, keys = outcome([500, 500, 500, 200])
    check(isinstance(error, MCPError) and len(keys) == 3, "three tries and no more")
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    try:
        MCPEmailClient(f"http://127.0.0.1:{port}", retry_delay=0.01).send_email("a@example.org", "s", "b")
    except NetworkError as error:
        check(error.retryable, "nobody there")
    else:
        sys.exit("not so: nobody there is a NetworkError")


def against_serve(mailkeep, place):
    postbox = Postbox()
    environment = {**os.environ, "SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(postbox.port),
                   "SMTP_USER": "ada@example.org", "SMTP_PASS": "x", "LOG_FILE": f"{place}/server.log"}
    command = [mailkeep, "--home", f"{place}/home", "serve", "--no-sync", "--listen", "127.0.0.1:0"]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://[\d.:]+", server.stdout.readline()).group()
        log = Path(place) / "Logs/client.jsonl"
        client = MCPEmailClient(url, audit_log=log)
        check(client.validate_email("bob@example.org") is True, "a good address")
        check(client.validate_email("bob@gmial.com") is False, "a typo")
        answer = client.send_email(["bob@example.org", "eve@example.org"], "Hello", "<p>Hi</p>", cc="c@example.org",
                                   attachments=[{"filename": "a.txt", "content": "aGk=", "contentType": "text/plain"}])
        check(answer["success"] and answer["status"] == "pending_approval", answer)
        check(client.get_email_status(answer["messageId"])["status"] == "pending_approval", "its status")
        for call in (lambda: client.send_email("invalid-email", "s", "b"), lambda: client.get_email_status("x@y")):
            try:
                call()
            except MCPError as error:
                check(error.code == "INVALID_REQUEST" and not error.retryable, error.code)
            else:
                sys.exit("not so: a wrong call is refused")
        check(not postbox.mails, "nothing leaves before somebody said yes")
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        check([line["result"] for line in lines] == ["success"] * 4 + ["failure"] * 2, lines)
        check("bob@example.org" not in log.read_text(), "the log holds no addresses")
    finally:
        server.terminate()
        check(server.wait(30) == 0, "a clean end")


retries()
with tempfile.TemporaryDirectory() as place:
    against_serve(sys.argv[1], place)
print("ok")
