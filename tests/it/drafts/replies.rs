//! A reply joins its conversation, goes to the right people, and says `Re:` once.

use std::path::Path;

use mailkeep::drafts::{NewDraft, ReplyTo};
use mailkeep::model::{Draft, dated};
use mailkeep::query::FullMessage;

use super::{archive, drafts, frozen, strings, world};
use crate::world::mail::mboxrd;
use crate::world::{ACCOUNT, Mail, World};

const PERSONAL: &str = "ada.berg@example.org";
const WORK: &str = "a.berg@northwind-optics.example";

/// The sample mailboxes.
fn sample() -> World {
    let world = World::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    world.import_as(&demo.join("personal.mbox"), PERSONAL);
    world.import_as(&demo.join("work.mbox"), WORK);
    world
}

fn answer(account: &str, message: &str, all: bool) -> NewDraft {
    NewDraft {
        account: account.to_owned(),
        body: "Thank you.\n".to_owned(),
        reply: Some(ReplyTo { message: message.to_owned(), all }),
        ..NewDraft::default()
    }
}

fn addresses(list: &[mailkeep::model::Address]) -> Vec<&str> {
    list.iter().map(|address| address.address.as_str()).collect()
}

/// A home that holds this one message, and a reply to it.
fn reply_to(mail: Mail, all: bool) -> (World, Draft) {
    let mail = mail.with("Message-ID", "<parent@test.example>");
    let world = World::holding(&mboxrd([&mail.bytes()]));
    let draft = drafts(&world).create(&answer(ACCOUNT, "parent@test.example", all)).unwrap();
    (world, draft)
}

#[test]
fn every_message_of_the_sample_can_be_answered_in_its_thread() {
    let world = sample();
    let mut archive = archive(&world);
    let keys = archive.matching("", None).unwrap();

    let refused: Vec<String> = keys
        .iter()
        .filter_map(|key| {
            let parent = archive.read(*key).unwrap();
            match drafts(&world).for_person().create(&answer(&parent.placements[0].account, &parent.id, true))
            {
                Ok(draft) => {
                    assert_joins(&world, &draft, &parent);
                    assert_eq!(
                        archive.draft(&draft.id.to_string()).unwrap().unwrap().thread,
                        Some(parent.thread)
                    );
                    None
                }
                Err(error) => Some(format!("{}: {error}", parent.subject)),
            }
        })
        .collect();

    assert_eq!(refused, [""; 0]);
    assert_eq!(keys.len(), 320);
    world.assert_sound();
}

fn assert_joins(world: &World, draft: &Draft, parent: &FullMessage) {
    let (_, parsed) = frozen(world, draft);
    let parent_id: Vec<_> = parent.message_id.iter().cloned().collect();
    assert_eq!(parsed.in_reply_to, parent_id);
    assert_eq!(parsed.references, [parent.references.as_slice(), parent_id.as_slice()].concat());
    assert!(draft.subject.starts_with("Re:"), "{}", draft.subject);
    assert!(!draft.subject.to_lowercase().contains("re: re:"), "{}", draft.subject);
    let own = |to: &&str| [PERSONAL, WORK].contains(to);
    assert!(!addresses(&draft.recipients.cc).iter().any(own), "{draft:?}");
}

#[test]
fn a_reply_that_comes_back_is_found_in_the_thread_it_answers() {
    let world = sample();
    let draft = drafts(&world)
        .create(&answer(PERSONAL, "68d7cdfeb5655de5@castellan-interiors.example", false))
        .unwrap();
    let before = world.count("thread:68d7cdfeb5655de5@castellan-interiors.example");

    let file = world.write("sent.eml", dated(&drafts(&world).bytes(&draft).unwrap(), draft.updated));
    world.json(&["import", crate::world::text(&file), "--account", PERSONAL, "--mailbox", "Sent"]);

    assert_eq!(world.count("thread:68d7cdfeb5655de5@castellan-interiors.example"), before + 1);
    assert_eq!(draft.subject, "Re: Kitchen renovation, Lindenallee 14");
}

#[test]
fn a_reply_goes_where_the_sender_wants_it() {
    let (_, draft) =
        reply_to(Mail::new("x").with("Reply-To", "\"Stone, Office\" <office@stone.example>"), false);

    assert_eq!(draft.recipients.to[0].to_string(), "Stone, Office <office@stone.example>");
    assert_eq!(draft.recipients.to.len(), 1);
    assert_eq!(draft.recipients.cc, []);
}

