//! One item whole, and several at once; its source, its files and what it looks like as HTML.

use askama::Template;
use axum::http::StatusCode;

use crate::model::ItemState;
use crate::outbox::approval::Door;
use crate::outbox::overview::{Line, Sight};
use crate::outbox::propose::Status;
use crate::web::answer::Answer;
use crate::web::frame::Frame;
use crate::web::outbox::card::{Card, short};
use crate::web::outbox::changes::Changes;
use crate::web::outbox::{others, state};
use crate::web::trouble::Trouble;
use crate::web::visit::Visit;

/// Reasons that are ready to be given; the assistant reads them.
pub(super) const REASONS: [&str; 5] =
    ["Not now", "Wrong recipient", "Wrong tone", "Not correct", "I will write myself"];
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
    /// Until when it can be taken back, in seconds since 1970, and in how many.
    undo: Option<(i64, i64)>,
    factor: &'static str,
    reasons: [&'static str; 5],
}

#[derive(Template)]
#[template(path = "all.html")]
struct AllPage {
    frame: Frame,
    cards: Vec<Card>,
    more: usize,
    factor: &'static str,
    outcomes: Vec<Outcome>,
}

/// What became of a box that was ticked.
pub(super) struct Outcome {
    pub(super) code: String,
    pub(super) words: String,
    pub(super) is_good: bool,
}

pub(super) fn show(visit: &Visit<'_>, id: &str) -> Result<Answer, Trouble> {
    page(visit, id, StatusCode::OK, None)
}

/// The page of an item that is not any more what was shown when something was decided about it.
pub(super) fn changed(visit: &Visit<'_>, id: &str) -> Result<Answer, Trouble> {
    let problem = "It was changed after you looked. Nothing was decided; here it is as it is now.";
    page(visit, id, StatusCode::CONFLICT, Some(problem.to_owned()))
}

/// The page of an item, with a word about why nothing was decided.
pub(super) fn page(
    visit: &Visit<'_>,
    id: &str,
    status: StatusCode,
    problem: Option<String>,
) -> Result<Answer, Trouble> {
    let in_force = visit.pages.parts.overview.in_force()?;
    // First how it stands, then the item: what changes in between is noticed.
    let stands = state(visit, id)?;
    let (sight, card) = sight(visit, id, in_force.policy.expire)?;
    let mut frame = visit.frame(&card.subject, "outbox")?;
    (frame.watch, frame.state) = (card.id.clone(), stands);
    let now = visit.pages.parts.clock.now().as_second();
    let event = |event: &crate::outbox::trail::Event| EventRow {
        time: visit.time(event.at_ms.div_euclid(1_000)),
        words: short(&event.words),
    };
    let known = visit.pages.parts.proposals.status(id)?;
    let page = ItemPage {
        frame,
        problem,
        changes: sight.since_seen.as_ref().filter(|_| card.is_waiting).map(Changes::of),
        trail: sight.trail.iter().map(event).collect(),
        others: others::count(&known),
        deliveries: deliveries(visit, &known),
        undo: sight.undo_left.filter(|left| *left > 0).map(|left| (now + left, left)),
        factor: in_force.factor.name(),
        reasons: REASONS,
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
    let mut cards = Vec::new();
    for line in board.waiting.iter().take(MOST_AT_ONCE) {
        let (sight, card) = sight(visit, &line.id, in_force.policy.expire)?;
        if visit.is_by_person() {
            let _ = overview.note_look(&sight.letter, Door::Page);
        }
        cards.push(card);
    }
    let page = AllPage {
        frame: visit.frame_over(&board, "All that waits", "outbox")?,
        more: board.waiting.len() - cards.len(),
        cards,
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
    let name = letter.files.iter().find(|file| file.part == part).and_then(|file| file.name.as_deref());
    Ok(Answer::file(&short(name.unwrap_or("file")).replace(['/', '\\'], "_"), bytes))
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
        return changed(visit, &asked.id);
    }
    let mut frame = visit.frame(&card.subject, "outbox")?;
    (frame.watch, frame.state) = (card.id.clone(), stands);
    Ok(Answer::page(StatusCode::OK, &ConfirmPage { frame, card, action, factor: in_force.factor.name() }))
}
