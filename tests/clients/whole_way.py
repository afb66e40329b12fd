"""The whole way of a message, with other people's programs at both ends. usage: whole_way.py MAILKEEP

The Python SDK asks to send; a person at a pseudo-terminal reads the code and types it; OpenSMTPD takes the message, and
holds exactly the frozen bytes and a date; the tools tell that it was sent; the audit chain is whole; a report that
Dovecot delivers turns it to bounced. No secret is to be found anywhere afterwards. Needs root, opensmtpd and dovecot.
"""

import email.utils
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters, stdio_client

from errand import check

MAILKEEP = sys.argv[1]
PASSWORD = "canary-Tr0ub4dor-kp3xq"
HERE = Path(__file__).resolve().parent
TO, BCC = "bob@stone.example", "carol@stone.example"
PATIENCE = 60

SMTPD = """table people file:{place}/people
table vusers file:{place}/vusers
listen on 127.0.0.1 port {port} hostname test.invalid
action "keep" maildir "{place}/Maildir/%{{rcpt.user}}" virtual <vusers>
match from local for any action "keep"
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, ready):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = ready()
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"waited in vain for {what}")


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Smtpd:
    """OpenSMTPD that takes everything and keeps it in one Maildir a recipient."""

    def __init__(self, place):
        self.place = place / "smtpd"
        (self.place / "Maildir").mkdir(parents=True)
        self.port = free_port()
        (self.place / "people").write_text("")
        (self.place / "vusers").write_text("@ nobody\n")
        config = self.place / "smtpd.conf"
        config.write_text(SMTPD.format(place=self.place, port=self.port))
        shutil.chown(self.place / "Maildir", "nobody")
        self.place.chmod(0o755)
        self.log = open(self.place / "log", "w")
        # In a view of the file system of its own, as its spool and its socket have fixed places.
        script = ("mount -t tmpfs -o mode=755 tmpfs /var/spool && mkdir -m 711 /var/spool/smtpd && "
                  f"mount -t tmpfs -o mode=755 tmpfs /run && exec smtpd -d -f {config}")
        self.process = subprocess.Popen(["unshare", "-m", "sh", "-c", script], stdout=self.log, stderr=self.log)
        wait_for("OpenSMTPD", lambda: listens(self.port))

    def kept(self):
        return sorted((self.place / "Maildir").rglob("new/*"))

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


class Dovecot:
    """Dovecot with one password for everybody; `deliver` puts a message into an inbox."""

    def __init__(self, place):
        self.place = place / "dovecot"
        for name in ("run", "mail"):
            (self.place / name).mkdir(parents=True)
        self.port, tls_port = free_port(), free_port()
        text = (HERE.parent / "it/world/dovecot.conf").read_text()
        values = {"DIR": self.place, "PASSWORD": PASSWORD, "PORT": self.port, "TLSPORT": tls_port, "MORE": ""}
        for name, value in values.items():
            text = text.replace(f"@{name}@", str(value))
        (self.place / "dovecot.conf").write_text(text)
        self.place.chmod(0o755)
        shutil.chown(self.place / "mail", "nobody", "nogroup")
        command = ["dovecot", "-F", "-c", str(self.place / "dovecot.conf")]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("Dovecot", lambda: listens(self.port))

    def deliver(self, user, message):
        inbox = self.place / "mail" / user / "Maildir"
        for name in ("tmp", "new", "cur"):
            (inbox / name).mkdir(parents=True, exist_ok=True)
        (inbox / "new" / f"{time.time_ns()}.report").write_bytes(message)
        for path in [inbox.parent, inbox, *inbox.rglob("*")]:
            shutil.chown(path, "nobody", "nogroup")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


class Person:
    """Somebody who types commands; everything that was printed is kept."""

    def __init__(self, home):
        self.home = home
        self.seen = []

    def command(self, *words):
        return [MAILKEEP, "--home", str(self.home), *words]

    def run(self, *words, given=None):
        done = subprocess.run(self.command(*words), input=given, capture_output=True, text=True, timeout=PATIENCE)
        self.seen += [done.stdout, done.stderr]
        check(done.returncode == 0, f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def review(self, code):
        """Reads what is shown until the code is there and the question is asked, and types it."""
        child, terminal = pty.fork()
        if child == 0:
            os.execv(MAILKEEP, self.command("outbox", "review"))
        screen, typed, until = b"", False, time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if select.select([terminal], [], [], 0.2)[0]:
                try:
                    more = os.read(terminal, 65536)
                except OSError:
                    break
                if not more:
                    break
                screen += more
            elif not typed and code.encode() in screen:
                os.write(terminal, code.lower().encode() + b"\n")
                typed = True
        else:
            os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        shown = screen.decode(errors="replace")
        self.seen.append(shown)
        check(typed and status == 0, f"outbox review: exit {status}\n{shown}")
        return shown


async def call(command, tool, arguments):
    stdio = stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
    async with Client(stdio) as client:
        answer = await client.call_tool(tool, arguments)
        return json.loads(answer.content[0].text)


def without(fields, message):
    """The message without these fields of its header, folded lines included."""
    head, _, body = message.partition(b"\r\n\r\n")
    kept = [field for field in re.split(rb"\r\n(?![ \t])", head) if field.split(b":")[0].lower() not in fields]
    return b"\r\n".join(kept) + b"\r\n\r\n" + body


def report(message_id, recipient):
    return f"""Return-Path: <>\r
