//! Header values as text on one line: unfolding, encoded words (RFC 2047) in their sound and broken forms,
//! raw bytes beyond ASCII. Refuses control characters.

use std::borrow::Cow;

use crate::text_safety;

use super::charset;
use super::transfer;

/// An unstructured field value such as Subject, decoded, trimmed, on one line.
pub(super) fn unstructured(value: &[u8]) -> String {
    let text = charset::decode_unlabelled(value.trim_ascii());
    one_line(&encoded_words(&unfolded(&text)))
}

/// Line ends and the blanks that start the next line become one blank.
pub(super) fn unfolded(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut lines = text.split(['\n', '\r']);
    let mut output = String::with_capacity(text.len());
    output.push_str(lines.next().unwrap_or_default());
    for line in lines.filter(|line| !line.is_empty()) {
        output.push(' ');
        output.push_str(line.trim_start_matches([' ', '\t']));
    }
    Cow::Owned(output)
}

/// Control characters become blanks, NUL and what nobody sees vanish, blanks at both ends go.
pub(super) fn one_line(text: &str) -> String {
    let text = text.trim();
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let line = without_controls(text);
    match text_safety::is_clean(&line) {
        true => line,
        false => text_safety::visible(&line).0.trim().to_owned(),
    }
}

fn without_controls(text: &str) -> String {
    let clean: String = text
        .chars()
        .filter(|c| *c != '\0')
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect();
    clean.trim().to_owned()
}

/// Ids and addresses: folding may have put blanks and line ends anywhere into them.
pub(super) fn without_blanks(text: &str) -> String {
    match text.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => text.to_owned(),
        false => text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect(),
    }
}

/// One encoded word, its data still without charset.
struct Word<'a> {
    charset: &'a str,
    bytes: Vec<u8>,
    /// Length in the text.
    length: usize,
}

impl Word<'_> {
    /// ISO-2022 words end in ASCII and start anew, so that joining them would add empty shifts.
    fn joins(&self, next: &Self) -> bool {
        let stateful =
            self.charset.len() >= 8 && self.charset.as_bytes()[..8].eq_ignore_ascii_case(b"iso-2022");
        self.charset.eq_ignore_ascii_case(next.charset) && !stateful
    }
}

/// Replaces every encoded word. Blanks between two of them vanish, and bytes of neighbours with one charset
/// are decoded together, since mailers cut characters in half.
pub(super) fn encoded_words(text: &str) -> Cow<'_, str> {
    if !may_hold_encoded_word(text) {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len());
    let mut pending: Option<Word<'_>> = None;
    let mut rest = text;
    while let Some(start) = rest.find("=?") {
        let (before, at_word) = rest.split_at(start);
        let Some(word) = word_at(at_word) else {
            flush(&mut pending, &mut output);
            output.push_str(before);
            output.push_str("=?");
            rest = &at_word[2..];
            continue;
        };
        rest = &at_word[word.length..];
        match &mut pending {
            Some(open) if before.trim().is_empty() && open.joins(&word) => {
                open.bytes.extend_from_slice(&word.bytes);
            }
            Some(_) if before.trim().is_empty() => {
                flush(&mut pending, &mut output);
                pending = Some(word);
            }
            _ => {
                flush(&mut pending, &mut output);
                output.push_str(before);
                pending = Some(word);
            }
        }
    }
    flush(&mut pending, &mut output);
    output.push_str(rest);
    Cow::Owned(output)
}

/// Whether `=?` stands anywhere. Asked of every name and address.
pub(super) fn may_hold_encoded_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'=', bytes).any(|at| bytes.get(at + 1) == Some(&b'?'))
}

fn flush(pending: &mut Option<Word<'_>>, output: &mut String) {
    if let Some(word) = pending.take() {
        output.push_str(&charset::decode(&word.bytes, Some(word.charset)).text);
    }
}

/// The length of the encoded word at the start of `text`, for scanners that must not look inside.
pub(super) fn word_length(text: &str) -> Option<usize> {
    Some(split_word(text)?.3)
}

fn word_at(text: &str) -> Option<Word<'_>> {
    let (charset, encoding, data, length) = split_word(text)?;
    let bytes = match encoding {
        b'b' => transfer::base64(data.as_bytes()).0,
        _ => q_bytes(data, charset),
    };
    Some(Word { charset, bytes, length })
}

