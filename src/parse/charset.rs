//! Bytes and a charset's name to text. Total: an unknown name or bytes that do not fit give the best guess
//! and say so. Refuses nothing.

use std::borrow::Cow;

use mail_parser::decoders::charsets::map::charset_decoder;

use super::markup;

/// Text and whether the declared charset fitted the bytes.
pub(super) struct Decoded<'a> {
    pub text: Cow<'a, str>,
    pub fits: bool,
}

/// Decodes bytes that claim to be in `charset`; without a claim UTF-8 is tried before Windows-1252.
pub(super) fn decode<'a>(bytes: &'a [u8], charset: Option<&str>) -> Decoded<'a> {
    let name = charset.map(normal_name).unwrap_or_default();
    match name.as_str() {
        "" | "us-ascii" | "ascii" | "utf-8" | "utf8" => decode_unicode(bytes, name.starts_with("utf")),
        name if holds_ascii(name) && bytes.is_ascii() => decode_unicode(bytes, true),
        "hz-gb-2312" | "hz" => with_decoder(gbk_from_hz(bytes)),
        "iso-2022-kr" | "csiso2022kr" => with_decoder(korean_from_shifts(bytes)),
        _ => match charset_decoder(name.as_bytes()) {
            Some(decoder) => with_decoder(decoder(bytes)),
            None => Decoded { fits: bytes.is_ascii(), ..decode_unicode(bytes, false) },
        },
    }
}

/// Text, and whether every program reads it like this, as far as that decides what is seen.
pub(super) struct Reading<'a> {
    pub decoded: Decoded<'a>,
    pub alike: bool,
}

/// Reads plain text. What is written in a charset that browsers do not read is shown as other letters by many programs.
pub(super) fn read_plain<'a>(bytes: &'a [u8], charset: Option<&str>) -> Reading<'a> {
    let decoded = decode(bytes, charset);
    let is_foreign = charset.is_some_and(|name| is_foreign(&normal_name(name)));
    let alike = !is_foreign || decoded.text == decode_unicode(bytes, true).text;
    Reading { decoded, alike }
}

/// Reads HTML whose header declares one charset, or that declares its `own`. Bytes that do not fit are read as browsers do where
/// they are part of the markup, since names of classes decide what is hidden. A charset that was not declared is a guess, and
/// must not decide that either.
pub(super) fn read_html<'a>(bytes: &'a [u8], declared: Option<&str>, own: Option<&str>) -> Reading<'a> {
    let decoded = decode(bytes, declared.or(own));
    let name = declared.or(own).map(normal_name).unwrap_or_default();
    let is_wide = name.starts_with("utf-16") || name.starts_with("utf16") || name.contains("10646");
    let is_marked_wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let is_marked = bytes.starts_with(b"\xef\xbb\xbf");
    if is_foreign(&name) {
        let alike = decoded.text == decode_unicode(bytes, true).text;
        return Reading { decoded, alike };
    }
    if bytes.is_ascii() && !bytes.contains(&0x1b) && !is_wide {
        return Reading { decoded, alike: true };
    }
    match name.as_str() {
        "utf-8" | "utf8" if declared.is_some() => {
            Reading { decoded: as_browsers(bytes, decoded), alike: true }
        }
        _ if is_marked_wide => Reading { decoded, alike: is_wide && declared.is_some() },
        _ if declared.is_none() || is_marked || is_guessed(&name) => {
            let alike = is_marked_alike(bytes, &decoded.text);
            Reading { decoded, alike }
        }
        _ => {
            let alike = !markup::of(&decoded.text).contains(|c: char| ('\u{80}'..='\u{9f}').contains(&c));
            Reading { decoded, alike }
        }
    }
}

/// The text as browsers read what is declared as UTF-8, where a kinder reading would change the markup.
fn as_browsers<'a>(bytes: &'a [u8], decoded: Decoded<'a>) -> Decoded<'a> {
    if std::str::from_utf8(bytes).is_ok() {
        return decoded;
    }
    let strict = without_mark(bytes);
    let strict = String::from_utf8_lossy(strict);
    let is_same = markup::of(&strict) == markup::of(&decoded.text);
    if is_same { decoded } else { Decoded { text: strict, fits: false } }
}

