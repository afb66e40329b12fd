"""The person's pages in a real browser. usage: pages.py MAILKEEP AXE_JS PICTURES

The Python SDK proposes; Chromium shows the page, and somebody clicks, types a PIN or uses a passkey (a virtual
authenticator); OpenSMTPD has the message or has it not; the SDK reads what was decided, why, and what was changed. Every
page is looked at by axe-core, light and dark, weighed, and kept as a picture; nothing is asked of any other server.
Needs root, opensmtpd and Debian's chromium.
"""

import json
import os
import pty
import re
import select
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from playwright.sync_api import Error as DriverError, sync_playwright

from errand import check
from whole_way import PATIENCE, Smtpd, wait_for

MAILKEEP, AXE, PICTURES = sys.argv[1], Path(sys.argv[2]).read_text(), Path(sys.argv[3])
ACCOUNT = "ada.berg@example.org"
PIN = "2468-kite"
HEAVIEST = 60 * 1024
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 320, "height": 700}


class Home:
    """A home with the sample mailbox, whose account hands in at OpenSMTPD."""

    def __init__(self, place, smtpd):
        self.directory, self.config = place / "home", place / "config.toml"
        self.config.write_text("[policy]\nundo = 8\n")
        self.run("demo", "--once")
        for item in json.loads(self.run("outbox", "list", "--pending", "--json"))["items"]:
            self.run("outbox", "reject", item["id"])
        servers = ["--imap", "127.0.0.1:1", "--smtp", f"127.0.0.1:{smtpd.port}", "--tls", "none"]
        with closing(sqlite3.connect(self.directory / "mail.db")) as store, store:
            store.execute("UPDATE accounts SET send_folder = NULL")
        self.run("account", "add", ACCOUNT, *servers, "--user", "ada", "--password-stdin", given="secret\n")

    def command(self, *words):
        return [MAILKEEP, "--home", str(self.directory), "--config", str(self.config), *words]

    def run(self, *words, given=None):
        done = subprocess.run(self.command(*words), input=given, capture_output=True, text=True, timeout=PATIENCE)
        check(done.returncode == 0, f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def at_terminal(self, *words, answers=(), at_page=None):
        """Runs a command on a terminal and answers each of its questions; what was shown. A page of its own that it
        waits for is given to `at_page`."""
        child, terminal = pty.fork()
        if child == 0:
            os.execv(MAILKEEP, self.command(*words))
        screen, answers, until = b"", list(answers), time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if select.select([terminal], [], [], 0.3)[0]:
                try:
                    more = os.read(terminal, 65536)
                except OSError:
                    break
                if not more:
                    break
                screen += more
            elif at_page and (page := re.search(rb"http://localhost:\d+/[0-9a-f]{32}", screen)):
                at_page(page[0].decode())
                at_page = None
            elif answers and screen.rstrip(b" ").endswith(b":"):
                os.write(terminal, answers.pop(0).encode() + b"\n")
                screen += b"\n"
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        shown = screen.decode(errors="replace")
        check(status == 0, f"{' '.join(words)}: exit {status}\n{shown}")
        return shown

    def link(self, *words, answers=()):
        shown = self.at_terminal("open", "--print", *words, answers=answers)
        return re.search(r"http://localhost:\d+/open/\S+", shown.replace("\r\n", ""))[0]

    def ask(self, tool, arguments):
        """Asks through the SDK, on a thread of its own: the browser's driver holds this one's loop."""
        command = self.command("mcp", "--profile", "core")
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(anyio.run, called, command, tool, arguments).result()

    def propose(self, body, **more):
        asked = {"account": ACCOUNT, "to": ["ruben@example.net"], "subject": "The kitchen", "body": body, **more}
        told = self.ask("send_email", asked)
        check(told["status"] == "pending_approval", str(told))
        return told

    def status(self, told):
        return self.ask("get_send_status", {"id": told["id"]})

    @contextmanager
    def serving(self):
        command = self.command("serve", "--no-sync", "--listen", "127.0.0.1:0")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            url = next(word for line in process.stdout for word in line.split() if word.startswith("http"))
            clients = self.directory / "clients"
            wait_for("its address in the home", lambda: any("pages" in path.read_text() for path in clients.glob("serve-*")))
            yield url.removesuffix("/mcp").replace("127.0.0.1", "localhost")
        finally:
            process.terminate()
            process.wait(60)


async def called(command, tool, arguments):
    stdio = stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
    async with Client(stdio) as client:
        answer = await client.call_tool(tool, arguments)
        check(not answer.is_error, f"{tool}: {answer.content[0].text}")
        return answer.structured_content


class Visitor:
    """A browser, what it asked for, and what is wrong with the pages it was shown."""

    def __init__(self, browser, origin, **options):
        self.origin, self.pages_of_commands = origin, []
        self.context = browser.new_context(viewport=DESKTOP, **options)
        self.page = self.context.new_page()
        self.asked, self.heavy, self.said = [], [], []
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.context.on("console", lambda message: self.said.append(message.text) if message.type == "error" else None)

    def enter(self, link):
        self.go(link)
        self.page.wait_for_url("**/p/*/outbox*")

    def look(self, name):
        """Keeps pictures of this page and has it judged, light and dark, wide and narrow."""
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.page.evaluate(AXE)
            found = self.page.evaluate("axe.run().then(found => found.violations)")
            bad = [f"{it['id']}: {it['nodes'][0]['html']}" for it in found if it["impact"] in ("serious", "critical")]
            check(not bad, f"{name}, {scheme}: {bad}")
            self.page.screenshot(path=PICTURES / f"{name}-{scheme}.png", full_page=True)
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size(PHONE)
        wider = self.page.evaluate("document.documentElement.scrollWidth")
        self.page.screenshot(path=PICTURES / f"{name}-phone.png", full_page=True)
        check(wider <= PHONE["width"], f"{name} is {wider} pixels wide on a phone")
        self.page.set_viewport_size(DESKTOP)

    def weigh(self, name):
        """Loads the page anew and counts all that comes."""
        came = []

        def keep(response):
            came.append(response)

        self.page.on("response", keep)
        self.page.reload(wait_until="load")
        self.page.remove_listener("response", keep)
        weight = sum(len(response.body()) for response in came if response.ok)
        check(0 < weight <= HEAVIEST, f"{name} weighs {weight} bytes")
        return weight

    def go(self, address):
        """Goes there; a page that just finds itself changed may load itself anew in between."""
        for _ in range(5):
            try:
                return self.page.goto(address)
            except DriverError as error:
                if "interrupted by another navigation" not in str(error):
                    raise
        return self.page.goto(address)

    def item(self, told):
        self.go(f"{self.origin}/outbox/{told['id']}")
        self.page.wait_for_url(f"**/p/*/outbox/{told['id']}*")

    def yes(self):
        button = self.page.locator("button.yes")
        check(button.is_disabled(), "the button can be clicked at once")
        wait_for("the button", button.is_enabled)
        button.click()

    def shows(self, text):
        self.page.get_by_text(text).first.wait_for()

    def close(self):
        ours = (f"{self.origin}/", "data:", *self.pages_of_commands)
        elsewhere = [url for url in self.asked if not url.startswith(ours)]
        check(not elsewhere, f"other servers were asked: {elsewhere[:5]}")
        check(not [text for text in self.said if "Content Security Policy" in text], str(self.said))
        self.context.close()


def sent(home, told):
    return wait_for("it to leave", lambda: home.status(told)["status"] == "sent")


def click(home, visitor, smtpd):
    """Proposed, looked at, clicked, taken back once, and then sent."""
    found = home.ask("search_emails", {"query": "kitchen quote from:ruben", "account": ACCOUNT, "limit": 2})["items"]
    home.ask("read_email", {"email_id": found[0]["id"], "account": ACCOUNT})
    reply = {"reply_to_id": found[0]["id"], "cc": ["new.person@xn--bcher-kva.example"], "bcc": ["carol@stone.example"]}
    visitor.enter(home.link())
    visitor.shows("Nothing waits for you")
    visitor.look("empty")
    told = home.propose("Dear Ruben,\n\nthe oak front is fine. Plans attached.\n\nhttps://example.net/plan\n\nAda\n", **reply)
    visitor.shows("1 message waits")
    visitor.look("list")
    visitor.item(told)
    visitor.look("item")
    print(f"an item weighs {visitor.weigh('item')} bytes")
    focused = visitor.page.evaluate("document.activeElement.tagName")
    check(focused == "BODY", f"{focused} has the focus")
    visitor.page.keyboard.press("Enter")
    for seen in ("carol@", "bücher.example", "first contact", "nothing is attached", told["code"]):
        visitor.shows(seen)
    visitor.yes()
    visitor.shows("Leaves in")
    visitor.look("undo")
    return told


def decided_otherwise(home, visitor, smtpd):
    """A reason and a changed text are read by the assistant; what was taken back does not leave."""
    told = home.propose("Shall we meet?")
    visitor.item(told)
    visitor.page.get_by_label("Wrong tone").check()
    visitor.page.get_by_label("In your own words").fill("warmer, please")
    visitor.page.get_by_role("button", name="Reject").click()
    visitor.shows("The assistant reads why")
    status = home.status(told)
    check(status["status"] == "rejected" and "Wrong tone: warmer, please" in json.dumps(status), str(status))

    told = home.propose("The tiles are blue.")
    visitor.item(told)
    visitor.page.get_by_role("link", name="Change it").click()
    visitor.look("edit")
    visitor.page.get_by_label("Text").fill("The tiles are green.")
    visitor.page.get_by_role("button", name="Save", exact=True).click()
    visitor.shows("waits for your yes as it stands now")
    visitor.look("changed")
    status = json.dumps(home.status(told))
    check("green" in status and "blue" in status, f"the assistant does not read the change: {status}")
    visitor.yes()
    visitor.page.get_by_role("button", name="Take it back").click()
    visitor.shows("Taken back")
    check(home.status(told)["status"] == "cancelled", str(home.status(told)))


def lists(home, visitor):
    """Several at once, the history, and the switch."""
    first, second = home.propose("One of two."), home.propose("Two of two.", subject="Another")
    visitor.go(f"{visitor.page.url.split('/outbox')[0]}/outbox")
    visitor.page.get_by_role("link", name="Look at all of them").click()
    visitor.look("all")
    visitor.page.locator("input[name=pick]").first.check()
    visitor.yes()
    visitor.page.locator(".note.good").wait_for()
    sent(home, first)
    check(home.status(second)["status"] == "pending_approval", "the other one was approved too")
    visitor.page.get_by_role("button", name="Pause sending").click()
    visitor.shows("Paused since")
    visitor.look("paused")
    visitor.page.get_by_role("button", name="Let sending go on").click()
    visitor.shows("Sending goes on")
    visitor.page.get_by_role("link", name="History").click()
    visitor.shows("rejected")
    visitor.look("history")
    return second


def without_script(browser, home, origin, told):
    visitor = Visitor(browser, origin, java_script_enabled=False)
    visitor.go(f"{origin}/outbox/{told['id']}")
    visitor.shows("mailkeep open")
    visitor.go(home.link())
    visitor.page.get_by_role("button", name="Let this browser in").click()
    visitor.page.get_by_role("link", name="Another").first.click()
    place = visitor.page.locator("button.yes").bounding_box()
    visitor.page.locator("button.yes").click()
    visitor.shows("Really?")
    again = visitor.page.get_by_role("button", name="Yes, send it")
    box = again.bounding_box()
    apart = box["x"] + box["width"] < place["x"] or box["x"] > place["x"] + place["width"]
    apart = apart or box["y"] + box["height"] < place["y"] or box["y"] > place["y"] + place["height"]
    check(apart, "the second button stands where the first one stood")
    check(home.status(told)["status"] == "pending_approval", "one click was enough")
    again.click()
    visitor.shows("Leaves in")
    sent(home, told)
    visitor.close()


def outside(browser, home, origin, told):
    """The pages that a browser shows only where our script does not run: axe-core can, there."""
    visitor = Visitor(browser, origin)
    visitor.context.route("**/assets/*.js", lambda route: route.abort())
    visitor.go(home.link())
    visitor.look("enter")
    visitor.page.get_by_role("button", name="Let this browser in").click()
    visitor.go(f"{visitor.page.url.split('/outbox')[0]}/outbox/{told['id']}")
    visitor.page.locator("button.yes").click()
    visitor.shows("Really?")
    visitor.look("confirm")
    visitor.go(f"{visitor.page.url.split('/outbox')[0]}/nowhere")
    visitor.look("notice")
    visitor.close()


def pin(browser, home, origin):
    home.at_terminal("approval", "set-pin", answers=[PIN, PIN])
    home.config.write_text('[policy]\nundo = 0\n[approval]\nfactor = "pin"\n')
    with home.serving() as origin:
        told = home.propose("With a PIN.")
        visitor = Visitor(browser, origin)
        visitor.go(told.get("approvalUrl", f"{origin}/outbox/{told['id']}"))
        visitor.look("door")
        visitor.page.get_by_label("PIN").fill(PIN)
        visitor.page.get_by_role("button", name="Sign in").click()
        visitor.page.wait_for_url(f"**/p/*/outbox/{told['id']}")
        visitor.page.get_by_label("PIN").fill("wrong")
        visitor.yes()
        visitor.shows("The PIN is wrong")
        visitor.page.get_by_label("PIN").fill(PIN)
        visitor.yes()
        sent(home, told)
        enrol(visitor)
        visitor.close()


def enrol(visitor):
    """A passkey that the browser makes; the PIN vouches for it. What the authenticator holds."""
    visitor.page.get_by_role("link", name="PIN and passkeys").click()
    visitor.look("passkeys")
    visitor.key = authenticator(visitor)
    visitor.page.get_by_label("Name").fill("test key")
    visitor.page.locator("form[data-new-passkey] input[name=pin]").fill(PIN)
    visitor.page.get_by_role("button", name="Add a passkey").click()
    visitor.shows("The passkey was added")
    session, name = visitor.key
    Visitor.credentials = session.send("WebAuthn.getCredentials", {"authenticatorId": name})["credentials"]


def authenticator(visitor):
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
               "isUserVerified": True, "automaticPresenceSimulation": True}
    return session, session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]


