"""Samples for the shield: messages made from the templates in this directory, each own-written.

A line of `LANGUAGE.txt` is `kind | subject | paragraph / paragraph`. Kinds: code, reset, signin, password, backup and
seed carry a secret; other looks like one and carries none. `{c}` is a code, `{p}` a password, `{k}` an authenticator's
key, `{b}` backup codes, `{x}` a code of letters and digits, `{u}` and `[label]` a link with a token, `{w}` and
`<label>` an ordinary link, `[label](address)` a link written out, `{v}` a link with a token and without a scheme, `{o}` a
code grouped by a dot, `{s}` a service, `{n}` a number, `{a}` a sum, `{t}` a telephone number, `{d}` a day.
"""

import hashlib
import html
import random
import re
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

SERVICES = ["Northwind", "Elm Bank", "Kestrel", "Opal", "Fernwood", "Tidepool", "Juniper", "Marlow", "Zephyr", "Quarry"]
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
SMALL = "abcdefghjkmnpqrstuvwxyz"
DIGITS = "0123456789"
WRITTEN_OUT = re.compile(r"\[([^]]+)\]\((https?:[^)]+)\)")
RESET_PATHS = ["reset", "password/new", "account/recover", "r", "users/password/edit", "credentials/new", "findpwd", "pw/renew",
               "passwort-neu", "mdp/nouveau", "restablecer", "senha/redefinir", "herstel", "haslo/nowe", "sifre", "unlock", "set-password"]
SIGN_IN_PATHS = ["login", "auth/magic", "verify", "confirm", "l", "invite", "m", "signup/complete", "activate", "join", "devices/approve",
                 "members", "zugang", "acces", "acceso", "entrar", "entra", "wejscie", "giris", "go", "email/verify", "session/new"]
KEYS = ["token", "code", "key", "t", "ticket", "k", "hash", "oobCode", "sig", "reset_password_token", "jeton", "clave", "chave", "req"]
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


@dataclass(frozen=True)
class Template:
    language: str
    kind: str
    subject: str
    body: str
    group: str
    """Templates of a group say the same, in other languages: they are trained on or tried together."""


@dataclass(frozen=True)
class Sample:
    template: Template
    raw: bytes
    secrets: tuple
    """The texts of what must be found."""

    @property
    def is_secret(self):
        return self.template.kind != "other"


def templates(directory=Path(__file__).parent):
    """All templates, in a fixed order."""
    found = []
    for path in sorted(directory.glob("*.txt")):
        seen = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, subject, body = [part.strip() for part in line.split(" | ", 2)]
            seen[kind] = seen.get(kind, 0) + 1
            found.append(Template(path.stem, kind, subject, body, f"{said_in(path.stem)} {kind} {seen[kind]}"))
    return found


def said_in(stem):
    """Files of a bare language say the same in each, those called `-wide` too; English and `-more` say what no other does."""
    language, _, width = stem.partition("-")
    is_own = language in ("en", "others") or width not in ("", "wide")
    return stem if is_own else f"translated {width}"


