"""OpenSMTPD on a free port of this machine, which takes everything and keeps it in one Maildir."""

import shutil
import socket
import subprocess
import time

CONFIGURATION = """smtp limit max-mails 1000000
table vusers file:{place}/vusers
listen on 127.0.0.1 port {port} hostname bench.invalid
action "keep" maildir "{place}/Maildir" virtual <vusers>
match from local for any action "keep"
"""
PATIENCE = 30


class Receiver:
    def __init__(self, place):
        self.place, self.port = place, free_port()
        (place / "Maildir").mkdir(parents=True)
        (place / "vusers").write_text("@ nobody\n")
        (place / "smtpd.conf").write_text(CONFIGURATION.format(place=place, port=self.port))
        shutil.chown(place / "Maildir", "nobody")
        for parent in (place, *list(place.parents)[:2]):
            parent.chmod(0o755)
        self.log = open(place / "log", "w")
        command = ["smtpd", "-d", "-f", str(place / "smtpd.conf")]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        wait_for(lambda: answers(self.port))

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def wait_for(ready):
    until = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > until:
            raise TimeoutError("waited in vain")
        time.sleep(0.02)
