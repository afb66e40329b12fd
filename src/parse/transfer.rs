//! Content-Transfer-Encoding. Decodes what can be decoded and says whether the encoding was sound;
//! damaged input loses the damage, never the rest.

use std::borrow::Cow;

/// How a part's bytes are wrapped for transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    Identity,
    Base64,
    QuotedPrintable,
    Uuencode,
    /// A name we do not know; the bytes are taken as they are.
    Unknown,
}

/// Decoded bytes and whether the encoding was sound.
pub(super) struct Unwrapped<'a> {
    pub bytes: Cow<'a, [u8]>,
    pub sound: bool,
    /// Whether every program reads them like this.
    pub alike: bool,
}

impl Transfer {
    /// Reads the value of a Content-Transfer-Encoding field. A name that is only like one is none, because not every
    /// program is so kind; what means no encoding may be written in any way.
    pub(super) fn named(value: &[u8]) -> Self {
        let name = value.split(|byte| matches!(byte, b';' | b'(')).next().unwrap_or_default();
        match name.trim_ascii().to_ascii_lowercase().as_slice() {
            b"" | b"7bit" | b"8bit" | b"binary" | b"7bits" | b"8bits" | b"7-bit" | b"8-bit" | b"7 bit"
            | b"8 bit" | b"none" => Self::Identity,
            b"base64" => Self::Base64,
            b"quoted-printable" => Self::QuotedPrintable,
            b"x-uuencode" | b"uuencode" | b"x-uue" => Self::Uuencode,
            _ => Self::Unknown,
        }
    }

    /// Whether the bytes differ from what they stand for.
    pub(super) fn is_encoded(self) -> bool {
        !matches!(self, Self::Identity | Self::Unknown)
    }

    /// The bytes without their wrapping.
    pub(super) fn decode(self, bytes: &[u8]) -> Unwrapped<'_> {
        match self {
            Self::Identity => borrowed(bytes, true),
            Self::Unknown => Unwrapped { alike: false, ..borrowed(bytes, false) },
            Self::Base64 if is_prose(bytes) => Unwrapped { alike: false, ..borrowed(bytes, false) },
            Self::Base64 => unwrapped_base64(bytes),
            Self::QuotedPrintable => quoted_printable(bytes),
            // Few programs know it.
            Self::Uuencode => {
                let unwrapped = uuencode(bytes).map_or_else(|| borrowed(bytes, false), owned);
                Unwrapped { alike: false, ..unwrapped }
            }
        }
    }
}

fn borrowed(bytes: &[u8], sound: bool) -> Unwrapped<'_> {
    Unwrapped { bytes: Cow::Borrowed(bytes), sound, alike: true }
}

fn owned<'a>((bytes, sound): (Vec<u8>, bool)) -> Unwrapped<'a> {
    Unwrapped { bytes: Cow::Owned(bytes), sound, alike: true }
}

const NOT_BASE64: u8 = 0xff;
static BASE64_VALUES: [u8; 256] = base64_values();

const fn base64_values() -> [u8; 256] {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut table = [NOT_BASE64; 256];
    let mut value = 0;
    while value < 64 {
        table[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    table
}

/// Collects six bits at a time.
#[derive(Default)]
struct Sextets {
    output: Vec<u8>,
    bits: u32,
    count: u8,
}

impl Sextets {
    fn push(&mut self, value: u8) {
        self.bits = self.bits << 6 | u32::from(value);
        self.count += 1;
        if self.count == 4 {
            self.output.extend_from_slice(&self.bits.to_be_bytes()[1..]);
            self.count = 0;
        }
    }

    /// Whole groups of four letters, as long as they come without interruption.
    fn push_groups<'a>(&mut self, mut bytes: &'a [u8]) -> &'a [u8] {
        if self.count != 0 {
            return bytes;
        }
        while let [a, b, c, d, rest @ ..] = bytes {
            let values = [a, b, c, d].map(|byte| BASE64_VALUES[usize::from(*byte)]);
            if values.contains(&NOT_BASE64) {
                break;
            }
            let [a, b, c, d] = values.map(u32::from);
            let group = a << 18 | b << 12 | c << 6 | d;
            self.output.extend_from_slice(&group.to_be_bytes()[1..]);
            bytes = rest;
        }
        bytes
    }

    fn finish_group(&mut self) {
        match self.count {
            2 => self.output.push((self.bits >> 4) as u8),
            3 => self.output.extend_from_slice(&[(self.bits >> 10) as u8, (self.bits >> 2) as u8]),
            _ => {}
        }
        self.count = 0;
    }
}

