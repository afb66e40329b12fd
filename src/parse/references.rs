//! Message-IDs out of Message-ID, In-Reply-To and References, whatever else stands there. Ids come without
//! angle brackets. Also the identifiers of List-Id and X-GM-THRID.

use std::collections::HashSet;

use super::charset;
use super::words;

/// The id of a Message-ID field.
pub(super) fn message_id(value: &[u8]) -> Option<String> {
    let text = charset::decode_unlabelled(value);
    let mut ids = Vec::new();
    bracketed(&text, &mut ids);
    ids.into_iter().next().or_else(|| lone_token(&text, |_| true))
}

/// The ids of one or several fields, in order, each once.
pub(super) fn ids<'a>(values: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    let mut ids = Vec::new();
    for value in values {
        let text = charset::decode_unlabelled(value);
        let before = ids.len();
        bracketed(&text, &mut ids);
        if ids.len() == before && !text.contains('<') {
            ids.extend(lone_token(&text, |token| token.contains('@')));
        }
    }
    each_once(ids)
}

fn each_once(mut ids: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::with_capacity(ids.len());
    let is_first: Vec<bool> = ids.iter().map(|id| seen.insert(id.as_str())).collect();
    let mut is_first = is_first.into_iter();
    ids.retain(|_| is_first.next().unwrap_or(false));
    ids
}

/// The identifier of a List-Id field, in lower case.
pub(super) fn list_id(value: &[u8]) -> Option<String> {
    let text = words::unstructured(value);
    let inside = text.rsplit_once('<').map(|(_, rest)| rest.split('>').next().unwrap_or_default());
    let id = inside.unwrap_or(&text).trim().to_lowercase();
    (!id.is_empty()).then_some(id)
}

/// The decimal number of an X-GM-THRID field.
pub(super) fn gmail_thread(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value.trim_ascii()).ok()?.parse().ok()
}

/// Adds everything between angle brackets outside comments, without blanks.
fn bracketed(text: &str, ids: &mut Vec<String>) {
    let mut rest = text;
    while let Some(at) = rest.find(['<', '(']) {
        let after = &rest[at + 1..];
        if rest[at..].starts_with('(') {
            let Some(end) = after.find([')', '<']) else { break };
            rest = after[end..].trim_start_matches(')');
            continue;
        }
        let Some(end) = after.find(['>', '<']) else { break };
        if after[end..].starts_with('>') {
            let id = words::without_blanks(&after[..end]);
            ids.extend((!id.is_empty()).then_some(id));
            rest = &after[end + 1..];
        } else {
            rest = &after[end..];
        }
    }
}

/// The one word of a field without brackets that can be an id.
fn lone_token(text: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let mut tokens = text.split_whitespace().filter(|token| fits(token));
    let token = tokens.next()?.trim_matches(['<', '>', '"', ',', ';']);
    (tokens.next().is_none() && !token.is_empty()).then(|| token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{gmail_thread, ids, list_id, message_id};

    fn ids_of(value: &str) -> Vec<String> {
        ids([value.as_bytes()].into_iter())
    }

    #[test]
    fn ids_are_found_among_junk() {
        for (value, expected) in [
            ("<a@b>", &["a@b"][..]),
            ("<a@b> <c@d>\r\n\t<a@b>", &["a@b", "c@d"]),
            ("Your message of \"Mon, 5 Jan\" <a@b>", &["a@b"]),
            ("<a@b> (Ada's message of Monday)", &["a@b"]),
            ("<very-long\r\n -id@b>", &["very-long-id@b"]),
            ("a@b", &["a@b"]),
            ("Message from ada@b of Monday", &["ada@b"]),
            ("a@b c@d", &[]),
            ("<<a@b>>", &["a@b"]),
            ("<a@b><c@d", &["a@b"]),
            ("no id at all", &[]),
        ] {
            assert_eq!(ids_of(value), expected, "{value}");
        }
    }

    #[test]
    fn a_message_id_needs_no_brackets() {
        assert_eq!(message_id(b" <x@y> "), Some("x@y".to_owned()));
        assert_eq!(message_id(b" x.y "), Some("x.y".to_owned()));
        assert_eq!(message_id(b"two words"), None);
    }

    #[test]
    fn lists_and_gmail_threads_are_named() {
        assert_eq!(list_id(b"Our List <Ours.Example.ORG>"), Some("ours.example.org".to_owned()));
        assert_eq!(list_id(b"ours.example.org"), Some("ours.example.org".to_owned()));
        assert_eq!(gmail_thread(b" 1700000000000000001\r\n"), Some(1_700_000_000_000_000_001));
        assert_eq!(gmail_thread(b"x"), None);
    }
}
