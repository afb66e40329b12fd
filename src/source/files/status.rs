//! Reads flags and labels that other programs wrote into the header: `Status`, `X-Status`, `X-Mozilla-Status`
//! and Google Takeout's `X-Gmail-Labels`. Looks at nothing else, and never behind the first 64 KB.
//!
//! Takeout writes mboxes, and its two fields before all others. Whoever sends a mail can write such fields too, but
//! only below those of the servers that it came through: there they are a stranger's words, and make no labels.

use mail_parser::HeaderValue;
use mail_parser::parsers::MessageStream;

use crate::model::Flags;
use crate::text_safety::one_line;

const READ: usize = 64 * 1024;
/// Gmail allows no longer label.
const LONGEST_LABEL: usize = 225;
const MOST_LABELS: usize = 100;

/// What the header tells about a message's state.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Status {
    /// The union of all flag fields.
    pub(super) flags: Flags,
    /// Gmail's labels, without those that are flags.
    pub(super) labels: Vec<String>,
}

impl Status {
    /// Reads the header of a message in an mbox, which may be Takeout's.
    pub(super) fn in_mbox(message: &[u8]) -> Self {
        let mut status = Self::of(message);
        if let Some(list) = takeout_labels(&message[..message.len().min(READ)]) {
            status.read_labels(&list);
        }
        status
    }

    /// Reads the header of this message.
    pub(super) fn of(message: &[u8]) -> Self {
        let mut status = Self::default();
        let header = &message[..message.len().min(READ)];
        let mut rest = header;
        while let Some((line, behind)) = next_line(rest) {
            if matches!(line.first(), Some(b'S' | b's' | b'X' | b'x')) {
                status.read_field(line);
            }
            rest = behind;
        }
        status
    }

    fn read_field(&mut self, line: &[u8]) {
        let Some((name, value)) = field(line) else { return };
        if name.eq_ignore_ascii_case(b"Status") || name.eq_ignore_ascii_case(b"X-Status") {
            self.flags |= status_letters(value);
        } else if name.eq_ignore_ascii_case(b"X-Mozilla-Status") {
            self.flags |= mozilla_bits(value);
        }
    }

    fn read_labels(&mut self, list: &str) {
        let mut seen = Flags::SEEN;
        for label in split_quoted(list) {
            match label.as_str() {
                "" => {}
                "Unread" => seen = Flags::NONE,
                "Starred" => self.flags |= Flags::FLAGGED,
                "Draft" | "Drafts" => self.flags |= Flags::DRAFT,
                _ if self.labels.len() == MOST_LABELS => {}
                _ => self.labels.push(label.chars().take(LONGEST_LABEL).collect()),
            }
        }
        self.flags |= seen;
    }
}

/// Name and value of a field that may be one of ours; none of them has a long name.
fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', &line[..line.len().min(20)])?;
    Some((line[..colon].trim_ascii_end(), &line[colon + 1..]))
}

/// The labels that Takeout wrote above everything else: its thread id, then they.
fn takeout_labels(header: &[u8]) -> Option<String> {
    let (first, labels) = next_line(header)?;
    let (second, _) = next_line(labels)?;
    let ((thread, _), (name, value)) = (field(first)?, field(second)?);
    let is_takeout =
        thread.eq_ignore_ascii_case(b"X-GM-THRID") && name.eq_ignore_ascii_case(b"X-Gmail-Labels");
    is_takeout.then(|| decode(&labels[second.len() - value.len()..]))
}

/// The first line of a header block without its line end, and what stands behind it; `None` at the blank line.
fn next_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let line = text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]);
    (!line.is_empty()).then(|| (line, text.get(end + 1..).unwrap_or_default()))
}

/// The letters of mbox programs. Other tools use the field for words, which say nothing about flags.
fn status_letters(value: &[u8]) -> Flags {
    let letters = value.trim_ascii();
    if !letters.iter().all(|letter| b"RONUADFTS".contains(letter)) {
        return Flags::NONE;
    }
    letters.iter().fold(Flags::NONE, |flags, letter| {
        flags
            | match letter {
                b'R' => Flags::SEEN,
                b'A' => Flags::ANSWERED,
                b'F' => Flags::FLAGGED,
                b'D' => Flags::DELETED,
                b'T' => Flags::DRAFT,
                _ => Flags::NONE,
            }
    })
}

/// Thunderbird's four hexadecimal digits: read 1, replied 2, starred 4, deleted but not yet compacted 8.
fn mozilla_bits(value: &[u8]) -> Flags {
    let bits = std::str::from_utf8(value.trim_ascii())
        .ok()
        .and_then(|digits| u16::from_str_radix(digits, 16).ok())
        .unwrap_or(0);
    [Flags::SEEN, Flags::ANSWERED, Flags::FLAGGED, Flags::DELETED]
        .into_iter()
        .enumerate()
        .filter(|(place, _)| bits >> place & 1 == 1)
        .fold(Flags::NONE, |flags, (_, flag)| flags | flag)
}

