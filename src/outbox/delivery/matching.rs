//! Which item a report is about, and which of its recipients. Nothing is guessed where a report names another message.

use crate::model::{Channel, DraftId, DraftKey, Recipients};
use crate::outbox::OutboxError;
use crate::parse::bounce::{self, Action, Recipient, Report};
use crate::store::{Item, Reader};

/// A report comes back within so many seconds of what it is about; mail systems give up after five days.
const LATEST: i64 = 5 * 86_400;
/// So much may two clocks differ.
const SKEW: i64 = 3600;

/// What a report says of one recipient of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    /// As the item has it.
    pub recipient: String,
    /// `None`: of one of the recipients, nobody knows which.
    pub action: Option<Action>,
    /// Why, on one line.
    pub detail: String,
}

/// An item and what a report says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub draft: DraftKey,
    pub said: Vec<Said>,
    /// Whether only recipient and time fit.
    pub is_probable: bool,
}

/// Finds what a report is about.
pub(super) fn find(reader: &Reader, report: &Report, arrival: i64) -> Result<Option<Match>, OutboxError> {
    if let Some(item) = known(reader, report)? {
        return Ok(Some(named_in(reader, report, &item)?));
    }
    // Whoever names a message that is not ours speaks of that one, whatever else fits.
    if report.original_ids.is_empty() && report.answered_ids.is_empty() && report.envelope_id.is_none() {
        return by_time(reader, report, arrival);
    }
    Ok(None)
}

/// The item whose id the report knows: in what it returns, in what it answers, or as the id of the transaction.
fn known(reader: &Reader, report: &Report) -> Result<Option<Item>, OutboxError> {
    for id in report.original_ids.iter().chain(&report.answered_ids) {
        if let Some(item) = reader.item_by_message_id(id)?.filter(may_be_reported) {
            return Ok(Some(item));
        }
    }
    let id = report.envelope_id.as_deref().and_then(DraftId::parse);
    let item = id.map(|id| reader.item(id)).transpose()?.flatten();
    Ok(item.filter(may_be_reported))
}

fn may_be_reported(item: &Item) -> bool {
    item.channel == Channel::Mail && item.draft.state.may_have_left()
}

/// What the report says of the recipients of an item that it knows.
fn named_in(reader: &Reader, report: &Report, item: &Item) -> Result<Match, OutboxError> {
    let recipients = &item.draft.recipients;
    let mut said: Vec<Said> = report.recipients.iter().filter_map(|told| said_of(told, recipients)).collect();
    if said.is_empty() {
        said = unnamed(reader, report, item)?;
    }
    Ok(Match { draft: item.draft.key, said, is_probable: false })
}

fn said_of(told: &Recipient, recipients: &Recipients) -> Option<Said> {
    // What the sender had written (ORCPT) counts before what the last system made of it.
    let recipient =
        [&told.original, &told.address].into_iter().flatten().find_map(|named| of(recipients, named))?;
    Some(Said { recipient, action: Some(told.action), detail: detail(told) })
}

/// The recipient with this address, as the item has it.
fn of(recipients: &Recipients, named: &str) -> Option<String> {
    let spellings = [bounce::comparable(named), bounce::comparable_xtext(named)];
    let mut all = recipients.all().map(|to| &to.address);
    all.find(|address| spellings.contains(&bounce::comparable(address))).cloned()
}

/// A report that names nobody the item was sent to: it was forwarded there, or it is forged. Where it returns the message
/// and that had one recipient, it is about that one; else only noted.
fn unnamed(reader: &Reader, report: &Report, item: &Item) -> Result<Vec<Said>, OutboxError> {
    let Some(told) = report.recipients.first() else { return Ok(Vec::new()) };
    let all: Vec<_> = item.draft.recipients.all().map(|to| to.address.clone()).collect();
    let only = match all.as_slice() {
        [only] => report.returned_to.iter().any(|to| bounce::comparable(to) == bounce::comparable(only)),
        _ => false,
    };
    if names_someone_else(reader, report, item)? {
        return Ok(Vec::new());
    }
    let action = only.then_some(told.action);
    let note = |recipient: String| Said { recipient, action, detail: elsewhere(told, only) };
    Ok(all.into_iter().map(note).collect())
}

/// Whether it names a recipient of another item of ours, which no forward explains.
fn names_someone_else(reader: &Reader, report: &Report, item: &Item) -> Result<bool, OutboxError> {
    let named: Vec<&String> =
        report.recipients.iter().flat_map(|told| [&told.original, &told.address]).flatten().collect();
    if named.is_empty() {
        return Ok(false);
    }
    let others = reader.sent_beside(item.draft.key)?;
    Ok(others.iter().any(|(_, recipients)| named.iter().any(|named| of(recipients, named).is_some())))
}

/// What fits by recipient and time, if that is one item.
fn by_time(reader: &Reader, report: &Report, arrival: i64) -> Result<Option<Match>, OutboxError> {
    let sent = reader.sent_between(arrival - LATEST, arrival + SKEW)?;
    let mut fitting = sent.iter().filter_map(|(draft, recipients)| {
        let said: Vec<Said> = report.recipients.iter().filter_map(|told| said_of(told, recipients)).collect();
        (!said.is_empty()).then_some(Match { draft: *draft, said, is_probable: true })
    });
    let first = fitting.next();
    Ok(first.filter(|_| fitting.next().is_none()))
}

/// Status and words of a report; a code that the words begin with is not said twice.
fn detail(told: &Recipient) -> String {
    match &told.status {
        Some(status) if told.diagnostic.contains(status.as_str()) => told.diagnostic.clone(),
        Some(status) => format!("{status} {}", told.diagnostic).trim_end().to_owned(),
        None => told.diagnostic.clone(),
    }
}

fn elsewhere(told: &Recipient, is_only: bool) -> String {
    let whom = told.address.as_deref().or(told.original.as_deref());
    match (whom, is_only) {
        (Some(address), true) => format!("at {address}: {}", detail(told)),
        (None, true) => detail(told),
        (Some(address), false) => {
            format!("a report names {address} and may mean one of your recipients: {}", detail(told))
        }
        (None, false) => {
            format!("a report names nobody and may mean one of your recipients: {}", detail(told))
        }
    }
}
