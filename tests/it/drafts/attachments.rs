//! Files that go along: from base64, from where the owner allows it, from the archive. Nothing else, and no programs.

use std::fs;

use mailkeep::drafts::{DraftChange, Drafts, NewAttachment, NewDraft};
use mailkeep::parse;

use super::forms::file;
use super::{clock, drafts, frozen, home, letter, world};
use crate::world::mail::mboxrd;
use crate::world::{Mail, World};

fn with(attachments: Vec<NewAttachment>) -> NewDraft {
    NewDraft { attachments, ..letter() }
}

fn part(message: &str, part: &str) -> NewAttachment {
    NewAttachment::Part { message: message.to_owned(), part: part.to_owned() }
}

#[test]
fn a_file_is_read_when_the_draft_is_written_and_frozen_with_it() {
    let world = world();
    let directory = world.path("documents");
    fs::create_dir(&directory).unwrap();
    let path = directory.join("plan.txt");
    fs::write(&path, "first").unwrap();
    let allowed = drafts(&world).attaching_from(vec![directory]);

    let draft = allowed.create(&with(vec![NewAttachment::File { path: path.clone() }])).unwrap();
    fs::write(&path, "second").unwrap();
    let again = allowed
        .update(&draft.id.to_string(), &DraftChange { body: Some("x".to_owned()), ..DraftChange::default() })
        .unwrap();

    let (raw, _) = frozen(&world, &again);
    assert_eq!(parse::part_bytes(&raw, &again.attachments[0].part).unwrap(), b"first");
    assert_eq!(
        (again.attachments[0].name.as_str(), again.attachments[0].content_type.as_str()),
        ("plan.txt", "text/plain")
    );
}

#[test]
fn no_file_is_attached_unless_the_owner_listed_its_directory() {
    let world = world();
    let path = world.write("plan.txt", "text");
    let refused = |drafts: Drafts| {
        let error = drafts.create(&with(vec![NewAttachment::File { path: path.clone() }])).unwrap_err();
        (error.code(), error.hint())
    };

    let (code, hint) = refused(drafts(&world));
    assert_eq!(code, "file_refused");
    assert!(hint.contains("attach_from"), "{hint}");
    let (code, hint) = refused(drafts(&world).attaching_from(vec![world.path("elsewhere")]));
    assert_eq!(code, "file_refused");
    assert!(hint.contains("elsewhere"), "{hint}");
}

#[test]
fn a_file_of_a_message_is_attached_as_it_came() {
    let mail = Mail::new("Plans").attach("plan.pdf", "application/pdf", b"%PDF-x").attach(
        "b.png",
        "image/png",
        b"png",
    );
    let world = World::holding(&mboxrd([&mail.bytes()]));

    let draft = drafts(&world)
        .create(&with(vec![part("Plans@test.example", "3"), part("Plans@test.example", "PLAN.pdf")]))
        .unwrap();

    let names: Vec<_> = draft.attachments.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["b.png", "plan.pdf"]);
    let (raw, _) = frozen(&world, &draft);
    assert_eq!(parse::part_bytes(&raw, "3").unwrap(), b"%PDF-x");
    let error = drafts(&world).create(&with(vec![part("Plans@test.example", "7")])).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().as_str()),
        ("unknown_attachment", "its attachments are: plan.pdf, b.png")
    );
    let error = drafts(&world).create(&with(vec![part("none@test.example", "2")])).unwrap_err();
    assert_eq!(error.code(), "unknown_message");
}

/// A home with a message that the shield withholds.
pub(super) fn withholding() -> World {
    let secret = Mail::new("Your code").body("Your verification code is 482913. Do not share it.").attach(
        "code.pdf",
        "application/pdf",
        b"%PDF-x",
    );
    let world = World::holding(&mboxrd([&secret.bytes()]));
    assert_eq!(
        world.database().query_row("SELECT withheld FROM messages", [], |row| row.get::<_, i64>(0)).unwrap(),
        1
    );
    world
}

#[test]
fn an_assistant_cannot_attach_what_the_shield_withholds() {
    let world = withholding();
    let new = with(vec![part("Your.code@test.example", "code.pdf")]);

    let error = Drafts::new(&home(&world), clock()).create(&new).unwrap_err();

    assert_eq!(error.code(), "unknown_message");
    assert!(Drafts::new(&home(&world), clock()).for_person().create(&new).is_ok());
}

#[test]
fn more_than_25_mb_is_refused_with_the_limit() {
    let world = world();
    let half = || file("half.dat", None, &vec![7; 10 << 20]);

    let error = drafts(&world).create(&with(vec![half(), half()])).unwrap_err();

    assert_eq!(error.code(), "too_large");
    assert!(error.to_string().contains("at most 25 MB"), "{error}");
    assert!(drafts(&world).create(&with(vec![half()])).is_ok());
    let many = (0..101).map(|number| file(&format!("{number}.txt"), None, b"")).collect();
    assert_eq!(drafts(&world).create(&with(many)).unwrap_err().code(), "too_long");
}

#[test]
fn programs_are_refused_and_told() {
    let world = world();
    let refused = |attachment: NewAttachment| {
        let error = drafts(&world).create(&with(vec![attachment])).unwrap_err();
        assert_eq!(error.code(), "executable_refused", "{error}");
        error.to_string()
    };

    assert!(refused(file("invoice.pdf.exe", None, b"x")).contains("behind the ending `.pdf`"));
    assert!(refused(file("invoice.pdf", None, b"MZ\x90\0")).contains("begins as a program does"));
    assert!(refused(file("a", Some("application/x-msdownload"), b"x")).contains("type of a program"));
    assert_eq!(
        super::archive(&world).drafts(None, mailkeep::query::Page { limit: 9, offset: 0 }).unwrap().total,
        0
    );
}

#[test]
fn the_person_sees_what_is_attached() {
    let world = world();
    let draft = drafts(&world).create(&with(vec![file("Größe.pdf", None, b"%PDF-1.7")])).unwrap();

    let shown = String::from_utf8(world.run(&["drafts", "show", &draft.id.to_string()]).stdout).unwrap();
    let listed = String::from_utf8(world.run(&["drafts", "list"]).stdout).unwrap();

    assert!(shown.contains("Attached: Größe.pdf (application/pdf, 8 bytes)"), "{shown}");
    assert!(listed.contains("attached Größe.pdf"), "{listed}");
    assert_eq!(world.json(&["drafts", "list"])["items"][0]["attachments"][0]["name"], "Größe.pdf");
    assert_eq!(world.found("is:draft has:attachment"), ["Lunch"]);
}