class Filler:
    """Fills templates in, with a random source of its own."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, alphabet, length):
        return "".join(self.random.choice(alphabet) for _ in range(length))

    def code(self, language):
        digits = self.random.choice([4, 5, 6, 6, 6, 6, 7, 8])
        form = self.random.choices(
            ["plain", "pair", "dashed", "spaced", "uneven", "prefixed", "capitals", "grouped", "letters", "small", "script"],
            [47, 10, 6, 5, 4, 3, 9, 5, 4, 3, 14 if language.split("-")[0] in ("ar", "ja") else 0],
        )[0]
        plain = self.pick(DIGITS, digits)
        if digits == 4 and plain[:2] in ("19", "20"):
            plain = "7" + plain[1:]
        match form:
            case "pair":
                return self.random.choice([f"{self.pick(DIGITS, 3)} {self.pick(DIGITS, 3)}",
                                           " ".join(self.pick(DIGITS, 2) for _ in range(3))])
            case "dashed":
                return self.random.choice([f"{plain[:2]}-{self.pick(DIGITS, 2)}-{self.pick(DIGITS, 2)}",
                                           f"{self.pick(DIGITS, 3)}-{self.pick(DIGITS, 3)}"])
            case "spaced":
                return " ".join(self.pick(DIGITS if self.random.random() < 0.8 else LETTERS, self.random.choice([5, 6, 6])))
            case "uneven":
                first, second = self.random.choice([(4, 2), (2, 4), (3, 4), (4, 3), (3, 2)])
                return f"{self.pick('345678', 1)}{self.pick(DIGITS, first - 1)}{self.random.choice('- ')}{self.pick(DIGITS, second)}"
            case "prefixed":
                return f"{self.pick(LETTERS, self.random.choice([1, 1, 2]))}-{self.pick(DIGITS, self.random.choice([4, 6, 6]))}"
            case "capitals":
                return self.mixed(self.random.choice([5, 6, 6, 8]))
            case "grouped":
                size = self.random.choice([3, 4, 4])
                return f"{self.mixed(size)}-{self.mixed(size)}"
            case "letters":
                return f"{self.pick(LETTERS, 4)}-{self.pick(LETTERS, 4)}"
            case "small":
                return self.mixed(6).lower()
            case "script":
                zero = 0x660 if language == "ar" else 0xFF10
                return "".join(chr(zero + int(digit)) for digit in plain)
        return plain

    def mixed(self, length):
        """Capitals and digits, at least one of each and never a word with a number behind it."""
        while True:
            text = self.pick(LETTERS + "23456789", length)
            if re.search(r"\d[A-Z]", text):
                return text

    def password(self):
        form = self.random.randrange(5)
        if form == 0:
            return f"{self.pick(SMALL, 1).upper()}{self.pick(SMALL, 4)}{self.pick(DIGITS, 3)}{self.pick('!#$%&?', 1)}{self.pick(SMALL, 1)}"
        if form == 1:
            return self.pick(LETTERS, 2) + self.pick(SMALL, 3) + self.pick(DIGITS, 2) + self.pick(SMALL, 3)
        if form == 2:
            return f"{self.pick(SMALL, 4)}-{self.pick(DIGITS, 2)}{self.pick(SMALL, 2)}-{self.pick(LETTERS, 4)}"
        if form == 3:
            return self.mixed(8)
        return "-".join(self.pick(SMALL, self.random.choice([4, 5, 6])) for _ in range(3))

    def seed(self):
        key = self.pick(BASE32, self.random.choice([16, 32])) 
        key = key[:3] + "27" + key[5:]
        if self.random.random() < 0.5:
            key = " ".join(key[at:at + 4] for at in range(0, len(key), 4))
        return key

    def backups(self):
        form = self.random.randrange(4)
        make = [lambda: self.pick(DIGITS, 8), lambda: f"{self.pick(DIGITS, 4)} {self.pick(DIGITS, 4)}",
                lambda: f"{self.mixed(5)}-{self.mixed(5)}".lower(), lambda: f"{self.mixed(4)}-{self.mixed(4)}"][form]
        return [make() for _ in range(self.random.choice([5, 8, 10]))]

    def token(self):
        """What no one can guess, as services write it."""
        form = self.random.choice(["mixed", "mixed", "hex", "uuid", "jwt"])
        if form == "hex":
            return self.pick("0123456789abcdef", self.random.choice([32, 40, 64]))
        if form == "uuid":
            return "-".join(self.pick("0123456789abcdef", size) for size in (8, 4, 4, 4, 12))
        if form == "jwt":
            return "eyJ" + ".".join(self.pick(SMALL + DIGITS + LETTERS, size) for size in (17, 30, 22))
        return self.pick(SMALL + DIGITS + LETTERS, self.random.choice([12, 16, 24, 32])) + "4x7"

    def secret_link(self, service, kind):
        words = {"reset": RESET_PATHS, "signin": SIGN_IN_PATHS}.get(kind, ["go"])
        form = self.random.choice(["/{p}?token={t}", "/{p}/{t}", "/{p}?{k}={t}&user=ada", "/a/{t}", "/{p}/{t}{t}{t}", "/{p}#{k}={t}",
                                   "/{p}?id={n}&{k}={t}", "/users/{p}?{k}={t}", "/{t}", "/{p}/{n}/{t}"])
        host = self.random.choice(["id.{s}", "id.{s}", "app.{s}", "accounts.{s}", "{s}", "my.{s}", "auth.{s}", "portal.{s}"])
        values = {"p": self.random.choice(words), "t": self.token(), "k": self.random.choice(KEYS), "n": self.pick(DIGITS, 5)}
        return f"https://{host.format(s=service)}.example" + form.format(**values)

    def ordinary_link(self, service):
        form = self.random.choice(["/", "/help/password-reset", "/orders/{n}", "/news/2026/five-tips", "/account", "/login",
                                   "/c/{t}", "/track?id={n}", "/c/{t}{t}{t}{t}", "/blog/one-time-codes.html", "/j/{n}", "/s/{t}",
                                   "/d/{t}/edit", "/p/{n}#comment-{n}", "/t/login-loop/{n}", "/settings/devices", "/survey?r={t}",
                                   "/open?utm_source=mail&id={t}", "/account/security", "/shop/{n}.html", "/docs/auth/tokens"])
        host = self.random.choice(["www.{s}", "www.{s}", "{s}", "news.{s}", "click.{s}"])
        return f"https://{host.format(s=service)}.example" + form.format(n=self.pick(DIGITS, 7), t=self.token())

    def number(self):
        return self.random.choice([self.pick("123456789", 1) + self.pick(DIGITS, self.random.choice([4, 5, 6, 7, 8])),
                                   f"{self.pick(LETTERS, 2)}-{self.pick(DIGITS, 5)}", f"#{self.pick(DIGITS, 5)}",
                                   f"2026-{self.pick(DIGITS, 5)}", f"{self.pick(DIGITS, 3)}-{self.pick(DIGITS, 7)}-{self.pick(DIGITS, 7)}"])

    def sample(self, template):
        service = self.random.choice(SERVICES)
        host = service.lower().replace(" ", "")
        code, password, seed, backups, mixed = (self.code(template.language), self.password(), self.seed(),
                                                self.backups(), self.mixed(6))
        link, ordinary = self.secret_link(host, template.kind), self.ordinary_link(host)
        dotted = str(1000000 + int(hashlib.sha256(link.encode()).hexdigest(), 16) % 1000000)
        dotted, bare = f"{dotted[1:4]}.{dotted[4:]}", "www." + link.removeprefix("https://")
        values = {"s": service, "o": dotted, "v": bare, "c": code, "p": password, "k": seed, "b": "\n".join(backups), "x": mixed,
                  "n": self.number(), "u": link, "w": ordinary, "d": str(self.random.randrange(3, 29)),
                  "a": self.random.choice(["48.20 EUR", "$129.00", "€ 1,482.50", "2400 kr", "¥3,980"]),
                  "t": self.random.choice(["+49 30 5550142", "0800 555 0142", "(212) 555-0187", "030 1234567"])}
        fill = lambda text: re.sub(r"\{(\w)\}", lambda found: values[found[1]], text)
        paragraphs = [fill(part) for part in template.body.split(" / ")]
        subject = fill(template.subject)
        extra = self.extra(service, host)
        write = self.as_plain if self.random.random() < 0.35 else self.as_html
        raw = write(subject, paragraphs + extra, link, ordinary)
        secrets = [code, password, seed, mixed, *backups, link, bare, dotted]
        return Sample(template, raw, tuple(secrets))

    def extra(self, service, host):
        """What stands below mail of every kind."""
        lines = [f"© 2026 {service}, 12 Main Street, 10115 Springfield", f"{service} · P.O. Box 4410",
                 f"https://www.{host}.example/help", "<Privacy> <Terms> <Help>", f"-- \n{service}"]
        return self.random.sample(lines, self.random.choice([0, 0, 1, 1, 2]))

    def as_plain(self, subject, paragraphs, link, ordinary):
        body = "\n\n".join(paragraphs)
        body = WRITTEN_OUT.sub(lambda found: f"{found[1]}: {found[2]}", body)
        body = re.sub(r"\[([^]\d][^]]*)\]", lambda found: f"{found[1]}: {link}" if self.random.random() < 0.5 else link, body)
        body = re.sub(r"<([^>]+)>", lambda found: f"{found[1]}: {ordinary}", body)
        return self.mail(subject, body, None)

    def as_html(self, subject, paragraphs, link, ordinary):
        layout = self.random.choice(["p", "table", "div"])
        parts = []
        for text in paragraphs:
            alone = len(text.split()) <= 6 and "\n" not in text and not re.search(r"[.!?:。：<\[]", text)
            safe, written = text, []
            safe = WRITTEN_OUT.sub(lambda found: written.append(found) or f"\x04{len(written) - 1}\x05", safe)
            safe = re.sub(r"\[([^]\d][^]]*)\]", lambda found: f"\x01a\x02{found[1]}\x01/a\x03", safe)
            safe = re.sub(r"<([^>]+)>", lambda found: f"\x01w\x02{found[1]}\x01/a\x03", safe)
            safe = html.escape(safe).replace("\n", "<br>")
            safe = safe.replace("\x01a\x02", f"<a href='{link}'>").replace("\x01w\x02", f"<a href='{ordinary}'>")
            safe = safe.replace("\x01/a\x03", "</a>")
            safe = re.sub("\x04(\\d+)\x05", lambda found: anchor(written[int(found[1])]), safe)
            tag = self.random.choice(["h1", "h2", "b", "td"]) if alone else layout
            part = {"table": safe, "td": f"<table><tr><td>{safe}</td></tr></table>", "b": f"<p><b>{safe}</b></p>"}
            part = part.get(tag, f"<{tag}>{safe}</{tag}>")
            # What stands in a table outside of its cells is moved before it.
            parts.append(f"<tr><td style='padding:8px'>{part}</td></tr>" if layout == "table" else part)
        inner = "".join(parts)
        page = f"<table role='presentation'>{inner}</table>" if layout == "table" else inner
        return self.mail(subject, None, f"<html><body>{page}</body></html>")

    def mail(self, subject, text, page):
        message = EmailMessage()
        message["From"], message["To"] = "no-reply@service.example", "ada@example.org"
        message["Subject"] = subject
        message.set_content(text if page is None else page, subtype="plain" if page is None else "html", cte="base64")
        return bytes(message)


def anchor(found):
    """A link of which the template says the address."""
    return f"<a href='{html.escape(found[2])}'>{html.escape(found[1])}</a>"


def samples(seed, secrets=7, others=6):
    """So many samples of each template; the same ones for the same seed."""
    filler = Filler(seed)
    made = []
    for template in templates():
        made += [filler.sample(template) for _ in range(others if template.kind == "other" else secrets)]
    return made
