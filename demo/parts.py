"""The pieces a message is made of: encoded headers, text parts, attachments.

Everything here is a pure function of its arguments. Nothing is compressed, because the
bytes of a deflate stream differ between versions of zlib and the sample must not.
"""

import base64
import binascii
import hashlib
import io
import re
import struct
import zipfile
import zlib


def digest(*words, length=16):
    return hashlib.sha256("\0".join(str(word) for word in words).encode()).hexdigest()[:length]


def encoded_word(text, charset="utf-8", how="B"):
    """One header value, in RFC 2047 words where it is not ASCII."""
    if text.isascii():
        return text
    words, rest = [], text
    while rest:
        # An encoded word may be 75 characters long at most, and no character may be split.
        taken = next(n for n in range(len(rest), 0, -1) if len(one_word(rest[:n], charset, how)) <= 75)
        words.append(one_word(rest[:taken], charset, how))
        rest = rest[taken:]
    return "\n ".join(words)


def one_word(text, charset, how):
    raw = text.encode(charset)
    if how == "B":
        payload = base64.b64encode(raw).decode()
    else:
        payload = "".join(chr(b) if b < 128 and chr(b).isalnum() else "_" if b == 32 else f"={b:02X}" for b in raw)
    return f"=?{charset}?{how}?{payload}?="


def wrapped(text, width=72):
    """Breaks long lines at spaces; quotes, lists and code keep theirs."""
    lines = []
    for line in text.split("\n"):
        if len(line) <= 78 or line[:1] in "> +-|\t@":
            lines.append(line)
            continue
        current = ""
        for word in line.split(" "):
            if current and len(current) + 1 + len(word) > width:
                lines.append(current)
                current = word
            else:
                current = f"{current} {word}" if current else word
        lines.append(current)
    return "\n".join(lines)


def text_part(text, charset=None, encoding=None, subtype="plain", extra=""):
    """Headers and body of a text part, as bytes."""
    if charset is None:
        charset = "us-ascii" if text.isascii() else "utf-8"
    if encoding is None:
        encoding = "7bit" if charset in ("us-ascii", "iso-2022-jp") else "quoted-printable"
    raw = (text.rstrip("\n") + "\n").encode(charset)
    if encoding == "base64":
        body = base64.encodebytes(raw)
    elif encoding == "quoted-printable":
        body = binascii.b2a_qp(raw, istext=True)
    else:
        body = raw
    head = f"Content-Type: text/{subtype}; charset={charset}{extra}\nContent-Transfer-Encoding: {encoding}\n\n"
    return head.encode() + body


def file_part(kind, name, content, disposition="attachment", content_id=None):
    head = f'Content-Type: {kind}; name="{name}"\n'
    head += f'Content-Disposition: {disposition}; filename="{name}"\n'
    if content_id:
        head += f"Content-ID: <{content_id}>\n"
    if kind == "message/rfc822":
        return (head + "\n").encode() + content
    return (head + "Content-Transfer-Encoding: base64\n\n").encode() + base64.encodebytes(content)


def multipart(subtype, parts, seed, parameters=""):
    mark = f"=_{digest(seed, subtype, length=20)}"
    body = b"".join(b"--" + mark.encode() + b"\n" + part.rstrip(b"\n") + b"\n" for part in parts)
    head = f'Content-Type: multipart/{subtype}; boundary="{mark}"{parameters}\n\n'
    return head.encode() + body + b"--" + mark.encode() + b"--\n"


def html_from(text):
    """What a graphical client makes of the same text."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    paragraphs = [p.strip("\n").replace("\n", "<br>\n") for p in escaped.split("\n\n")]
    body = "\n".join(f'<p style="margin:0 0 12px 0">{p}</p>' for p in paragraphs)
    return (f'<html><head><meta charset="utf-8"></head>\n'
            f'<body style="font-family:Calibri,Arial,sans-serif;font-size:11pt;color:#1f1f1f">\n{body}\n</body></html>')


def pdf(lines):
    """A one-page PDF in Helvetica; the first line is the title."""
    drawn = ["BT"]
    for number, line in enumerate(lines):
        size, y = (16, 790) if number == 0 else (10, 770 - 15 * number)
        escaped = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        drawn.append(f"/F1 {size} Tf 1 0 0 1 60 {y} Tm ({escaped}) Tj")
    drawn.append("ET")
    stream = "\n".join(drawn).encode("cp1252")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
        b"/Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
        b"<< /Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (out + b"xref\n0 6\n0000000000 65535 f \n" + table
            + b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(out))


def docx(paragraphs):
    """The smallest document a word processor opens without complaint."""
    escaped = [p.replace("&", "&amp;").replace("<", "&lt;") for p in paragraphs]
    runs = "".join(f'<w:p><w:r><w:t xml:space="preserve">{p}</w:t></w:r></w:p>' for p in escaped)
    xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    schema = "http://schemas.openxmlformats.org"
    files = {
        "[Content_Types].xml": f'{xml}<Types xmlns="{schema}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'{xml}<Relationships xmlns="{schema}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{schema}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'{xml}<w:document xmlns:w="{schema}/wordprocessingml/2006/main"><w:body>{runs}'
        '</w:body></w:document>',
    }
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            entry.create_system = 3
            archive.writestr(entry, content)
    return held.getvalue()


def png(width, height, colour_at):
    """A small true-colour picture; `colour_at(x, y)` gives (red, green, blue)."""
    rows = b"".join(b"\0" + b"".join(bytes(colour_at(x, y)) for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    # One stored block: 16-bit length, its complement, the bytes, then Adler-32 (RFC 1950, 1951).
    stored = b"\x78\x01\x01" + struct.pack("<HH", len(rows), len(rows) ^ 0xFFFF) + rows
    data = stored + struct.pack(">I", zlib.adler32(rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def calendar(method, uid, times, summary, organizer, attendees, location="", partstat="NEEDS-ACTION"):
    """An iCalendar object; `times` are written, start, end as UTC stamps such as 20240308T130000Z."""
    written, start, end = times
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Northwind Optics//Calendar 4.2//EN", f"METHOD:{method}",
             "BEGIN:VEVENT", f"UID:{uid}", f"DTSTAMP:{written}", f"DTSTART:{start}", f"DTEND:{end}",
             f"SUMMARY:{summary}", f"ORGANIZER;CN={organizer[0]}:mailto:{organizer[1]}"]
    lines += [f"ATTENDEE;CN={name};PARTSTAT={partstat};RSVP=TRUE:mailto:{address}" for name, address in attendees]
    lines += [f"LOCATION:{location}"] if location else []
    lines += ["SEQUENCE:0", "STATUS:CONFIRMED", "END:VEVENT", "END:VCALENDAR"]
    return "\n".join(lines) + "\n"


def mboxrd(raw):
    return re.sub(rb"(?m)^(>*From )", rb">\1", raw)
