//! Drafts are listed, edited and removed; an edit is a new revision with a hash of its own.

use mailkeep::drafts::{DraftChange, NewAttachment, NewDraft, ReplyTo};
use mailkeep::query::Page;

use super::{archive, drafts, frozen, letter, strings, world};
use crate::world::mail::mboxrd;
use crate::world::{ACCOUNT, Mail, World};

const ALL: Page = Page { limit: 100, offset: 0 };

fn text(body: &str) -> DraftChange {
    DraftChange { body: Some(body.to_owned()), ..DraftChange::default() }
}

#[test]
fn an_edit_keeps_id_message_id_and_conversation_and_changes_the_hash() {
    let world = world();
    let reply = Some(ReplyTo { message: "Kitchen@test.example".to_owned(), all: false });
    let first = drafts(&world).create(&NewDraft { reply, ..letter() }).unwrap();

    let second = drafts(&world).update(&first.id.to_string(), &text("Another text\n")).unwrap();

    assert_eq!((second.id, second.revision, &second.message_id), (first.id, 2, &first.message_id));
    assert_ne!(second.hash, first.hash);
    let (_, parsed) = frozen(&world, &second);
    assert_eq!(parsed.text.trim(), "Another text");
    assert_eq!(parsed.references, ["Kitchen@test.example"]);
    assert_eq!(parsed.message_id, Some(first.message_id));
    assert_eq!(second.recipients, first.recipients);
    world.assert_sound();
}

#[test]
fn every_field_can_be_edited_alone() {
    let world = world();
    let id = drafts(&world).create(&letter()).unwrap().id.to_string();
    let change = |change: DraftChange| drafts(&world).update(&id, &change).unwrap();

    change(DraftChange { to: Some(strings(&["carl@x.example"])), ..DraftChange::default() });
    change(DraftChange { cc: Some(strings(&["dora@x.example"])), ..DraftChange::default() });
    change(DraftChange { bcc: Some(strings(&["eve@x.example"])), ..DraftChange::default() });
    let last = change(DraftChange { subject: Some("Dinner".to_owned()), ..DraftChange::default() });

    let all: Vec<_> = last.recipients.all().map(|to| to.address.as_str()).collect();
    assert_eq!(all, ["carl@x.example", "dora@x.example", "eve@x.example"]);
    assert_eq!((last.subject.as_str(), last.body.as_str(), last.revision), ("Dinner", "Shall we?\n", 5));
}

#[test]
fn an_edit_that_is_refused_changes_nothing() {
    let world = world();
    let draft = drafts(&world).create(&letter()).unwrap();
    let id = draft.id.to_string();

    let nobody = drafts(&world).update(&id, &DraftChange { to: Some(Vec::new()), ..DraftChange::default() });
    let broken = drafts(&world)
        .update(&id, &DraftChange { subject: Some("a\nb".to_owned()), ..DraftChange::default() });

    assert_eq!(nobody.unwrap_err().code(), "no_recipient");
    assert_eq!(broken.unwrap_err().code(), "hidden_character");
    assert_eq!(drafts(&world).get(&id).unwrap(), draft);
}

#[test]
fn what_may_be_leaving_cannot_be_edited_or_removed() {
    let world = world();
    let id = drafts(&world).create(&letter()).unwrap().id.to_string();

    for state in ["sending", "sent", "unknown"] {
        world.database().execute("UPDATE drafts SET state = ?1", [state]).unwrap();
        let edited = drafts(&world).update(&id, &text("x")).unwrap_err();
        assert_eq!(edited.code(), "draft_not_editable");
        assert!(edited.to_string().contains(state), "{edited}");
        assert_eq!(drafts(&world).delete(&id).unwrap_err().code(), "draft_not_editable");
    }
}

#[test]
fn an_edit_takes_back_the_yes_to_the_revision_before() {
    let world = world();
    let id = drafts(&world).create(&letter()).unwrap().id.to_string();
    world.database().execute("UPDATE drafts SET state = 'approved'", []).unwrap();

    let edited = drafts(&world).update(&id, &text("x")).unwrap();

    assert_eq!(edited.state.name(), "draft");
}

