//! Bytes of a text file to text: UTF-8, UTF-16 when it says so, else Windows-1252, in which every byte means
//! something.

use std::borrow::Cow;

/// Bytes past this are not decoded; markup may be much larger than its text.
const MAX_INPUT: usize = 8 << 20;

/// The characters of 0x80 to 0x9F in Windows-1252; the rest are those of Unicode.
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of these bytes; nothing is refused.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = &bytes[..bytes.len().min(MAX_INPUT)];
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes).into(),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes).into(),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8_or_windows(rest),
        _ => utf8_or_windows(bytes),
    }
}

/// One byte as Windows-1252 means it.
pub(super) fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn utf8_or_windows(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        // Cut off inside a character: what stands before it is sound.
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(&bytes[..error.valid_up_to()]),
        Err(_) => bytes.iter().copied().map(windows_1252).collect::<String>().into(),
    }
}
