//! Whether mail programs read a part's header alike. Where they do not, they see other parts or other text, and nothing in
//! it is surely shown. Refuses to guess which of them is right.

use super::header::Header;
use super::parameters::Parametered;
use super::transfer::Transfer;

/// What programs may read differently in a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    None,
    /// Its type: one takes for plain text what another takes for HTML, and shows what that one hides.
    Type,
    /// What it is, or where it ends.
    Whole,
}

/// What a header leaves open. A multipart of an odd type may be an alternative to one and not to another.
pub(super) fn doubt(header: &Header<'_>, content_type: &Parametered) -> Doubt {
    let raw = header.first("Content-Type");
    let is_multipart = content_type.value.starts_with("multipart/");
    let is_odd = raw.is_some_and(|raw| !names(raw, &content_type.value));
    let says_one_thing = says_one_thing(header, "Content-Type", type_of)
        && says_one_thing(header, "Content-Transfer-Encoding", Transfer::named)
        && says_one_thing(header, "Content-Disposition", is_attachment)
        && content_type.is_clear("charset");
    match says_one_thing {
        false => Doubt::Whole,
        true if is_multipart && is_odd => Doubt::Whole,
        true if is_odd || header.is_broken => Doubt::Type,
        true => Doubt::None,
    }
}

fn type_of(value: &[u8]) -> [Option<String>; 3] {
    let field = Parametered::read(value);
    let parameter = |name| field.plain(name).map(str::to_ascii_lowercase);
    [parameter("charset"), parameter("boundary"), Some(field.value.clone())]
}

fn is_attachment(value: &[u8]) -> bool {
    Parametered::read(value).value == "attachment"
}

/// Whether all fields of a name say the same: one program takes the first of them, another the last.
fn says_one_thing<T: PartialEq>(header: &Header<'_>, name: &str, read: impl Fn(&[u8]) -> T) -> bool {
    let mut values = header.all(name).filter(|value| !value.trim_ascii().is_empty()).map(read);
    values.next().is_none_or(|first| values.all(|value| value == first))
}

/// Whether a field begins with this media type, as it is written: a token, a slash and a token.
fn names(raw: &[u8], media_type: &str) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?=".contains(byte);
    let raw = raw.trim_ascii();
    let first = raw.iter().take_while(|byte| is_token(byte)).count();
    let Some(b'/') = raw.get(first) else { return false };
    let length = first + 1 + raw[first + 1..].iter().take_while(|byte| is_token(byte)).count();
    let ends = matches!(raw.get(length), None | Some(b';' | b' ' | b'\t' | b'\r' | b'\n' | b',' | b'('));
    let has_subtype = length > first + 1;
    has_subtype && ends && raw[..length].eq_ignore_ascii_case(media_type.as_bytes())
}

/// Whether every program takes this boundary out of the field: it is said once, and as it stands.
pub(super) fn is_plain_boundary(raw: &[u8], boundary: &[u8]) -> bool {
    let lower = raw.to_ascii_lowercase();
    let mut is_said = false;
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&lower[at..], b"boundary") {
        at += found + b"boundary".len();
        let Some(value) = assigned(&raw[at..]) else { continue };
        let Some(length) = value_length(value, boundary).filter(|_| !is_said) else { return false };
        at = raw.len() - value.len() + length;
        is_said = true;
    }
    is_said
}

/// What stands behind the equals sign of a parameter whose name has just been read; `None` where there is none.
fn assigned(behind_name: &[u8]) -> Option<&[u8]> {
    let is_of_name = |byte: &u8| matches!(byte, b'*' | b'0'..=b'9' | b' ' | b'\t' | b'\r' | b'\n');
    let name = behind_name.iter().take_while(|byte| is_of_name(byte)).count();
    let value = behind_name[name..].strip_prefix(b"=")?;
    // A star says that the value is one of several, or in a form that few programs know.
    Some(if behind_name[..name].contains(&b'*') { &[] } else { value })
}

/// The length of the value at the start, if it is this boundary and nothing else, in quotes or without.
fn value_length(value: &[u8], boundary: &[u8]) -> Option<usize> {
    let bare = value.trim_ascii_start();
    let quoted = bare.strip_prefix(b"\"");
    let behind = quoted.unwrap_or(bare).strip_prefix(boundary)?.trim_ascii_start();
    let behind = if quoted.is_some() { behind.strip_prefix(b"\"")?.trim_ascii_start() } else { behind };
    let needs_quotes = |byte: &u8| matches!(byte, b' ' | b'\t' | b'(' | b')' | b',');
    let is_possible = boundary.iter().all(|byte| (b' '..=b'~').contains(byte) && !b"\";\\".contains(byte));
    let is_whole = is_possible && (quoted.is_some() || !boundary.iter().any(needs_quotes));
    (is_whole && matches!(behind.first(), None | Some(b';'))).then(|| value.len() - behind.len())
}