#[test]
fn drafts_are_listed_newest_first_and_by_account() {
    let world = world();
    let other = world.write("other.eml", Mail::new("Other").bytes());
    world.import_as(&other, "carl@x.example");
    let write = |account: &str, subject: &str| {
        let new = NewDraft { account: account.to_owned(), subject: subject.to_owned(), ..letter() };
        drafts(&world).create(&new).unwrap()
    };
    let first = write(ACCOUNT, "one");
    write("CARL@x.example", "two");
    write(ACCOUNT, "three");
    world.database().execute("UPDATE drafts SET updated_epoch = updated_epoch - 10 * (5 - id)", []).unwrap();

    let subjects = |account, page| {
        let drafts = archive(&world).drafts(account, page).unwrap();
        (drafts.total, drafts.items.into_iter().map(|item| item.subject).collect::<Vec<_>>())
    };

    assert_eq!(subjects(None, ALL), (3, strings(&["three", "two", "one"])));
    assert_eq!(subjects(Some(ACCOUNT), ALL), (2, strings(&["three", "one"])));
    assert_eq!(subjects(Some("carl@x.example"), ALL), (1, strings(&["two"])));
    assert_eq!(subjects(None, Page { limit: 1, offset: 1 }), (3, strings(&["two"])));
    drafts(&world).update(&first.id.to_string(), &text("again")).unwrap();
    assert_eq!(subjects(Some(ACCOUNT), ALL), (2, strings(&["one", "three"])));
    assert_eq!(archive(&world).drafts(Some("nobody@x.example"), ALL).unwrap_err().code(), "unknown_account");
}

