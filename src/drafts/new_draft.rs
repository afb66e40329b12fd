//! What somebody wants to write, and what is to be different in a draft.

use std::path::PathBuf;

/// What somebody wants to write.
#[derive(Debug, Clone, Default)]
pub struct NewDraft {
    /// Address of the account it will leave from.
    pub account: String,
    /// The account's address or one of its aliases; left out, an alias that the answered message was sent to, or
    /// else the account's address.
    pub from: Option<String>,
    /// Recipients, each `bob@example.org` or `Bob Stone <bob@example.org>`. Empty in a reply: whoever wrote the
    /// message, or wants the answer.
    pub to: Vec<String>,
    /// Cc.
    pub cc: Vec<String>,
    /// Bcc.
    pub bcc: Vec<String>,
    /// Where answers are to go, if not to the sender.
    pub reply_to_address: Option<String>,
    /// Subject. Empty in a reply: that of the message, with `Re:` in front; when forwarding, with `Fwd:`.
    pub subject: String,
    /// Plain text; lines may have any length. Beside HTML, what is read where HTML is not shown; empty: made of it.
    pub body: String,
    /// The same as HTML, which is made safe.
    pub html: Option<String>,
    /// What is attached, in this order.
    pub attachments: Vec<NewAttachment>,
    /// The message it replies to.
    pub reply: Option<ReplyTo>,
    /// The message it passes on.
    pub forward: Option<Forward>,
}

/// A file to attach. Its bytes are taken when the draft is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewAttachment {
    /// Bytes in base64.
    Base64 {
        /// File name.
        name: String,
        /// Media type; left out, the one that the name tells.
        content_type: Option<String>,
        /// The bytes; white space does not matter.
        content: String,
    },
    /// A file below a directory that the owner listed.
    File {
        /// Where it is.
        path: PathBuf,
    },
    /// A file in a message of the archive.
    Part {
        /// Any id of the message.
        message: String,
        /// Its name, its part, such as `2` or `1.3`, or its number among the files.
        part: String,
    },
}

/// A message that is answered.
#[derive(Debug, Clone, Default)]
pub struct ReplyTo {
    /// Any id of a message that the account holds.
    pub message: String,
    /// Whether everybody who got the message gets the answer.
    pub all: bool,
}

/// A message that is passed on.
#[derive(Debug, Clone, Default)]
pub struct Forward {
    /// Any id of it.
    pub message: String,
    /// Whether it is attached as it is; otherwise its text stands below ours, and its files are attached.
    pub as_attachment: bool,
    /// Whether its files stay behind.
    pub without_attachments: bool,
}

/// What is to be different in a draft; `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftChange {
    /// The account's address or one of its aliases.
    pub from: Option<String>,
    /// To.
    pub to: Option<Vec<String>>,
    /// Cc.
    pub cc: Option<Vec<String>>,
    /// Bcc.
    pub bcc: Option<Vec<String>>,
    /// Where answers are to go; empty: to the sender.
    pub reply_to_address: Option<String>,
    /// Subject.
    pub subject: Option<String>,
    /// Plain text. Without HTML beside it the draft has none any more: recipients would read that instead.
    pub body: Option<String>,
    /// HTML; empty: none any more. Without a text beside it the text is made of it.
    pub html: Option<String>,
    /// What is attached from now on, in the place of all that was.
    pub attachments: Option<Vec<NewAttachment>>,
    /// The revision that the change was made to; another one by now is a conflict.
    pub after: Option<i64>,
}
