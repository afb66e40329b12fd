//! A process that dies between any two steps: nothing is sent twice, no note is lost, and the next one goes on.

use crate::orchestrates::{Desk, field};
use crate::world::chat_model::{ChatDouble, Says};
use crate::world::told;

/// Of so many points one is tried; `MAILKEEP_KILL_EVERY` = 1 tries all of them.
fn every(usual: usize) -> usize {
    std::env::var("MAILKEEP_KILL_EVERY").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// Looks once, and dies at this point; whether it came so far.
fn dies_at(desk: &Desk, point: usize) -> bool {
    let output = desk.orchestration().env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap();
    let has_ended = output.status.code().is_some();
    assert!(
        has_ended || std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(6),
        "{}",
        told(&output)
    );
    !has_ended
}

/// The way from a mail to its answer, with a process that dies at a point of each look.
fn survives(first: usize, second: usize) -> (bool, bool) {
    let chat = ChatDouble::saying([Says::decision("draft_reply", "reply", "Yes, gladly.")]);
    let desk = Desk::trusting().configured(&chat.settings());
    desk.receives("Hello", "Will you come?");

    let died_first = dies_at(&desk, first);
    desk.orchestrate();
    let drafts = desk.notes("Drafts");
    assert_eq!(drafts.len(), 1, "point {first}: {:?}", desk.all());
    let (draft, emails) = (desk.read(&format!("Drafts/{}", drafts[0])), desk.notes("Needs_Action"));
    assert!(draft.contains("Yes, gladly.") && field(&draft, "item").is_some(), "point {first}: {draft}");
    assert_eq!(emails.len(), 1, "point {first}");
    desk.later(60);
    desk.orchestrate();
    desk.later(60);
    desk.moves(&format!("Drafts/{}", drafts[0]), &format!("Approved/{}", drafts[0]));

    let died_second = dies_at(&desk, second);
    for _ in 0..2 {
        desk.later(60);
        desk.orchestrate();
    }

    assert_eq!(desk.left().len(), 1, "points {first} and {second}: {:?}", desk.all());
    assert_eq!(
        desk.notes("Done"),
        [emails[0].clone(), drafts[0].clone()],
        "points {first} and {second}: {:?}",
        desk.all()
    );
    let over = [desk.notes("Needs_Action"), desk.notes("Drafts"), desk.notes("Approved")];
    assert!(over.iter().all(Vec::is_empty), "points {first} and {second}: {:?}", desk.all());
    assert_eq!(field(&desk.read(&format!("Done/{}", drafts[0])), "status").as_deref(), Some("done"));
    (died_first, died_second)
}

#[test]
fn killed_anywhere_it_sends_once_and_loses_no_note() {
    let step = every(9);
    let (mut points, mut deaths) = (0, 0);
    for point in (1..).step_by(step) {
        let (first, second) = survives(point, point);
        points += 1;
        deaths += usize::from(first) + usize::from(second);
        if !first && !second {
            break;
        }
    }
    assert!(deaths >= points && points > 2, "{points} points, {deaths} deaths");
}
