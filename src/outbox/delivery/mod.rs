//! What became of what was sent: looks through new mail for reports and notes what they say, recipient by recipient; and
//! through new sent mail for copies, and notes what a provider changed in them.
//! A report is a stranger's mail. It changes an item only when it knows its id and names its recipient; what fits by
//! recipient and time alone is marked as such; nothing is ever sent because of one.

mod comparison;
mod copies;
mod matching;
mod verdict;

use serde_json::json;

use crate::clock::Clock;
use crate::home::Home;
use crate::model::{ItemState, MessageKey};
use crate::outbox::OutboxError;
use crate::parse::bounce::{self, Kind, Report};
use crate::store::{AuditEntry, Delivery, DeliveryStatus, Item, Reader, Store, StoreError, WriteTransaction};

use matching::Match;

/// So many messages are looked at in one step, and so many reports read: others want to write too.
const ROWS: usize = 20_000;
const REPORTS: usize = 200;
/// How long a report waits for an id of ours to become known.
const WAIT: i64 = 5 * 86_400;

/// What a look through new mail came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Looked {
    /// How many messages are new since the last look.
    pub messages: usize,
    /// How many of them report on a delivery.
    pub reports: usize,
    /// How many recipients are known to be better or worse off.
    pub changes: usize,
    /// How many copies among the sent mail are not what had left.
    pub changed_copies: usize,
}

/// A report that was read, and what it is about.
struct Read {
    message: MessageKey,
    arrival: i64,
    ids: Vec<String>,
    matched: Option<Match>,
}

/// Looks through the mail that came in since the last look. A kill anywhere loses nothing and repeats nothing: how far it
/// got is written together with what was found.
pub fn look(home: &Home, clock: &Clock) -> Result<Looked, OutboxError> {
    let mut looked = Looked::default();
    let reader = match Reader::open(&home.store()) {
        Err(StoreError::Missing { .. }) => return Ok(looked),
        other => other?,
    };
    // A copy may tell an id that reports wait for.
    while copies::step(home, clock, &reader, &mut looked)? {}
    late(home, clock, &reader, &mut looked)?;
    while step(home, clock, &reader, &mut looked)? {}
    Ok(looked)
}

/// Looks at the next messages; says whether there are more.
fn step(home: &Home, clock: &Clock, reader: &Reader, looked: &mut Looked) -> Result<bool, OutboxError> {
    let cursor = reader.report_cursor()?;
    if cursor.seen >= cursor.newest {
        return Ok(false);
    }
    if !reader.has_left_anything()? {
        return skip(home, cursor.seen, cursor.newest);
    }
    let (candidates, until) = candidates(reader, cursor.seen, looked)?;
    let reports = candidates.iter().map(|key| read(reader, *key)).collect::<Result<Vec<_>, _>>()?;
    let mut store = Store::open_existing(&home.store())?;
    let tx = store.begin()?;
    if !tx.note_reports_seen(cursor.seen, until)? {
        // Another process was faster: what it has seen is done.
        return Ok(true);
    }
    for report in reports.iter().flatten() {
        looked.reports += 1;
        looked.changes += note(&tx, report, clock)?;
    }
    tx.end_waits_before(clock.now().as_second() - WAIT)?;
    tx.commit()?;
    Ok(true)
}

/// Nothing has left that a report could be about.
fn skip(home: &Home, from: i64, to: i64) -> Result<bool, OutboxError> {
    let mut store = Store::open_existing(&home.store())?;
    let tx = store.begin()?;
    let moved = tx.note_reports_seen(from, to)?;
    tx.commit()?;
    Ok(!moved)
}

/// Which of the next messages may be reports, and up to which row that is.
fn candidates(
    reader: &Reader,
    seen: i64,
    looked: &mut Looked,
) -> Result<(Vec<MessageKey>, i64), OutboxError> {
    let headlines = reader.headlines_after(seen, ROWS)?;
    let Some(last) = headlines.last().map(|headline| headline.key.0) else { return Ok((Vec::new(), seen)) };
    let with_parts = reader.with_report_parts(seen, last)?;
    let mut candidates = Vec::new();
    for headline in headlines {
        looked.messages += 1;
        let may_be = bounce::may_be(&headline.name, &headline.address, &headline.subject);
        if may_be || with_parts.binary_search(&headline.key).is_ok() {
            candidates.push(headline.key);
        }
        if candidates.len() == REPORTS {
            return Ok((candidates, headline.key.0));
        }
    }
    Ok((candidates, last))
}

