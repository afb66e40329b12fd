//! What a mailbox is for.

/// The mailbox that holds what no server shows any more, and what a server's own mailbox of that name is called here.
pub const GONE_MAILBOX: &str = "(gone)";
/// See [`GONE_MAILBOX`].
pub const GONE_NAMESAKE: &str = "(gone) on the server";

/// The use of a mailbox, as servers and people name it (RFC 6154).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MailboxRole {
    /// New mail.
    Inbox,
    /// What the owner sent.
    Sent,
    /// What the owner has not sent.
    Drafts,
    /// What will be deleted.
    Trash,
    /// What nobody asked for.
    Spam,
    /// What is kept.
    Archive,
}

impl MailboxRole {
    const NAMES: [(Self, &'static str, &'static str); 6] = [
        (Self::Inbox, "inbox", "INBOX"),
        (Self::Sent, "sent", "Sent"),
        (Self::Drafts, "drafts", "Drafts"),
        (Self::Trash, "trash", "Trash"),
        (Self::Spam, "spam", "Spam"),
        (Self::Archive, "archive", "Archive"),
    ];

    fn names(self) -> (&'static str, &'static str) {
        let found = Self::NAMES.iter().find(|(role, ..)| *role == self);
        found.map(|(_, name, mailbox)| (*name, *mailbox)).expect("every role has a name")
    }

    /// The name kept in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// What a mailbox for this is called where we make it.
    #[must_use]
    pub fn usual_mailbox(self) -> &'static str {
        self.names().1
    }

    /// The role with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known, _)| *known == name).map(|(role, ..)| *role)
    }
}
