//! A process that dies between any two steps: nothing is sent twice, no note is lost, and the next one goes on.

use mailkeep::outbox::approval::{Door, Proof};

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

/// Tries points until a look comes to its end; how many there were.
fn tries_points(mut survives: impl FnMut(usize) -> bool) -> usize {
    (1..).step_by(every(9)).take_while(|point| survives(*point)).count()
}

#[test]
fn killed_anywhere_it_sends_once_and_loses_no_note() {
    let points = tries_points(|point| {
        let (first, second) = survives(point, point);
        first || second
    });

    assert!(points > 1, "{points} points");
}

/// What becomes of a message that a model decided so about.
type Becomes = fn(&Desk) -> bool;

#[test]
fn killed_anywhere_each_decision_becomes_what_it_says_once() {
    let decisions: [(&str, &str, Becomes); 4] = [
        ("archive", "reason", |desk| {
            let done = desk.notes("Done");
            desk.notes("Needs_Action").is_empty()
                && done.len() == 1
                && says(desk, "Done", "status: done") == 1
        }),
        ("needs_info", "question", |desk| {
            says(desk, "Needs_Action", "status: needs_info") == 1
                && says(desk, "Needs_Action", "## Needs info") == 1
        }),
        ("delegate", "delegate_to", |desk| {
            says(desk, "Needs_Action", "status: pending_approval") == 1
                && says(desk, "Needs_Action", "## Delegation") == 1
        }),
        ("urgent", "reply", |desk| {
            says(desk, "Needs_Action", "status: pending_approval") == 1
                && says(desk, "Drafts", "priority: urgent") == 1
        }),
    ];
    for (decision, field, becomes) in decisions {
        let points = tries_points(|point| {
            let chat = ChatDouble::saying([Says::decision(decision, field, "Some words.")]);
            let desk = Desk::trusting().configured(&chat.settings());
            desk.receives("Hello", "Will you come?");

            let has_died = dies_at(&desk, point);
            desk.orchestrate();

            assert!(becomes(&desk), "{decision} at {point}: {:?}", desk.all());
            has_died
        });
        assert!(points > 0, "{decision}");
    }
}

#[test]
fn killed_anywhere_what_was_approved_on_the_page_is_sent_once() {
    let points = tries_points(|point| {
        let mut desk = Desk::usual();
        desk.has_waiting("a.md", "Hello.");
        let item = desk.item("Drafts/a.md");
        desk.outgoing.now = desk.now();
        let id = item.draft.id.to_string();
        desk.outgoing.approvals().approve(&id, &item.hash(), Door::Page, &Proof::click()).unwrap();

        let has_died = dies_at(&desk, point);
        for _ in 0..2 {
            desk.later(60);
            desk.orchestrate();
        }

        assert_eq!((desk.left().len(), desk.notes("Done")), (1, vec!["a.md".to_owned()]), "point {point}");
        has_died
    });

    assert!(points > 0);
}

/// How often the notes of a folder say this.
fn says(desk: &Desk, folder: &str, words: &str) -> usize {
    let texts = desk.notes(folder).into_iter().map(|name| desk.read(&format!("{folder}/{name}")));
    texts.map(|text| text.matches(words).count()).sum()
}
