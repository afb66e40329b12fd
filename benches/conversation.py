"""Talks to an MCP server over stdio and measures it: round trips, private memory, processor time."""

import json
import os
import select
import subprocess
import time
from pathlib import Path


class Conversation:
    """An MCP server over stdio, held open as an assistant holds it."""

    def __init__(self, command, environment, patience=60):
        self.patience, self.number, self.unread, self.complaint = patience, 0, b"", ""
        begin = time.perf_counter()
        self.process = subprocess.Popen([str(part) for part in command], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, close_fds=False)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.works = "result" in self.ask("initialize", hello)[1]
        self.started_ms = (time.perf_counter() - begin) * 1000
        if self.works:
            self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method, params):
        """Milliseconds until the whole answer was there, and the answer, empty when none came."""
        self.number += 1
        begin = time.perf_counter()
        try:
            self._send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
            while line := self._line(begin + self.patience):
                elapsed = (time.perf_counter() - begin) * 1000
                message = json.loads(line)
                # Whatever else a server says in between is passed over.
                if message.get("id") == self.number and "method" not in message:
                    return elapsed, message
        except (OSError, ValueError):
            pass
        return (time.perf_counter() - begin) * 1000, {}

    def call(self, tool, **arguments):
        """Milliseconds and result of a tool; no milliseconds when it failed, and `complaint` says why."""
        elapsed, answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result", {"isError": True})
        if not result.get("isError"):
            return elapsed, result
        told = [part.get("text", "") for part in result.get("content", [])]
        self.complaint = " ".join(told) or answer.get("error", {}).get("message", "no answer")
        return None, result

    def private_memory(self):
        """RssAnon of the server and what it has started, in bytes."""
        return sum(private_bytes(process) for process in _family(self.process.pid))

    def cpu_ms(self):
        """Processor time that its threads have used; says what a call costs on a busy machine too."""
        return processor_seconds(self.process.pid) * 1000

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def _send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def _line(self, deadline):
        while b"\n" not in self.unread:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.perf_counter()))
            piece = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not piece:
                return b""
            self.unread += piece
        line, _, self.unread = self.unread.partition(b"\n")
        return line


def _family(process):
    """A process and all that descend from it."""
    found = [process]
    for member in found:
        for children in Path(f"/proc/{member}/task").glob("*/children"):
            found += map(int, children.read_text().split())
    return found


def private_bytes(process):
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:")), 0)


def processor_seconds(process):
    """What the threads of a process have used."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
