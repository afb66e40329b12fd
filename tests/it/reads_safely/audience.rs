//! Withheld messages are for the person: whatever way an assistant asks, they are not there.

use std::fs;
use std::path::{Path, PathBuf};

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
        assert!(answer.items.iter().all(|item| item.subject != "Secretsubject"), "{query}");
        assert_eq!(answer.total, answer.items.len() as u64, "{query}");
        assert_eq!(archive.count(query, None).unwrap(), answer.total, "{query}");
        assert_eq!(archive.matching(query, None).unwrap().len() as u64, answer.total, "{query}");
    }
    assert!(archive.resolve(&id.to_string()).is_err());
    assert!(archive.read(key).is_err());
    assert_eq!(archive.thread_of(key).unwrap(), []);
    assert!(archive.raw(key).is_err() && archive.reading(key).is_err());
    assert_eq!(archive.message(key).unwrap(), None);
    assert!(archive.find_attachment(key, "secretfile.txt").is_err());
    assert_eq!(archive.stored_placements(key).unwrap(), []);
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
fn the_person_gets_the_text_that_may_be_hidden_and_what_was_left_out_as_json() {
    let html = "<p>shown<p style='display:none'>gone<p style='mix-blend-mode:hue'>perhaps";
    let mail = format!("Subject: Half hidden\nFrom: eve@example.org\nContent-Type: text/html\n\n{html}\n");
    let world = World::holding(&mboxrd([&mail.into_bytes()]));
    let id = world.json(&["search", "subject:hidden"])["results"][0]["id"].as_str().unwrap().to_owned();

    let message = world.json(&["show", &id]);

    assert_eq!(message["text"], "shown");
    assert_eq!(message["doubtful_text"], "perhaps");
    assert_eq!(message["findings"]["doubtful"]["mix-blend-mode"], 7);
    assert_eq!(message["findings"]["dropped"]["display"], 4);
    assert_eq!(message["findings"]["flags"].as_array().unwrap().len(), 2, "{}", message["findings"]);
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

/// Files of `query` and what they hold beside comments and tests, by name.
fn query_sources(directory: &Path) -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources.extend(query_sources(&path));
        } else if path.file_name().is_some_and(|name| name != "plans.rs" && name != "tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap().lines();
            let code: Vec<_> = code.filter(|line| !line.trim_start().starts_with("//")).collect();
            sources.push((path, code.join("\n").to_lowercase()));
        }
    }
    sources
}

/// Tables that an assistant's connection has views for.
fn shadowed() -> Vec<String> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/query/audience.rs");
    let source = fs::read_to_string(source).unwrap();
    let names = source.split("CREATE TEMP VIEW ").skip(1);
    names.map(|rest| rest.split_whitespace().next().unwrap().to_owned()).collect()
}

/// Whether SQL reaches a table past the view before it.
fn names_past_view(code: &str, table: &str) -> bool {
    let name = format!("main.{table}");
    code.match_indices(&name).any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[test]
fn only_one_file_decides_what_an_audience_may_see() {
    // What its sets hold is cut by the rows that are withheld, and counted by them.
    const CUT_AFTERWARDS: &str = "search/facts.rs";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/query");

    let around: Vec<String> = query_sources(&root)
        .into_iter()
        .filter(|(path, _)| !path.ends_with("audience.rs"))
        .flat_map(|(path, code)| {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            let past_views =
                shadowed().iter().any(|table| names_past_view(&code, table)) && name != CUT_AFTERWARDS;
            let found = [
                (past_views.then_some("names a table past the views")),
                ["withheld = 0", "withheld = 1", "withheld <>", "not withheld"]
                    .iter()
                    .any(|asks| code.contains(asks))
                    .then_some("asks whether mail is withheld"),
                (code.contains("reader::open") || code.contains("connection::open"))
                    .then_some("opens the store itself"),
            ];
            found.into_iter().flatten().map(|what| format!("{name} {what}")).collect::<Vec<_>>()
        })
        .collect();

    assert_eq!(around, [""; 0]);
}

#[test]
fn every_table_about_messages_has_a_view_before_it() {
    let (world, key) = world_with_a_secret();
    let database = world.database();
    let mut tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    // Bounds that are compared with what is seen, work of the writer's, and what no tool reads.
    let others = [
        "changes",
        "pending_changes",
        "gmail_messages",
        "unreferenced_answers",
        "drafts",
        "responses",
        "copies",
        "repeated_subjects",
        "repeated_ids",
        "subject_blocks",
        "senders",
        "label_names",
        "deliveries",
        "sent_copies",
        "waiting_reports",
        "written_to",
    ];

    let open: Vec<&String> = tables
        .iter()
        .filter(|table| {
            let columns = format!("SELECT 1 FROM pragma_table_info('{table}') WHERE name IN ('message', 'placement', 'withheld')");
            database.prepare(&columns).unwrap().exists([]).unwrap()
        })
        .filter(|table| !shadowed().contains(table) && !others.contains(&table.as_str()))
        .collect();

    assert_eq!(open, [""; 0]);
    assert!(archive(&world, Audience::Assistant).message(key).unwrap().is_none());
}
