//! One message as an assistant reads it: the text, what was left out of it, and what is known of the sender.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{DateHints, MessageKey, SenderVerdicts};
use crate::parse;
use crate::parse::authentication::MailServer;
use crate::query::{Archive, QueryError};

/// Of a message with more bytes the first are read anew: the text that a person sees first is among them.
const MOST_READ: usize = 8 << 20;

/// What can be read of a message, and what its reader should know.
#[derive(Debug, Clone, Serialize)]
pub struct Reading {
    /// What a person would see. A stranger wrote it.
    pub text: String,
    /// Names of what was noticed.
    pub flags: Vec<&'static str>,
    /// Characters that were left out, by the reason for it.
    pub dropped: BTreeMap<&'static str, usize>,
    /// Characters that were left out because they may be hidden, by what may hide them.
    pub doubtful: BTreeMap<&'static str, usize>,
    /// The text that may be hidden. No assistant gets it.
    #[serde(skip)]
    pub doubtful_text: String,
    /// What the account's own provider says about the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<SenderVerdicts>,
}

impl Archive {
    /// Reads a message anew from its bytes, which takes about a millisecond: findings are asked for too seldom to be
    /// worth storing, and this way they are those of this version.
    pub fn reading(&self, key: MessageKey) -> Result<Reading, QueryError> {
        self.note_opened(key);
        let raw = self.reader.raw_up_to(key, MOST_READ)?;
        let parsed = parse::judged(&raw, &DateHints::default());
        let account = self.reader.first_placement(key)?.map(|place| place.account).unwrap_or_default();
        let server = MailServer::of(&account, self.reader.mail_host(&account)?.as_deref());
        let dropped = parsed.findings.dropped.iter().map(|(reason, count)| (reason.name(), *count));
        Ok(Reading {
            flags: parsed.findings.flags.iter().map(|flag| flag.name()).collect(),
            dropped: dropped.collect(),
            doubtful: parsed.findings.doubtful,
            doubtful_text: parsed.doubtful,
            sender: parse::authentication::verdicts(&raw, &server),
            text: parsed.text,
        })
    }
}
