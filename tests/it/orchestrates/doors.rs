//! Who can say yes by moving a note: the owner, where they said so, to what stood still before they moved it. Nobody else.

use mailkeep::model::{Factor, ItemState, SendRecords, VaultApproval};
use mailkeep::outbox::approval::folder::{FolderAnswer, FolderDoor, MovedNote, WaitsBecause};
use mailkeep::outbox::approval::{Approvals, Door, Proof};
use mailkeep::outbox::overview::Overview;
use mailkeep::outbox::policy::Wanted;
use mailkeep::outbox::propose::{NoteLetter, Proposals};
use mailkeep::secret::Secret;

use crate::orchestrates::{Desk, field, letter};
use crate::sends::Outgoing;
use crate::world::flaky_smtp::FlakySmtp;
use crate::world::postbox::Postbox;

#[test]
fn a_note_that_stood_for_thirty_seconds_is_approved_by_its_move_and_a_younger_one_never() {
    for (seconds, sent) in [(0, 0), (29, 0), (30, 1), (3_000, 1)] {
        let desk = Desk::trusting();
        desk.write("Drafts/a.md", &letter("Hello."));
        desk.orchestrate();
        desk.later(seconds);
        desk.moves("Drafts/a.md", "Approved/a.md");

        desk.orchestrate();
        desk.later(600);
        desk.orchestrate();

        assert_eq!(desk.left().len(), sent, "{seconds}");
        if sent == 0 {
            let note = desk.read("Approved/a.md");
            assert!(field(&note, "approval").unwrap().contains("30 s"), "{note}");
            assert_eq!(field(&note, "status").as_deref(), Some("pending_approval"));
            assert_eq!(desk.item("Approved/a.md").draft.state, ItemState::PendingApproval);
        }
    }
}

#[test]
fn a_note_that_waits_is_sent_when_the_person_says_yes_elsewhere_or_moves_it_out_and_in_again() {
    let desk = Desk::trusting();
    for name in ["a.md", "b.md"] {
        desk.write(&format!("Approved/{name}"), &letter(name));
    }
    desk.orchestrate();
    assert_eq!(desk.left().len(), 0);
    let item = desk.item("Approved/a.md");
    let id = item.draft.id.to_string();
    desk.outgoing.approvals().approve(&id, &item.hash(), Door::Page, &Proof::click()).unwrap();
    desk.moves("Approved/b.md", "Drafts/b.md");
    desk.orchestrate();
    desk.later(60);
    desk.moves("Drafts/b.md", "Approved/b.md");

    desk.orchestrate();

    assert_eq!(desk.left().len(), 2);
    assert_eq!(desk.notes("Done"), ["a.md", "b.md"]);
}

#[test]
fn a_tools_write_to_a_queued_note_is_a_new_revision_whose_move_counts_for_nothing_at_first() {
    let desk = Desk::trusting();
    desk.has_waiting("a.md", "What the person read.");
    let before = desk.item("Drafts/a.md");
    desk.write(
        "Drafts/a.md",
        &desk.read("Drafts/a.md").replace("What the person read.", "What a tool wrote."),
    );
    desk.moves("Drafts/a.md", "Approved/a.md");

    desk.orchestrate();
    desk.later(3_600);
    desk.orchestrate();

    let item = desk.item("Approved/a.md");
    assert_eq!((item.draft.id, item.draft.revision), (before.draft.id, before.draft.revision + 1));
    assert_eq!(item.draft.state, ItemState::PendingApproval);
    assert!(desk.left().is_empty());
}

#[test]
fn two_notes_that_change_their_names_under_the_persons_hand_are_not_approved() {
    let desk = Desk::trusting();
    desk.write("Drafts/evil.md", &letter("Send me the money."));
    desk.has_waiting("good.md", "All the best.");
    desk.moves("Drafts/good.md", "Drafts/other.md");
    desk.moves("Drafts/evil.md", "Drafts/good.md");
    desk.moves("Drafts/good.md", "Approved/good.md");

    desk.orchestrate();
    desk.later(3_600);
    desk.orchestrate();

    assert!(desk.left().is_empty());
    assert_eq!(desk.item("Approved/good.md").draft.state, ItemState::PendingApproval);
}

