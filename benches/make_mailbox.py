#!/usr/bin/env python3
"""Writes a synthetic mbox, the same bytes for the same seed.

Words follow Zipf's law over 200,000 (English ones first, then syllables), senders over 50,000. Ten years of roughly
ascending dates whatever the size, threads with References, 20 lists, some HTML alternatives and attachments.
With --kind mixed it is short mail of every sort instead: see `mixed_mailbox.py`.
"""

import argparse
import base64
import random
import sys
import time
from collections import deque
from itertools import accumulate

VOCABULARY = 200_000
SENDERS = 50_000
LISTS = 20
PARAGRAPHS = 12_000
BEGIN = 1_388_534_400  # 2014-01-01T00:00:00Z
TEN_YEARS = 3650 * 86_400
BATCH = 1_000

COMMON = """the be to of and a in that have it for not on with he as you do at this but his by they we say her she or an
will my one all would there their what so up out if about who get which go me when make can like time no just him know
take people into year your good some could them see other than then now look only come its over think also back after
use two how our work first well way even new want because any these give day most us is are was were been has had said
please thanks regards meeting report project question answer attached file patch version server kernel build release
test problem error message list mail send reply customer order invoice payment account password delivery address phone
office monday tuesday friday tomorrow yesterday week month schedule budget contract draft review change request update
system network memory driver device module function code branch commit merge issue bug fix support feature document
travel flight hotel ticket booking summer winter garden school family birthday dinner photo music book story café naïve
résumé über niño façade running runs runner connected connection connecting organisation organise general generally
""".split()
SYLLABLES = """ba be bi bo bu da de di do du fa fe fi fo ga ge gi go gu ka ke ki ko ku la le li lo lu ma me mi mo mu na
ne ni no nu pa pe pi po pu ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo za ze zi zo zu""".split()
ENDINGS = ["", "n", "r", "s", "t", "l", "x", "nd", "rk", "ng"]
ZONES = [("+0000", 0), ("+0100", 3600), ("-0500", -18_000), ("-0800", -28_800), ("+0530", 19_800), ("+0900", 32_400)]


def vocabulary():
    """Words by rank: the first are frequent everywhere, the last are rare."""
    words = dict.fromkeys(COMMON)
    dice = random.Random("vocabulary")
    while len(words) < VOCABULARY:
        words["".join(dice.choices(SYLLABLES, k=dice.choice((2, 3, 3, 4)))) + dice.choice(ENDINGS)] = None
    return list(words)


def zipf(count, flatten):
    """Cumulative weights 1/(rank + flatten)."""
    return list(accumulate(1 / (rank + flatten) for rank in range(1, count + 1)))


def senders():
    """`(name, address)` by rank."""
    dice = random.Random("senders")
    syllables = lambda k: "".join(dice.choices(SYLLABLES, k=k))
    domains = [f"{syllables(3)}.example.{end}" for end in ("org", "com", "net") for _ in range(400)]
    found = []
    for number in range(SENDERS):
        first, last = syllables(2), syllables(3)
        name = f"{first.title()} {last.title()}"
        if number % 50 == 49:
            name = f"=?UTF-8?Q?{first.title()}_{last.title()}=C3=A9?="
        found.append((name, f"{first}.{last}{number}@{dice.choice(domains)}"))
    return found


class Pieces:
    """What messages are put together from, made once."""

    def __init__(self, dice):
        self.words = vocabulary()
        self.frequent_words = self.words[:5_000]
        self.people = senders()
        self.people_weights = zipf(SENDERS, 20)
        self.paragraphs = list(self._paragraphs(dice))
        self.quoted = ["> " + text.rstrip("\n").replace("\n", "\n> ") + "\n" for text in self.paragraphs[:4_000]]
        self.blobs = [_base64(dice.randbytes(dice.choice((1_500, 4_000, 9_000, 20_000)))) for _ in range(64)]
        self.lists = [f"{self.words[1_000 + number]}.lists.example.org" for number in range(LISTS)]
        self.lengths = [count for count in range(1, 31) for _ in range(max(1, 60 // count))]

    def _paragraphs(self, dice):
        """Two to eight lines of about 70 columns each."""
        drawn = iter(dice.choices(self.words, cum_weights=zipf(VOCABULARY, 3), k=PARAGRAPHS * 80))
        for _ in range(PARAGRAPHS):
            lines = []
            for _ in range(2 + int(dice.random() * 7)):
                line, columns = [], 0
                while columns < 64:
                    line.append(next(drawn))
                    columns += len(line[-1]) + 1
                lines.append(" ".join(line))
            yield "\n".join(lines) + ".\n"


def _base64(data):
    text = base64.b64encode(data).decode()
    return "\n".join(text[at:at + 76] for at in range(0, len(text), 76))


class Calendar:
    """Formats dates by looking the day up, which is much faster than strftime."""

    def __init__(self):
        self.days = {}

    def rfc5322(self, epoch, zone):
        name, offset = ZONES[zone]
        day, second = divmod(epoch + offset, 86_400)
        return f"{self._day(day)[0]} {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02} {name}"

    def envelope(self, epoch):
        day, second = divmod(epoch, 86_400)
        _, date, year = self._day(day)
        return f"{date} {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02} {year}"

    def _day(self, day):
        if day not in self.days:
            parts = time.gmtime(day * 86_400)
            forms = "%a, %d %b %Y", "%a %b %d", "%Y"
            self.days[day] = [time.strftime(form, parts) for form in forms]
        return self.days[day]


def generate(count, seed=1):
    """The mailbox, as chunks of bytes."""
    dice = random.Random(seed)
    pieces, calendar = Pieces(dice), Calendar()
    threads = deque(maxlen=400)
    for begin in range(0, count, BATCH):
        size = min(BATCH, count - begin)
        people = iter(dice.choices(pieces.people, cum_weights=pieces.people_weights, k=size * 3))
        yield "".join(_message(begin + number, count, dice, pieces, calendar, threads, people)
                      for number in range(size)).encode()


def _message(number, count, dice, pieces, calendar, threads, people):
    chance = dice.random
    (name, address), (to_name, to_address), (_, cc_address) = next(people), next(people), next(people)
    epoch = BEGIN + TEN_YEARS * number // count + int(chance() * 7_200)
    date = calendar.rfc5322(epoch, int(chance() * len(ZONES)))
    identity = f"<{number:x}.{int(chance() * 1e9):x}@{address.partition('@')[2]}>"

    if threads and chance() < 0.6:
        subject, references, list_id = threads[int(chance() * len(threads))]
        reply = f"In-Reply-To: {references[-1]}\nReferences: {' '.join(references)}\n"
        shown = "Re: " + subject
        del references[1:-8]
        references.append(identity)
    else:
        shown = subject = " ".join(dice.choices(pieces.frequent_words, k=2) + dice.choices(pieces.words, k=2))
        reply, list_id = "", pieces.lists[int(chance() * LISTS)] if chance() < 0.5 else ""
        threads.append((subject, [identity], list_id))

    body = _body(dice, pieces, reply, name)
    kind, content = _content(number, body, dice, pieces)
    host = address.partition("@")[2]
    return (
        f"From {address} {calendar.envelope(epoch)}\n"
        f"Return-Path: <{address}>\n"
        f"Received: from mx{number % 7}.{host} (mx{number % 7}.{host} [192.0.2.{number % 250}])\n"
        f"\tby mail.example.org (Postfix) with ESMTPS id {number * 2654435761 % (1 << 40):010X}\n"
        f"\tfor <{to_address}>; {calendar.rfc5322(epoch + 3, 0)}\n"
        f"Received: from localhost (unknown [198.51.100.{number % 200}])\n"
        f"\tby mx{number % 7}.{host} (Postfix) with ESMTP id {number * 40503 % (1 << 36):09X}; {date}\n"
        f"From: {name} <{address}>\n"
        f"To: {to_name} <{to_address}>\n"
        + (f"Cc: {cc_address}\n" if number % 4 == 0 else "")
        + f"Subject: {shown}\nDate: {date}\nMessage-ID: {identity}\n{reply}"
        + (f"List-Id: <{list_id}>\nPrecedence: list\n" if list_id else "")
        + f"User-Agent: Bench/{number % 9}.0\nMIME-Version: 1.0\n{kind}\n\n{content}\n\n")


def _body(dice, pieces, reply, name):
    """Paragraphs from the pool, and two lines of words that no other message shares as a whole."""
    text = dice.choices(pieces.paragraphs, k=pieces.lengths[int(dice.random() * len(pieces.lengths))])
    if reply:
        text[:0] = ["On that day somebody wrote:", pieces.quoted[int(dice.random() * len(pieces.quoted))]]
    fresh = dice.choices(pieces.words, k=16)
    text += [" ".join(fresh[:8]), " ".join(fresh[8:]) + ".\n", "-- ", name.partition(" ")[0]]
    return "\n".join(text)


PLAIN = 'Content-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: 8bit'


def _content(number, body, dice, pieces):
    """The Content-Type header lines and the content: plain, with an HTML alternative, or with an attachment."""
    roll = dice.random()
    if roll < 0.8:
        return PLAIN, body
    boundary = f"=_part_{number:x}"
    if roll < 0.94:
        html = "<html><body><p>" + body.replace("\n\n", "</p>\n<p>") + "</p></body></html>"
        kind = "alternative"
        second = f'Content-Type: text/html; charset="utf-8"\nContent-Transfer-Encoding: 8bit\n\n{html}'
    else:
        kind = "mixed"
        filename = f"{pieces.words[int(dice.random() * 20_000)]}-{number}.pdf".encode("ascii", "ignore").decode()
        second = (f'Content-Type: application/pdf; name="{filename}"\nContent-Transfer-Encoding: base64\n'
                  f'Content-Disposition: attachment; filename="{filename}"\n\n{dice.choice(pieces.blobs)}')
    return (f'Content-Type: multipart/{kind}; boundary="{boundary}"',
            f"--{boundary}\n{PLAIN}\n\n{body}\n--{boundary}\n{second}\n--{boundary}--")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", metavar="N", type=int, required=True)
    parser.add_argument("--seed", metavar="S", type=int, default=1)
    parser.add_argument("--kind", choices=("plain", "mixed"), default="plain")
    parser.add_argument("--out", metavar="FILE", default="-", help="`-` is standard output (default)")
    given = parser.parse_args()
    stream = sys.stdout.buffer if given.out == "-" else open(given.out, "wb")
    with stream:
        for chunk in of_kind(given.kind)(given.messages, given.seed):
            stream.write(chunk)


def of_kind(kind):
    """The generator of a kind of mail."""
    if kind == "plain":
        return generate
    import mixed_mailbox
    return mixed_mailbox.generate


if __name__ == "__main__":
    main()
