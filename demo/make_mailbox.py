#!/usr/bin/env python3
"""Writes the sample mailbox: personal.mbox and work.mbox, beside this file.

Run it again and the same bytes come out: dates are fixed, ids are hashes of what they name.
This file knows how a message is put together; the texts are in texts_personal.py,
texts_work.py and texts_bulk.py, the encodings and attachments in parts.py.
"""

import sys
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path

sys.dont_write_bytecode = True

import parts  # noqa: E402
from people import PEOPLE  # noqa: E402


def last_sunday(year, month):
    day = datetime(year, month, 31)
    return day - timedelta(days=(day.weekday() + 1) % 7)


def local_time(text, zone=None):
    """`2024-03-01 09:30` as Ada's clock shows it (central Europe), in the `west` (Lisbon, London), or at a fixed offset in hours."""
    moment = datetime.strptime(text, "%Y-%m-%d %H:%M")
    moment += timedelta(seconds=int(parts.digest(text, length=4), 16) % 60)
    if zone in (None, "west"):
        summer = last_sunday(moment.year, 3) <= moment < last_sunday(moment.year, 10)
        zone = (1 if zone is None else 0) + (1 if summer else 0)
    return moment.replace(tzinfo=timezone(timedelta(hours=zone)))


class Message:
    """What is known about one message before it becomes bytes."""

    def __init__(self, moment, sender, subject, text, message_id, references):
        self.moment, self.sender, self.subject, self.text = moment, sender, subject, text
        self.message_id, self.references = message_id, references
        self.head, self.body = [], b""
        self.unread = self.starred = self.answered = False

    def status(self):
        lines = [] if self.unread else ["Status: RO"]
        marks = ("A" if self.answered else "") + ("F" if self.starred else "")
        return lines + ([f"X-Status: {marks}"] if marks else [])

    def as_bytes(self):
        head = "\n".join(self.head + self.status()) + "\nMIME-Version: 1.0\n"
        return head.encode("utf-8", "surrogateescape") + self.body