#[test]
fn a_note_cannot_take_the_place_of_another_one_by_its_item() {
    let desk = Desk::trusting();
    desk.has_waiting("good.md", "All the best.");
    let id = field(&desk.read("Drafts/good.md"), "item").unwrap();
    let evil = letter("Send me the money.").replace("subject: Hello", &format!("subject: Hello\nitem: {id}"));
    desk.write("Approved/evil.md", &evil);

    desk.orchestrate();
    desk.later(3_600);
    desk.orchestrate();

    assert!(desk.left().is_empty());
}

#[test]
fn what_a_tool_does_to_the_item_behind_a_note_cannot_make_its_move_older() {
    let desk = Desk::trusting();
    desk.write("Drafts/a.md", &letter("Hello."));
    desk.orchestrate();
    desk.moves("Drafts/a.md", "Approved/a.md");
    desk.orchestrate();
    let id = desk.item("Approved/a.md").draft.id.to_string();
    let proposals =
        Proposals::new(&desk.outgoing.home(), desk.outgoing.routes.clone(), desk.outgoing.approvals());
    proposals.withdraw(&id).unwrap();
    desk.later(40);
    desk.orchestrate();
    desk.write("Approved/a.md", &desk.read("Approved/a.md").replace("withdrawn", "pending_approval"));
    desk.later(40);

    desk.orchestrate();
    desk.orchestrate();

    assert!(desk.left().is_empty(), "{}", desk.read("Approved/a.md"));
}

#[test]
fn a_move_is_as_old_as_it_was_when_it_was_first_told_of_or_as_the_file_says() {
    let desk = Desk::trusting();
    let letter = NoteLetter {
        to: vec!["bob@stone.example".to_owned()],
        subject: "Hello".to_owned(),
        body: "Hello.\n".to_owned(),
        ..NoteLetter::default()
    };
    let proposals =
        Proposals::new(&desk.outgoing.home(), desk.outgoing.routes.clone(), desk.outgoing.approvals());
    let item = proposals.queue_note(&letter, None, "a file", &SendRecords::default()).unwrap().item;
    let (id, door) = (item.draft.id.to_string(), FolderDoor::new(desk.outgoing.approvals()));
    let moved = |at: i64| {
        let (says, standing_since) = (item.hash(), Some(item.draft.updated));
        door.moved(&MovedNote { id: &id, says: &says, at: item.draft.updated + at, standing_since }).unwrap()
    };

    assert_eq!(moved(5), FolderAnswer::Waits(WaitsBecause::Young));
    assert_eq!(moved(500), FolderAnswer::Waits(WaitsBecause::Young));
    door.moved_back(&id).unwrap();
    assert_eq!(moved(-500), FolderAnswer::Waits(WaitsBecause::Young));
    door.moved_back(&id).unwrap();
    assert_eq!(moved(500), FolderAnswer::Approved);
    assert_eq!(
        desk.outgoing.audited(&item),
        ["proposed", "moved", "moved_back", "moved", "moved_back", "moved", "approved"]
    );
}

#[test]
fn without_the_owners_trust_a_move_only_puts_the_item_first() {
    let desk = Desk::usual();
    desk.has_waiting("first.md", "First.");
    desk.has_waiting("second.md", "Second.");
    desk.moves("Drafts/second.md", "Approved/second.md");

    desk.orchestrate();

    assert!(desk.left().is_empty());
    let note = desk.read("Approved/second.md");
    assert!(field(&note, "approval").unwrap().contains("vault_approval"), "{note}");
    let board = Overview::new(&desk.outgoing.home(), desk.outgoing.approvals()).board().unwrap();
    let ids: Vec<_> = board.waiting.iter().map(|line| line.id.clone()).collect();
    let wanted = ["Approved/second.md", "Drafts/first.md"].map(|note| desk.item(note).draft.id.to_string());
    assert_eq!(ids, wanted);
}