def passkey(browser, home):
    home.config.write_text('[policy]\nundo = 0\n[approval]\nfactor = "passkey"\n')
    with home.serving() as origin:
        told = home.propose("With a passkey.")
        visitor = Visitor(browser, origin)
        visitor.go(f"{origin}/outbox/{told['id']}")
        session, name = authenticator(visitor)
        for credential in Visitor.credentials:
            session.send("WebAuthn.addCredential", {"authenticatorId": name, "credential": credential})
        visitor.page.get_by_role("button", name="Sign in with your passkey").click()
        visitor.page.wait_for_url(f"**/p/*/outbox/{told['id']}")
        visitor.look("passkey-item")
        visitor.yes()
        sent(home, told)
        resume(home, visitor)
        visitor.close()
    home.run("audit", "verify")


def resume(home, visitor):
    """A command on the terminal has the key asked on a page that says what for."""

    def sign(address):
        visitor.pages_of_commands.append(address.rsplit("/", 1)[0])
        visitor.go(address)
        visitor.look("command")
        visitor.page.get_by_role("button", name="Let sending go on").click()
        visitor.shows("Done: go back to your terminal")

    home.run("outbox", "pause")
    shown = home.at_terminal("outbox", "resume", answers=["resume"], at_page=sign)
    check("sending goes on" in shown, shown)


def main():
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        place = Path(name)
        place.chmod(0o755)
        smtpd = Smtpd(place)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        try:
            home = Home(place, smtpd)
            with home.serving() as origin:
                visitor = Visitor(browser, origin)
                told = click(home, visitor, smtpd)
                sent(home, told)
                wait_for("three copies", lambda: len(smtpd.kept()) == 3)
                decided_otherwise(home, visitor, smtpd)
                second = lists(home, visitor)
                outside(browser, home, origin, second)
                without_script(browser, home, origin, second)
                visitor.close()
            pin(browser, home, origin)
            passkey(browser, home)
            wait_for("all copies", lambda: len(smtpd.kept()) == 7)
        finally:
            browser.close()
            smtpd.stop()
    print("clicked, taken back, rejected, changed, several at once, without script, with a PIN, with a passkey")


if __name__ == "__main__":
    main()