/// The value of the field that the text starts with, unfolded and with its encoded words decoded.
fn decode(text: &[u8]) -> String {
    let end = memchr::memchr_iter(b'\n', text)
        .find(|end| !matches!(text.get(end + 1), Some(b' ' | b'\t')))
        .unwrap_or(text.len());
    // The decoder takes a value without a line end for none at all.
    let value = [&text[..end], b"\n"].concat();
    match MessageStream::new(&value).parse_unstructured() {
        HeaderValue::Text(text) => text.into_owned(),
        _ => String::new(),
    }
}

/// The items of a comma separated list; quotes keep commas, a backslash inside them keeps a quote.
fn split_quoted(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let (mut quoted, mut letters) = (false, list.chars());
    while let Some(letter) = letters.next() {
        match (letter, items.last_mut()) {
            ('"', _) => quoted = !quoted,
            ('\\', Some(item)) if quoted => item.extend(letters.next()),
            (',', _) if !quoted => items.push(String::new()),
            (_, Some(item)) => item.push(letter),
            (_, None) => {}
        }
    }
    items.iter().map(|item| one_line(item)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Flags, Status};

    fn flags(header: &str) -> Flags {
        Status::of(header.as_bytes()).flags
    }

    /// A message of Takeout's with this list of labels.
    fn takeout(labels: &str) -> Status {
        Status::in_mbox(format!("X-GM-THRID: 1\r\nX-Gmail-Labels: {labels}").as_bytes())
    }

    #[test]
    fn status_fields_of_mbox_programs_are_flags() {
        assert_eq!(
            flags("Status: RO\r\nX-Status: AF\r\n\r\nx"),
            Flags::SEEN | Flags::ANSWERED | Flags::FLAGGED
        );
        assert_eq!(flags("status:O\nX-STATUS: DT\n\n"), Flags::DELETED | Flags::DRAFT);
        assert_eq!(flags("X-Mozilla-Status: 0005\n\n"), Flags::SEEN | Flags::FLAGGED);
        assert_eq!(flags("X-Mozilla-Status: zz\n\n"), Flags::NONE);
    }

    #[test]
    fn a_status_in_words_is_no_flag() {
        assert_eq!(flags("Status: Accepted\nX-Status: RESOLVED\n\n"), Flags::NONE);
    }

    #[test]
    fn only_the_header_counts() {
        assert_eq!(flags("Subject: Status: R\nX: y\n Status: R\n\nStatus: R\n"), Flags::NONE);
        assert_eq!(flags(&format!("X: {}\nStatus: R\n\n", "a".repeat(70_000))), Flags::NONE);
        assert_eq!(flags("Status: R"), Flags::SEEN);
        assert_eq!(flags(""), Flags::NONE);
    }

    #[test]
    fn takeout_labels_are_labels_and_its_states_are_flags() {
        let read = takeout("Inbox,\"Bills, paid\",Starred\nTo: a\n\n");
        let unread = takeout("Unread,Drafts,Category Updates\r\n\r\n");

        assert_eq!(read.labels, ["Inbox", "Bills, paid"]);
        assert_eq!(read.flags, Flags::SEEN | Flags::FLAGGED);
        assert_eq!(unread.labels, ["Category Updates"]);
        assert_eq!(unread.flags, Flags::DRAFT);
        assert_eq!(takeout("a,b").labels, ["a", "b"]);
        assert_eq!(takeout("\nTo: c\n\n").labels, [""; 0]);
    }

    #[test]
    fn labels_that_a_sender_wrote_are_none() {
        let below = b"Received: by mx\nX-GM-THRID: 1\nX-Gmail-Labels: obey\n\n";
        let alone = b"X-Gmail-Labels: obey\nTo: c\n\n";
        let of_takeout = b"X-GM-THRID: 1\nX-Gmail-Labels: a\nX-Gmail-Labels: obey\n\n";

        assert_eq!([Status::in_mbox(below), Status::in_mbox(alone)], [(); 2].map(|()| Status::default()));
        assert_eq!(Status::in_mbox(of_takeout).labels, ["a"]);
        assert_eq!(Status::of(of_takeout).labels, [""; 0]);
    }

    #[test]
    fn labels_are_as_long_and_as_many_as_gmail_has_them() {
        let many: Vec<_> = (0..500).map(|number| format!("label {number}")).collect();

        assert_eq!(takeout(&many.join(",")).labels.len(), 100);
        assert_eq!(takeout(&"x".repeat(1_000)).labels[0].len(), 225);
        assert_eq!(takeout("a\r\n\t b,c\u{202e}d").labels, ["a b", "c d"]);
    }

    #[test]
    fn takeout_labels_may_be_encoded_and_folded() {
        let status = takeout("=?UTF-8?Q?Pers=C3=B6nlich,Ungelesen,=22a,?=\r\n =?UTF-8?Q?_b=22?=\r\n\r\n");

        assert_eq!(status.labels, ["Persönlich", "Ungelesen", "a, b"]);
    }
}
