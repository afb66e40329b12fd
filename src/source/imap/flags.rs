//! Flags as IMAP writes them: five that everybody has, and keywords, which are labels to us.

use crate::model::Flags;
use crate::wire::imap::mailbox_name;

const SYSTEM: [(&str, Flags); 5] = [
    ("\\Seen", Flags::SEEN),
    ("\\Answered", Flags::ANSWERED),
    ("\\Flagged", Flags::FLAGGED),
    ("\\Deleted", Flags::DELETED),
    ("\\Draft", Flags::DRAFT),
];

/// Takes flags and keywords apart. What only this session sees (`\Recent`) is dropped.
pub(super) fn split(written: &[String]) -> (Flags, Vec<String>) {
    let mut flags = Flags::NONE;
    let mut keywords = Vec::new();
    for name in written {
        match SYSTEM.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, flag)) => flags |= *flag,
            None if name.starts_with('\\') => {}
            None => keywords.push(name.clone()),
        }
    }
    (flags, keywords)
}

/// The names of these flags.
pub(super) fn names(flags: Flags) -> Vec<&'static str> {
    SYSTEM.iter().filter(|(_, flag)| flags.contains(*flag)).map(|(name, _)| *name).collect()
}

/// Whether a label can be written as a keyword (RFC 9051, 9: an atom).
pub(super) fn is_keyword(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_graphic() && !b"(){%*\"\\]".contains(&byte))
}

/// Gmail's mark for what it thinks important, and its name as a label.
const IMPORTANT: (&str, &str) = ("\\Important", "Important");

/// The labels among Gmail's: its own marks are mailboxes and flags to us, except for one.
pub(super) fn gmail_labels(written: Vec<String>) -> Vec<String> {
    let label = |name: String| match name {
        name if name.eq_ignore_ascii_case(IMPORTANT.0) => Some(IMPORTANT.1.to_owned()),
        name if name.starts_with('\\') => None,
        name => Some(name),
    };
    written.into_iter().filter_map(label).collect()
}

/// A label as Gmail takes it.
pub(super) fn gmail_name(label: &str) -> String {
    match label.eq_ignore_ascii_case(IMPORTANT.1) {
        true => IMPORTANT.0.to_owned(),
        false => format!("\"{}\"", mailbox_name::encode(label).replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::{gmail_labels, gmail_name, is_keyword, names, split};
    use crate::model::Flags;

    #[test]
    fn of_gmails_own_marks_only_one_is_a_label() {
        let written = ["\\Inbox", "\\Important", "Travel", "\\Starred"].map(str::to_owned).to_vec();

        assert_eq!(gmail_labels(written), ["Important", "Travel"]);
        assert_eq!(
            ["important", "a \"b\"", "Größe"].map(gmail_name),
            ["\\Important", "\"a \\\"b\\\"\"", "\"Gr&APYA3w-e\""]
        );
    }

    #[test]
    fn keywords_are_labels_and_recent_is_nobodys() {
        let written = ["\\seen", "\\Recent", "$Forwarded", "\\FLAGGED"].map(str::to_owned);

        let (flags, keywords) = split(&written);

        assert_eq!(names(flags), ["\\Seen", "\\Flagged"]);
        assert!(is_keyword("$Forwarded") && !is_keyword("two words") && !is_keyword("ü") && !is_keyword(""));
        assert_eq!((flags, keywords), (Flags::SEEN | Flags::FLAGGED, vec!["$Forwarded".to_owned()]));
    }
}