/// Reads a message and finds what it is about; `None` for what reports on no delivery, or is gone meanwhile.
fn read(reader: &Reader, message: MessageKey) -> Result<Option<Read>, OutboxError> {
    let Some(arrival) = reader.arrival_of(message)? else { return Ok(None) };
    let report = bounce::report(&reader.raw(message)?);
    let Some(report) = report.filter(is_on_delivery) else { return Ok(None) };
    let matched = matching::find(reader, &report, arrival)?;
    let ids = report.original_ids.into_iter().chain(report.answered_ids).collect();
    Ok(Some(Read { message, arrival, ids, matched }))
}

fn is_on_delivery(report: &Report) -> bool {
    matches!(report.kind, Kind::Bounce | Kind::Delay | Kind::Delivery)
}

/// Reports that came in before the id they name was known as one of ours.
fn late(home: &Home, clock: &Clock, reader: &Reader, looked: &mut Looked) -> Result<(), OutboxError> {
    let late = reader.late_reports()?;
    if late.is_empty() {
        return Ok(());
    }
    let reports = late.iter().map(|key| read(reader, *key)).collect::<Result<Vec<_>, _>>()?;
    let mut store = Store::open_existing(&home.store())?;
    let tx = store.begin()?;
    for (key, report) in late.iter().zip(&reports) {
        let still_waits = tx.end_wait(*key)?;
        if let Some(report) = report.as_ref().filter(|report| still_waits && report.matched.is_some()) {
            looked.changes += note(&tx, report, clock)?;
        }
    }
    tx.commit()?;
    Ok(())
}

/// Writes down what a report says; returns how many recipients that changes.
fn note(tx: &WriteTransaction<'_>, report: &Read, clock: &Clock) -> Result<usize, OutboxError> {
    let Some(matched) = &report.matched else {
        tx.await_ids(report.message, &report.ids)?;
        return Ok(0);
    };
    let known = tx.deliveries_of(matched.draft)?;
    let Some(item) = tx.item(matched.draft)?.filter(|item| item.draft.state.may_have_left()) else {
        return Ok(0);
    };
    let mut changes = 0;
    for said in &matched.said {
        let before = known
            .iter()
            .find(|delivery| bounce::comparable(&delivery.recipient) == bounce::comparable(&said.recipient));
        let Some(mut delivery) = verdict::after(before, said, matched.is_probable) else { continue };
        delivery.epoch = report.arrival;
        delivery.message = Some(report.message);
        tx.put_delivery(matched.draft, &delivery)?;
        let is_news = before.is_none_or(|before| before.status != delivery.status);
        if is_news && delivery.status != DeliveryStatus::Sent {
            tell(tx, &item, &delivery, clock)?;
            changes += 1;
        }
    }
    Ok(changes)
}

fn tell(
    tx: &WriteTransaction<'_>,
    item: &Item,
    delivery: &Delivery,
    clock: &Clock,
) -> Result<(), OutboxError> {
    let body = json!({
        "recipient": delivery.recipient,
        "status": delivery.status.name(),
        "probably": delivery.is_probable,
        "report": delivery.message.map(|message| message.0),
    });
    let at_ms = clock.now().as_millisecond();
    tx.append_audit(&AuditEntry { kind: "reported", item: Some(item.draft.id), at_ms, body })?;
    Ok(())
}

/// What to answer when somebody asks whether it arrived: its state, or what reports say of what was sent. What only
/// probably happened is told beside it, recipient by recipient, and does not change the answer.
#[must_use]
pub fn answer(state: ItemState, deliveries: &[Delivery]) -> &'static str {
    let certain = |status| move |delivery: &Delivery| delivery.status == status && !delivery.is_probable;
    if state != ItemState::Sent {
        state.name()
    } else if deliveries.iter().any(certain(DeliveryStatus::Bounced)) {
        DeliveryStatus::Bounced.name()
    } else if !deliveries.is_empty() && deliveries.iter().all(certain(DeliveryStatus::Delivered)) {
        DeliveryStatus::Delivered.name()
    } else {
        state.name()
    }
}
