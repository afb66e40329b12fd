//! Tells from a file's name and its first bytes what it is. Never opens anything.

use std::path::Path;

use super::from_line;

/// How many (decompressed) bytes of a file decide what it is.
pub(super) const SNIFFED: usize = 32 * 1024;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Messages behind `From ` lines; none at all when the file is empty.
    Mbox,
    /// Exactly one message.
    Message,
    /// Something else.
    NotMail,
}

const KNOWN_FIELDS: [&str; 31] = [
    "apparently-to",
    "approved",
    "authentication-results",
    "autocrypt",
    "bcc",
    "cc",
    "comments",
    "date",
    "delivered-to",
    "delivery-date",
    "envelope-to",
    "errors-to",
    "from",
    "importance",
    "in-reply-to",
    "keywords",
    "lines",
    "message-id",
    "mime-version",
    "newsgroups",
    "organization",
    "path",
    "precedence",
    "received",
    "references",
    "reply-to",
    "return-path",
    "sender",
    "status",
    "subject",
    "to",
];
const KNOWN_FAMILIES: [&str; 11] = [
    "x-",
    "arc-",
    "list-",
    "resent-",
    "content-",
    "dkim-",
    "domainkey-",
    "received-",
    "original-",
    "old-",
    "thread-",
];

/// What a file with this name and these first bytes is. A name in `.eml` is a promise that outweighs the bytes.
pub(super) fn kind(path: &Path, head: &[u8]) -> Kind {
    if has_extension(path, "eml") {
        return Kind::Message;
    }
    let text = &head[leading_blank(head)..];
    let is_named_so = has_extension(path, "mbox");
    if text.starts_with(b"From ") && (is_named_so || from_line::is_first(text)) {
        return Kind::Mbox;
    }
    if text.is_empty() && is_named_so {
        return Kind::Mbox;
    }
    if starts_like_a_message(head) {
        return Kind::Message;
    }
    Kind::NotMail
}

/// Length of the byte order mark and the blank lines at the start, which some tools leave before the first `From `.
pub(super) fn leading_blank(head: &[u8]) -> usize {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let blank = text.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    head.len() - text.len() + blank
}

fn starts_like_a_message(head: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'\n', head) else {
        return false;
    };
    let second = &head[end + 1..];
    is_known_field(head) && (is_field(second) || is_continuation(second))
}

fn is_continuation(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    matches!(line.first(), Some(b' ' | b'\t')) && !line.trim_ascii().is_empty()
}

/// Whether the text starts with `name:`, and is not the start of a web address.
pub(super) fn is_field(text: &[u8]) -> bool {
    field_name(text).is_some()
}

/// Whether the text starts with a field that is used in mail.
pub(super) fn is_known_field(text: &[u8]) -> bool {
    let Some(name) = field_name(text).and_then(|name| std::str::from_utf8(name).ok()) else {
        return false;
    };
    let name = name.to_ascii_lowercase();
    KNOWN_FIELDS.binary_search(&name.as_str()).is_ok()
        || KNOWN_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The name of the header field that the text starts with; RFC 5322 lets it be any printable ASCII but `:`.
fn field_name(text: &[u8]) -> Option<&[u8]> {
    let length = text.iter().take(128).take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    let (name, rest) = text.split_at(length);
    let is_field = length > 0 && rest.starts_with(b":") && !rest.starts_with(b"://");
    is_field.then_some(name)
}

/// Whether the file name ends so, whatever its case and its compression.
pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{KNOWN_FIELDS, Kind, kind};

    fn of(name: &str, head: &[u8]) -> Kind {
        kind(Path::new(name), head)
    }

    #[test]
    fn a_name_in_eml_is_one_message_whatever_the_bytes() {
        for name in ["a.eml", "A.EML", "a.eml.gz", "a.Eml.ZST"] {
            for head in [&b""[..], b"From a Jan 1\n", b"\0\0", b"Subject: x\n\n"] {
                assert_eq!(of(name, head), Kind::Message);
            }
        }
    }

    #[test]
    fn the_first_bytes_tell_an_mbox_from_a_message() {
        assert_eq!(of("inbox", b"From a@b\nSubject: x\n"), Kind::Mbox);
        assert_eq!(of("inbox", b"From a@b Mon Jan  5 10:11:12 2009\nodd"), Kind::Mbox);
        assert_eq!(of("inbox", b"\xef\xbb\xbf\r\n\nFrom a@b\nTo: c\n"), Kind::Mbox);
        assert_eq!(of("note.txt", b"From the desk of Ada.\n\nShopping list: eggs"), Kind::NotMail);
        assert_eq!(of("1", b"Received: by a\n\tfor b\n"), Kind::Message);
        assert_eq!(of("1", b"DATE: today\r\nOdd: field\r\n"), Kind::Message);
        assert_eq!(of("1.mbox", b"X-Mozilla-Status: 0001\nX-Mozilla-Status2: 0\n"), Kind::Message);
    }

    #[test]
    fn other_files_are_not_mail() {
        for head in [
            &b""[..],
            b"Subject: only one line",
            b"Subject: one field\n\ntext",
            b"Package: x\nVersion: 1\n",
            b"https://example.org\nSubject: x\n",
            b"Fromage\n",
            b"{\"From\": 1}\n",
            b"To \xff: x\nSubject: y\n",
        ] {
            assert_eq!(of("note.txt", head), Kind::NotMail, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn an_empty_mbox_holds_no_messages_but_is_one() {
        assert_eq!(of("a.mbox", b""), Kind::Mbox);
        assert_eq!(of("a.mbox.gz", b"\n"), Kind::Mbox);
        assert_eq!(of("mbox", b""), Kind::NotMail);
    }

    #[test]
    fn the_list_of_fields_is_in_order() {
        assert!(KNOWN_FIELDS.is_sorted());
    }
}
