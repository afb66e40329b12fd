//! What Gmail's labels are here: mailboxes, flags, or labels by name. Pure.
//!
//! A message in the trash or the spam is there and nowhere else, whatever labels it keeps. Otherwise it is in the
//! inbox, among what was sent and among the drafts as its labels say, and in the archive when it is in none of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Flags, MailboxRole};

/// Names of labels by their ids.
pub type LabelNames = BTreeMap<String, String>;

/// Ids of labels, each once and in order.
pub type LabelIds = BTreeSet<String>;

/// Labels that are mailboxes.
const MAILBOXES: [(&str, MailboxRole); 5] = [
    ("TRASH", MailboxRole::Trash),
    ("SPAM", MailboxRole::Spam),
    ("INBOX", MailboxRole::Inbox),
    ("SENT", MailboxRole::Sent),
    ("DRAFT", MailboxRole::Drafts),
];
const UNREAD: &str = "UNREAD";
const STARRED: &str = "STARRED";

/// Where a message is and what it carries there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Mailboxes, at least one.
    pub roles: Vec<MailboxRole>,
    /// Flags.
    pub flags: Flags,
    /// Labels by name.
    pub labels: Vec<String>,
}

/// All mailboxes that messages of an account can be in.
#[must_use]
pub fn mailboxes() -> Vec<MailboxRole> {
    MAILBOXES.iter().map(|(_, role)| *role).chain([MailboxRole::Archive]).collect()
}

/// The label that is a mailbox on the server. The archive has none: it is all that has none of the others.
#[must_use]
pub fn remote_name(role: MailboxRole) -> &'static str {
    MAILBOXES.iter().find(|(_, known)| *known == role).map_or("ARCHIVE", |(label, _)| label)
}

/// What labels mean. Labels without a name (made or deleted a moment ago) are passed over.
#[must_use]
pub fn standing(ids: &LabelIds, names: &LabelNames) -> Standing {
    let has = |id: &str| ids.contains(id);
    let mut roles: Vec<MailboxRole> =
        MAILBOXES.iter().filter(|(label, _)| has(label)).map(|(_, role)| *role).collect();
    if matches!(roles.first(), Some(MailboxRole::Trash | MailboxRole::Spam)) {
        roles.truncate(1);
    }
    if roles.is_empty() {
        roles.push(MailboxRole::Archive);
    }
    let mut flags = if has(UNREAD) { Flags::NONE } else { Flags::SEEN };
    if has(STARRED) {
        flags |= Flags::FLAGGED;
    }
    if has("DRAFT") {
        flags |= Flags::DRAFT;
    }
    let plain = ids.iter().filter(|id| !is_special(id));
    Standing { roles, flags, labels: plain.filter_map(|id| names.get(id).cloned()).collect() }
}

fn is_special(id: &str) -> bool {
    id == UNREAD || id == STARRED || MAILBOXES.iter().any(|(label, _)| *label == id)
}

/// What is to be put on and taken off on the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelEdit {
    /// Ids to put on.
    pub add: Vec<String>,
    /// Ids to take off.
    pub remove: Vec<String>,
}

impl LabelEdit {
    /// A flag set or cleared; `None` for flags that Gmail does not have.
    #[must_use]
    pub fn of_flag(flag: Flags, set: bool) -> Option<Self> {
        let (label, on) = match flag {
            Flags::SEEN => (UNREAD, !set),
            Flags::FLAGGED => (STARRED, set),
            _ => return None,
        };
        Some(Self::of_label(label, on))
    }

    /// A label put on or taken off.
    #[must_use]
    pub fn of_label(id: &str, on: bool) -> Self {
        let ids = vec![id.to_owned()];
        if on { Self { add: ids, remove: Vec::new() } } else { Self { add: Vec::new(), remove: ids } }
    }

    /// A move to a mailbox; `None` for those that only Gmail fills.
    #[must_use]
    pub fn of_move(to: MailboxRole) -> Option<Self> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let (add, remove): (&[&str], &[&str]) = match to {
            MailboxRole::Inbox => (&["INBOX"], &["TRASH", "SPAM"]),
            MailboxRole::Trash => (&["TRASH"], &["INBOX", "SPAM"]),
            MailboxRole::Spam => (&["SPAM"], &["INBOX", "TRASH"]),
            MailboxRole::Archive => (&[], &["INBOX", "TRASH", "SPAM"]),
            MailboxRole::Sent | MailboxRole::Drafts => return None,
        };
        Some(Self { add: owned(add), remove: owned(remove) })
    }
}

#[cfg(test)]
mod tests {
    use super::{LabelEdit, LabelIds, LabelNames, standing};
    use crate::model::{Flags, MailboxRole};

    fn ids(text: &str) -> LabelIds {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn names() -> LabelNames {
        let all =
            [("Label_1", "Work/Kunden"), ("IMPORTANT", "IMPORTANT"), ("CATEGORY_SOCIAL", "CATEGORY_SOCIAL")];
        all.into_iter().map(|(id, name)| (id.to_owned(), name.to_owned())).collect()
    }

    #[test]
    fn labels_are_mailboxes_flags_or_names() {
        let own = standing(&ids("INBOX SENT UNREAD STARRED Label_1 Label_9 CATEGORY_SOCIAL"), &names());

        assert_eq!(own.roles, [MailboxRole::Inbox, MailboxRole::Sent]);
        assert_eq!(own.flags, Flags::FLAGGED);
        assert_eq!(own.labels, ["CATEGORY_SOCIAL", "Work/Kunden"]);
    }

    #[test]
    fn what_is_nowhere_is_in_the_archive_and_rubbish_is_only_there() {
        let of = |text| standing(&ids(text), &names());

        assert_eq!((of("").roles, of("").flags), (vec![MailboxRole::Archive], Flags::SEEN));
        assert_eq!(of("INBOX SENT SPAM").roles, [MailboxRole::Spam]);
        assert_eq!(of("SPAM TRASH DRAFT").roles, [MailboxRole::Trash]);
        assert_eq!(of("DRAFT").flags, Flags::SEEN | Flags::DRAFT);
    }

    #[test]
    fn changes_are_labels_put_on_and_taken_off() {
        assert_eq!(LabelEdit::of_flag(Flags::SEEN, true), Some(LabelEdit::of_label("UNREAD", false)));
        assert_eq!(LabelEdit::of_flag(Flags::FLAGGED, true), Some(LabelEdit::of_label("STARRED", true)));
        assert_eq!(LabelEdit::of_flag(Flags::ANSWERED, true), None);
        assert_eq!(LabelEdit::of_move(MailboxRole::Sent), None);
        assert_eq!(LabelEdit::of_move(MailboxRole::Archive).unwrap().remove, ["INBOX", "TRASH", "SPAM"]);
    }
}
