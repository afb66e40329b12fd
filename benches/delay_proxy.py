"""A long line to a server on this machine: every byte takes its time, as many as there are may be under way."""

import queue
import socket
import threading
import time


class DelayProxy:
    """Listens on a free port and passes everything on to `target`, half a round trip later. A connection costs one
    round trip before the server hears of it, as TCP's handshake does."""

    def __init__(self, target, round_trip):
        self.target, self.round_trip = target, round_trip
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client):
        time.sleep(self.round_trip)
        server = socket.create_connection(("127.0.0.1", self.target))
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink in ((client, server), (server, client)):
            line = queue.Queue()
            threading.Thread(target=self._take, args=(source, line), daemon=True).start()
            threading.Thread(target=self._give, args=(sink, line), daemon=True).start()

    def _take(self, source, line):
        while True:
            try:
                data = source.recv(1 << 18)
            except OSError:
                data = b""
            line.put((time.monotonic() + self.round_trip / 2, data))
            if not data:
                return

    @staticmethod
    def _give(sink, line):
        while True:
            due, data = line.get()
            time.sleep(max(0, due - time.monotonic()))
            try:
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(data)
            except OSError:
                return