/// Whether a plain text holds tags, so that it is another text to who takes it for HTML.
pub(super) fn holds_tags(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| {
        let tag = text[at + 1..].trim_start_matches('/');
        let name = tag.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let ends = tag.as_bytes().get(name).is_some_and(|byte| b"/> \t\r\n".contains(byte));
        tag.starts_with("!--") || (tag.starts_with(|c: char| c.is_ascii_alphabetic()) && ends)
    })
}

#[cfg(test)]
mod tests {
    use super::{Doubt, doubt, holds_tags, is_plain_boundary};
    use crate::parse::header::{Header, Owner};
    use crate::parse::parameters::Parametered;

    fn doubt_of(header: &str) -> Doubt {
        let header = Header::read(header.as_bytes(), Owner::Part, |_| false);
        let content_type = header.first("Content-Type").map(Parametered::read).unwrap_or_default();
        doubt(&header, &content_type)
    }

    #[test]
    fn a_header_that_says_one_thing_leaves_no_doubt() {
        for header in [
            "",
            "\nno header",
            "Content-Type: text/html\n\n",
            "Content-Type: TEXT/HTML; charset=\"utf-8\"\n\n",
            "Content-Type: text/html charset=utf-8\n\n",
            "Content-Type: multipart/mixed;\n\tboundary=b\n\n",
            "Content-Type: text/plain; charset=utf-8\nContent-Type: Text/Plain; charset=UTF-8\n\n",
        ] {
            assert_eq!(doubt_of(header), Doubt::None, "{header}");
        }
    }

    #[test]
    fn what_programs_read_differently_is_in_doubt() {
        for (header, expected) in [
            ("Content-Type: text/plain\nContent-Type: text/html\n\n", Doubt::Whole),
            ("Content-Transfer-Encoding: base64\nContent-Transfer-Encoding: 7bit\n\n", Doubt::Whole),
            ("Content-Type: text/html; charset=utf-8; charset=gbk\n\n", Doubt::Whole),
            ("Content-Type: multipart/(x)alternative; boundary=b\n\n", Doubt::Whole),
            ("Content-Type: text(x)/html\n\n", Doubt::Type),
            ("Content-Type: (x) text/html\n\n", Doubt::Type),
            ("Content-Type: text/html/x\n\n", Doubt::Type),
            ("Content-Type: text/html foo\n\n", Doubt::Type),
            ("this is no header\nContent-Type: text/html\n\n", Doubt::Type),
            (">From x\nContent-Type: text/html\n\n", Doubt::Type),
        ] {
            assert_eq!(doubt_of(header), expected, "{header}");
        }
    }

    #[test]
    fn a_boundary_is_taken_only_as_it_stands() {
        for (value, boundary, expected) in [
            ("multipart/mixed; boundary=b", "b", true),
            ("multipart/mixed; boundary=\"simple boundary\"; charset=x", "simple boundary", true),
            ("multipart/mixed; Boundary = \"--boundary=b\"", "--boundary=b", true),
            ("multipart/mixed; boundary=\"bb \"", "bb", true),
            ("multipart/mixed; boundary=\"=?us-ascii?Q?bb?=\"", "=?us-ascii?Q?bb?=", true),
            ("multipart/mixed; boundary=\"=?us-ascii?Q?bb?=\"", "bb", false),
            ("multipart/mixed; boundary=bb (cc)", "bb", false),
            ("multipart/mixed; boundary=bb (cc)", "bb (cc)", false),
            ("multipart/mixed; boundary=bb; boundary=cc", "bb", false),
            ("multipart/mixed; boundary=cc; boundary*=us-ascii''bb", "cc", false),
            ("multipart/mixed; boundary=cc; boundary*1=b; boundary*0=b", "cc", false),
            ("multipart/mixed; boundary=\"a\n\tb\"", "a b", false),
            ("multipart/mixed; boundary=\"a\\\"b\"", "a\"b", false),
            ("multipart/mixed; x=\"boundary=bb\"; boundary=cc", "cc", false),
        ] {
            assert_eq!(is_plain_boundary(value.as_bytes(), boundary.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn tags_are_told_from_addresses_and_comparisons() {
        for text in ["<p>", "</div >", "<p style='x'>", "<!-- x -->", "1 < 2 <br/>"] {
            assert!(holds_tags(text), "{text}");
        }
        for text in ["Ada <ada@example.org>", "<https://a.example/>", "a < b > c", "<3", "<"] {
            assert!(!holds_tags(text), "{text}");
        }
    }
}