/// Whether the markup is the same in all charsets that programs take where none is declared.
fn is_marked_alike(bytes: &[u8], text: &str) -> bool {
    let markup = markup::of(text);
    let bare = without_mark(bytes);
    let is_same = |reading: &str| markup::of(reading) == markup;
    is_same(&String::from_utf8_lossy(bare)) && is_same(&by_name("windows-1252", bare, ""))
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Whether browsers do not read this charset although its ASCII bytes may stand for other letters.
fn is_foreign(name: &str) -> bool {
    let bare: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    bare.contains("utf7")
        || bare.starts_with("hz")
        || bare.contains("iso2022kr")
        || bare.contains("iso2022cn")
}

/// Whether a declared charset says too little, or nothing to browsers.
fn is_guessed(name: &str) -> bool {
    let says_ascii = matches!(name, "" | "us-ascii" | "ascii") || name.starts_with("ansi_x3");
    says_ascii || name.ends_with("850") || charset_decoder(name.as_bytes()).is_none()
}

/// Decodes header bytes that stand outside encoded words: UTF-8, or else Windows-1252.
pub(super) fn decode_unlabelled(bytes: &[u8]) -> Cow<'_, str> {
    decode_unicode(bytes, false).text
}

/// Lower case, without the quotes, blanks and language tags that mailers put around it.
fn normal_name(charset: &str) -> String {
    let name = charset.trim_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | ';'));
    let name = name.split('*').next().unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_prefix("charset=").unwrap_or(&name);
    let name = name.split([' ', ',', '\t']).next().unwrap_or_default();
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, known)| known).to_owned()
}

/// Names that mailers use and no registry knows.
const ALIASES: [(&str, &str); 11] = [
    ("cp932", "shift_jis"),
    ("ms932", "shift_jis"),
    ("cp936", "gbk"),
    ("cp949", "euc-kr"),
    ("cp950", "big5"),
    ("x-big5", "big5"),
    ("koi8r", "koi8-r"),
    ("windows1251", "windows-1251"),
    ("win-1251", "windows-1251"),
    ("windows1252", "windows-1252"),
    ("unicode-1-1-utf-7", "utf-7"),
];

/// Whether ASCII bytes mean themselves in this charset, so that most mail need not be converted.
fn holds_ascii(name: &str) -> bool {
    const FAMILIES: [&str; 7] = ["iso-8859-", "windows-", "koi8-", "gb", "big5", "euc-", "latin"];
    FAMILIES.iter().any(|family| name.starts_with(family))
}

/// Reads a header block whose raw bytes are not all UTF-8, line by line: a line is in UTF-8 if it is but for a few
/// bytes, else in the charset that the body declares, as old mailers wrote it.
pub(super) fn legible_block(block: &[u8], declared: &str) -> String {
    let lines = block.split_inclusive(|byte| *byte == b'\n');
    let legible = lines.map(|line| match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => in_declared(line, declared).unwrap_or_else(|| decode_unlabelled(line)),
    });
    legible.collect()
}

fn in_declared<'a>(line: &'a [u8], declared: &str) -> Option<Cow<'a, str>> {
    let Tally { valid, broken } = Tally::of(line);
    let decoded = (valid <= broken).then(|| decode(line, Some(declared)))?;
    decoded.fits.then_some(decoded.text)
}

fn decode_unicode(bytes: &[u8], declared: bool) -> Decoded<'_> {
    let bytes = without_mark(bytes);
    match std::str::from_utf8(bytes) {
        // Whoever declares UTF-8 means an escape sequence as it stands: it belongs to a terminal.
        Ok(text) if !declared && looks_japanese(bytes) => with_decoder(by_name("iso-2022-jp", bytes, text)),
        Ok(text) => Decoded { text: Cow::Borrowed(text), fits: true },
        Err(_) if mostly_utf8(bytes) => {
            Decoded { text: Cow::Owned(String::from_utf8_lossy(bytes).into_owned()), fits: false }
        }
        Err(_) => Decoded { text: Cow::Owned(by_name("windows-1252", bytes, "")), fits: false },
    }
}

