//! A message is passed on with its words, its header in short and its files, or attached as it is.

use mailkeep::drafts::{Drafts, Forward, NewDraft, ReplyTo};
use mailkeep::parse;

use super::attachments::withholding;
use super::{clock, drafts, frozen, home, letter};
use crate::world::mail::mboxrd;
use crate::world::{Mail, World};

fn kitchen() -> Mail {
    Mail::new("Kitchen")
        .with("Cc", "Carl <carl@x.example>")
        .with("References", "<first@test.example>")
        .body("The new kitchen\ncosts 12.000.")
        .attach("plan.pdf", "application/pdf", b"%PDF-x")
}

fn passing_on(mut forward: Forward) -> NewDraft {
    "Kitchen@test.example".clone_into(&mut forward.message);
    NewDraft { forward: Some(forward), subject: String::new(), body: "FYI\n".to_owned(), ..letter() }
}

#[test]
fn its_words_stand_below_ours_and_its_files_go_along() {
    let world = World::holding(&mboxrd([&kitchen().bytes()]));

    let draft = drafts(&world).create(&passing_on(Forward::default())).unwrap();

    let expected = "FYI\n\n---------- Forwarded message ---------\nFrom: Bob Stone <bob@stone.example>\n\
                    Date: Mon, 2 Mar 2026 10:00 UTC\nSubject: Kitchen\nTo: Ada Berg <ada@example.org>\n\
                    Cc: Carl <carl@x.example>\n\nThe new kitchen\ncosts 12.000.\n";
    assert_eq!((draft.subject.as_str(), draft.body.as_str()), ("Fwd: Kitchen", expected));
    assert_eq!(
        draft.recipients.all().map(|to| to.address.as_str()).collect::<Vec<_>>(),
        ["bob@stone.example"]
    );
    let (raw, parsed) = frozen(&world, &draft);
    assert_eq!(parsed.references, ["first@test.example", "Kitchen@test.example"]);
    assert_eq!(parsed.in_reply_to, [""; 0]);
    assert_eq!((draft.attachments[0].name.as_str(), draft.answers), ("plan.pdf", None));
    assert_eq!(parse::part_bytes(&raw, "2").unwrap(), b"%PDF-x");
}

#[test]
fn beside_html_the_message_stands_in_both() {
    let world = World::holding(&mboxrd([&kitchen().body("a < b & <script>c</script>").bytes()]));
    let new = NewDraft {
        body: String::new(),
        html: Some("<p>FYI</p>".to_owned()),
        ..passing_on(Forward::default())
    };

    let draft = drafts(&world).create(&new).unwrap();

    let html = draft.html.unwrap();
    assert!(html.starts_with("<p>FYI</p>") && html.contains("a &lt; b &amp; &lt;script&gt;c"), "{html}");
    assert!(
        draft.body.starts_with("FYI") && draft.body.contains("a < b & <script>c</script>"),
        "{}",
        draft.body
    );
    assert_eq!(draft.html_removed, 0);
}

#[test]
fn as_an_attachment_it_is_what_it_was() {
    let mail = kitchen().bytes();
    let world = World::holding(&mboxrd([&mail]));

    let draft =
        drafts(&world).create(&passing_on(Forward { as_attachment: true, ..Forward::default() })).unwrap();

    let file = &draft.attachments[0];
    assert_eq!((file.name.as_str(), file.content_type.as_str()), ("Kitchen.eml", "message/rfc822"));
    let (raw, _) = frozen(&world, &draft);
    let inner = String::from_utf8(parse::part_bytes(&raw, "2").unwrap()).unwrap();
    assert_eq!(
        inner.replace("\r\n", "\n").trim_end(),
        String::from_utf8(mail).unwrap().replace("\r\n", "\n").trim_end()
    );
    assert_eq!(draft.body, "FYI\n");
}

#[test]
fn its_files_may_stay_behind_and_programs_must() {
    let world =
        World::holding(&mboxrd([&kitchen().attach("setup.exe", "application/octet-stream", b"x").bytes()]));
    let refused = |forward| drafts(&world).create(&passing_on(forward)).unwrap_err().code();

    assert_eq!(refused(Forward::default()), "executable_refused");
    assert_eq!(refused(Forward { as_attachment: true, ..Forward::default() }), "executable_refused");
    let draft = drafts(&world)
        .create(&passing_on(Forward { without_attachments: true, ..Forward::default() }))
        .unwrap();
    assert_eq!(draft.attachments, []);
}

#[test]
fn an_assistant_cannot_pass_on_or_answer_what_the_shield_withholds() {
    let world = withholding();
    let message = || "Your.code@test.example".to_owned();
    for new in [
        NewDraft { forward: Some(Forward { message: message(), ..Forward::default() }), ..letter() },
        NewDraft {
            forward: Some(Forward { message: message(), as_attachment: true, ..Forward::default() }),
            ..letter()
        },
        NewDraft { reply: Some(ReplyTo { message: message(), all: false }), ..letter() },
    ] {
        let assistants = Drafts::new(&home(&world), clock());

        assert_eq!(assistants.create(&new).unwrap_err().code(), "unknown_message");
        assert!(assistants.for_person().create(&new).is_ok());
    }
}

#[test]
fn a_draft_is_a_reply_or_a_forward() {
    let world = World::holding(&mboxrd([&kitchen().bytes()]));
    let reply = Some(ReplyTo { message: "Kitchen@test.example".to_owned(), all: false });

    let error = drafts(&world).create(&NewDraft { reply, ..passing_on(Forward::default()) }).unwrap_err();

    assert_eq!(error.code(), "reply_and_forward");
}
