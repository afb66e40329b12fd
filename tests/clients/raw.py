"""A server on standard input and output, spoken to in raw bytes."""

import json
import os
import select
import subprocess
import time

PREFIX = "io.modelcontextprotocol/"
MODERN = "2026-07-28"
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
PATIENCE = 20.0


def meta(version=MODERN):
    return {PREFIX + "protocolVersion": version, PREFIX + "clientCapabilities": {},
            PREFIX + "clientInfo": {"name": "raw", "version": "1"}}


def request(number, method, params=None):
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}


class Server:
    """One process; ends with the block it is used in."""

    def __init__(self, command):
        self.command = command
        self.unread = b""

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, bufsize=0)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def write(self, data):
        self.process.stdin.write(data)

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def read_more(self, end):
        left = end - time.monotonic()
        ready = left > 0 and select.select([self.process.stdout], [], [], left)[0]
        data = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
        self.unread += data
        return bool(data)

    def line(self, patience=PATIENCE):
        """The next line that is not blank, or None when none comes in time."""
        end = time.monotonic() + patience
        while True:
            while b"\n" not in self.unread:
                if not self.read_more(end):
                    return None
            line, self.unread = self.unread.split(b"\n", 1)
            if line.strip():
                return line

    def exactly(self, length):
        end = time.monotonic() + PATIENCE
        while len(self.unread) < length and self.read_more(end):
            pass
        data, self.unread = self.unread[:length], self.unread[length:]
        return data

    def answer(self, patience=PATIENCE):
        """The next message that is no notification, or None."""
        while True:
            line = self.line(patience)
            message = json.loads(line) if line else None
            if not isinstance(message, dict) or "method" not in message:
                return message

    def ask(self, number, method, params=None):
        self.send(request(number, method, params))
        return self.answer()

    def initialize(self, version="2025-11-25"):
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        answer = self.ask(0, "initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer
