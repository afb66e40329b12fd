"""Questions taken from the mail itself, each in the languages of mailkeep, notmuch and mu."""

import datetime
import re
from collections import Counter
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from email.utils import parseaddr, parsedate_to_datetime

FILTERS = ("from:", "date range", "newest")


@dataclass
class Query:
    """One question in three languages."""

    kind: str
    mailkeep: str
    notmuch: str
    mu: str

    @property
    def order(self):
        """The order of mailkeep's answer: words are ranked, filters alone are not."""
        return "newest first" if self.kind in FILTERS else "ranked"


def same(kind, text):
    return Query(kind, text, text, text)


def from_mail(files):
    """Kinds take turns, so that any first N of them are a fair mix."""
    sample = files[::max(1, len(files) // 20_000)]
    words, pairs, people, dates = survey(sample)
    by_count = [word for word, _ in sorted(words.items(), key=lambda item: (-item[1], item[0]))]
    frequent = near(by_count, words, len(sample) * 0.15)
    medium = near(by_count, words, len(sample) * 0.01)
    rare = near(by_count, words, 4)
    phrases = [pair for pair, _ in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))][20:24]
    senders = [address for address, _ in sorted(people.items(), key=lambda item: (-item[1], item[0]))][:4]
    kinds = [
        [same("frequent word", word) for word in frequent],
        [same("medium word", word) for word in medium],
        [same("rare word", word) for word in rare],
        [same("two words", f"{one} {two}") for one, two in zip(frequent, reversed(medium))],
        [same("phrase", f'"{phrase}"') for phrase in phrases],
        [same("from:", f"from:{sender}") for sender in senders],
        [month(dates[len(dates) * part // 5]) for part in range(1, 5)],
        [same("word and from:", f"{word} from:{sender}") for word, sender in zip(frequent, senders)],
    ]
    return [kind[turn] for turn in range(4) for kind in kinds if turn < len(kind)]


def near(by_count, counts, wanted):
    """Four words whose number of messages is closest to the wanted one."""
    return sorted(sorted(by_count, key=lambda word: (abs(counts[word] - wanted), word))[:4])


def survey(files):
    """In how many messages words and word pairs occur; senders; days."""
    words, pairs, people, dates = Counter(), Counter(), Counter(), []
    headers = BytesHeaderParser()
    for name in files:
        raw = name.read_bytes()
        head, _, body = raw.partition(b"\n\n")
        # Lines without spaces are encoded data, not words.
        lines = [line for line in body[:20_000].split(b"\n") if b" " in line]
        words.update({word.decode() for line in lines for word in re.findall(rb"(?<![^ ])[a-z]{3,14}(?= )", line)})
        pairs.update({pair.decode() for line in lines for pair in re.findall(rb"(?<![^ ])[a-z]{4,10} [a-z]{4,10}(?= )", line)})
        parsed = headers.parsebytes(head + b"\n\n")
        address = parseaddr(str(parsed.get("From", "")))[1].lower()
        if re.fullmatch(r"[a-z0-9.]+@[a-z0-9.]+", address):
            people[address] += 1
        try:
            dates.append(parsedate_to_datetime(str(parsed.get("Date"))).date())
        except (ValueError, TypeError):
            continue
    return words, pairs, people, sorted(dates)


def month(day):
    begin = day.replace(day=1)
    following = (begin + datetime.timedelta(days=31)).replace(day=1)
    last = following - datetime.timedelta(days=1)
    return Query("date range", f"after:{begin} before:{following}", f"date:{begin}..{last}",
                 f"date:{begin:%Y%m%d}..{last:%Y%m%d}")