/// Whether bytes that claim to be base64 are plain words: blanks and punctuation before any padding.
fn is_prose(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(1024)];
    let start = start.split(|byte| *byte == b'=').next().unwrap_or_default();
    let foreign =
        |byte: &&u8| BASE64_VALUES[usize::from(**byte)] == NOT_BASE64 && !matches!(byte, b'\r' | b'\n');
    let count = start.trim_ascii().iter().filter(foreign).count();
    count > 4 && count * 20 > start.len()
}

/// Decodes base64, skipping what does not belong. Text behind the padding (a list's footer) ends the data.
pub(super) fn base64(bytes: &[u8]) -> (Vec<u8>, bool) {
    let unwrapped = unwrapped_base64(bytes);
    (unwrapped.bytes.into_owned(), unwrapped.sound)
}

/// What stands among the letters makes some programs give up, and what goes on behind the padding some leave out.
fn unwrapped_base64(bytes: &[u8]) -> Unwrapped<'static> {
    let mut sextets = Sextets::default();
    sextets.output.reserve(bytes.len() / 4 * 3 + 3);
    let mut padded_at = None;
    let mut sound = true;
    let mut goes_on = false;
    let mut rest = bytes;
    loop {
        rest = sextets.push_groups(rest);
        let Some((&byte, tail)) = rest.split_first() else {
            break;
        };
        rest = tail;
        match (BASE64_VALUES[usize::from(byte)], byte) {
            (NOT_BASE64, b'=') => {
                sextets.finish_group();
                goes_on |= padded_at.is_some_and(|end| end < sextets.output.len());
                padded_at = Some(sextets.output.len());
            }
            (NOT_BASE64, b' ' | b'\t' | b'\r' | b'\n') => {}
            (NOT_BASE64, _) => {
                sound = false;
                if let Some(end) = padded_at {
                    sextets.output.truncate(end);
                    return Unwrapped { alike: !goes_on, ..owned((sextets.output, sound)) };
                }
            }
            (value, _) => sextets.push(value),
        }
    }
    sextets.finish_group();
    goes_on |= padded_at.is_some_and(|end| end < sextets.output.len());
    Unwrapped { alike: sound && !goes_on, ..owned((sextets.output, sound)) }
}

/// Decodes quoted-printable; an `=` that means nothing stays as it is.
fn quoted_printable(bytes: &[u8]) -> Unwrapped<'_> {
    let Some(first) = memchr::memchr(b'=', bytes) else {
        return borrowed(bytes, true);
    };
    let mut output = Vec::with_capacity(bytes.len());
    output.extend_from_slice(&bytes[..first]);
    let mut rest = &bytes[first..];
    let mut sound = true;
    while let Some(after) = rest.strip_prefix(b"=") {
        rest = if let Some(byte) = hex_pair(after) {
            output.push(byte);
            &after[2..]
        } else if let Some(next_line) = soft_break(after) {
            next_line
        } else {
            sound = false;
            output.push(b'=');
            after
        };
        let next = memchr::memchr(b'=', rest).unwrap_or(rest.len());
        output.extend_from_slice(&rest[..next]);
        rest = &rest[next..];
    }
    owned((output, sound))
}

/// The value of the two hexadecimal digits at the start.
pub(super) fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let [high, low, ..] = bytes else { return None };
    u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()
}

/// What follows a soft line break whose `=` has been read; blanks may stand before the line's end.
fn soft_break(bytes: &[u8]) -> Option<&[u8]> {
    let blanks = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).take(256).count();
    match bytes.get(blanks) {
        Some(b'\n') => Some(&bytes[blanks + 1..]),
        None => Some(&[]),
        Some(_) => None,
    }
}

/// How many bytes may come from blanks that were cut off, beside as many as the text has: a line of one letter stands
/// for 45 of them, and nobody shall make a gigabyte out of a few megabytes.
const CUT_BLANKS: usize = 64 << 10;

/// Decodes the lines between `begin` and `end`; false when something of them is missing.
fn uuencode(bytes: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut lines = bytes.split(|byte| *byte == b'\n').skip_while(|line| !line.starts_with(b"begin "));
    lines.next()?;
    let mut output = Vec::with_capacity(bytes.len() / 4 * 3);
    let mut spare = bytes.len() + CUT_BLANKS;
    let mut sound = true;
    for line in lines {
        let line = line.trim_ascii_end();
        let Some((&length, data)) = line.split_first() else {
            continue;
        };
        if line == b"end" {
            break;
        }
        let length = usize::from(length.wrapping_sub(b' ') & 63);
        let missing = length.saturating_sub(uuencoded_line(length, data, &mut output));
        sound &= missing <= spare;
        output.resize(output.len() + missing.min(spare), 0);
        spare -= missing.min(spare);
    }
    Some((output, sound))
}

