//! The lines that other programs want about a send: one before it, without which it does not happen, and one after.

use jiff::Timestamp;

use crate::audit::{self, PreSend, SendLine};
use crate::clock::Clock;
use crate::model::{Address, ParsedMessage, SendRecords};
use crate::outbox::approval::ApprovedItem;
use crate::outbox::carriers::{Outcome, Trouble};
use crate::outbox::channels::Reading;

/// What the lines tell of one send.
pub(super) struct Recorder {
    records: SendRecords,
    id: String,
    message_id: String,
    to: Vec<String>,
    message: ParsedMessage,
    begun: Timestamp,
    /// Attempts before this one.
    pub(super) retries: usize,
}

impl Recorder {
    /// For an item that is about to be sent; `None` when nobody wants lines.
    pub(super) fn of(item: &ApprovedItem, records: &SendRecords, clock: &Clock) -> Option<Self> {
        let address = |to: &Address| to.address.clone();
        (!records.is_empty()).then(|| Self {
            records: records.clone(),
            id: item.id().to_string(),
            message_id: item.message_id().to_owned(),
            to: item.recipients().all().map(address).collect(),
            message: Reading::of(item.route(), item.bytes()).message,
            begun: clock.now(),
            retries: 0,
        })
    }

    /// Writes the line before; what cannot be written becomes the reason why nothing is sent.
    pub(super) fn before(&self) -> Result<(), Outcome> {
        let to: Vec<_> = self.to.iter().map(String::as_str).collect();
        let line = PreSend {
            at: self.begun,
            to: &to,
            subject: &self.message.subject,
            body: &self.message.text,
            reply_to_message_id: self.message.in_reply_to.first().map(String::as_str),
        };
        audit::write_before(&self.records, &line).map_err(|error| {
            let reason = format!("the record that is asked for before a send cannot be written: {error}");
            // A disk that is full for a moment must not end what a person approved.
            Outcome::Later(Trouble::new("AUDIT_FAILED", reason))
        })
    }

    /// Writes the line after. It has left or not: a line that cannot be written now, as it could before, changes nothing about
    /// that.
    pub(super) fn after(&self, outcome: &Outcome, clock: &Clock) {
        let to: Vec<_> = self.to.iter().map(String::as_str).collect();
        let now = clock.now();
        let (result, error) = match outcome {
            Outcome::Sent(_) => ("success", None),
            Outcome::Failed(trouble) | Outcome::Later(trouble) => ("failure", Some(trouble.reason.clone())),
            Outcome::Halted(halt) => ("failure", Some(halt.to_string())),
            Outcome::Unknown(detail) => ("unknown", Some(detail.clone())),
        };
        let line = SendLine {
            at: now,
            to: &to,
            subject: &self.message.subject,
            approval_request_id: &self.id,
            message_id: &self.message_id,
            result,
            execution_time_ms: now.as_millisecond() - self.begun.as_millisecond(),
            retry_count: self.retries,
            error: error.as_deref(),
        };
        let _ = audit::write_after(&self.records, &line);
    }
}