class Mailbox:
    """All messages of one account; `owner` is Ada's key in PEOPLE for it."""

    def __init__(self, owner):
        self.owner = owner
        self.messages = []
        self.raw = []

    def person(self, key):
        return PEOPLE[self.owner if key == "ada" else key]

    def mailboxes(self, keys, charset, how):
        shown = []
        for key in keys.split():
            who = self.person(key)
            name = who["name"] if who["name"].isascii() else parts.encoded_word(who["name"], charset or "utf-8", how)
            quoted = f'"{name}"' if any(c in name for c in ",.&()") and "=?" not in name else name
            shown.append(f"{quoted} <{who['address']}>" if name else who["address"])
        return ", ".join(shown)

    def add(self, when, sender, to, subject, text="", **options):
        """Composes a message and keeps it. Options are named in `compose`."""
        message = self.compose(when, sender, to, subject, text, **options)
        self.messages.append(message)
        return message

    def compose(self, when, sender, to, subject, text, *, cc=None, parent=None, charset=None, encoding=None, how="B",
                files=(), html=None, related=(), body=None, extra=(), flags="", zone=None, bare=False, quote=None):
        who = self.person(sender)
        moment = local_time(when, zone if zone is not None else who.get("zone"))
        message_id = f"{parts.digest(when, sender, subject)}@{who['address'].split('@')[1]}"
        references = parent.references + [parent.message_id] if parent else []
        text = self.with_quote(text.strip("\n"), parent, quote)
        if charset not in ("iso-2022-jp", "gb18030"):
            text = parts.wrapped(text)
        if who.get("signature") and not bare and not parent:
            text += "\n\n-- \n" + who["signature"]
        message = Message(moment, who, subject, text, message_id, references)
        message.unread, message.starred = "u" in flags, "f" in flags
        if sender == "ada" and parent:
            parent.answered = True
        message.head = self.trace(message, sender, to) + [
            f"Message-ID: <{message_id}>",
            f"Date: {format_datetime(moment)}",
            f"From: {self.mailboxes(sender, charset, how)}",
            f"To: {self.mailboxes(to, charset, how)}",
        ] + ([f"Cc: {self.mailboxes(cc, charset, how)}"] if cc else []) + [
            f"Subject: {parts.encoded_word(subject, charset or 'utf-8', how)}",
        ] + self.thread_headers(parent, references) + ([f"{who['agent'][0]}: {who['agent'][1]}"] if "agent" in who else []) + list(extra)
        message.body = body or self.assemble(message, charset, encoding, html, related, files)
        return message

    def trace(self, message, sender, to):
        """What the receiving server writes on top; mail that Ada sent has none."""
        if sender == "ada":
            return []
        mine = self.person("ada")["address"]
        host = mine.split("@")[1]
        domain = message.sender["address"].split("@")[1]
        queue = parts.digest(message.message_id, "queue", length=12).upper()
        octet = int(parts.digest(domain, length=2), 16)
        return [
            f"Return-Path: <{message.sender.get('bounce', message.sender['address'])}>",
            f"Delivered-To: {mine}",
            f"Received: from mail.{domain} (mail.{domain} [198.51.100.{octet}])\n"
            f"\tby mx1.{host} (Postfix) with ESMTPS id {queue}\n"
            f"\tfor <{mine}>; {format_datetime(message.moment + timedelta(seconds=3))}",
            f"Authentication-Results: mx1.{host}; spf=pass smtp.mailfrom={domain};\n\tdkim=pass header.d={domain}",
        ]

    @staticmethod
    def thread_headers(parent, references):
        if not parent:
            return []
        shown = "\n ".join(f"<{reference}>" for reference in references)
        return [f"In-Reply-To: <{parent.message_id}>", f"References: {shown}"]

    @staticmethod
    def with_quote(text, parent, quote):
        """`top` answers above the whole quote, `below` under it, `outlook` copies the headers."""
        if not parent or not quote:
            return text
        who, when = parent.sender, parent.moment
        plain = parent.text.split("\n\n-- \n")[0]
        if quote == "outlook":
            return (f"{text}\n\n-----Original Message-----\nFrom: {who['name']} <{who['address']}>\n"
                    f"Sent: {when:%A, %d %B %Y %H:%M}\nSubject: {parent.subject}\n\n{plain}")
        attribution = who.get("wrote", "On {when:%a, %d %b %Y at %H:%M}, {name} wrote:").format(when=when, name=who["name"])
        quoted = "\n".join(f">{line}" if line.startswith(">") else f"> {line}".rstrip() for line in plain.split("\n"))
        if quote == "top":
            return f"{text}\n\n{attribution}\n\n{quoted}"
        return f"{attribution}\n{quoted}\n\n{text}"

    @staticmethod
    def assemble(message, charset, encoding, html, related, files):
        plain = parts.text_part(message.text, charset, encoding)
        content, seed = plain, message.message_id
        if html is None and message.sender.get("html"):
            html = parts.html_from(message.text)
        if html:
            rich = parts.text_part(html, "utf-8", "quoted-printable", "html")
            if related:
                rich = parts.multipart("related", [rich] + list(related), seed)
            content = parts.multipart("alternative", [plain, rich], seed)
        if files:
            attached = [parts.file_part(*file) if isinstance(file, tuple) else file for file in files]
            content = parts.multipart("mixed", [content] + attached, seed)
        return content

    def thread(self, subject, *letters, **shared):
        """Each letter is (when, sender, to, text, options); it answers the one before, or `re` (an index)."""
        said = []
        for when, sender, to, text, *rest in letters:
            options = {**shared, **(rest[0] if rest else {})}
            number = options.pop("re", len(said) - 1)
            parent = said[number] if said else None
            title = options.pop("subject", f"{options.pop('prefix', 'Re')}: {subject}" if said else subject)
            said.append(self.add(when, sender, to, title, text, parent=parent, **options))
        return said

    def add_raw(self, when, envelope, raw):
        """A message whose bytes are given, for what no well-behaved program would write."""
        self.raw.append((local_time(when), envelope, raw))

    def as_mbox(self):
        entries = [(m.moment, m.sender.get("bounce", m.sender["address"]), m.as_bytes()) for m in self.messages] + self.raw
        out = b""
        for moment, envelope, raw in sorted(entries, key=lambda entry: (entry[0], entry[1], entry[2])):
            stamp = moment.astimezone(timezone.utc).ctime()
            out += f"From {envelope} {stamp}\n".encode() + parts.mboxrd(raw).rstrip(b"\n") + b"\n\n"
        return out


def main():
    import texts_bulk
    import texts_personal
    import texts_work

    personal, work = Mailbox("ada-home"), Mailbox("ada-work")
    texts_personal.write(personal)
    texts_work.write(work)
    texts_bulk.write(personal, work)
    here = Path(__file__).resolve().parent
    for name, mailbox in (("personal.mbox", personal), ("work.mbox", work)):
        content = mailbox.as_mbox()
        (here / name).write_bytes(content)
        print(f"{name}: {len(mailbox.messages) + len(mailbox.raw)} messages, {len(content)} bytes")


if __name__ == "__main__":
    main()
