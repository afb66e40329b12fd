//! Withheld messages are for the person: whatever way an assistant asks, they are not there.

use mailkeep::clock::Clock;
use mailkeep::home::Home;
use mailkeep::index::attachment_text::Extractor;
use mailkeep::model::{Audience, MessageKey};
use mailkeep::query::{Archive, Browse, Page, Question, Sort};
use mailkeep::store::{Reader, Store};

use crate::world::mail::{many, mboxrd};
use crate::world::{Mail, World};

const PAGE: Page = Page { limit: 100, offset: 0 };

pub(crate) fn archive(world: &World, audience: Audience) -> Archive {
    Archive::open(&Home::at(world.home()), audience, Clock::system(), Extractor::new("mailkeep".into()))
        .unwrap()
}

fn withhold(world: &World, key: MessageKey, withheld: bool) {
    let mut store = Store::open(&world.home().join("mail.db")).unwrap();
    let mut batch = store.begin().unwrap();
    batch.withhold(key, withheld).unwrap();
    batch.commit().unwrap();
}

/// Twelve messages of which one, with an attachment and in two mailboxes, is withheld.
fn world_with_a_secret() -> (World, MessageKey) {
    let mut mails = many(11);
    let secret =
        Mail::new("Secretsubject").body("secretword").attach("secretfile.txt", "text/plain", b"secretpart");
    mails.push(secret.bytes());
    let world = World::holding(&mboxrd(&mails));
    let copy = world.write("copy.eml", secret.bytes());
    world.json(&["import", copy.to_str().unwrap(), "--account", crate::world::ACCOUNT, "--mailbox", "Other"]);
    let key = archive(&world, Audience::Person).matching("secretword", None).unwrap()[0];
    withhold(&world, key, true);
    (world, key)
}

#[test]
fn a_withheld_message_is_in_no_answer_to_an_assistant() {
    let (world, key) = world_with_a_secret();
    let mut archive = archive(&world, Audience::Assistant);
    let id = Reader::open(&world.home().join("mail.db")).unwrap().message(key).unwrap().unwrap().id;

    for query in
        ["", "in:INBOX", "in:Other", "secretword", "subject:secretsubject", "filename:secretfile", "-zebra"]
    {
        let answer = archive.search(&Question::of(query, PAGE)).unwrap();
        assert!(answer.results.iter().all(|item| item.subject != "Secretsubject"), "{query}");
        assert_eq!(answer.total, answer.results.len() as u64, "{query}");
        assert_eq!(archive.count(query, None).unwrap(), answer.total, "{query}");
        assert_eq!(archive.matching(query, None).unwrap().len() as u64, answer.total, "{query}");
    }
    assert!(archive.resolve(&id.to_string()).is_err());
    assert!(archive.read(key).is_err());
    assert_eq!(archive.thread_of(key).unwrap(), []);
    let reader = archive.reader();
    assert!(reader.raw(key).is_err() && reader.text(key).is_err() && reader.envelope(key).is_err());
    assert_eq!((reader.parts(key).unwrap().len(), reader.placements(key).unwrap().len()), (0, 0));
    let figures = archive.figures(100).unwrap();
    assert_eq!((figures.messages, figures.with_attachments), (11, 0));
    assert_eq!(figures.mailboxes.iter().map(|mailbox| mailbox.count).sum::<i64>(), 11);
    assert!(figures.threads < self::archive(&world, Audience::Person).figures(1).unwrap().threads);
}

#[test]
fn an_answer_says_what_is_withheld_from_its_filters_and_nothing_when_asked_for_words() {
    let (world, _) = world_with_a_secret();
    let mut archive = archive(&world, Audience::Assistant);

    for (query, withheld) in [
        ("", 1),
        ("in:Other", 1),
        ("secretword", 0),
        ("wordthatisnowhere", 0),
        ("in:Other secretword", 0),
        ("in:Other -wordthatisnowhere", 0),
        ("in:Other OR secretword", 0),
        ("from:bob", 0),
        ("filename:secretfile", 0),
        ("rfc822msgid:Secretsubject@test.example", 0),
        ("before:1999-01-01", 0),
        ("is:starred", 0),
        ("in:Other after:1999-01-01", 1),
        ("in:Other OR is:starred", 1),
        ("-in:Other", 0),
        ("-is:starred", 1),
    ] {
        assert_eq!(archive.search(&Question::of(query, PAGE)).unwrap().withheld, withheld, "{query}");
    }
}

#[test]
fn only_the_page_that_would_show_a_withheld_message_says_so() {
    let days = ["01", "02", "03", "04"];
    let mail = |day: &&str| Mail::new(day).date(&format!("Mon, {day} Mar 2026 10:00:00 +0000")).bytes();
    let world = World::holding(&mboxrd(&days.iter().map(mail).collect::<Vec<_>>()));
    let key = archive(&world, Audience::Person).matching("subject:03", None).unwrap()[0];
    withhold(&world, key, true);
    let mut archive = archive(&world, Audience::Assistant);
    let account = archive.accounts().unwrap()[0].key;
    let mut notes = |sort: Option<Sort>| {
        [0, 1, 2].map(|offset| {
            let page = Page { limit: 1, offset };
            let question = Question { sort, ..Question::of("in:inbox", page) };
            archive.search(&question).unwrap().withheld
        })
    };

    let (newest, oldest) = (notes(None), notes(Some(Sort::Oldest)));
    let listed = [0, 1, 2].map(|offset| {
        let browse = Browse { account: Some(account), folder: Some("inbox".to_owned()), ..Browse::default() };
        archive.browse(&browse, Page { limit: 2, offset }).unwrap().withheld
    });

    assert_eq!(newest, [1, 0, 0], "the pages are 4, 2 and 1");
    assert_eq!(oldest, [0, 1, 0], "the pages are 1, 2 and 4");
    assert_eq!(listed, [1, 0, 0]);
}

#[test]
fn the_person_sees_everything() {
    let (world, key) = world_with_a_secret();
    let mut archive = archive(&world, Audience::Person);

    assert_eq!(archive.search(&Question::of("secretword", PAGE)).unwrap().total, 1);
    assert_eq!(archive.search(&Question::of("", PAGE)).unwrap().withheld, 0);
    assert_eq!(archive.read(key).unwrap().subject, "Secretsubject");
    assert_eq!(world.count("secretword"), 1);
    world.assert_sound();
}

#[test]
fn an_open_archive_notices_at_once_what_is_withheld_or_shown_again() {
    let (world, key) = world_with_a_secret();
    let mut archive = archive(&world, Audience::Assistant);

    withhold(&world, key, false);
    assert_eq!(archive.count("secretword", None).unwrap(), 1);
    withhold(&world, key, true);

    assert_eq!(archive.count("secretword", None).unwrap(), 0);
    assert_eq!(archive.count("", None).unwrap(), 11);
    world.assert_sound();
}

#[test]
fn what_is_not_indexed_yet_is_withheld_too() {
    let (world, key) = world_with_a_secret();
    std::fs::remove_dir_all(world.home().join("text")).unwrap();

    let mut archive = archive(&world, Audience::Assistant);

    assert_eq!(archive.count("secretword", None).unwrap(), 0);
    assert_eq!(archive.count("numbers", None).unwrap(), 11);
    assert!(archive.read(key).is_err());
}
