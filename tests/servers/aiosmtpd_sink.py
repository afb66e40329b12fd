#!/usr/bin/env python3
"""Takes mail with aiosmtpd and puts a file for each recipient into a directory, as a server with a Maildir would.

usage: aiosmtpd_sink.py PORT DIRECTORY
"""

import itertools
import sys
import threading
from pathlib import Path

from aiosmtpd.controller import Controller

PORT, PLACE = int(sys.argv[1]), Path(sys.argv[2])
NUMBER = itertools.count()


class Keeper:
    async def handle_DATA(self, server, session, envelope):
        for recipient in envelope.rcpt_tos:
            name = f"{next(NUMBER):06}"
            heading = f"Return-Path: <{envelope.mail_from}>\nDelivered-To: {recipient}\n".encode()
            (PLACE / f".{name}").write_bytes(heading + envelope.original_content.replace(b"\r\n", b"\n"))
            (PLACE / f".{name}").rename(PLACE / name)
        return "250 2.0.0 kept"


Controller(Keeper(), hostname="127.0.0.1", port=PORT, data_size_limit=64 << 20).start()
threading.Event().wait()
