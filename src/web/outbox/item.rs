//! One item whole, and several at once; its source, its files and what it looks like as HTML.

use askama::Template;
use axum::http::StatusCode;

use crate::model::ItemState;
use crate::outbox::approval::{Door, REASONS};
use crate::outbox::overview::{Line, Sight};
use crate::outbox::propose::Status;
use crate::web::answer::Answer;
use crate::web::frame::Frame;
use crate::web::outbox::card::{Card, short};
use crate::web::outbox::changes::Changes;
use crate::web::outbox::{others, state};
use crate::web::trouble::Trouble;
use crate::web::visit::Visit;

/// So many items stand on one page.
const MOST_AT_ONCE: usize = 20;

/// Something that happened.
struct EventRow {
    time: String,
    words: String,
}

/// What became of it for somebody.
struct DeliveryRow {
    recipient: String,
    status: &'static str,
    time: String,
    detail: String,
}

#[derive(Template)]
#[template(path = "item.html")]
struct ItemPage {
    frame: Frame,
    card: Card,
    /// Why nothing was decided.
    problem: Option<String>,
    /// What was changed since the person saw it.
    changes: Option<Changes>,
    trail: Vec<EventRow>,
    deliveries: Vec<DeliveryRow>,
    /// To how many it can be proposed when those are left out whom the server refused.
    others: Option<usize>,
    undo: Undo,
    factor: &'static str,
    reasons: &'static [&'static str],
}

/// Until when a yes can be taken back.
pub(super) struct Undo {
    /// In seconds since 1970, and in how many; `None`: it may leave at any moment.
    until: Option<(i64, i64)>,
}

impl Undo {
    fn of(left: Option<i64>, now: i64) -> Self {
        Self { until: left.filter(|left| *left > 0).map(|left| (now + left, left)) }
    }
}

/// An item on the page of all that waits.
struct Whole {
    card: Card,
    changes: Option<Changes>,
}

#[derive(Template)]
#[template(path = "all.html")]
struct AllPage {
    frame: Frame,
    items: Vec<Whole>,
    more: usize,
    factor: &'static str,
    outcomes: Vec<Outcome>,
}

/// What became of a box that was ticked.
pub(super) struct Outcome {
    pub(super) code: String,
    pub(super) words: String,
    /// What was approved, and can be taken back.
    pub(super) approved: Option<Approved>,
}

/// An item that was just approved, with what its form needs.
pub(super) struct Approved {
    id: String,
    hash: String,
    token: String,
    undo: Undo,
}

impl Approved {
    pub(super) fn of(visit: &Visit<'_>, id: &str, hash: &str) -> Result<Self, Trouble> {
        let now = visit.pages.parts.clock.now().as_second();
        let left = visit.pages.parts.overview.undo_left(id, now)?;
        let (id, hash, token) = (id.to_owned(), hash.to_owned(), visit.key.token(id, hash));
        Ok(Self { id, hash, token, undo: Undo::of(left, now) })
    }
}

impl Outcome {
    /// Nothing was decided.
    pub(super) fn undecided(code: &str, words: String) -> Self {
        Self { code: code.to_owned(), words, approved: None }
    }
}

/// Why nothing was decided.
pub(super) struct Refusal<'a> {
    pub(super) status: StatusCode,
    pub(super) problem: String,
    /// The hash of what the person saw, if it is another one by now.
    pub(super) shown: Option<&'a str>,
}

pub(super) fn show(visit: &Visit<'_>, id: &str) -> Result<Answer, Trouble> {
    page(visit, id, None)
}

/// The page of an item that is not any more what was shown when something was decided about it.
pub(super) fn changed(visit: &Visit<'_>, id: &str, shown: &str) -> Result<Answer, Trouble> {
    let problem = "It was changed after you looked. Nothing was decided; here it is as it is now.".to_owned();
    page(visit, id, Some(Refusal { status: StatusCode::CONFLICT, problem, shown: Some(shown) }))
}

/// What is different from what the person saw: in the form that they sent, else before.
pub(super) fn changes(
    visit: &Visit<'_>,
    sight: &Sight,
    shown: Option<&str>,
) -> Result<Option<Changes>, Trouble> {
    let id = &sight.letter.line.id;
    let since = shown.map(|shown| visit.pages.parts.overview.changes_since(id, shown)).transpose()?;
    Ok(since.flatten().as_ref().or(sight.since_seen.as_ref()).map(Changes::of))
}

