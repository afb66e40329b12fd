//! Lists: what waits, what is leaving, what was decided; and the switch that stops all sending.

use askama::Template;
use axum::http::StatusCode;

use crate::figures::grouped;
use crate::model::ItemState;
use crate::outbox::approval::passkey::Purpose;
use crate::outbox::overview::{Line, More};
use crate::query::iso_date;
use crate::text_safety::{brief, plain_line};
use crate::web::answer::Answer;
use crate::web::form::Form;
use crate::web::frame::Frame;
use crate::web::outbox::decide::proof;
use crate::web::trouble::Trouble;
use crate::web::visit::Visit;

/// Decided items on the first page, and on a page of the history.
const LATELY: usize = 8;
const PAGE: usize = 50;
/// Recipients that a row names.
const NAMED: usize = 3;
/// The longest words of a row.
const LONGEST: usize = 160;

/// An item in a list.
pub(super) struct Row {
    id: String,
    code: String,
    subject: String,
    to: String,
    client: Option<String>,
    time: String,
    moment: String,
    state: Option<&'static str>,
    tone: &'static str,
    reason: Option<String>,
}

#[derive(Template)]
#[template(path = "list.html")]
struct ListPage {
    frame: Frame,
    heading: String,
    waiting: Vec<Row>,
    leaving: Vec<Row>,
    unknown: Vec<Row>,
    more: More,
    recent: Vec<Row>,
}

#[derive(Template)]
#[template(path = "history.html")]
struct HistoryPage {
    frame: Frame,
    rows: Vec<Row>,
    newer: Option<usize>,
    older: Option<usize>,
}

pub(super) fn show(visit: &Visit<'_>) -> Result<Answer, Trouble> {
    let overview = &visit.pages.parts.overview;
    let board = overview.board()?;
    let rows = |lines: &[Line]| lines.iter().map(|line| row(visit, line)).collect::<Vec<_>>();
    let recent = overview.history(LATELY, 0)?;
    let recent: Vec<_> = recent.into_iter().filter(|line| line.state != ItemState::Unknown).collect();
    let heading = match board.count_waiting() {
        1 => "1 message waits for your yes".to_owned(),
        count => format!("{} messages wait for your yes", grouped(count)),
    };
    let page = ListPage {
        frame: visit.frame_over(&board, "Outbox", "outbox")?,
        heading,
        waiting: rows(&board.waiting),
        leaving: rows(&board.leaving),
        unknown: rows(&board.unknown),
        more: board.more,
        recent: rows(&recent),
    };
    Ok(Answer::page(StatusCode::OK, &page))
}

pub(super) fn history(visit: &Visit<'_>) -> Result<Answer, Trouble> {
    let from: usize = visit.query.get("from").parse().unwrap_or_default();
    let lines = visit.pages.parts.overview.history(PAGE + 1, from)?;
    let rows = lines.iter().take(PAGE).map(|line| row(visit, line)).collect();
    let page = HistoryPage {
        frame: visit.frame("History", "history")?,
        rows,
        newer: (from > 0).then(|| from.saturating_sub(PAGE)),
        older: (lines.len() > PAGE).then_some(from + PAGE),
    };
    Ok(Answer::page(StatusCode::OK, &page))
}

fn row(visit: &Visit<'_>, line: &Line) -> Row {
    let is_waiting = line.state == ItemState::PendingApproval;
    let epoch = if is_waiting { line.proposed } else { line.changed };
    let (state, tone) = state_words(line.state);
    let short = |text: &str| brief(&plain_line(text), LONGEST).into_owned();
    Row {
        id: line.id.clone(),
        code: line.code.clone(),
        subject: subject(&line.subject),
        to: whom(&line.to),
        client: line.client.as_deref().map(short),
        time: visit.time(epoch),
        moment: iso_date(epoch),
        state: (!is_waiting).then_some(state),
        tone,
        reason: line.reason.as_deref().filter(|_| !is_waiting).map(short),
    }
}

/// A subject as lists and titles show it.
pub(super) fn subject(text: &str) -> String {
    brief(&whole_subject(text), LONGEST).into_owned()
}

/// A subject as it is shown.
pub(super) fn whole_subject(text: &str) -> String {
    match plain_line(text) {
        text if text.is_empty() => "(no subject)".to_owned(),
        text => text,
    }
}

fn whom(to: &[String]) -> String {
    let named: Vec<_> =
        to.iter().take(NAMED).map(|to| brief(&plain_line(to), LONGEST).into_owned()).collect();
    match to.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// A state in words, and how it is coloured.
pub(super) const fn state_words(state: ItemState) -> (&'static str, &'static str) {
    match state {
        ItemState::Draft => ("a draft again", ""),
        ItemState::PendingApproval => ("waits for your yes", ""),
        ItemState::Approved => ("approved", "good"),
        ItemState::Sending => ("being sent", "good"),
        ItemState::Sent => ("sent", "good"),
        ItemState::Failed => ("not sent", "bad"),
        ItemState::Unknown => ("may have left", "warn"),
        ItemState::Rejected => ("rejected", ""),
        ItemState::Withdrawn => ("withdrawn by the assistant", ""),
        ItemState::Cancelled => ("taken back", ""),
        ItemState::Expired => ("expired: nobody decided in time", ""),
    }
}

pub(super) fn pause(visit: &Visit<'_>, form: &Form) -> Result<Answer, Trouble> {
    visit.check(form, "", "")?;
    visit.pages.parts.approvals.pause()?;
    Ok(visit.see("/outbox?done=paused"))
}

pub(super) fn resume(visit: &Visit<'_>, form: &Form) -> Result<Answer, Trouble> {
    visit.check(form, "", "")?;
    let proof = proof(visit, form, &Purpose::Resume)?;
    visit.pages.parts.approvals.resume(&proof)?;
    Ok(visit.see("/outbox?done=resumed"))
}
