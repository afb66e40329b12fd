//! Why a draft could not be written, in words that name the field, the value and a way out.

use crate::model::{Fault, ItemState, NotFound, Unfit};
use crate::store::StoreError;

/// An error of a draft.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was named is not there.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// Not an address that mail can be sent to or from.
    #[error("`{field}` holds `{value}`, which is not a mail address: {problem}")]
    BadAddress {
        /// Where it stands.
        field: &'static str,
        /// What was given, on one line.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A character that would break a header field, or that nobody would see.
    #[error("`{field}` holds the character U+{:04X}, which cannot be seen: `{value}`", u32::from(*character))]
    HiddenCharacter {
        /// Where it stands.
        field: &'static str,
        /// What was given, the character left out.
        value: String,
        /// The character.
        character: char,
    },
    /// More than a message may hold.
    #[error("`{field}` is too long: {length}, and at most {limit} are allowed")]
    TooLong {
        /// Which field.
        field: &'static str,
        /// How long it is.
        length: usize,
        /// How long it may be.
        limit: usize,
    },
    /// Somebody else than the owner allowed.
    #[error("mail of `{account}` cannot be from `{from}`")]
    SenderNotAllowed {
        /// Who was asked for.
        from: String,
        /// The account.
        account: String,
        /// Who it may be from.
        allowed: Vec<String>,
    },
    /// HTML that cannot leave.
    #[error("`html` cannot be sent: {problem}")]
    BadHtml {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Something is wrong with a file that is to be attached.
    #[error("the attachment `{name}` cannot be sent: {problem}")]
    BadAttachment {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// A file of this machine that is not to be attached.
    #[error("the file `{path}` cannot be attached: {problem}")]
    FileRefused {
        /// Where it is.
        path: String,
        /// What is wrong.
        problem: String,
        /// The directories that files may be attached from.
        allowed: Vec<String>,
    },
    /// A program, or something that may hold one.
    #[error("the attachment `{name}` is refused: {why}")]
    Executable {
        /// Its name.
        name: String,
        /// What is a program in it.
        why: String,
    },
    /// The message has no such part.
    #[error("the message `{message}` has no attachment `{part}`")]
    UnknownPart {
        /// The message.
        message: String,
        /// What was asked for.
        part: String,
        /// What it has.
        known: Vec<String>,
    },
    /// More than servers take.
    #[error("the message has {} MB with its attachments, and at most {} MB are allowed", megabytes(*size), limit >> 20)]
    TooLarge {
        /// Bytes as they would travel.
        size: usize,
        /// The most that is allowed.
        limit: usize,
    },
    /// An answer that is also passed on.
    #[error("a draft is either a reply or a forwarded message")]
    ReplyAndForward,
    /// Bytes that servers could read in two ways. What is written here never is; this is the last look.
    #[error("the message cannot be sent: {0}")]
    Unfit(Unfit),
    /// Nobody would get it.
    #[error("the draft has no recipient")]
    NoRecipient,
    /// The message names no address to answer to.
    #[error("the message `{id}` names nobody to answer to")]
    NobodyToAnswer {
        /// The message.
        id: String,
    },
    /// No such draft.
    #[error("there is no draft `{id}`")]
    UnknownDraft {
        /// What was asked for.
        id: String,
    },
    /// What is stored is not what was written.
    #[error("the draft `{id}` was changed in the store by another program")]
    Altered {
        /// The draft.
        id: String,
    },
    /// Somebody else changed the draft at the same time.
    #[error("the draft `{id}` was changed by somebody else at the same time")]
    ChangedMeanwhile {
        /// The draft.
        id: String,
    },
    /// The draft has left, or may be leaving.
    #[error("the draft `{id}` is `{state}` and cannot be changed any more")]
    NotEditable {
        /// The draft.
        id: String,
        /// How far it is.
        state: ItemState,
    },
}

impl From<Unfit> for DraftError {
    fn from(unfit: Unfit) -> Self {
        Self::Unfit(unfit)
    }
}

fn megabytes(size: usize) -> String {
    format!("{:.1}", size as f64 / f64::from(1 << 20))
}

impl DraftError {
    /// Whether somebody else was faster, so that the caller has to look again.
    #[must_use]
    pub const fn is_conflict(&self) -> bool {
        matches!(self, Self::ChangedMeanwhile { .. })
    }

    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Store(error) => error.hint(),
            Self::NotFound(error) => error.hint(),
            Self::BadAddress { field: "account", .. } => {
                "mail can only be written from an account that is named by its address".to_owned()
            }
            Self::BadAddress { .. } => {
                "give each recipient as `bob@example.org` or `Bob Stone <bob@example.org>`, one an item"
                    .to_owned()
            }
            Self::HiddenCharacter { field, .. } => format!("write `{field}` again without that character"),
            Self::TooLong { field, limit, .. } => format!("shorten `{field}` to {limit}"),
            Self::SenderNotAllowed { allowed, account, .. } => format!(
                "it may be from: {}; the owner allows others with `mailkeep account set {account} --alias ADDRESS`",
                allowed.join(", ")
            ),
            Self::BadHtml { .. } => {
                "write simpler HTML, or plain text in `body`; `<style>` is taken out, so colours and \
                                     their backgrounds belong into `style` attributes"
                    .to_owned()
            }
            Self::BadAttachment { .. } => {
                "give a file name without a path, a media type, and the content in base64".to_owned()
            }
            Self::FileRefused { allowed, .. } if allowed.is_empty() => {
                "the owner lists directories in `[drafts] attach_from` of the configuration".to_owned()
            }
            Self::FileRefused { allowed, .. } => {
                format!("files may be attached from below: {}", allowed.join(", "))
            }
            Self::Executable { .. } => {
                "programs cannot be sent; put the file where the recipient can fetch it".to_owned()
            }
            Self::UnknownPart { known, .. } if known.is_empty() => "it has no attachments".to_owned(),
            Self::UnknownPart { known, .. } => format!("its attachments are: {}", known.join(", ")),
            Self::TooLarge { limit, .. } => {
                format!(
                    "attach less: base64 adds a third, so about {} MB of files fit",
                    (limit >> 20) * 73 / 100
                )
            }
            Self::ReplyAndForward => "give one of the two messages only".to_owned(),
            Self::Unfit(_) => "this is a mistake in mailkeep; please report it".to_owned(),
            Self::NoRecipient => "name at least one address in `to`, or the message to reply to".to_owned(),
            Self::NobodyToAnswer { .. } => "name the recipients in `to`".to_owned(),
            Self::UnknownDraft { .. } => "list the drafts to see their ids, which begin with `d`".to_owned(),
            Self::Altered { .. } => "write it anew; `mailkeep verify` looks for more of the kind".to_owned(),
            Self::ChangedMeanwhile { .. } => "read the draft again and repeat the change".to_owned(),
            Self::NotEditable { .. } => "write a new draft".to_owned(),
        }
    }

    /// Of what kind it is.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::Store(error) => error.fault(),
            Self::NotFound(_) | Self::UnknownPart { .. } | Self::UnknownDraft { .. } => Fault::Unknown,
            Self::ChangedMeanwhile { .. } => Fault::Passing,
            Self::Unfit(_) | Self::Altered { .. } => Fault::Internal,
            Self::BadAddress { .. }
            | Self::HiddenCharacter { .. }
            | Self::TooLong { .. }
            | Self::SenderNotAllowed { .. }
            | Self::BadHtml { .. }
            | Self::BadAttachment { .. }
            | Self::FileRefused { .. }
            | Self::Executable { .. }
            | Self::TooLarge { .. }
            | Self::ReplyAndForward
            | Self::NoRecipient
            | Self::NobodyToAnswer { .. }
            | Self::NotEditable { .. } => Fault::Mistaken,
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::NotFound(error) => error.code(),
            Self::BadAddress { .. } => "bad_address",
            Self::HiddenCharacter { .. } => "hidden_character",
            Self::TooLong { .. } => "too_long",
            Self::SenderNotAllowed { .. } => "sender_not_allowed",
            Self::BadHtml { .. } => "bad_html",
            Self::BadAttachment { .. } => "bad_attachment",
            Self::FileRefused { .. } => "file_refused",
            Self::Executable { .. } => "executable_refused",
            Self::UnknownPart { .. } => "unknown_attachment",
            Self::TooLarge { .. } => "too_large",
            Self::ReplyAndForward => "reply_and_forward",
            Self::Unfit(_) => "unfit_message",
            Self::NoRecipient => "no_recipient",
            Self::NobodyToAnswer { .. } => "nobody_to_answer",
            Self::UnknownDraft { .. } => "unknown_draft",
            Self::Altered { .. } => "draft_altered",
            Self::ChangedMeanwhile { .. } => "draft_changed",
            Self::NotEditable { .. } => "draft_not_editable",
        }
    }
}