/// The page of an item, with a word about why nothing was decided.
pub(super) fn page(visit: &Visit<'_>, id: &str, refusal: Option<Refusal<'_>>) -> Result<Answer, Trouble> {
    let in_force = visit.pages.parts.overview.in_force()?;
    // First how it stands, then the item: what changes in between is noticed.
    let stands = state(visit, id)?;
    let (sight, card) = sight(visit, id, in_force.policy.expire)?;
    let mut frame = visit.frame(&card.title, "outbox")?;
    (frame.watch, frame.state) = (card.id.clone(), stands);
    let now = visit.pages.parts.clock.now().as_second();
    let event = |event: &crate::outbox::trail::Event| EventRow {
        time: visit.time(event.at_ms.div_euclid(1_000)),
        words: short(&event.words),
    };
    let shown = refusal.as_ref().and_then(|refusal| refusal.shown);
    let changes = if card.is_waiting { changes(visit, &sight, shown)? } else { None };
    let (status, problem) = refusal.map_or((StatusCode::OK, None), |it| (it.status, Some(it.problem)));
    let known = visit.pages.parts.proposals.status(id)?;
    let page = ItemPage {
        frame,
        problem,
        changes,
        trail: sight.trail.iter().map(event).collect(),
        others: others::count(&known),
        deliveries: deliveries(visit, &known),
        undo: Undo::of(sight.undo_left, now),
        factor: in_force.factor.name(),
        reasons: &REASONS,
        card,
    };
    let answer = Answer::page(status, &page);
    if sight.letter.line.state == ItemState::PendingApproval && visit.is_by_person() {
        // What cannot be written down now is shown all the same.
        let _ = visit.pages.parts.overview.note_look(&sight.letter, Door::Page);
    }
    Ok(answer)
}

pub(super) fn sight(visit: &Visit<'_>, id: &str, expire: u32) -> Result<(Sight, Card), Trouble> {
    let now = visit.pages.parts.clock.now().as_second();
    visit.pages.with_archive(|archive| {
        let mut mentions = |address: &str| archive.mentions(address).ok().flatten();
        let sight = visit.pages.parts.overview.sight(id, &mut mentions, now)?;
        let card = Card::of(visit, &sight, archive, expire);
        Ok((sight, card))
    })
}

fn deliveries(visit: &Visit<'_>, status: &Status) -> Vec<DeliveryRow> {
    let rows = status.deliveries.iter().map(|delivery| DeliveryRow {
        recipient: short(&delivery.recipient),
        status: delivery.status.name(),
        time: visit.time(delivery.epoch),
        detail: short(delivery.detail.as_deref().unwrap_or_default()),
    });
    rows.collect()
}

/// Everything that waits, each item whole with a box of its own.
pub(super) fn all(visit: &Visit<'_>, outcomes: Vec<Outcome>) -> Result<Answer, Trouble> {
    let overview = &visit.pages.parts.overview;
    let (board, in_force) = (overview.board()?, overview.in_force()?);
    let mut items = Vec::new();
    for line in board.waiting.iter().take(MOST_AT_ONCE) {
        let (sight, card) = sight(visit, &line.id, in_force.policy.expire)?;
        if visit.is_by_person() {
            let _ = overview.note_look(&sight.letter, Door::Page);
        }
        items.push(Whole { card, changes: sight.since_seen.as_ref().map(Changes::of) });
    }
    let page = AllPage {
        frame: visit.frame_over(&board, "All that waits", "outbox")?,
        more: board.count_waiting() - items.len(),
        items,
        factor: in_force.factor.name(),
        outcomes,
    };
    Ok(Answer::page(StatusCode::OK, &page))
}

/// The HTML as it leaves, for a frame of an origin of its own.
pub(super) fn as_sent(visit: &Visit<'_>, id: &str) -> Result<Answer, Trouble> {
    let letter = visit.pages.parts.overview.letter(id)?;
    letter.html.map(|html| Answer::mail(html.source)).ok_or(Trouble::NoPage)
}

/// The bytes that leave, all but the date.
pub(super) fn source(visit: &Visit<'_>, id: &str) -> Result<Answer, Trouble> {
    let letter = visit.pages.parts.overview.letter(id)?;
    Ok(Answer::text(StatusCode::OK, &String::from_utf8_lossy(&letter.bytes)))
}

/// A file that goes along, to be saved.
pub(super) fn file(visit: &Visit<'_>, id: &str, part: &str) -> Result<Answer, Trouble> {
    let letter = visit.pages.parts.overview.letter(id)?;
    let bytes = letter.file(part).ok_or(Trouble::NoPage)?;
    let name = letter.files.iter().find(|file| file.part == part).map_or("", |file| &file.name);
    let name = if name.is_empty() { "file" } else { name };
    Ok(Answer::file(&short(name).replace(['/', '\\'], "_"), bytes))
}

#[derive(Template)]
#[template(path = "confirm.html")]
struct ConfirmPage {
    frame: Frame,
    card: Card,
    /// What it is that is asked: `approve` or `resend`.
    action: &'static str,
    factor: &'static str,
}

/// Asks once more about exactly what was shown, for a browser whose button could not wait: the button stands elsewhere.
pub(super) fn confirm(visit: &Visit<'_>, asked: &Line, action: &'static str) -> Result<Answer, Trouble> {
    let in_force = visit.pages.parts.overview.in_force()?;
    let stands = state(visit, &asked.id)?;
    let (_, card) = sight(visit, &asked.id, in_force.policy.expire)?;
    if card.hash != asked.hash {
        return changed(visit, &asked.id, &asked.hash);
    }
    let mut frame = visit.frame(&card.title, "outbox")?;
    (frame.watch, frame.state) = (card.id.clone(), stands);
    Ok(Answer::page(StatusCode::OK, &ConfirmPage { frame, card, action, factor: in_force.factor.name() }))
}
