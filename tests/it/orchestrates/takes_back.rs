//! The person's last word counts: whatever they do to a note after a yes takes the yes back.

use std::fs;

use mailkeep::model::ItemState;
use mailkeep::outbox::approval::{Door, Proof};

use crate::orchestrates::{Desk, field, letter};

/// Something that a person does to a note in `Approved` to which they had said yes.
type Edit = (&'static str, fn(&Desk));

const EDITS: [Edit; 7] = [
    ("moved back and put off", |desk| {
        desk.moves("Approved/a.md", "Drafts/a.md");
        desk.change("Drafts/a.md", "status: pending_approval", "status: hold");
    }),
    ("put off where it lies", |desk| {
        desk.change("Approved/a.md", "status: pending_approval", "status: hold")
    }),
    ("without a recipient", |desk| desk.change("Approved/a.md", "to: bob@stone.example\n", "")),
    ("with a recipient that is none", |desk| {
        desk.change("Approved/a.md", "bob@stone.example", "nobody at all")
    }),
    ("broken", |desk| desk.change("Approved/a.md", "to: bob@stone.example", "to: [bob@stone.example")),
    ("deleted", |desk| fs::remove_file(desk.path("Approved/a.md")).unwrap()),
    ("moved elsewhere", |desk| {
        fs::create_dir(desk.path("Later")).unwrap();
        desk.moves("Approved/a.md", "Later/a.md");
    }),
];

/// A note whose move was a yes, while nothing is sent.
fn approved() -> Desk {
    let desk = Desk::trusting();
    desk.has_waiting("a.md", "Hello.");
    desk.moves("Drafts/a.md", "Approved/a.md");
    desk.outgoing.approvals().pause().unwrap();
    desk.orchestrate();
    assert_eq!(desk.item("Approved/a.md").draft.state, ItemState::Approved);
    desk
}

#[test]
fn a_yes_does_not_outlive_what_the_person_did_to_the_note_after_it() {
    for (name, edit) in EDITS {
        let desk = approved();
        let item = desk.item("Approved/a.md");
        edit(&desk);
        desk.outgoing.approvals().resume(&Proof::click()).unwrap();

        desk.orchestrate();
        desk.later(60);
        desk.orchestrate();

        assert!(desk.left().is_empty(), "{name}: {:?}", desk.left());
        assert_eq!(desk.outgoing.state(&item), ItemState::Withdrawn, "{name}");
    }
}

#[test]
fn a_note_that_is_well_again_is_asked_about_again_and_its_old_yes_stays_void() {
    let desk = approved();
    let (item, text) = (desk.item("Approved/a.md"), desk.read("Approved/a.md"));
    desk.write("Approved/a.md", &text.replace("to: bob", "to: [bob"));
    desk.orchestrate();
    desk.write("Approved/a.md", &text);
    desk.outgoing.approvals().resume(&Proof::click()).unwrap();

    desk.orchestrate();
    desk.later(60);
    desk.orchestrate();

    assert!(desk.left().is_empty());
    assert_eq!(desk.outgoing.state(&item), ItemState::PendingApproval);
    let note = desk.read("Approved/a.md");
    assert!(field(&note, "approval").unwrap().contains("30 s"), "{note}");
}

#[test]
fn what_a_note_no_longer_asks_for_nobody_can_approve_on_the_page() {
    let desk = Desk::usual();
    desk.has_waiting("a.md", "Hello.");
    let item = desk.item("Drafts/a.md");
    desk.change("Drafts/a.md", "status: pending_approval", "status: hold");
    desk.orchestrate();

    let id = item.draft.id.to_string();
    let answer = desk.outgoing.approvals().approve(&id, &item.hash(), Door::Page, &Proof::click());

    assert!(answer.is_err() && desk.outgoing.state(&item) == ItemState::Withdrawn);
    assert_eq!(field(&desk.read("Drafts/a.md"), "status").as_deref(), Some("hold"));
    desk.change("Drafts/a.md", "status: hold", "status: pending_approval");
    desk.orchestrate();
    assert_eq!(desk.outgoing.state(&item), ItemState::PendingApproval);
}

#[test]
fn a_text_that_was_changed_and_changed_back_between_two_looks_is_not_approved() {
    let desk = Desk::trusting();
    desk.has_waiting("a.md", "Send me the money.");
    let evil = desk.read("Drafts/a.md");
    desk.write("Drafts/a.md", &letter("All the best."));
    desk.write("Drafts/a.md", &evil);
    desk.moves("Drafts/a.md", "Approved/a.md");

    desk.orchestrate();
    desk.later(3_600);
    desk.orchestrate();

    assert!(desk.left().is_empty());
    assert_eq!(desk.item("Approved/a.md").draft.state, ItemState::PendingApproval);
}

#[test]
fn two_notes_that_a_tool_has_change_places_and_change_back_are_not_approved() {
    let desk = Desk::trusting();
    desk.write("Drafts/good.md", &letter("All the best."));
    desk.has_waiting("a.md", "Send me the money.");
    let tools = mailkeep::vault::ToolVault::at(desk.vault.clone(), desk.outgoing.clock());
    let places = [("a", "b"), ("good", "a"), ("a", "good"), ("b", "a")];
    for (from, to) in places {
        let path = |name| mailkeep::vault::VaultPath::new(&format!("Drafts/{name}.md")).unwrap();
        tools.rename(&path(from), &path(to)).unwrap();
    }
    desk.moves("Drafts/a.md", "Approved/a.md");

    desk.orchestrate();
    desk.later(3_600);
    desk.orchestrate();

    assert!(desk.left().is_empty());
    assert_eq!(desk.item("Approved/a.md").draft.state, ItemState::PendingApproval);
}
