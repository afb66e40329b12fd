"""Short mixed mail, the same bytes for the same seed: what a person at work gets in ten years.

Office mail and its answers, spam, mailing lists, newsletters, and mail that machines write. Most of it is short, so that
what is paid for each message counts more than what is paid for each byte. Nine charsets, all transfer encodings, plain,
HTML and both, small attachments, invitations; some of the spam is damaged as spam is. `make_mailbox.py --kind mixed`.
"""

import base64
import io
import quopri
import random
import zipfile
from collections import deque
from itertools import accumulate

import make_mailbox as base

KINDS = [("office", 38), ("spam", 20), ("list", 20), ("robot", 12), ("newsletter", 10)]
WORDS = 40_000
SENTENCES = 20_000
COLLEAGUES = 60
FRIENDS = 2_000
STRANGERS = 20_000

OPENERS = ["Hi", "Hello", "Dear", "Good morning", "Hi all,", "Team,", "Guten Tag", "Bonjour", "Hola", "FYI"]
CLOSERS = ["Thanks", "Best regards", "Cheers", "Regards", "Viele Grüße", "Cordialement", "Un saludo", "Talk soon", ""]
SUBJECTS = ["Lunch on {}", "Meeting {} moved", "{} budget", "Invoice {}", "Question about {}", "Contract {} draft",
            "{}", "Minutes of {}", "Your {} request", "Holiday in {}", "{} for review", "Offer: {}"]
BAIT = ["Cheap {} now", "You have WON {}", "{} without prescription", "Re: your {} account", "Urgent {} transfer",
        "Lose {} in 3 weeks", "{} replica", "Meet {} tonight", "F R E E {}", "Last warning: {}"]
ROBOTS = ["build", "monitor", "tickets", "calendar", "backup", "shop", "bank", "forum"]
FOREIGN = {
    "iso-8859-1": "Die Änderung für Müller ist geprüft, der Preis beträgt vierzig Kronen. Größe und Maß stimmen überein.",
    "windows-1252": "L’été dernier à Besançon, nous avons réservé “une table” près de la fenêtre – très agréable.",
    "iso-8859-15": "Señor Núñez, mañana le enviaré el resumen del año; el coste es de 40 € más impuestos.",
    "koi8-r": "Добрый день, отправляю вам отчет за прошлый месяц и счет на оплату. Жду ответа до пятницы.",
    "gb2312": "您好，附件是本月的发票和合同草稿，请在星期五之前确认。谢谢。",
    "iso-2022-jp": "お世話になっております。来週の会議の資料をお送りします。よろしくお願いいたします。",
    "euc-kr": "안녕하세요, 지난달 보고서와 청구서를 보내 드립니다. 금요일까지 답변 부탁드립니다.",
}
WESTERN, DISTANT = list(FOREIGN)[:3], list(FOREIGN)[3:]
STYLE = """<style type="text/css">
body { margin: 0; padding: 0; background: #f4f4f4; font-family: Helvetica, Arial, sans-serif; }
.box { width: 600px; background: #ffffff; } .head { color: #333333; font-size: 22px; } .small { font-size: 11px; color: #888; }
td.button a { background: #0a66c2; color: #fff; padding: 10px 18px; text-decoration: none; }
@media only screen and (max-width: 480px) { .box { width: 100% !important; } }
</style>"""


FILES = [("report.pdf", "application/pdf"), ("photo.jpg", "image/jpeg"), ("notes.txt", "text/plain"), ("data.csv", "text/csv"),
         ("letter.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document")]


def pdf(lines):
    """A document of one page that every reader can read."""
    plain = (line.encode("ascii", "replace") for line in lines)
    text = b"BT /F1 12 Tf 14 TL 40 800 Td " + b" ".join(b"(" + line + b") Tj T*" for line in plain) + b" ET"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
               b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + (b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
                  % (len(objects) + 1, table, len(objects) + 1, len(out)))


def docx(lines):
    """The text of a letter; the same bytes for the same lines."""
    packed = io.BytesIO()
    paragraphs = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in lines)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("word/document.xml"), f"<w:document><w:body>{paragraphs}</w:body></w:document>")
    return packed.getvalue()