/// ISO-2022-JP announces itself with an escape sequence, also where nobody declared it.
fn looks_japanese(bytes: &[u8]) -> bool {
    memchr::memchr(0x1b, bytes).is_some_and(|at| {
        let rest = &bytes[at + 1..];
        rest.starts_with(b"$B") || rest.starts_with(b"$@")
    })
}

/// How many characters beyond ASCII are valid UTF-8, and at how many places bytes are not.
struct Tally {
    valid: usize,
    broken: usize,
}

impl Tally {
    fn of(bytes: &[u8]) -> Self {
        // In other charsets a capital before a quotation mark makes a letter of phonetics, which nobody writes.
        let tells = |c: &char| !c.is_ascii() && !('\u{250}'..='\u{36f}').contains(c);
        bytes.utf8_chunks().fold(Self { valid: 0, broken: 0 }, |tally, chunk| Self {
            valid: tally.valid + chunk.valid().chars().filter(tells).count(),
            broken: tally.broken + usize::from(!chunk.invalid().is_empty()),
        })
    }
}

/// Whether most sequences beyond ASCII are valid UTF-8, so that only a few characters are damaged.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let Tally { valid, broken } = Tally::of(bytes);
    valid >= broken
}

fn by_name(name: &str, bytes: &[u8], otherwise: &str) -> String {
    charset_decoder(name.as_bytes()).map_or_else(|| otherwise.to_owned(), |decoder| decoder(bytes))
}

fn with_decoder(text: String) -> Decoded<'static> {
    let fits = !text.contains(char::REPLACEMENT_CHARACTER);
    Decoded { text: Cow::Owned(text), fits }
}

/// HZ (RFC 1843): `~{` and `~}` switch to GB 2312 in seven bits, which is GBK without the high bits.
fn gbk_from_hz(bytes: &[u8]) -> String {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut chinese = false;
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        let (taken, output) = match (byte, tail.first()) {
            (b'~', Some(b'{')) => {
                chinese = true;
                (2, None)
            }
            (b'~', Some(b'}')) => {
                chinese = false;
                (2, None)
            }
            (b'~', Some(b'~')) => (2, Some(b'~')),
            (b'~', Some(b'\n')) => (2, None),
            (0x21..=0x7e, _) if chinese => (1, Some(byte | 0x80)),
            _ => (1, Some(byte)),
        };
        plain.extend(output);
        rest = &rest[taken..];
    }
    by_name("gbk", &plain, "")
}

/// ISO-2022-KR (RFC 1557): SO and SI switch to KS C 5601 in seven bits, which is EUC-KR without the high bits.
fn korean_from_shifts(bytes: &[u8]) -> String {
    const DESIGNATOR: &[u8] = b"\x1b$)C";
    let mut shifted = false;
    let mut plain = Vec::with_capacity(bytes.len());
    for &byte in bytes.strip_prefix(DESIGNATOR).unwrap_or(bytes) {
        match byte {
            0x0e => shifted = true,
            0x0f => shifted = false,
            0x21..=0x7e if shifted => plain.push(byte | 0x80),
            _ => plain.push(byte),
        }
    }
    by_name("euc-kr", &plain, "")
}

#[cfg(test)]
mod tests {
    use super::{decode, read_html, read_plain};

