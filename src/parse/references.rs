//! Message-IDs out of Message-ID, In-Reply-To and References, whatever else stands there. Ids come without
//! angle brackets. Also the identifiers of List-Id and X-GM-THRID.

use std::collections::HashSet;

use super::charset;
use super::header::Header;
use super::transfer;
use super::words;

/// Where providers that give a message another id keep the one it had.
pub(super) const ORIGINALS: [&str; 2] = ["X-Google-Original-Message-ID", "X-Microsoft-Original-Message-ID"];

/// The ids that a message had before a provider gave it another.
pub(super) fn originals(header: &Header<'_>) -> Vec<String> {
    let found = ORIGINALS.iter().filter_map(|name| header.first(name).and_then(message_id));
    each_once(found.collect())
}

/// The id of a Message-ID field.
pub(super) fn message_id(value: &[u8]) -> Option<String> {
    let text = charset::decode_unlabelled(value);
    let id = bracketed(&text).found.into_iter().map(|found| found.id).next();
    id.or_else(|| lone_token(&text))
}

/// The ids of References, in order, each once.
pub(super) fn ids<'a>(values: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    collected(values, |fields| fields.found.into_iter().map(|found| found.id).collect())
}

/// The ids of In-Reply-To. Old mailers write a sentence there, with an address in it and one id at most.
pub(super) fn answered<'a>(values: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    collected(values, |mut fields| {
        let starts_with_id = fields.found.first().is_some_and(|first| first.before.is_empty());
        match (fields.has_words, starts_with_id) {
            (false, _) => {}
            (true, true) => fields.found.truncate(1),
            (true, false) => {
                fields.found.retain(|found| !names_sender(&found.before));
                fields.found.drain(..fields.found.len().saturating_sub(1));
            }
        }
        fields.found.into_iter().map(|found| found.id).collect()
    })
}