class Pieces:
    """What messages are put together from, made once."""

    def __init__(self, dice):
        self.words = base.vocabulary()[:WORDS]
        self.people = base.senders()[:STRANGERS]
        weights = list(accumulate(1 / (rank + 3) for rank in range(1, WORDS + 1)))
        drawn = iter(dice.choices(self.words, cum_weights=weights, k=SENTENCES * 16))
        self.sentences = [self._sentence(drawn, 5 + number % 11) for number in range(SENTENCES)]
        self.files = [dice.randbytes(dice.choice((300, 900, 2_500, 6_000))) for _ in range(40)]
        self.lists = [f"{self.words[700 + number]}.lists.example.org" for number in range(12)]
        self.calendar = base.Calendar()
        self.threads = {kind: deque(maxlen=150) for kind, _ in KINDS}

    @staticmethod
    def _sentence(drawn, length):
        text = " ".join(next(drawn) for _ in range(length))
        return text[:1].upper() + text[1:] + "."


class Letter:
    """One message while it is written."""

    def __init__(self, number, count, dice, pieces):
        self.number, self.dice, self.pieces = number, dice, pieces
        self.epoch = base.BEGIN + base.TEN_YEARS * number // count + dice.randrange(7_200)
        self.kind = dice.choices([kind for kind, _ in KINDS], [share for _, share in KINDS])[0]
        self.name, self.address = self._sender()
        self.host = self.address.partition("@")[2]
        self.identity = f"<{number:x}.{dice.randrange(1 << 40):x}@{self.host}>"
        self.subject, self.references = self._thread()

    def _sender(self):
        many = {"office": COLLEAGUES if self.dice.random() < 0.7 else FRIENDS, "list": FRIENDS}.get(self.kind, STRANGERS)
        if self.kind == "robot":
            robot = self.dice.choice(ROBOTS)
            return f"{robot.title()} service", f"no-reply@{robot}.example.com"
        return self.pieces.people[int(many * self.dice.random() ** 2)]

    def _thread(self):
        """A new subject, or the one of an earlier message of the same kind and what it refers to."""
        threads = self.pieces.threads[self.kind]
        if threads and self.dice.random() < {"office": 0.55, "list": 0.7, "robot": 0.1}.get(self.kind, 0):
            subject, ids = self.dice.choice(threads)
            shown, references = "Re: " + subject, list(ids)
            del ids[1:-6]
            ids.append(self.identity)
            return shown, references
        pattern = self.dice.choice(BAIT if self.kind == "spam" else SUBJECTS)
        subject = pattern.format(" ".join(self.dice.choices(self.pieces.words[:8_000], k=self.dice.randint(1, 3))))
        threads.append((subject, [self.identity]))
        return subject, []

    # -- text ------------------------------------------------------------------------------------------

    def sentences(self, least, most):
        return [self.dice.choice(self.pieces.sentences) for _ in range(self.dice.randint(least, most))]

    def fresh(self):
        """A line that no other message has."""
        return " ".join(self.dice.choices(self.pieces.words, k=6)) + f" {self.dice.randrange(10_000)}"

    def paragraphs(self, least, most):
        lines, line = [], ""
        for sentence in self.sentences(least, most) + [self.fresh()]:
            line = f"{line} {sentence}".strip()
            if len(line) > 55:
                lines, line = lines + [line], ""
        return lines + [line]

    def text(self):
        """The words of the message, by kind, as lines."""
        if self.kind == "robot":
            return [self.fresh(), "", f"Job {self.number} ended with state {self.dice.choice(('ok', 'failed', 'late'))}.",
                    f"https://{self.host}/jobs/{self.dice.randrange(1 << 32):x}"]
        if self.kind == "spam":
            return self.paragraphs(1, 7) + ["", f"http://{self.dice.choice(self.pieces.words)}{self.number}.example.net/?id={self.number}"]
        body = [self.dice.choice(OPENERS), ""] + self.paragraphs(1, 9) + ["", self.dice.choice(CLOSERS), self.name]
        if self.references and self.dice.random() < 0.8:
            body += self._quote()
        if self.kind == "list":
            body += ["_______________________________________________", "The list's mailing list", "Unsubscribe: see the list page"]
        return body

    def _quote(self):
        said = self.paragraphs(1, 6)
        if self.kind == "office" and self.dice.random() < 0.5:
            return ["", "-----Original Message-----", f"From: {self.dice.choice(self.pieces.people)[0]}", f"Subject: {self.subject[4:]}", ""] + said
        return ["", "On that day somebody wrote:"] + ["> " + line for line in said]

    def html(self, lines):
        if self.kind == "newsletter":
            return self._newsletter(lines)
        word = self.kind == "office"
        rows = "".join(f'<p class="MsoNormal"><span style="font-size:11.0pt">{line or "&nbsp;"}</span></p>\n' if word
                       else f"<font size=2 color=#202020>{line}</font><br>\n" for line in lines)
        return f"<html><head><title>{self.subject}</title></head>\n<body>\n{rows}</body></html>"

    def _newsletter(self, lines):
        link = f"https://click.{self.host}/{self.dice.randrange(1 << 48):x}"
        rows = "".join(f'<tr><td style="padding:12px 20px"><p>{line}</p><a href="{link}/{place}">Read more</a></td></tr>\n'
                       for place, line in enumerate(lines) if line)
        return (f"<!DOCTYPE html><html><head>{STYLE}</head><body>\n"
                f'<div style="display:none;max-height:0">{lines[0]}</div>\n'
                f'<table class="box" width="600" cellpadding="0" align="center"><tr><td class="head">{self.subject}</td></tr>\n{rows}'
                f'<tr><td class="button"><a href="{link}/go">Shop now</a></td></tr>'
                f'<tr><td class="small">You get this because you asked for it. <a href="{link}/bye">Unsubscribe</a></td></tr></table>'
                f'<img src="{link}/open.gif" width="1" height="1"></body></html>')

    # -- bytes -----------------------------------------------------------------------------------------

    def charset(self):
        roll = self.dice.random()
        if roll < 0.35:
            return "us-ascii"
        if roll < 0.75:
            return "utf-8"
        return self.dice.choice(DISTANT if self.kind == "spam" and roll < 0.92 else WESTERN)

    def part(self, subtype, text, charset):
        """A part with its header, in a transfer encoding that its charset and the dice allow."""
        if charset in FOREIGN:
            text = text.replace("\n", "\n" + FOREIGN[charset] + "\n", 1)
        data = text.encode(charset, "replace")
        roll = self.dice.random()
        if charset == "us-ascii":
            encoding = "7bit"
        elif charset == "iso-2022-jp" or (charset in DISTANT and roll < 0.6) or (charset == "utf-8" and roll < 0.15):
            encoding, data = "base64", base64.encodebytes(data).rstrip()
        elif roll < 0.6:
            encoding, data = "quoted-printable", quopri.encodestring(data)
        else:
            encoding = "8bit"
        return f"Content-Type: text/{subtype}; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n".encode() + data

    def attachment(self):
        name, kind = self.dice.choice(FILES)
        lines = self.sentences(2, 12)
        data = {"pdf": pdf, "docx": docx, "jpg": lambda _: self.dice.choice(self.pieces.files)}.get(
            name.rpartition(".")[2], lambda lines: "\n".join(lines).encode())(lines)
        return (f'Content-Type: {kind}; name="{self.number}-{name}"\nContent-Transfer-Encoding: base64\n'
                f'Content-Disposition: attachment; filename="{self.number}-{name}"\n\n').encode() + base64.encodebytes(data).rstrip()

    def invitation(self):
        text = (f"BEGIN:VCALENDAR\nVERSION:2.0\nMETHOD:REQUEST\nBEGIN:VEVENT\nUID:{self.number}@{self.host}\n"
                f"SUMMARY:{self.subject}\nDESCRIPTION:{self.fresh()}\nDTSTART:20200101T100000Z\nEND:VEVENT\nEND:VCALENDAR")
        return self.part("calendar", text, "utf-8")

    def multipart(self, kind, parts):
        boundary = f"----=_{kind}_{self.number:x}_{self.dice.randrange(1 << 24):x}"
        inner = b"".join(f"--{boundary}\n".encode() + part + b"\n" for part in parts)
        end = b"" if self.kind == "spam" and self.dice.random() < 0.05 else f"--{boundary}--\n".encode()
        return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n'.encode() + inner + end

    def content(self):
        lines, charset, roll = self.text(), self.charset(), self.dice.random()
        plain = "\n".join(lines)
        if self.kind == "spam" and roll < 0.5:
            return self.part("html", self.html(lines), charset)
        if self.kind == "newsletter" or (self.kind in ("office", "spam") and roll < 0.35):
            whole = self.multipart("alternative", [self.part("plain", plain, charset), self.part("html", self.html(lines), charset)])
        else:
            whole = self.part("plain", plain, charset)
        if self.kind == "office" and 0.3 < roll < 0.42:
            return self.multipart("mixed", [whole, self.attachment()])
        if self.kind == "robot" and roll < 0.15:
            return self.multipart("mixed", [whole, self.invitation()])
        return whole

    def header(self):
        calendar, dice, number = self.pieces.calendar, self.dice, self.number
        date = calendar.rfc5322(self.epoch, dice.randrange(len(base.ZONES)))
        lines = [f"Return-Path: <{self.address}>", "Delivered-To: ada@example.org"]
        for hop in range(dice.randint(1, 4)):
            lines.append(f"Received: from mx{hop}.{self.host} (mx{hop}.{self.host} [192.0.2.{number % 250}])\n\tby mail{hop}.example.org"
                         f" (Postfix) with ESMTPS id {number * 2654435761 % (1 << 40) + hop:010X}\n\tfor <ada@example.org>;"
                         f" {calendar.rfc5322(self.epoch + 3 - hop, 0)}")
        lines += [f"From: {self.name} <{self.address}>", "To: " + self._recipients(), f"Subject: {self._encoded_subject()}", f"Date: {date}"]
        if self.kind != "spam" or dice.random() < 0.8:
            lines.append(f"Message-ID: {self.identity}")
        if self.references:
            lines += [f"In-Reply-To: {self.references[-1]}", "References: " + "\n ".join(self.references)]
        return lines + self._extras() + ["MIME-Version: 1.0"]

    def _recipients(self):
        others = [f"{name} <{address}>" for name, address in self.dice.sample(self.pieces.people[:COLLEAGUES], self.dice.choice((0, 0, 0, 1, 3)))]
        return ",\n ".join(["Ada Lovelace <ada@example.org>"] + (others if self.kind == "office" else []))

    def _encoded_subject(self):
        if self.subject.isascii():
            return self.subject
        return f"=?utf-8?B?{base64.b64encode(self.subject.encode()).decode()}?="

    def _extras(self):
        number, dice = self.number, self.dice
        signature = "\n\t".join(base64.b64encode(dice.randbytes(126)).decode()[at:at + 70] for at in (0, 70, 140))
        signed = [f"DKIM-Signature: v=1; a=rsa-sha256; d={self.host}; s=key1;\n\th=from:to:subject:date; b={signature}"]
        return {
            "office": [f"X-Mailer: Microsoft Outlook 16.0\nThread-Index: AQH{base64.b64encode(dice.randbytes(18)).decode()}\nX-MS-Has-Attach:\n"
                       f"X-Originating-IP: [198.51.100.{number % 250}]"],
            "list": [f"List-Id: <{self.pieces.lists[number % len(self.pieces.lists)]}>\nPrecedence: list\nSender: owner@lists.example.org"],
            "newsletter": signed + [f"List-Unsubscribe: <https://click.{self.host}/{number:x}>\nX-Campaign: {number % 97}"],
            "robot": signed + ["Auto-Submitted: auto-generated"],
            "spam": [f"X-Priority: {1 + number % 3}\nX-Spam-Score: {number % 20}.{number % 7}"] if dice.random() < 0.5 else [],
        }[self.kind]

    def as_mbox(self):
        line = f"From {self.address} {self.pieces.calendar.envelope(self.epoch)}\n"
        content = self.content()
        whole = ("\n".join(self.header()) + "\n").encode() + content
        return line.encode() + whole.replace(b"\nFrom ", b"\n>From ") + b"\n\n"


def generate(count, seed=1):
    """The mailbox, as chunks of bytes."""
    dice = random.Random(f"mixed {seed}")
    pieces = Pieces(dice)
    for begin in range(0, count, base.BATCH):
        yield b"".join(Letter(number, count, dice, pieces).as_mbox() for number in range(begin, min(begin + base.BATCH, count)))