    #[test]
    fn every_charset_of_the_wild_gives_text() {
        for (charset, bytes, expected) in [
            (Some("ISO-8859-1"), &b"caf\xe9"[..], "café"),
            (Some("\"iso-8859-15\""), b"\xa4", "€"),
            (Some("utf-8"), b"caf\xc3\xa9", "café"),
            (Some("us-ascii"), b"caf\xc3\xa9", "café"),
            (Some("utf-8"), b"caf\xe9", "café"),
            (Some("x-unknown"), b"caf\xe9", "café"),
            (None, b"caf\xe9", "café"),
            (None, b"\x1b$B%O%m!<\x1b(B", "ハロー"),
            (Some("us-ascii"), b"\x1b$B%O%m!<\x1b(B", "ハロー"),
            (Some("utf-8"), b"caf\xc3\xa9 \x1b$B%O", "café \u{1b}$B%O"),
            (Some("iso-8859-1"), b"\x1b$B%O%m!<\x1b(B", "\u{1b}$B%O%m!<\u{1b}(B"),
            (None, b"Gr\xc3\xbc\xc3\x9fe \xff aus K\xc3\xb6ln", "Grüße \u{fffd} aus Köln"),
            (None, b"\xabCAF\xc9\xbb", "«CAFÉ»"),
            (Some("hz-gb-2312"), b"~{<:Ky2;~}.", "己所不."),
            (Some("iso-2022-kr"), b"\x1b$)C\x0e>H3g\x0f!", "안녕!"),
            (Some("koi8-r"), b"\xf0\xd2\xc9", "При"),
            (Some("utf-7"), b"+ZYeB9A-", "文致"),
        ] {
            assert_eq!(decode(bytes, charset).text, expected, "{charset:?} {bytes:?}");
        }
    }

    #[test]
    fn a_charset_that_is_guessed_or_that_browsers_do_not_read_does_not_decide_markup() {
        for (bytes, declared, own, alike) in [
            (&b"<p class=x>caf\xc3\xa9</p>"[..], None, None, true),
            (b"<p class=x>caf\xe9</p>", None, None, true),
            (b"<p class=\xc3\xa9>x</p>", Some("utf-8"), None, true),
            (b"<p class=\xc3\xa9>x</p>", Some("windows-1252"), None, true),
            (b"<p class=\xc3\xa9>x</p>", None, None, false),
            (b"<p class=\xc3\xa9>x</p>", None, Some("utf-8"), false),
            (b"<p class=\xc3\xa9>x</p>", Some("us-ascii"), None, false),
            (b"<p class=\xc3\xa9>x</p>", Some("x-foo"), None, false),
            (b"\xef\xbb\xbf<p class=\xc3\xa9>x</p>", Some("windows-1252"), None, false),
            (b"<p class=\x80>x</p>", Some("iso-8859-9"), None, false),
            (b"\x1b$B\x1b(B<p class=a\x1b(Bb>", None, None, false),
            (b"<p class=a\x1b(Bb>\x1b$B\x1b(B", Some("iso-2022-jp"), None, true),
            (b"<p class=+AGE->x", Some("utf-7"), None, false),
            (b"<p class=x>x", Some("utf-7"), None, true),
            (b"<p class=a\x0fb>x", Some("iso-2022-kr"), None, false),
            (b"<p class=a~{~}b>x", Some("hz-gb-2312"), None, false),
            (b"\xff\xfe<\0p\0>\0", Some("us-ascii"), None, false),
        ] {
            assert_eq!(read_html(bytes, declared, own).alike, alike, "{declared:?} {own:?} {bytes:?}");
        }
    }

    #[test]
    fn broken_markup_is_read_as_browsers_read_it() {
        let text = |bytes| read_html(bytes, Some("utf-8"), None).decoded.text.into_owned();
        assert_eq!(text(b"<p>caf\xe9</p>"), "<p>café</p>");
        assert_eq!(text(b"<p class=\xe9>x</p>"), "<p class=\u{fffd}>x</p>");
    }

    #[test]
    fn plain_text_in_letters_that_browsers_do_not_read_is_not_read_alike() {
        assert!(!read_plain(b"+ZYeB9A-", Some("utf-7")).alike);
        assert!(read_plain(b"plain", Some("utf-7")).alike);
        assert!(read_plain(b"caf\xe9", None).alike);
    }

    #[test]
    fn bytes_that_do_not_fit_are_noticed() {
        assert!(decode(b"caf\xc3\xa9", Some("utf-8")).fits);
        assert!(!decode(b"caf\xe9", Some("utf-8")).fits);
        assert!(!decode(b"caf\xe9", None).fits);
        assert!(decode(b"plain", Some("x-unknown")).fits);
    }
}
