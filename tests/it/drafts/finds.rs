//! Searches that ask for drafts find those that were written here, by their words; others do not.

use mailkeep::drafts::NewDraft;
use mailkeep::model::dated;
use serde_json::json;

use super::{clock, drafts, letter, strings, world};
use crate::world::conversation::{ask, call};
use crate::world::{World, list, read_json};

/// A home with one message and two drafts: `Lunch` to Bob, and a secret copy of `Figures` to Zoe.
fn written() -> World {
    let world = world();
    drafts(&world).create(&letter()).unwrap();
    let figures = NewDraft {
        subject: "Figures".to_owned(),
        body: "The meetings cost Müller 12 euro.".to_owned(),
        bcc: strings(&["zoe@x.example"]),
        ..letter()
    };
    drafts(&world).create(&figures).unwrap();
    world
}

fn found(world: &World, query: &str) -> Vec<String> {
    let mut found = world.found(query);
    found.sort();
    found
}

#[test]
fn drafts_are_found_by_every_kind_of_condition() {
    let world = written();

    for (query, expected) in [
        ("is:draft", &["Figures", "Lunch"][..]),
        ("in:drafts", &["Figures", "Lunch"]),
        ("is:draft meeting", &["Figures"]),
        ("is:draft muller", &["Figures"]),
        ("is:draft \"shall we\"", &["Lunch"]),
        ("is:draft subject:lunch", &["Lunch"]),
        ("is:draft -subject:lunch", &["Figures"]),
        ("is:draft to:bob", &["Figures", "Lunch"]),
        ("is:draft bcc:zoe", &["Figures"]),
        ("is:draft from:ada", &["Figures", "Lunch"]),
        ("is:draft from:bob", &[]),
        ("is:draft is:unread", &[]),
        ("is:draft account:ada@example.org", &["Figures", "Lunch"]),
        ("is:draft account:eve@example.org", &[]),
        ("is:draft has:attachment", &[]),
        ("is:draft larger:1M", &[]),
        ("is:draft newer_than:1d", &["Figures", "Lunch"]),
        ("is:draft before:2020-01-01", &[]),
        ("is:draft label:work", &[]),
        ("in:drafts (lunch OR meetings)", &["Figures", "Lunch"]),
        ("kitchen OR is:draft", &["Figures", "Kitchen", "Lunch"]),
        ("lunch", &[]),
        ("-is:draft", &["Kitchen"]),
        ("", &["Kitchen"]),
    ] {
        assert_eq!(found(&world, query), expected, "{query}");
        assert_eq!(world.count(query), expected.len() as u64, "{query}");
    }
}

#[test]
fn a_home_without_a_mailbox_for_drafts_is_not_told_that_there_is_none() {
    let output = written().run(&["search", "in:drafts"]);

    assert!(
        !String::from_utf8_lossy(&output.stderr).contains("no mailbox"),
        "{}",
        crate::world::told(&output)
    );
}

#[test]
fn a_draft_that_is_found_can_be_shown_and_paged_to() {
    let world = written();
    let page = |offset: &str| world.json(&["search", "is:draft", "--limit", "1", "--offset", offset]);

    let (first, second) = (page("0"), page("1"));

    assert_eq!((&first["total"], list(&first["results"]).len()), (&2.into(), 1));
    assert_ne!(first["results"][0]["id"], second["results"][0]["id"]);
    let id = first["results"][0]["id"].as_str().unwrap();
    assert!(id.starts_with('d'), "{first}");
    assert_eq!(world.json(&["show", id])["id"], id);
    assert_eq!(list(&page("2")["results"]).len(), 0);
    let snippet = world.json(&["search", "is:draft euro"])["results"][0]["snippet"].clone();
    assert!(snippet.as_str().unwrap().contains("12 euro"), "{snippet}");
}

#[test]
fn an_assistant_that_asks_for_drafts_finds_them_and_one_that_does_not_does_not() {
    let world = written();
    let search = |id, query: &str| call(id, "search_emails", &json!({ "query": query }));

    let answers = ask(&mut world.command(&["mcp"]), &[search(1, "is:draft lunch"), search(2, "lunch")]);

    let items = |id: u64| list(&answers[&id]["result"]["structuredContent"]["items"]).to_vec();
    assert_eq!((items(1).len(), items(2).len()), (1, 0), "{answers:?}");
    assert!(items(1)[0]["id"].as_str().unwrap().starts_with('d'), "{answers:?}");
}

#[test]
fn drafts_are_exported_as_they_would_leave_and_only_when_asked_for() {
    let world = written();
    let file = world.path("drafts.mbox");
    let target = file.to_str().unwrap();

    let all = world.json(&["export", "", "--to", world.path("all.mbox").to_str().unwrap()]);
    let exported = world.json(&["export", "is:draft lunch", "--to", target]);

    assert_eq!((&all["exported"], &exported["exported"]), (&1.into(), &1.into()));
    let other = World::new();
    other.import(&file);
    assert_eq!(other.found(""), ["Lunch"]);
    let id = world.json(&["search", "is:draft lunch"])["results"][0]["id"].clone();
    let own = other.json(&["search", ""])["results"][0]["id"].clone();
    let crlf = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
    let as_written = dated(&world.raw(id.as_str().unwrap()), clock().now().as_second());
    assert_eq!(crlf(other.raw(own.as_str().unwrap())), crlf(as_written));
}

#[test]
fn forgetting_mail_leaves_drafts_alone() {
    let world = written();

    let output = world.command(&["--json", "forget", "is:draft OR kitchen", "--yes"]).output().unwrap();

    assert_eq!(read_json(&output)["forgotten"], 1);
    assert_eq!(world.count("is:draft"), 2);
    assert_eq!(world.count(""), 0);
    world.assert_sound();
}
