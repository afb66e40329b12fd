//! Bcc as a header field, for Gmail's API, which has no envelope: it reads recipients from the header and takes Bcc out
//! before it sends. The field stands before those of MIME, because Gmail overlooked it behind them.

use crate::model::{Address, Recipients};

/// The longest line that is not folded.
const LINE: usize = 76;

/// The message with a Bcc field; as it is where nobody is to get it unseen.
pub(super) fn with_bcc(message: &[u8], recipients: &Recipients) -> Vec<u8> {
    if recipients.bcc.is_empty() {
        return message.to_vec();
    }
    let at = before_mime(message);
    [&message[..at], field(&recipients.bcc).as_bytes(), &message[at..]].concat()
}

/// Addresses without names: they are checked ASCII, and nothing in them can end a line.
fn field(bcc: &[Address]) -> String {
    let mut text = String::from("Bcc:");
    let mut length = text.len();
    for (place, to) in bcc.iter().enumerate() {
        let item = format!(" {}{}", to.address, if place + 1 < bcc.len() { "," } else { "" });
        if place > 0 && length + item.len() > LINE {
            text.push_str("\r\n");
            length = 0;
        }
        length += item.len();
        text.push_str(&item);
    }
    text + "\r\n"
}

/// Where the first field of MIME begins, or else the header ends.
fn before_mime(message: &[u8]) -> usize {
    let mut at = 0;
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        let lower = line.to_ascii_lowercase();
        if line == b"\r\n" || lower.starts_with(b"mime-version:") || lower.starts_with(b"content-") {
            return at;
        }
        at += line.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::with_bcc;
    use crate::model::{Address, Recipients};

    fn hidden(addresses: &[String]) -> Recipients {
        let bcc = addresses.iter().map(|address| Address::new("Eve", address.as_str())).collect();
        Recipients { bcc, ..Recipients::default() }
    }

    fn text(message: &str, addresses: &[&str]) -> String {
        let addresses: Vec<_> = addresses.iter().map(|address| (*address).to_owned()).collect();
        String::from_utf8(with_bcc(message.as_bytes(), &hidden(&addresses))).unwrap()
    }

    #[test]
    fn bcc_stands_before_mime_and_nothing_else_is_different() {
        for (before, after) in [
            ("From: a\r\nMIME-Version: 1.0\r\n\r\nx\r\n", "From: a\r\nBCCMIME-Version: 1.0\r\n\r\nx\r\n"),
            ("From: a\r\nContent-Type: t\r\n\r\nx\r\n", "From: a\r\nBCCContent-Type: t\r\n\r\nx\r\n"),
            ("From: a\r\n\r\nMIME-Version: 1.0\r\n", "From: a\r\nBCC\r\nMIME-Version: 1.0\r\n"),
            ("From: a\r\n b\r\nSubject: s\r\n\r\n", "From: a\r\n b\r\nSubject: s\r\nBCC\r\n"),
        ] {
            let expected = after.replace("BCC", "Bcc: x@y.example, z@y.example\r\n");
            assert_eq!(text(before, &["x@y.example", "z@y.example"]), expected);
            assert_eq!(text(before, &[]), before);
        }
    }

    #[test]
    fn many_are_folded_and_all_are_there() {
        let many: Vec<_> = (0..200).map(|number| format!("person{number}@example.org")).collect();

        let message = with_bcc(b"From: a\r\n\r\nx\r\n", &hidden(&many));

        let parsed = crate::parse::message(&message, &crate::model::DateHints::default());
        assert!(String::from_utf8(message).unwrap().lines().all(|line| line.len() <= 78));
        let read: Vec<_> = parsed.bcc.iter().map(|to| to.address.clone()).collect();
        assert_eq!(read, many);
    }
}