#[test]
fn where_a_yes_takes_a_pin_a_move_is_none_even_if_the_folder_is_trusted() {
    let desk = Desk::trusting().configured("[approval]\nfactor = \"pin\"\n");
    let policy = desk.outgoing.policy.clone();
    let wanted = Wanted { policy, factor: Factor::Pin };
    let approvals =
        Approvals::new(&desk.outgoing.home(), desk.outgoing.clock(), desk.outgoing.secrets(), wanted);
    approvals.set_pin(&Secret::new("246813".to_owned()), &Proof::click()).unwrap();
    approvals.settle().unwrap();
    desk.has_waiting("a.md", "Hello.");
    desk.moves("Drafts/a.md", "Approved/a.md");

    desk.orchestrate();

    assert!(desk.left().is_empty());
    assert!(field(&desk.read("Approved/a.md"), "approval").unwrap().contains("pin"));
}

#[test]
fn trust_in_the_folder_counts_only_when_the_person_has_confirmed_it_and_never_by_the_environment() {
    let desk = Desk::usual().configured("");
    let trusting = desk.read_config().replace("\"page\"", "\"trust-folder\"");
    desk.set_config(&trusting);
    desk.has_waiting("a.md", "Hello.");
    desk.moves("Drafts/a.md", "Approved/a.md");

    let mut command = desk.orchestration();
    command.env("VAULT_APPROVAL", "trust-folder").env("MAILKEEP_VAULT_APPROVAL", "trust-folder");
    command.output().unwrap();

    assert!(desk.left().is_empty());
    let status = crate::world::read_json(&desk.command(&["approval", "status"]).output().unwrap());
    assert!(status.to_string().contains("`vault_approval` from `page` to `trust-folder`"), "{status}");
}

#[test]
fn a_yes_by_the_folder_ends_with_the_trust_in_it() {
    let mut desk = Desk::trusting();
    desk.has_waiting("a.md", "Hello.");
    desk.moves("Drafts/a.md", "Approved/a.md");
    desk.outgoing.approvals().pause().unwrap();
    desk.orchestrate();
    assert_eq!(desk.item("Approved/a.md").draft.state, ItemState::Approved);
    desk.outgoing.now = desk.now();
    desk.outgoing.policy.vault_approval = VaultApproval::Page;
    desk.outgoing.approvals().settle().unwrap();
    desk.outgoing.approvals().resume(&Proof::click()).unwrap();

    desk.outgoing.send();

    assert!(desk.left().is_empty());
    assert_eq!(desk.item("Approved/a.md").draft.state, ItemState::PendingApproval);
}

#[test]
fn a_rule_that_sends_at_once_sends_no_note() {
    let mut desk = Desk::usual();
    desk.outgoing.policy.send = mailkeep::model::SendRule::Direct;
    desk.outgoing.approvals().confirm(&Proof::click()).unwrap();
    desk.set_config(&format!("{}send = \"direct\"\n", desk.read_config()));
    desk.has_waiting("a.md", "Hello.");

    desk.orchestrate();

    assert!(desk.left().is_empty());
    assert_eq!(desk.item("Drafts/a.md").draft.state, ItemState::PendingApproval);
}

#[test]
fn a_sure_refusal_stays_in_approved_with_its_words_and_is_tried_again_by_the_rules() {
    let server = Postbox::open();
    server.put_off(3);
    let desk = Desk::of(Outgoing::to(server.port));
    desk.has_waiting("a.md", "Hello.");
    desk.moves("Drafts/a.md", "Approved/a.md");

    desk.orchestrate();

    let note = desk.read("Approved/a.md");
    assert!(field(&note, "error").unwrap().contains("451"), "{note}");
    assert_eq!(field(&note, "status").as_deref(), Some("pending_approval"));
    assert!(server.mails().is_empty());
    desk.later(24 * 60);
    desk.orchestrate();
    assert_eq!(server.mails().len(), 1);
    let note = desk.read("Done/a.md");
    assert_eq!((field(&note, "status").as_deref(), field(&note, "error")), (Some("done"), None), "{note}");
}

