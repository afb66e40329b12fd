//! The methods we use, and their price.

/// A method of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GmailMethod {
    /// `users.getProfile`
    Profile,
    /// `users.messages.list`
    ListMessages,
    /// `users.messages.get`
    GetMessage,
    /// `users.messages.modify`
    Modify,
    /// `users.messages.batchModify`
    BatchModify,
    /// `users.labels.list`
    ListLabels,
    /// `users.labels.create`
    CreateLabel,
    /// `users.history.list`
    ListHistory,
    /// `users.drafts.list`
    ListDrafts,
    /// `users.drafts.get`
    GetDraft,
    /// `users.drafts.create`
    CreateDraft,
    /// `users.drafts.update`
    UpdateDraft,
    /// `users.drafts.delete`
    DeleteDraft,
}

impl GmailMethod {
    /// What a call costs, in Google's quota units.
    #[must_use]
    pub const fn units(self) -> u64 {
        match self {
            Self::Profile | Self::ListLabels => 1,
            Self::ListHistory => 2,
            Self::ListMessages | Self::Modify | Self::CreateLabel | Self::ListDrafts | Self::GetDraft => 5,
            Self::CreateDraft | Self::DeleteDraft => 10,
            Self::UpdateDraft => 15,
            Self::GetMessage => 20,
            Self::BatchModify => 50,
        }
    }

    /// What it is for, to name it in an error.
    #[must_use]
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Profile => "to tell about the mailbox",
            Self::ListMessages => "to list messages",
            Self::GetMessage => "to give messages",
            Self::Modify | Self::BatchModify => "to change labels",
            Self::ListLabels => "to list labels",
            Self::CreateLabel => "to make a label",
            Self::ListHistory => "to tell what has changed",
            Self::ListDrafts | Self::GetDraft => "to give drafts",
            Self::CreateDraft | Self::UpdateDraft => "to keep a draft",
            Self::DeleteDraft => "to delete a draft",
        }
    }
}
