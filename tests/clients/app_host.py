"""The page beside a chat in a real browser: a host of our own shows it, hands it what the real program answered, and looks
at what it shows and asks for. Nothing that stands in a message may become anything but text, and nothing may be fetched.

usage: app_host.py MAILKEEP CHROMIUM
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parent
URI = "ui://mailkeep/proposal"
PATIENCE = 120
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}}
EVIL = "</pre></script><script>parent.stolen=true;document.title='stolen'</script><img src=http://evil.example/x onerror=parent.stolen=1>"


def check(good, what):
    if not good:
        sys.exit(f"WRONG {what}")


class Server:
    """`mailkeep mcp` on a home of its own, whose account sends into a folder."""

    def __init__(self, binary, place):
        self.home = place / "home"
        sent = place / "sent"
        sent.mkdir()
        self.run(binary, "demo", "--once")
        self.account = "ada.berg@example.org"
        self.run(binary, "account", "set", self.account, "--send-folder", str(sent))
        self.process = subprocess.Popen([binary, "--home", self.home, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, "LOG_FILE": str(place / "log")})

    def run(self, binary, *words):
        subprocess.run([binary, "--home", self.home, *words], check=True, stdout=subprocess.DEVNULL)

    def ask(self, method, params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})


class Host(ThreadingHTTPServer):
    """Hands a browser the page of the host, and takes what it wrote down."""

    def __init__(self, page):
        super().__init__(("127.0.0.1", 0), Exchange)
        self.page, self.told, self.done = page, None, threading.Event()


class Exchange(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(self.server.page.encode())

    def do_POST(self):
        self.server.told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(b"")
        self.server.done.set()

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def shown(chromium, place, what, given):
    """What the host wrote down."""
    host = Host((HERE / "app_host.html").read_text().replace("GIVEN", json.dumps(given).replace("<", "\\u003c")))
    threading.Thread(target=host.serve_forever, daemon=True).start()
    log = place / "net.json"
    browser = subprocess.Popen(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={place / 'profile'}", f"--log-net-log={log}",
         f"http://127.0.0.1:{host.server_port}/"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    came = host.done.wait(PATIENCE)
    browser.terminate()
    browser.wait(30)
    host.shutdown()
    host.server_close()
    check(came, f"the page said nothing when {what}")
    reached = log.read_text()
    check('"host":"evil.example' not in reached and '"url":"http://evil.example' not in reached, f"something was fetched when {what}")
    return host.told


def states(result, state, reason=None):
    """The same answer, later."""
    data = {**result["structuredContent"], "status": state, "message": f"It is {state}."}
    if reason:
        data["reason"] = reason
    return {**result, "structuredContent": data, "content": [{"type": "text", "text": json.dumps(data)}]}


def main():
    binary, chromium = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        server = Server(binary, place)
        page = server.ask("resources/read", {"uri": URI})["contents"][0]["text"]
        body = f"Hi Bob\n{EVIL}\n" + "x" * 9000
        arguments = {"account": server.account, "to": ["Bob <bob@example.org>"], "bcc": ["eve@example.org"], "subject": f"Lunch {EVIL}", "body": body}
        result = server.call("send_email", arguments)
        check(result.get("structuredContent", {}).get("status") == "pending_approval", result)
        # The program refuses such a character; the page must not count on that.
        result["_meta"]["mailkeep/proposal"]["text"] = "\u202egnp.exe " + result["_meta"]["mailkeep/proposal"]["text"]
        url = "http://127.0.0.1:1/outbox/x"
        result["structuredContent"]["approvalUrl"] = url
        withdrawn = server.call("withdraw_send", {"id": result["structuredContent"]["id"]})
        check(withdrawn["structuredContent"]["status"] == "withdrawn", withdrawn)
        rejected = states(result, "rejected", f"no {EVIL}")
        given = {"page": page, "arguments": arguments, "result": result, "status": rejected, "withdrawn": None, "calls": 1}

        seen = shown(chromium, place, "it is shown", {**given, "look": True})
        first, last, told = seen["first"], seen["last"], seen["told"]
        check(not seen["stolen"] and seen["title"] == "A host for one page", "something of the message ran")
        check(first["state"] == "Not sent: waits for you", first["state"])
        for word in (result["structuredContent"]["code"], "bob@example.org", "eve@example.org", "<script>", "[U+202E]", "more characters"):
            check(word in first["text"], f"{word} is not shown: {first['text'][:600]}")
        check(not {"IMG", "A", "FORM", "INPUT", "IFRAME"} & set(first["elements"]), first["elements"])
        check(first["open"] and first["withdraw"], "the two buttons")
        check([it["params"] for it in told if it["method"] == "ui/open-link"] == [{"url": url}], told)
        check(first["called"] == 0 and "again" in first["sure"], "one click withdraws nothing")
        calls = [it["params"] for it in told if it["method"] == "tools/call"]
        check(calls and all(it == {"name": "get_send_status", "arguments": {"id": result["structuredContent"]["id"]}} for it in calls), calls)
        check(last["state"] == "Not sent: you said no" and not last["open"] and not last["withdraw"], last["state"])
        check(len(calls) == 1, f"it goes on asking when all is over: {len(calls)}")
        methods = {it["method"] for it in told if it["method"]}
        check(methods <= {"ui/initialize", "ui/notifications/initialized", "ui/notifications/size-changed", "ui/open-link", "tools/call"}, methods)

        gone = shown(chromium, place, "it is withdrawn", {**given, "look": True, "withdrawn": withdrawn})
        check(gone["last"]["state"] == "Withdrawn, not sent", gone["last"]["state"])
        check([it["params"]["name"] for it in gone["told"] if it["method"] == "tools/call"] == ["withdraw_send"], gone["told"])

        everywhere = {name: EVIL for name in ("id", "account", "subject", "code", "message", "reason", "duplicate_of", "changes_by_owner")}
        everywhere |= {name: [EVIL] * 60 for name in ("to", "cc", "bcc", "attachments")} | {"status": "rejected", "approvalUrl": EVIL}
        hostile = {"content": [], "structuredContent": everywhere, "_meta": {"mailkeep/proposal": {"text": EVIL, "more": EVIL}}}
        kept = shown(chromium, place, "every field is hostile", {**given, "look": True, "result": hostile, "arguments": everywhere, "calls": 0})
        check(not kept["stolen"] and kept["title"] == "A host for one page" and "and 10 more" in kept["first"]["text"], kept["first"])
        check(set(kept["first"]["elements"]) == set(first["elements"]), kept["first"]["elements"])

        for odd in ({"status": ["x"], "id": 7}, {"status": "<b>approved</b>", "id": "d1", "approvalUrl": "javascript:parent.stolen=1"}, {}):
            strange = {"content": [{"type": "text", "text": "{"}], "structuredContent": odd}
            kept = shown(chromium, place, f"it is told {odd}", {**given, "look": True, "result": strange, "status": strange, "calls": 0})
            check(not kept["first"]["open"] and not kept["stolen"], odd)

        apart = shown(chromium, place, "it has an origin of its own", {**given, "look": False})
        check([it["method"] for it in apart["told"]][:2] == ["ui/initialize", "ui/notifications/initialized"], apart["told"])
        check(any(it["method"] == "tools/call" for it in apart["told"]) and not apart["stolen"], "in a frame of its own it works too")
        server.process.stdin.close()
        server.process.wait(30)
    print("the page shows, opens, withdraws, and nothing else")


if __name__ == "__main__":
    main()