/// The longest stretch looked through for the end of one word; RFC 2047 allows 75.
const LONGEST_WORD: usize = 4096;

/// Splits `=?charset?encoding?data?=` into its parts and its length; a word cut off by the field's end counts.
fn split_word(text: &str) -> Option<(&str, u8, &str, usize)> {
    let inner = text.strip_prefix("=?")?;
    let charset_end = inner.bytes().take(80).position(|byte| byte == b'?')?;
    let charset = inner[..charset_end].trim();
    let after = &inner[charset_end + 1..];
    let encoding_end = after.bytes().take(8).position(|byte| byte == b'?')?;
    let encoding = match after[..encoding_end].trim() {
        "b" | "B" => b'b',
        "q" | "Q" => b'q',
        _ => return None,
    };
    if charset.contains([' ', '"', '<', '>']) {
        return None;
    }
    let data = &after[encoding_end + 1..];
    let data_start = text.len() - data.len();
    let window = &data.as_bytes()[..data.len().min(LONGEST_WORD)];
    match memchr::memmem::find(window, b"?=") {
        Some(end) => Some((charset, encoding, &data[..end], data_start + end + 2)),
        None if is_cut_off(data) => Some((charset, encoding, data, text.len())),
        None => None,
    }
}

fn is_cut_off(data: &str) -> bool {
    !data.is_empty() && data.len() < 80 && !data.contains([' ', '<', '?', ','])
}

/// The Q encoding: `_` is a blank, `=` and two digits a byte. Raw bytes that were read as Windows-1252 before
/// go back to what they were, unless the word says it is UTF-8.
fn q_bytes(data: &str, charset: &str) -> Vec<u8> {
    let unicode = charset.len() >= 3 && charset.as_bytes()[..3].eq_ignore_ascii_case(b"utf");
    let mut output = Vec::with_capacity(data.len());
    let mut rest = data;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match (letter, transfer::hex_pair(rest.as_bytes()), u8::try_from(letter)) {
            ('_', ..) => output.push(b' '),
            ('=', Some(value), _) => {
                output.push(value);
                rest = &rest[2..];
            }
            (_, _, Ok(byte)) if letter.is_ascii() || !unicode => output.push(byte),
            _ => output.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::unstructured;

    #[test]
    fn encoded_words_are_read_in_sound_and_broken_forms() {
        for (value, expected) in [
            ("=?utf-8?Q?caf=C3=A9_au_lait?= bien", "café au lait bien"),
            ("=?UTF-8?b?Y2Fmw6k=?=", "café"),
            ("=?utf-8?q?caf=C3?=\r\n =?utf-8?q?=A9?=", "café"),
            ("=?iso-8859-1?Q?a?= =?utf-8?Q?b?= c", "ab c"),
            ("\"=?iso-8859-1?Q?caf=E9?=\"", "\"café\""),
            ("=?utf-8?Q?two words?=", "two words"),
            ("=? utf-8 ? Q ?x?=", "x"),
            ("Re:=?utf-8*en?Q?x?=y", "Re:xy"),
            ("=?utf-8?B?Y2Fmw6k", "café"),
            ("=?utf-8?X?abc?=", "=?utf-8?X?abc?="),
            ("=?x-nowhere?Q?caf=E9?=", "café"),
            ("=?utf-8?Q?a=0Ab?=", "a b"),
            ("=??Q?caf=E9?=", "café"),
            ("=?iso-2022-jp?B?GyRCJUYbKEI=?= =?iso-2022-jp?B?GyRCJUYbKEI=?=", "テテ"),
            ("what =? this", "what =? this"),
        ] {
            assert_eq!(unstructured(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn raw_bytes_and_folds_become_one_clean_line() {
        assert_eq!(unstructured(b" caf\xe9\r\n\t bar\0 "), "café bar");
        assert_eq!(unstructured(b"=?iso-8859-1?Q?caf\xe9?="), "café");
        assert_eq!(unstructured(b"=?utf-8?Q?caf\xc3\xa9?="), "café");
        assert_eq!(unstructured(b"caf\xc3\xa9\n x"), "café x");
        assert_eq!(unstructured(b"a\tb"), "a b");
    }
}