fn collected<'a>(
    values: impl Iterator<Item = &'a [u8]>,
    chosen: impl Fn(Bracketed) -> Vec<String>,
) -> Vec<String> {
    let mut ids = Vec::new();
    for value in values {
        let text = charset::decode_unlabelled(value);
        let fields = bracketed(&text);
        match fields.found.is_empty() && !text.contains('<') {
            true => ids.extend(lone_token(&text).filter(|token| token.contains('@'))),
            false => ids.extend(chosen(fields)),
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

/// What stands between angle brackets, and the words before it.
struct Found {
    before: String,
    id: String,
}

/// The brackets of a field.
#[derive(Default)]
struct Bracketed {
    found: Vec<Found>,
    /// Whether there are words between them that are no comments.
    has_words: bool,
}

/// Finds everything between angle brackets outside comments; ids come without blanks.
fn bracketed(text: &str) -> Bracketed {
    let mut fields = Bracketed::default();
    let mut before = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '(']) {
        before.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if rest[at..].starts_with('(') {
            let Some(end) = after.find([')', '<']) else { break };
            // A comment with brackets in it is a sentence.
            before.push_str(if after[end..].starts_with('<') { &after[..end] } else { "" });
            rest = after[end..].strip_prefix(')').unwrap_or(&after[end..]);
            continue;
        }
        let Some(end) = after.find(['>', '<']) else { break };
        if after[end..].starts_with('>') {
            fields.take(&after[..end], &mut before);
            rest = &after[end + 1..];
        } else {
            rest = &after[end..];
        }
    }
    fields.has_words |= has_words(&before) || has_words(rest);
    fields
}

impl Bracketed {
    fn take(&mut self, id: &str, before: &mut String) {
        let id = words::without_blanks(id);
        let before = std::mem::take(before);
        self.has_words |= has_words(&before);
        self.found.extend((!id.is_empty()).then(|| Found { before: before.trim().to_owned(), id }));
    }
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Whether the words before a bracket end with a sender (`Message from Ada Berg`), so that it holds an address.
fn names_sender(before: &str) -> bool {
    let words = before.split_whitespace().rev();
    let mut name = words.take_while(|word| !word.eq_ignore_ascii_case("of") && !word.ends_with([':', ';']));
    name.any(|word| {
        ["from", "by", "von", "de", "da", "van"].iter().any(|from| word.eq_ignore_ascii_case(from))
    })
}

/// The one word of a field without brackets.
fn lone_token(text: &str) -> Option<String> {
    let mut tokens = text.split_whitespace();
    let token = tokens.next()?.trim_matches(['<', '>', '"', ',', ';']);
    (tokens.next().is_none() && !token.is_empty()).then(|| token.to_owned())
}

/// The conversation of a Thread-Index field (MS-OXOMSG 2.2.1.3): 22 bytes, to which each answer adds five.
pub(super) fn thread_index(value: &[u8]) -> Option<[u8; 22]> {
    let (bytes, _) = transfer::base64(&value[..value.len().min(LONGEST_THREAD_INDEX)]);
    bytes.first_chunk().copied().filter(|head| head[0] == 1)
}

/// Its 22 bytes in base64, with the line breaks that a mailer may have put there.
const LONGEST_THREAD_INDEX: usize = 200;

#[cfg(test)]
mod tests {
    use super::{answered, gmail_thread, ids, list_id, message_id, thread_index};

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
            ("Message from ada@b of Monday", &[]),
            ("a@b c@d", &[]),
            ("<<a@b>>", &["a@b"]),
            ("<a@b><c@d", &["a@b"]),
            ("no id at all", &[]),
        ] {
            assert_eq!(ids_of(value), expected, "{value}");
        }
    }

    #[test]
    fn a_sentence_in_in_reply_to_names_one_message_and_no_person() {
        for (value, expected) in [
            ("<a@b> <c@d>", &["a@b", "c@d"][..]),
            ("Message from Ada Berg <ada@x> of \"Mon, 5 Jan 2009 10:11:12 +0000\" <a@b>", &["a@b"]),
            ("Message from Ada Berg <ada@x> of \"Mon, 5 Jan 2009\"", &[]),
            ("Message from \"Ada Berg\" <ada@x>", &[]),
            ("Your message of \"Mon, 5 Jan 2009\" <a@b>", &["a@b"]),
            ("Your message of \"Mon, 5 Jan 2009\".\n <a@b>", &["a@b"]),
            ("<a@b> from \"Ada\" at Jan 5, 2009 10:11 <ada@x>", &["a@b"]),
            ("<a@b>; from ada@x on Mon, Jan 05, 2009 at 10:11:12AM", &["a@b"]),
            ("<a@b> (message from Ada Berg <ada@x> on Monday)", &["a@b"]),
            ("<a@b> (Ada's message of Monday)", &["a@b"]),
            ("tom@x's message of Mon, 5 Jan 2009 10:11:12 GMT", &[]),
            ("tom@x's message of Mon, 5 Jan 2009 <a@b>", &["a@b"]),
            ("Ada Berg <ada@x> wrote on Monday: <a@b>", &["a@b"]),
            ("Your message <a@b> of Monday", &["a@b"]),
            ("a@b", &["a@b"]),
        ] {
            assert_eq!(answered([value.as_bytes()].into_iter()), expected, "{value}");
        }
    }

    #[test]
    fn a_conversation_is_what_all_its_thread_indexes_share() {
        let root = thread_index(b" AdLp1VYkL3WYdLDWTnKpGmJ6mVYI7w==\r\n");
        let answer = thread_index(b"AdLp1VYkL3WYdLDWTnKpGmJ6\r\n\tmVYI7wABCDEF");
        assert!(root.is_some() && root == answer, "{root:?} {answer:?}");
        for none in ["", "AdLp", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo="] {
            assert_eq!(thread_index(none.as_bytes()), None, "{none}");
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
