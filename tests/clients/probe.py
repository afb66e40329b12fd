#!/usr/bin/env python3
"""Asks a stdio server what no SDK asks: both framings, garbage, batches, ids of all kinds, ends of all kinds.

usage: probe.py COMMAND [ARGUMENT...]
One line per question; exits 1 when an answer is wrong. Each question has a process of its own.
"""

import json
import signal
import subprocess
import sys

from raw import LEGACY, MODERN, PATIENCE, Server, meta, request

QUESTIONS = []


def question(name):
    def keep(function):
        QUESTIONS.append((name, function))
        return function
    return keep


def code(answer):
    return ((answer or {}).get("error") or {}).get("code")


def result(answer):
    return (answer or {}).get("result") or {}


@question("every older revision is agreed on as asked for")
def _(start):
    agreed = []
    for version in LEGACY:
        with start() as server:
            agreed.append(result(server.initialize(version)).get("protocolVersion"))
    return agreed == list(LEGACY)


@question("an unknown revision is answered with the newest one that has a handshake")
def _(start):
    with start() as server:
        return result(server.initialize("1999-01-01")).get("protocolVersion") == LEGACY[-1]


@question("server/discover names the revisions")
def _(start):
    with start() as server:
        return MODERN in result(server.ask(1, "server/discover", {"_meta": meta()})).get("supportedVersions", [])


@question("a modern list needs no handshake and says how long it may be kept")
def _(start):
    with start() as server:
        found = result(server.ask(1, "tools/list", {"_meta": meta()}))
    return found.get("resultType") == "complete" and isinstance(found.get("ttlMs"), int) \
        and found.get("cacheScope") in ("public", "private") and bool(found.get("tools"))


@question("a modern revision that is not served is -32022 and names those that are")
def _(start):
    with start() as server:
        answer = server.ask(1, "tools/list", {"_meta": meta("1900-01-01")})
    return code(answer) == -32022 and MODERN in answer["error"]["data"]["supported"]


@question("tools/list without any handshake is answered")
def _(start):
    with start() as server:
        return bool(result(server.ask(1, "tools/list", {})).get("tools"))


@question("Content-Length framing is mirrored, body by body")
def _(start):
    def framed(message):
        body = json.dumps(message).encode()
        return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    with start() as server:
        for number in (1, 2):
            server.write(framed(request(number, "ping")))
            name, length = server.line().split(b":")
            blank = server.exactly(2)
            body = json.loads(server.exactly(int(length)))
            if name.lower() != b"content-length" or blank != b"\r\n" or body != {"jsonrpc": "2.0", "id": number, "result": {}}:
                return False
    return True


@question("garbage is -32700 and the next request is answered, before and after the handshake")
def _(start):
    with start() as server:
        server.write(b"%garbage%\n")
        first = server.answer()
        server.initialize()
        server.write(b"{broken\n\xff\xfe\n")
        rest = [server.answer(), server.answer()]
        return [code(first), *map(code, rest)] == [-32700] * 3 and server.ask(9, "ping").get("id") == 9


@question("what is JSON but no request is -32600 with its id")
def _(start):
    wrong = [{"jsonrpc": "1.0", "id": 3, "method": "ping"}, {"jsonrpc": "2.0", "id": 3}, {"id": 3, "method": "ping"}]
    with start() as server:
        server.initialize()
        answers = []
        for message in wrong:
            server.send(message)
            answers.append(server.answer())
    return all(code(answer) == -32600 and answer["id"] == 3 for answer in answers)


@question("a batch is one array under 2025-03-26 and -32600 under the others")
def _(start):
    batch = json.dumps([request(6, "ping"), {"jsonrpc": "2.0", "method": "notifications/x"}, request(7, "tools/list")])
    with start() as server:
        server.initialize("2025-03-26")
        server.write(batch.encode() + b"\n")
        joined = server.answer()
    with start() as server:
        server.initialize("2025-11-25")
        server.write(batch.encode() + b"\n")
        refused = server.answer()
    return sorted(answer["id"] for answer in joined) == [6, 7] and code(refused) == -32600


@question("ids come back as they were: strings, large and fractional numbers, null")
def _(start):
    ids = ["word", "", 0, -1, 9007199254740993, 1.5, None]
    with start() as server:
        server.initialize()
        return [server.ask(number, "ping").get("id", "none") for number in ids] == ids


@question("an unknown method is -32601, an unknown tool -32602")
def _(start):
    with start() as server:
        server.initialize()
        unknown = server.ask(1, "no/such"), server.ask(2, "tools/call", {"name": "no_such", "arguments": {}})
        return [code(answer) for answer in unknown] == [-32601, -32602]


@question("notifications are not answered, known or not")
def _(start):
    with start() as server:
        server.initialize()
        for method in ("initialized", "notifications/initialized", "notifications/unheard-of", "ping"):
            server.send({"jsonrpc": "2.0", "method": method})
        return server.ask(5, "ping") == {"jsonrpc": "2.0", "id": 5, "result": {}}


@question("shutdown answers an empty result")
def _(start):
    with start() as server:
        server.initialize()
        return server.ask(1, "shutdown") == {"jsonrpc": "2.0", "id": 1, "result": {}}


@question("a last line without its end is answered, and the end of the input is exit code 0")
def _(start):
    with start() as server:
        server.initialize()
        server.write(json.dumps(request(8, "tools/list")).encode())
        server.process.stdin.close()
        answered = server.answer()
        return answered["id"] == 8 and server.process.wait(PATIENCE) == 0


def ends_well(start, number):
    with start() as server:
        server.initialize()
        server.process.send_signal(number)
        try:
            return server.process.wait(PATIENCE) == 0
        except subprocess.TimeoutExpired:
            return False


@question("SIGTERM is exit code 0")
def _(start):
    return ends_well(start, signal.SIGTERM)


@question("SIGINT is exit code 0")
def _(start):
    return ends_well(start, signal.SIGINT)


def main(command):
    wrong = 0
    for name, ask in QUESTIONS:
        try:
            good, told = ask(lambda: Server(command)), ""
        except (AttributeError, KeyError, OSError, TypeError, ValueError) as error:
            good, told = False, f" ({type(error).__name__}: {error})"
        wrong += not good
        print(f"{'ok   ' if good else 'WRONG'} {name}{told}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else __doc__)
