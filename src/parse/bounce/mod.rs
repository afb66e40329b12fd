//! What mail systems send back: who could not be reached, who not yet, and which message it was about. Pure and total.
//! Owns telling a bounce from a complaint, a read receipt and an auto-reply, and reading RFC 3464, RFC 6533 and free text.
//! Refuses to believe: every word here is a stranger's, and what it may change is decided elsewhere.

mod address;
mod delivery_status;
mod free_text;
mod phrases;
mod pieces;
mod returned;
mod signs;

use std::panic::catch_unwind;

use super::references;
use super::tree::{self, TreePosition};

pub use address::{comparable, comparable_xtext};
pub use signs::may_be;

use phrases::Wording;
use pieces::Pieces;
use signs::Signs;

/// What a message from a mail system, or one that looks like it, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// At least one recipient will not get it.
    Bounce,
    /// It is late; the system goes on trying.
    Delay,
    /// It arrived, or was passed on to a system that does not report.
    Delivery,
    /// A recipient called it spam (RFC 5965).
    Complaint,
    /// Somebody is away, or a robot says hello (RFC 3834).
    AutoReply,
    /// A recipient's program says that it was shown (RFC 8098).
    ReadReceipt,
}

/// What happened to the message for one recipient (RFC 3464, 2.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Given up.
    Failed,
    /// Not yet delivered, still tried.
    Delayed,
    /// Delivered.
    Delivered,
    /// Passed on to a system that makes no reports.
    Relayed,
    /// Delivered to a list, which sends it on.
    Expanded,
}

/// One recipient of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// The address the sender had written (ORCPT), where the report has it.
    pub original: Option<String>,
    /// The address the reporting system had in the end, or the one that stands in its text.
    pub address: Option<String>,
    /// What happened.
    pub action: Action,
    /// The enhanced status, such as `5.1.1`.
    pub status: Option<String>,
    /// What the system said, on one line; may be empty.
    pub diagnostic: String,
}

/// What a report says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What it is.
    pub kind: Kind,
    /// Message-IDs of the message it returns or names, best first, without angle brackets.
    pub original_ids: Vec<String>,
    /// What it answers: In-Reply-To, else the last of References.
    pub answered_ids: Vec<String>,
    /// The id that the sender gave to the transaction (RFC 3461, ENVID).
    pub envelope_id: Option<String>,
    /// Whom it is about, in the order in which they are named; one without an address where it names nobody.
    pub recipients: Vec<Recipient>,
    /// To whom the message was addressed that it returns. A report on somebody it was forwarded to names only that one.
    pub returned_to: Vec<String>,
}

/// So many recipients and ids of one report are kept: more than a message of ours may have.
const MOST: usize = 1000;

/// Reads a message's bytes; `None` for what is no report of any kind.
#[must_use]
pub fn report(bytes: &[u8]) -> Option<Report> {
    // As in `parse::message`: a panic would be a mistake in a decoder, and one mail must not stop the others.
    catch_unwind(|| read(&super::with_line_feeds(bytes), true)).ok().flatten()
}

fn read(bytes: &[u8], is_outer: bool) -> Option<Report> {
    let tree = tree::read(bytes, TreePosition::default());
    let header = &tree.parts.first()?.header;
    let pieces = Pieces::of(&tree);
    let signs = Signs::of(header, &pieces);
    let mut report = Report {
        kind: Kind::Bounce,
        original_ids: returned::ids(&pieces),
        answered_ids: answered(header),
        envelope_id: None,
        recipients: Vec::new(),
        returned_to: returned::recipients(&pieces),
    };
    if let Some(kind) = signs.other_kind() {
        report.kind = kind;
        return Some(report);
    }
    if !signs.is_report(!report.original_ids.is_empty()) {
        return signs.is_auto_reply().then_some(Report { kind: Kind::AutoReply, ..report });
    }
    let statuses = pieces.statuses();
    report.envelope_id = statuses.envelope_id;
    report.recipients = statuses.recipients;
    let is_told_to_machines = report.recipients.iter().any(is_named);
    complete(&mut report.recipients, &pieces, &signs);
    if let Some(inner) = pieces.inner.as_deref().filter(|_| is_outer && !is_told_to_machines) {
        report.pass_on(inner);
    }
    report.recipients.truncate(MOST);
    report.kind = kind_of(&report.recipients, signs.wording);
    Some(report)
}

impl Report {
    /// Takes what the report says that this one returns: it is what came back, and this one only passes it on.
    fn pass_on(&mut self, inner: &[u8]) {
        let Some(inner) = read(inner, false).filter(|inner| inner.recipients.iter().any(is_named)) else {
            return;
        };
        self.original_ids.extend(inner.original_ids);
        self.recipients = inner.recipients;
        self.returned_to = inner.returned_to;
    }
}

fn is_named(recipient: &Recipient) -> bool {
    recipient.original.is_some() || recipient.address.is_some()
}

/// Adds what only the text and the header say: a status without an address, or no status at all, is common.
fn complete(recipients: &mut Vec<Recipient>, pieces: &Pieces, signs: &Signs) {
    let overall = recipients.first().map_or(signs.wording.action(), |first| first.action);
    if recipients.iter().any(is_named) {
        return;
    }
    let said = recipients.first().cloned();
    let mut named = free_text::recipients(&pieces.notice, signs, overall);
    if named.is_empty() {
        named.push(free_text::nobody(&pieces.notice, overall));
    }
    *recipients = named.into_iter().map(|recipient| with_status(recipient, said.as_ref())).collect();
}

fn with_status(recipient: Recipient, said: Option<&Recipient>) -> Recipient {
    let Some(said) = said else { return recipient };
    let diagnostic = if said.diagnostic.is_empty() { recipient.diagnostic } else { said.diagnostic.clone() };
    Recipient {
        action: said.action,
        status: said.status.clone().or(recipient.status),
        diagnostic,
        ..recipient
    }
}

/// In-Reply-To names what a report is about. References is a history, in which only the last one is.
fn answered(header: &super::header::Header<'_>) -> Vec<String> {
    let answered = references::answered(header.all("In-Reply-To"));
    if answered.is_empty() {
        references::ids(header.all("References")).pop().into_iter().collect()
    } else {
        answered
    }
}

/// The worst that happened to anyone.
fn kind_of(recipients: &[Recipient], wording: Wording) -> Kind {
    let worst = recipients.iter().map(|recipient| recipient.action).min_by_key(|action| match action {
        Action::Failed => 0,
        Action::Delayed => 1,
        _ => 2,
    });
    match worst.unwrap_or_else(|| wording.action()) {
        Action::Failed => Kind::Bounce,
        Action::Delayed => Kind::Delay,
        _ => Kind::Delivery,
    }
}

#[cfg(test)]
mod tests;
