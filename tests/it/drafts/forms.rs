//! Every form that a message can have is read alike by three programs: text, HTML, files, answers, what is passed on.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mailkeep::drafts::{DraftChange, Forward, NewAttachment, NewDraft, ReplyTo};

use super::judges::assert_all_agree;
use super::{drafts, frozen, letter, strings, world};
use crate::world::mail::mboxrd;
use crate::world::{Mail, World};

pub(super) fn file(name: &str, content_type: Option<&str>, bytes: &[u8]) -> NewAttachment {
    NewAttachment::Base64 {
        name: name.to_owned(),
        content_type: content_type.map(str::to_owned),
        content: STANDARD.encode(bytes),
    }
}

fn html(html: &str) -> Option<String> {
    Some(html.to_owned())
}

/// One draft of each form.
fn forms() -> Vec<NewDraft> {
    let all_bytes: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    let pdf = || file("report.pdf", None, b"%PDF-1.7 and more");
    let long =
        "Ein sehr langer Name für eine Datei, der über mehrere Zeilen geht – 東京 👩‍👩‍👧‍👦 – und noch weiter.pdf";
    let message = b"From: x@y.example\r\nSubject: inside\r\n\r\nhello\r\n";
    let forward = |as_attachment| {
        Some(Forward { message: "Kitchen@test.example".to_owned(), as_attachment, ..Forward::default() })
    };
    vec![
        letter(),
        NewDraft { body: String::new(), html: html("<p>Dear <b>Bob</b>,<br>Grüße 👋</p>"), ..letter() },
        NewDraft { html: html("<table><tbody><tr><td>a</td></tr></tbody></table>"), ..letter() },
        NewDraft { attachments: vec![pdf()], ..letter() },
        NewDraft {
            attachments: vec![file("bytes.dat", Some("application/x-thing"), &all_bytes)],
            ..letter()
        },
        NewDraft {
            attachments: vec![file(long, None, b"x"), file("Größe \"1\"; a,b (c).txt", None, b"y")],
            ..letter()
        },
        NewDraft {
            attachments: vec![file(&"x".repeat(200), None, b""), file("'100%'*.csv", None, b"a;b\r\n")],
            ..letter()
        },
        NewDraft { attachments: vec![file("mail.eml", None, message), pdf()], ..letter() },
        NewDraft { html: html("<p>Both</p>"), attachments: vec![pdf(), pdf(), pdf()], ..letter() },
        NewDraft {
            reply_to_address: Some("Office <office@stone.example>".to_owned()),
            cc: strings(&["c@x.example"]),
            ..letter()
        },
        NewDraft {
            reply: Some(ReplyTo { message: "Kitchen@test.example".to_owned(), all: true }),
            subject: String::new(),
            html: html("<p>Yes</p>"),
            ..letter()
        },
        NewDraft { forward: forward(false), subject: String::new(), ..letter() },
        NewDraft { forward: forward(false), html: html("<p>See below</p>"), body: String::new(), ..letter() },
        NewDraft { forward: forward(true), subject: String::new(), attachments: vec![pdf()], ..letter() },
    ]
}

fn kitchen() -> World {
    let mail = Mail::new("Kitchen").body("The <new> kitchen & all.").attach(
        "plan.pdf",
        "application/pdf",
        b"%PDF-x",
    );
    World::holding(&mboxrd([&mail.bytes()]))
}

#[test]
fn every_form_is_read_alike_by_three_programs() {
    let world = kitchen();
    let written = |new: &NewDraft| {
        let draft = drafts(&world).create(new).unwrap();
        let raw = drafts(&world).bytes(&draft).unwrap();
        (draft, raw)
    };

    let drafts: Vec<_> = forms().iter().map(written).collect();

    assert_all_agree(&world.path("forms"), &drafts);
    world.assert_sound();
}

#[test]
fn an_edit_of_each_form_keeps_all_that_was_not_edited() {
    let world = kitchen();
    let change = DraftChange { subject: Some("Another".to_owned()), ..DraftChange::default() };
    let edited = |new: &NewDraft| {
        let before = drafts(&world).create(new).unwrap();
        let after = drafts(&world).update(&before.id.to_string(), &change).unwrap();
        assert_eq!((&after.body, &after.html), (&before.body, &before.html));
        assert_eq!((&after.attachments, &after.from), (&before.attachments, &before.from));
        let (raw, parsed) = frozen(&world, &after);
        assert_eq!(parsed.subject, "Another");
        (after, raw)
    };

    let drafts: Vec<_> = forms().iter().map(edited).collect();

    assert_all_agree(&world.path("edits"), &drafts);
}

#[test]
fn new_words_never_leave_together_with_old_ones() {
    let world = world();
    let new = NewDraft { body: "old text".to_owned(), html: html("<p>old html</p>"), ..letter() };
    let id = drafts(&world).create(&new).unwrap().id.to_string();
    let change = |body: Option<&str>, html: Option<&str>| {
        let owned = |text: &str| text.to_owned();
        let change = DraftChange { body: body.map(owned), html: html.map(owned), ..DraftChange::default() };
        let draft = drafts(&world).update(&id, &change).unwrap();
        (draft.body, draft.html)
    };

    assert_eq!(change(Some("new text"), None), ("new text".to_owned(), None));
    let (text, markup) = change(None, Some("<p>newer</p>"));
    assert_eq!((text.trim(), markup.as_deref()), ("newer", Some("<p>newer</p>")));
    assert_eq!(change(Some("t"), Some("<p>h</p>")), ("t".to_owned(), html("<p>h</p>")));
    assert_eq!(change(None, Some("")), ("t".to_owned(), None));
}

#[test]
fn what_was_taken_out_of_html_is_counted_for_who_looks() {
    let world = world();
    let unsafe_html = "<p onclick=\"x()\">Hi</p><script>steal()</script><a href=\"javascript:y()\">z</a>";
    let new = NewDraft { body: String::new(), html: html(unsafe_html), ..letter() };

    let draft = drafts(&world).create(&new).unwrap();

    let (raw, _) = frozen(&world, &draft);
    let text = String::from_utf8(raw).unwrap();
    assert_eq!(draft.html.as_deref(), Some("<p>Hi</p><a>z</a>"));
    assert_eq!(draft.html_removed, 3);
    assert!(!text.contains("steal") && !text.contains("javascript") && !text.contains("onclick"), "{text}");
    let shown = world.run(&["drafts", "show", &draft.id.to_string()]);
    assert!(
        String::from_utf8(shown.stdout).unwrap().contains("HTML: yes, beside this text; 3 unsafe things")
    );
}

#[test]
fn a_person_who_edits_the_text_of_html_is_told_that_it_is_sent_as_text() {
    let world = world();
    let new = NewDraft { html: html("<p>Shall we?</p>"), ..letter() };
    let id = drafts(&world).create(&new).unwrap().id.to_string();

    let output =
        world.command(&["drafts", "edit", &id]).env("VISUAL", "sed -i s/Shall/Will/").output().unwrap();

    assert!(String::from_utf8_lossy(&output.stderr).contains("it is sent as text"), "{output:?}");
    let draft = drafts(&world).get(&id).unwrap();
    assert_eq!((draft.body.as_str(), draft.html), ("Will we?\n", None));
}