/// Adds the bytes of a line and returns how many they are. A blank is six bits of zero, so that what was cut off a
/// line's end is known.
fn uuencoded_line(length: usize, data: &[u8], output: &mut Vec<u8>) -> usize {
    let start = output.len();
    for group in data.chunks(4).take(length.div_ceil(3)) {
        let bits = (0..4).fold(0_u32, |bits, at| {
            bits << 6 | u32::from(group.get(at).map_or(0, |byte| byte.wrapping_sub(b' ') & 63))
        });
        output.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    output.truncate(start + length);
    output.len() - start
}

#[cfg(test)]
mod tests {
    use super::Transfer;

    fn decoded(transfer: Transfer, text: &str) -> (String, bool) {
        let unwrapped = transfer.decode(text.as_bytes());
        (String::from_utf8_lossy(&unwrapped.bytes).into_owned(), unwrapped.sound)
    }

    #[test]
    fn base64_survives_line_breaks_missing_padding_and_footers() {
        for (text, expected, sound) in [
            ("SGVs\r\nbG8=", "Hello", true),
            ("SGVsbG8", "Hello", true),
            ("SGVs*bG8=", "Hello", false),
            ("SGVsbG8=\n__________\nlist footer here", "Hello", false),
            ("SGVsbG8=\nSGVsbG8=", "HelloHello", true),
            ("", "", true),
            ("these are plain words, as you can see", "these are plain words, as you can see", false),
        ] {
            assert_eq!(decoded(Transfer::Base64, text), (expected.to_owned(), sound), "{text}");
        }
    }

    #[test]
    fn what_programs_decode_differently_is_not_read_alike() {
        for (text, alike) in [
            ("SGVs\r\nbG8=", true),
            ("SGVsbG8=\n__________\nlist footer here", true),
            ("SGVsbG8=\nSGVsbG8=", false),
            ("SGVs*bG8=", false),
            ("SGVsbG8=\nSGVsbG8=\n**", false),
            ("these are plain words, as you can see", false),
        ] {
            assert_eq!(Transfer::Base64.decode(text.as_bytes()).alike, alike, "{text}");
        }
        assert!(!Transfer::Unknown.decode(b"x").alike);
    }

    #[test]
    fn quoted_printable_keeps_what_it_cannot_read() {
        for (text, expected, sound) in [
            ("a=3Db=c3=A9", "a=bé", true),
            ("one=\r\ntwo= \t\nthree=", "onetwothree", true),
            ("1+1=2, =ZZ", "1+1=2, =ZZ", false),
        ] {
            assert_eq!(decoded(Transfer::QuotedPrintable, text), (expected.to_owned(), sound), "{text}");
        }
    }

    #[test]
    fn uuencoded_lines_are_read() {
        let text = "begin 644 a.txt\n%2&5L;&\\\n`\nend\n";
        assert_eq!(decoded(Transfer::Uuencode, text), ("Hello".to_owned(), true));
    }

    #[test]
    fn blanks_that_were_cut_off_a_uuencoded_line_are_bytes() {
        for (text, expected) in [
            ("begin 644 a\n#80\n \nend\n", "a\0\0"),
            ("begin 644 a\n&80\n#8F)B\n`\nend\n", "a\0\0\0\0\0bbb"),
            ("begin 644 a\n)\n`\nend\n", "\0\0\0\0\0\0\0\0\0"),
        ] {
            assert_eq!(decoded(Transfer::Uuencode, text), (expected.to_owned(), true), "{text}");
        }
    }

    #[test]
    fn lines_that_claim_more_than_they_hold_make_no_flood() {
        let text = format!("begin 644 a\n{}", "M\n".repeat(500_000));
        let unwrapped = Transfer::Uuencode.decode(text.as_bytes());
        assert!(unwrapped.bytes.len() < 2 * text.len() && !unwrapped.sound, "{}", unwrapped.bytes.len());
    }

    #[test]
    fn encodings_are_known_by_their_names_and_no_encoding_by_any() {
        for (name, expected) in [
            ("BASE64", Transfer::Base64),
            (" Quoted-Printable; x", Transfer::QuotedPrintable),
            ("8-bit", Transfer::Identity),
            ("7 bit (really)", Transfer::Identity),
            ("gzip", Transfer::Unknown),
            ("base-64", Transfer::Unknown),
            ("\"base64\"", Transfer::Unknown),
            ("b a s e 6 4", Transfer::Unknown),
        ] {
            assert_eq!(Transfer::named(name.as_bytes()), expected, "{name}");
        }
    }
}