#[test]
fn what_may_have_left_is_never_tried_again() {
    let server = FlakySmtp::with("dot_drop");
    let desk = Desk::of(Outgoing::to(server.port));
    desk.has_waiting("a.md", "Hello.");
    desk.moves("Drafts/a.md", "Approved/a.md");

    for _ in 0..3 {
        desk.orchestrate();
        desk.later(3_600);
    }

    let note = desk.read("Approved/a.md");
    assert_eq!(field(&note, "status").as_deref(), Some("unknown"), "{note}");
    assert!(field(&note, "error").is_some());
    assert_eq!(server.sessions(), 1);
}

#[test]
fn a_refused_sign_in_becomes_a_note_for_the_person_once() {
    let server = Postbox::open();
    server.refuse_sign_in();
    let desk = Desk::of(Outgoing::to(server.port));
    desk.has_waiting("a.md", "Hello.");
    desk.moves("Drafts/a.md", "Approved/a.md");

    desk.orchestrate();
    desk.orchestrate();

    let notes = desk.notes("Needs_Action");
    assert_eq!(notes.len(), 1, "{notes:?}");
    let note = desk.read(&format!("Needs_Action/{}", notes[0]));
    assert_eq!(field(&note, "reason").as_deref(), Some("auth_required"), "{note}");
    assert!(note.contains("mailkeep account login ada@example.org"), "{note}");
    assert_eq!(field(&desk.read("Approved/a.md"), "status").as_deref(), Some("failed"));
}

#[test]
fn a_note_that_is_deleted_takes_its_item_back_and_one_that_is_renamed_does_not() {
    let desk = Desk::trusting();
    desk.write("Drafts/b.md", &letter("Two."));
    desk.has_waiting("a.md", "One.");
    let (one, two) = (desk.item("Drafts/a.md"), desk.item("Drafts/b.md"));
    std::fs::remove_file(desk.path("Drafts/a.md")).unwrap();
    desk.moves("Drafts/b.md", "Drafts/renamed.md");

    desk.orchestrate();
    let at_once = desk.outgoing.state(&one);
    desk.later(10);
    desk.orchestrate();

    assert_eq!(at_once, ItemState::PendingApproval);
    assert_eq!(desk.outgoing.state(&one), ItemState::Withdrawn);
    assert_eq!(desk.outgoing.state(&two), ItemState::PendingApproval);
    assert_eq!(desk.item("Drafts/renamed.md").draft.id, two.draft.id);
}

#[test]
fn a_note_that_was_rejected_says_so_and_is_asked_about_again_when_the_person_wants_it() {
    let desk = Desk::usual();
    desk.has_waiting("a.md", "Hello.");
    let item = desk.item("Drafts/a.md");
    desk.outgoing.approvals().reject(&item.draft.id.to_string(), Some("tone")).unwrap();
    desk.orchestrate();
    let note = desk.read("Drafts/a.md");
    assert_eq!(
        (field(&note, "status").as_deref(), field(&note, "error").as_deref()),
        (Some("rejected"), Some("tone"))
    );

    desk.write("Drafts/a.md", &note.replace("rejected", "pending_approval"));
    desk.orchestrate();

    assert_eq!(desk.outgoing.state(&item), ItemState::PendingApproval);
}

#[test]
fn a_broken_note_is_left_as_it_is_and_keeps_no_other_waiting() {
    let desk = Desk::trusting();
    desk.has_waiting("good.md", "Hello.");
    let broken = "---\nto: [bob\nstatus: pending_approval\n---\nx\n";
    let nobody = "---\nstatus: pending_approval\n---\nx\n";
    let wrong = letter("x").replace("bob@stone.example", "nobody at all");
    for (name, text) in [("broken.md", broken), ("nobody.md", nobody), ("wrong.md", &wrong)] {
        desk.write(&format!("Approved/{name}"), text);
    }
    desk.moves("Drafts/good.md", "Approved/good.md");

    let events = desk.orchestrate();

    assert_eq!(desk.left().len(), 1);
    assert_eq!(desk.read("Approved/broken.md"), broken);
    assert_eq!(desk.read("Approved/nobody.md"), nobody);
    assert!(field(&desk.read("Approved/wrong.md"), "error").is_some());
    assert_eq!(events.iter().filter(|(what, _)| what == "problem").count(), 3, "{events:?}");
}
