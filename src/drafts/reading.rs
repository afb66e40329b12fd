//! Whether what is stored beside the frozen bytes of a draft is what they say. Only the bytes are what a yes is to: words
//! that another program wrote beside them must not come into the next revision.

use crate::drafts::mime::{self, Letter};
use crate::drafts::{Contents, attachment};
use crate::model::{Address, DateHints, Draft};
use crate::parse;

/// What a message says to who reads it, however its lines are folded.
#[derive(PartialEq, Eq)]
struct Reading {
    from: Vec<Address>,
    to: Vec<Address>,
    cc: Vec<Address>,
    message_id: Option<String>,
    subject: String,
    contents: Contents,
}

impl Reading {
    fn of(bytes: &[u8]) -> Self {
        let message = parse::message(bytes, &DateHints::default());
        Self {
            from: message.from,
            to: message.to,
            cc: message.cc,
            message_id: message.message_id,
            subject: message.subject,
            contents: Contents::of(bytes),
        }
    }
}

/// Whether a message that is made of what stands in the draft says the same as these bytes.
pub(super) fn is_what_stands_in(draft: &Draft, raw: &[u8]) -> bool {
    let parsed = parse::message(raw, &DateHints::default());
    let again = mime::freeze(&Letter {
        from: &draft.from,
        recipients: &draft.recipients,
        reply_to: parsed.reply_to.first(),
        subject: &draft.subject,
        text: &draft.body,
        html: draft.html.as_deref(),
        attachments: &attachment::of_draft(draft, raw),
        message_id: &draft.message_id,
        in_reply_to: &parsed.in_reply_to,
        references: &parsed.references,
    });
    again == raw || Reading::of(&again) == Reading::of(raw)
}