#[test]
fn a_removed_draft_is_gone_with_all_its_revisions() {
    let world = world();
    let id = drafts(&world).create(&letter()).unwrap().id.to_string();
    drafts(&world).update(&id, &text("x")).unwrap();

    drafts(&world).delete(&id).unwrap();

    assert_eq!(drafts(&world).get(&id).unwrap_err().code(), "unknown_draft");
    assert!(archive(&world).draft(&id).unwrap().is_none());
    let left: i64 =
        world.database().query_row("SELECT count(*) FROM draft_revisions", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
    world.assert_sound();
}

#[test]
fn a_home_without_a_store_is_not_made_by_a_draft() {
    let world = World::new();

    let error = drafts(&world).create(&letter()).unwrap_err();

    assert_eq!(error.code(), "store_missing");
    assert!(!world.home().join("mail.db").exists());
    assert_eq!(archive(&world).drafts(None, ALL).unwrap().total, 0);
}

#[test]
fn a_store_of_another_version_is_left_alone() {
    for (version, code) in [(1, "schema_older"), (999, "schema_newer")] {
        let world = world();
        world.database().pragma_update(None, "user_version", version).unwrap();

        assert_eq!(drafts(&world).create(&letter()).unwrap_err().code(), code);

        let found: i64 = world.database().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert_eq!(found, version);
    }
}

#[test]
fn edits_at_the_same_time_never_overwrite_each_other_unseen() {
    let world = world();
    let id = drafts(&world).create(&letter()).unwrap().id.to_string();
    let edit = |name: &str| {
        let edits = (0..20).map(|number| drafts(&world).update(&id, &text(&format!("{name} {number}"))));
        let (done, refused): (Vec<_>, Vec<_>) = edits.partition(Result::is_ok);
        assert!(refused.into_iter().all(|edit| edit.unwrap_err().code() == "draft_changed"));
        done.into_iter().map(|edit| edit.unwrap().revision).collect::<Vec<_>>()
    };

    let made = std::thread::scope(|scope| {
        let threads = ["one", "two", "three"].map(|name| scope.spawn(move || edit(name)));
        threads.map(|thread| thread.join().unwrap()).concat()
    });

    let last = drafts(&world).get(&id).unwrap().revision;
    assert_eq!(usize::try_from(last).unwrap(), made.len() + 1);
    world.assert_sound();
}

#[test]
fn verify_finds_a_draft_that_was_tampered_with() {
    for tamper in [
        "UPDATE draft_revisions SET raw = CAST(replace(CAST(raw AS TEXT), 'Shall', 'Shill') AS BLOB)",
        "UPDATE draft_revisions SET bcc_json = '[\"eve@secret.example\"]'",
        "UPDATE drafts SET revision = 7",
    ] {
        let world = World::holding(&mboxrd([&Mail::new("Kitchen").bytes()]));
        drafts(&world).create(&letter()).unwrap();
        world.assert_sound();
        world.database().execute(tamper, []).unwrap();

        let report = world.command(&["--json", "verify"]).output().unwrap();

        assert_eq!(report.status.code(), Some(1), "{tamper}");
    }
}

#[test]
fn what_somebody_altered_in_the_store_is_not_frozen_anew() {
    let world = world();
    for alteration in [
        "raw = CAST(raw || 'more' AS BLOB)",
        "bcc_json = '[\"eve@evil.example\"]'",
        "sender = 'eve@evil.example'",
    ] {
        let id = drafts(&world).create(&letter()).unwrap().id.to_string();
        world.database().execute(&format!("UPDATE draft_revisions SET {alteration}"), []).unwrap();

        let error = drafts(&world).update(&id, &text("Another text\n")).unwrap_err();

        assert!(["draft_altered", "sender_not_allowed"].contains(&error.code()), "{alteration}: {error}");
    }
}

/// A letter with everything that is written in more than one way.
fn motley() -> NewDraft {
    let file = |name: &str, content: &str| NewAttachment::Base64 {
        name: name.to_owned(),
        content_type: None,
        content: content.to_owned(),
    };
    NewDraft {
        to: strings(&["\"Stone, Bob\" <bob@stone.example>", "Zoë <zoe@x.example>"]),
        cc: strings(&["Carl <Carl@X.example>"]),
        bcc: strings(&["Dora <dora@x.example>"]),
        subject: format!("Lunch  =?utf-8?Q?x?= \u{1f600} {}", "and a long way to go ".repeat(20)),
        body: "Shall we? \r\n.\nFrom here\r\n\n\n".to_owned(),
        html: Some(
            "<p style=\"color:#333\">Shall <s>we</s>?\n<a href=\"https://x.example/?a=1&b=2\">here</a></p>"
                .to_owned(),
        ),
        attachments: vec![
            file("Überblick.csv", "YSxi"),
            file("old.eml", "U3ViamVjdDogeAoKaGVsbG8K"),
            file("a b.pdf", "JVBERg=="),
        ],
        reply_to_address: Some("Desk <desk@example.org>".to_owned()),
        ..letter()
    }
}

#[test]
fn what_an_edit_leaves_alone_stays_as_it_is() {
    let world = world();
    let first = drafts(&world).create(&motley()).unwrap();
    let change = DraftChange { bcc: Some(strings(&["eve@x.example"])), ..DraftChange::default() };

    let second = drafts(&world).update(&first.id.to_string(), &change).unwrap();

    assert_eq!(frozen(&world, &second).0, drafts(&world).bytes(&first).unwrap());
    assert_eq!((&second.html, second.html_removed), (&first.html, first.html_removed));
    assert_ne!(second.hash, first.hash);
}

#[test]
fn words_that_another_program_wrote_beside_the_frozen_bytes_come_into_no_revision() {
    let world = world();
    for alteration in [
        "draft_revisions SET html = '<p>Pay Eve</p><img src=https://evil.example/x.png><script>x</script>'",
        "draft_revisions SET html = replace(html, 'x.example', 'evil.example')",
        "draft_revisions SET html = NULL",
        "draft_revisions SET body = 'Pay Eve'",
        "draft_revisions SET subject = 'Pay Eve'",
        "draft_revisions SET to_json = replace(to_json, 'Zoë', 'Eve')",
        "draft_revisions SET attachments = '[]'",
        "draft_revisions SET attachments = replace(attachments, 'a b.pdf', 'a b.exe')",
        "draft_revisions SET attachments = replace(attachments, '\"part\":\"4\"', '\"part\":\"2\"')",
        "drafts SET message_id = 'other@evil.example'",
    ] {
        let draft = drafts(&world).create(&motley()).unwrap();
        let id = draft.id.to_string();
        assert!(world.database().execute(&format!("UPDATE {alteration}"), []).unwrap() > 0);
        assert_ne!(drafts(&world).get(&id).unwrap(), draft, "{alteration}");

        let change = DraftChange { cc: Some(strings(&["carol@x.example"])), ..DraftChange::default() };
        let error = drafts(&world).update(&id, &change).unwrap_err();

        assert_eq!(error.code(), "draft_altered", "{alteration}");
        assert!(error.to_string().contains("by another program"), "{error}");
        assert_eq!(drafts(&world).get(&id).unwrap().revision, 1);
        drafts(&world).delete(&id).unwrap();
    }
}
