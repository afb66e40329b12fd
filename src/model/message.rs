//! A message as the parser reads it. Everything here is decoded; the raw bytes are kept elsewhere, as received.

use std::fmt;

use crate::model::{Address, ContentHash, Findings, SecretKind};

/// A best-effort reading of a message's bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedMessage {
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// Decoded subject on one line; empty when absent.
    pub subject: String,
    /// From; may hold several or none.
    pub from: Vec<Address>,
    /// To, group members included.
    pub to: Vec<Address>,
    /// Cc.
    pub cc: Vec<Address>,
    /// Bcc, present in mail the owner sent.
    pub bcc: Vec<Address>,
    /// Reply-To.
    pub reply_to: Vec<Address>,
    /// When it was written, and how we know.
    pub date: MessageDate,
    /// Message-IDs of In-Reply-To, without angle brackets.
    pub in_reply_to: Vec<String>,
    /// Message-IDs of References, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// Message-IDs that it had before a provider gave it another, without angle brackets.
    pub original_ids: Vec<String>,
    /// List-Id: the identifier between the angle brackets where there are any.
    pub list_id: Option<String>,
    /// What all messages of a conversation share of Outlook's Thread-Index: its time and its GUID.
    pub thread_index: Option<[u8; 22]>,
    /// X-GM-THRID, where an export wrote it into the message.
    pub gmail_thread: Option<u64>,
    /// What a person would read.
    pub text: String,
    /// What was left out of the text and what a reader should be careful about.
    pub findings: Findings,
    /// Text of the body that may be hidden: for a person's eyes, and not stored.
    pub doubtful: String,
    /// The secret it carries, if it does.
    pub secret: Option<SecretKind>,
    /// Parts that are not body text, in order.
    pub attachments: Vec<Attachment>,
    /// Length of the header block in the raw bytes, the blank line included.
    pub header_length: usize,
    /// What is wrong with the message; empty for a sound one.
    pub defects: Vec<Defect>,
}

impl ParsedMessage {
    /// Who wrote it: the first of From with an address, or else the first.
    #[must_use]
    pub fn sender(&self) -> Option<&Address> {
        self.from.iter().find(|from| from.address.contains('@')).or_else(|| self.from.first())
    }

    /// Whether the message carries an attachment in the sense of `has:attachment`.
    #[must_use]
    pub fn has_attachments(&self) -> bool {
        self.attachments.iter().any(|attachment| attachment.counts)
    }
}

/// A moment in seconds since 1970, UTC, and where it was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageDate {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub epoch: i64,
    /// The place it was read from.
    pub source: DateSource,
}

/// Where a message's date comes from, best first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DateSource {
    /// The Date header field.
    Header,
    /// The topmost Received field that could be read.
    Received,
    /// The `From ` line of an mbox.
    MboxLine,
    /// The modification time of the file.
    FileTime,
    /// Nothing was found: the epoch stands for "unknown".
    #[default]
    Unknown,
}

/// What the place a message was found in tells about its date, for messages that do not tell it themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DateHints {
    /// The date on the `From ` line of an mbox, in seconds since 1970.
    pub mbox_line: Option<i64>,
    /// The modification time of the file, in seconds since 1970.
    pub file_time: Option<i64>,
}

/// A part of a message that is not its body text.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// IMAP part number, such as `2` or `1.3`.
    pub part: String,
    /// Decoded file name without directories; `None` when the part has none.
    pub name: Option<String>,
    /// Lower-case media type, such as `application/pdf`.
    pub content_type: String,
    /// Bytes after decoding.
    pub size: u64,
    /// SHA-256 over the decoded bytes.
    pub hash: ContentHash,
    /// Content-Disposition.
    pub disposition: Disposition,
    /// Whether it counts for `has:attachment`: disposition `attachment`, or a named part
    /// that is not text and that no HTML body refers to.
    pub counts: bool,
}

/// Content-Disposition of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// `attachment`.
    Attachment,
    /// `inline`.
    Inline,
    /// Absent or anything else.
    None,
}

/// Something wrong with a message. It is stored all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Defect {
    /// No bytes at all.
    Empty,
    /// No header block could be made out.
    NoHeaders,
    /// No readable From.
    NoSender,
    /// The Date field is missing; another source was taken.
    DateMissing,
    /// The Date field could not be read; another source was taken.
    DateUnreadable,
    /// The date lies before 1970 or far in the future.
    DateImplausible,
    /// Header bytes that are neither ASCII nor valid UTF-8.
    HeaderBytes,
    /// The header block was longer than we read.
    HeaderTooLong,
    /// A multipart without its boundary, or one that never closes.
    Boundary,
    /// A transfer encoding that was broken or unknown.
    Encoding,
    /// A charset that is unknown, or bytes that do not fit it.
    Charset,
    /// More nested parts than we follow.
    TooDeep,
    /// More parts than we list.
    TooManyParts,
    /// NUL bytes inside the header block.
    NulBytes,
}

impl Defect {
    /// The name kept in the store and shown to a person.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NoHeaders => "no-headers",
            Self::NoSender => "no-sender",
            Self::DateMissing => "date-missing",
            Self::DateUnreadable => "date-unreadable",
            Self::DateImplausible => "date-implausible",
            Self::HeaderBytes => "header-bytes",
            Self::HeaderTooLong => "header-too-long",
            Self::Boundary => "boundary",
            Self::Encoding => "encoding",
            Self::Charset => "charset",
            Self::TooDeep => "too-deep",
            Self::TooManyParts => "too-many-parts",
            Self::NulBytes => "nul-bytes",
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