#[test]
fn a_reply_to_all_leaves_one_s_own_addresses_out() {
    let mail = Mail::new("x")
        .with("To", "ADA@example.org, Carl <carl@x.example>, Bob <bob@stone.example>")
        .with("Cc", "dora@x.example, Ada Berg <ada@example.org>");

    let (_, draft) = reply_to(mail, true);

    assert_eq!(addresses(&draft.recipients.to), ["bob@stone.example"]);
    assert_eq!(addresses(&draft.recipients.cc), ["carl@x.example", "dora@x.example"]);
}

#[test]
fn a_reply_to_one_s_own_message_goes_to_those_it_went_to() {
    let mail = Mail::new("x")
        .from("Ada <ada@example.org>")
        .with("To", "bob@stone.example")
        .with("Cc", "carl@x.example");

    let (_, draft) = reply_to(mail, true);

    assert_eq!(addresses(&draft.recipients.to), ["bob@stone.example"]);
    assert_eq!(addresses(&draft.recipients.cc), ["carl@x.example"]);
}

#[test]
fn recipients_and_subject_that_are_given_stay() {
    let world = world();
    let new = NewDraft {
        to: strings(&["eve@x.example"]),
        subject: "Something else".to_owned(),
        ..answer(ACCOUNT, "Kitchen@test.example", false)
    };

    let draft = drafts(&world).create(&new).unwrap();

    assert_eq!(addresses(&draft.recipients.to), ["eve@x.example"]);
    assert_eq!(draft.subject, "Something else");
    assert_eq!(frozen(&world, &draft).1.in_reply_to, ["Kitchen@test.example"]);
}

#[test]
fn prefixes_of_other_languages_become_one_re() {
    for (subject, expected) in [
        ("AW: WG: Termin", "Re: WG: Termin"),
        ("Antw: Re: SV: Afspraak", "Re: Afspraak"),
        ("=?utf-8?Q?Re=3A_Gr=C3=B6=C3=9Fe?=", "Re: Größe"),
    ] {
        assert_eq!(reply_to(Mail::new("x").with("Subject", subject), false).1.subject, expected);
    }
}

#[test]
fn a_very_long_conversation_keeps_its_first_and_newest_messages() {
    let ids: Vec<String> = (0..3000).map(|n| format!("<message-number-{n}@list.example>")).collect();

    let (world, draft) = reply_to(Mail::new("x").with("References", &ids.join("\n ")), false);

    let (raw, parsed) = frozen(&world, &draft);
    assert_eq!(parsed.references[0], "message-number-0@list.example");
    assert_eq!(parsed.references.last().unwrap(), "parent@test.example");
    assert!(parsed.references.len() > 500 && raw.len() < 64 * 1024, "{} ids", parsed.references.len());
}

#[test]
fn a_stranger_cannot_write_the_header_of_an_answer() {
    let mail = Mail::new("x")
        .with("Subject", "=?utf-8?Q?a=0D=0ABcc:_eve@secret.example=E2=80=AE?=")
        .with("From", "=?utf-8?Q?Bob=0D=0ABcc:_eve=40secret.example?= <bob@stone.example>")
        .with("References", "<ok@x.example> <b\u{e4}d@x.example>");

    let (world, draft) = reply_to(mail, false);

    let (raw, parsed) = frozen(&world, &draft);
    assert!(!String::from_utf8(raw).unwrap().contains("\r\nBcc"));
    assert_eq!(parsed.references, ["ok@x.example", "parent@test.example"]);
    assert_eq!(draft.subject, "Re: a Bcc: eve@secret.example");
    assert_eq!(addresses(&draft.recipients.to), ["bob@stone.example"]);
}

#[test]
fn messages_of_another_account_and_unknown_ones_cannot_be_answered() {
    let world = sample();

    let other = drafts(&world)
        .create(&answer(WORK, "68d7cdfeb5655de5@castellan-interiors.example", false))
        .unwrap_err();
    let unknown = drafts(&world).create(&answer(WORK, "m000000000000", false)).unwrap_err();

    assert_eq!((other.code(), other.hint()), ("not_in_account", format!("it is held by: {PERSONAL}")));
    assert_eq!(unknown.code(), "unknown_message");
}
