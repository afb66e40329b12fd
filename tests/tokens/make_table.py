#!/usr/bin/env python3
"""Writes table.jsonl: lines that are hard to cut, with the numbers of the reference tokeniser.
usage: make_table.py   (pip: tokenizers 0.23.3)"""
import json, pathlib
from tokenizers import BertWordPieceTokenizer

here = pathlib.Path(__file__).parent
reference = BertWordPieceTokenizer(str(here / "../../models/vocab.txt"), lowercase=True)
LINES = [
    "", " ", "hello world", "Hello, World!", "  spaces \t tabs\r\nand lines  ", "unaffable embeddings tokenisation",
    "don't can't it's", "e-mail: ada@example.org, see https://example.org/a?b=c&d=e#f", "$1,234.56 + 7% = #8",
    "`code` ~/path_to/file.txt <tag> [x] {y} |z| \\ ^ _", "3.14159 1e10 0xdeadbeef 192.168.0.1",
    # accents, composed and not
    "Café Zürich naïve Ångström São Tomé", "Cafe\u0301 Zu\u0308rich na\u0131\u0308ve", "İstanbul ISTANBUL ıi", "Straße STRASSE ß",
    "Łódź Đorđe øre æther œuvre", "ﬁne ﬂuﬀy №5 ½ ² ™", "a\u0300\u0316\u0301b z\u0335\u0321", "ǅ ǈ ǋ",
    # scripts
    "北京市长会议纪要", "会议 in 北京 at 3pm", "日本語のメールです", "カタカナ ひらがな ｶﾀｶﾅ", "한국어 메일 회의", "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "Привет, мир! Счёт №42 Ёлка й", "Україна їжак ґанок", "مرحبا بالعالم فاتورة", "اَلْعَرَبِيَّةُ", "שלום עולם שָׁלוֹם", "नमस्ते दुनिया हिन्दी",
    "ภาษาไทย สวัสดี", "Γειά σου Κόσμε ΆΈΉΊ", "Tiếng Việt Đường phố", "ქართული ენა", "አማርኛ", "Հայերեն",
    "\uf900\uf901 \U0002f800 \U00020000\U0002a6d6 \u3400\u4dbf \u9fff", "㈱ ㍻ 〒 々 〆 ー ・", "Ａｂｃ１２３ ！？",
    # emoji
    "thanks 😀 👍🏽 👨‍👩‍👧‍👦 🇩🇪 ❤️ ©®", "☺ ★ → ⇒ • … — – ‘quote’ “double” «guillemets»", "🫠🫡🪿",
    # invisible and control
    "zero\u200bwidth\u200cjoin\u200der\u2060word\ufeff", "soft\u00adhyphen", "nul\x00l bell\x07 vt\x0bff\x0c nel\u0085x", "rtl \u202eabc\u202c end",
    "nbsp\u00a0thin\u2009ideographic\u3000line\u2028para\u2029end", "replacement \ufffd char", "private \ue000 use", "tag\U000e0061s",
    # long
    "a" * 99, "a" * 100, "a" * 101, "ab" * 60 + " short", "é" * 100, "é" * 101, "超" * 130, "x" * 5000 + " after",
    "Donaudampfschifffahrtsgesellschaftskapitän", "pneumonoultramicroscopicsilicovolcanoconiosis",
    "SGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ=", "word " * 200, "......!!!???---", "((((nested))))", "a.b.c.d.e", "\u037e \u1fef \u2126 \u212b",
    "Re: [list] =?utf-8?Q?x?= AW: WG:", "> quoted >> twice", "-- \nAda", "1st 2nd 3rd 4th", "C++ C# F# .NET", "O'Brien-Smith & Sons, Ltd.",
]
with open(here / "table.jsonl", "w", encoding="utf-8") as out:
    for line in LINES:
        ids = reference.encode(line).ids
        out.write(json.dumps({"text": line, "ids": ids}) + "\n")
