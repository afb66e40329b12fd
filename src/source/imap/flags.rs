//! Flags as IMAP writes them: five that everybody has, and keywords, which are labels to us.

use crate::model::Flags;

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

#[cfg(test)]
mod tests {
    use super::split;
    use crate::model::Flags;

    #[test]
    fn keywords_are_labels_and_recent_is_nobodys() {
        let written = ["\\seen", "\\Recent", "$Forwarded", "\\FLAGGED"].map(str::to_owned);

        let (flags, keywords) = split(&written);

        assert_eq!((flags, keywords), (Flags::SEEN | Flags::FLAGGED, vec!["$Forwarded".to_owned()]));
    }
}