From: MAILER-DAEMON@test.invalid\r
To: ada@example.org\r
Subject: Undelivered Mail Returned to Sender\r
Date: {email.utils.formatdate()}\r
Message-ID: <{time.time_ns()}@test.invalid>\r
MIME-Version: 1.0\r
Content-Type: multipart/report; report-type=delivery-status; boundary=b\r
\r
--b\r
Content-Type: text/plain\r
\r
Your message could not be delivered.\r
--b\r
Content-Type: message/delivery-status\r
\r
Reporting-MTA: dns; test.invalid\r
\r
Final-Recipient: rfc822; {recipient}\r
Action: failed\r
Status: 5.1.1\r
Diagnostic-Code: smtp; 550 no such user\r
\r
--b\r
Content-Type: text/rfc822-headers\r
\r
Message-ID: <{message_id}>\r
To: {recipient}\r
\r
--b--\r
""".encode()


async def whole_way(place):
    smtpd, dovecot = Smtpd(place), Dovecot(place)
    try:
        person = Person(place / "home")
        servers = ["--imap", f"127.0.0.1:{dovecot.port}", "--smtp", f"127.0.0.1:{smtpd.port}", "--tls", "none"]
        person.run("account", "add", "ada@example.org", *servers, "--user", "ada", "--password-stdin", given=PASSWORD + "\n")
        tools = person.command("mcp", "--profile", "smtp")

        asked = {"to": TO, "bcc": [BCC], "subject": "Grüße: lunch", "body": "At noon?\n.\nA line with a dot.\n"}
        answer = await call(tools, "send-email", asked)
        person.seen.append(json.dumps(answer))
        check(answer["success"] is True and answer["status"] == "pending_approval", str(answer))
        message_id = answer["messageId"].strip("<>")
        again = await call(tools, "send-email", asked)
        check(again["messageId"] == answer["messageId"], f"the same again is another item: {again}")
        item = json.loads(person.run("outbox", "list", "--json"))["items"]
        check(len(item) == 1 and item[0]["code"] == answer["code"], str(item))
        status = await call(tools, "get-email-status", {"messageId": answer["messageId"]})
        check(status["status"] == "pending_approval", str(status))
        check(not smtpd.kept(), "something left before the yes")

        shown = person.review(answer["code"])
        for seen in (TO, BCC, "At noon?"):
            check(seen in shown, f"`{seen}` was not shown:\n{shown}")

        wait_for("both copies", lambda: len(smtpd.kept()) == 2)
        frozen = person.run("outbox", "show", item[0]["id"], "--raw").encode().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        for copy in smtpd.kept():
            raw = copy.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
            check(raw.lower().count(b"\r\ndate:") == 1, "one date")
            check(b"carol" not in without({b"delivered-to", b"received", b"x-original-to"}, raw), "Bcc is in the message")
            arrived = without({b"return-path", b"delivered-to", b"received", b"date"}, raw)
            check(arrived == without({b"date"}, frozen), f"other bytes arrived:\n{arrived}\n\n{frozen}")
        status = await call(tools, "get-email-status", {"messageId": answer["messageId"]})
        check(status["status"] == "sent", str(status))
        person.run("audit", "verify")

        dovecot.deliver("ada", report(message_id, TO))
        person.run("sync")
        status = await call(tools, "get-email-status", {"messageId": answer["messageId"]})
        check(status["status"] == "bounced", str(status))
        person.run("audit", "verify")
        person.run("outbox", "show", item[0]["id"])
        check(len(smtpd.kept()) == 2, "something left twice")
        no_canary(person)
    finally:
        smtpd.stop()
        dovecot.stop()


def no_canary(person):
    """The password is nowhere: not in what was printed, not in any file of the home or the log."""
    check(not any(PASSWORD in text for text in person.seen), "the password was printed")
    places = [person.home, Path(os.environ["LOG_FILE"]).parent] if "LOG_FILE" in os.environ else [person.home]
    for path in (path for place in places for path in place.rglob("*") if path.is_file()):
        check(PASSWORD.encode() not in path.read_bytes(), f"the password is in {path}")


def main():
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        anyio.run(whole_way, place)
    print("proposed, approved, sent once, told, bounced")


if __name__ == "__main__":
    main()
