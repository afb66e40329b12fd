//! Searches as people type them, on the sample mailbox: how many messages each one finds, and that they are those which
//! `benches/as_typed` finds, which reads the same mail with another program.

use std::path::Path;
use std::process::Command;

use crate::world::{World, answer, list, skipped, told};

fn sample() -> World {
    let world = World::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    world.import_as(&demo.join("personal.mbox"), "ada.berg@example.org");
    world.import_as(&demo.join("work.mbox"), "a.berg@northwind-optics.example");
    world
}

/// What a search finds where the month comes first in a date.
fn found(world: &World, query: &str) -> u64 {
    let mut command = world.command(&["--json", "count", "--", query]);
    answer(command.env("LC_ALL", "en_US.UTF-8"))["count"].as_u64().unwrap()
}

const WORDS: &[(&str, u64)] = &[
    ("kitchen quote", 7),
    ("kitchen -from:ruben", 12),
    ("\"salt fog\"", 12),
    ("€", 0),
    ("×", 14),
    ("invoice €", 0),
    ("invoic*", 12),
    ("kroeger", 3),
    ("fuers", 11),
    ("für", 11),
    ("Grüße", 4),
    ("gruesse", 4),
    ("subject:halc*", 29),
    ("{lisbon valencia}", 18),
    ("lisbon OR valencia", 18),
    ("kitchen AROUND 3 renovation", 9),
    ("\"salt AROUND 2 results\"", 4),
    ("+measured", 6),
    ("measure", 9),
    ("Moss & Fern", 7),
    ("[PATCH]", 4),
    ("山の家", 3),
    ("サンプル", 3),
    ("насоса", 3),
    ("玻璃", 4),
    ("*", 320),
];

const PEOPLE: &[(&str, u64)] = &[
    ("from:ruben", 7),
    ("from:rub*", 7),
    ("from:Kröger", 2),
    ("from:kroeger", 2),
    ("from:tomas", 4),
    ("from:Tomás", 4),
    ("to:mira", 8),
    ("to:kammerch*", 10),
    ("from:me", 101),
    ("to:me", 183),
    ("from:me to:me", 0),
    ("from:me halcyon", 15),
    ("-from:me halcyon", 19),
    ("from:me account:ada.berg@example.org", 44),
    ("from:{mira sam}", 20),
    ("ruben@castellan-interiors.example", 10),
    ("deliveredto:a.berg@northwind-optics.example", 147),
];

const DATES: &[(&str, u64)] = &[
    ("on:2024", 132),
    ("on:march 2024", 14),
    ("on:\"march 2024\"", 14),
    ("on:4.3.2024", 1),
    ("on:3/4/2024", 1),
    ("on:20240304", 1),
    ("after:1709510400 before:1709596800", 1),
    ("after:\"last month\"", 31),
    ("on:last month", 6),
    ("on:this year", 55),
    ("on:last year", 117),
    ("on:last week", 0),
    ("newer:2026-01-01 older:2026-02-01", 8),
    ("on:10 march 2026", 2),
];

const OTHERS: &[(&str, u64)] = &[
    ("filename:quote*", 2),
    ("filename:inv*", 12),
    ("has:pdf", 21),
    ("has:spreadsheet", 4),
    ("has:document", 3),
    ("has:image", 2),
    ("type:pdf invoice", 12),
    ("list:lumen-devel", 15),
    ("list:slowpan", 5),
    ("label:inbox -label:unread kitchen", 18),
    ("label:unread", 9),
    ("has:nouserlabels lisbon", 15),
];

fn assert_counts(table: &[(&str, u64)]) {
    let world = sample();

    for (query, expected) in table {
        assert_eq!(found(&world, query), *expected, "search: {query}");
    }
}

/// Has another program look for what people type in a mailbox, message by message.
fn assert_same_messages(table: &str) {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/as_typed");
    let mut command = Command::new(bench);
    match command.args(["--mailkeep", env!("CARGO_BIN_EXE_mailkeep"), table]).output() {
        Ok(output) => assert!(output.status.success(), "{}", told(&output)),
        Err(error) => skipped("what people type, found by another program", &error.to_string()),
    }
}

#[test]
fn another_program_finds_the_same_messages_in_the_sample_mailbox() {
    assert_same_messages("demo");
}

#[test]
fn words_as_people_type_them() {
    assert_counts(WORDS);
}

#[test]
fn people_as_people_type_them() {
    assert_counts(PEOPLE);
}

#[test]
fn dates_as_people_type_them() {
    assert_counts(DATES);
}

#[test]
fn attachments_labels_and_lists_as_people_type_them() {
    assert_counts(OTHERS);
}

#[test]
fn what_is_found_shows_the_words_that_were_asked_for_or_what_is_new() {
    let world = sample();
    let snippets = |query: &str| {
        let answer = world.json(&["search", "--limit", "100", "--", query]);
        let snippet = |item: &serde_json::Value| item["snippet"].as_str().unwrap().to_lowercase();
        list(&answer["results"]).iter().map(snippet).collect::<Vec<_>>()
    };

    let quoted = snippets("body:quote");
    let from = snippets("from:me subject:re");

    assert!(quoted.len() > 5 && quoted.iter().all(|snippet| snippet.contains("quot")), "{quoted:#?}");
    let own = |snippet: &&String| !snippet.starts_with('>') && !snippet.ends_with("wrote:");
    assert_eq!(from.iter().filter(own).count(), from.len(), "{from:#?}");
    assert!(from.iter().all(|snippet| !snippet.contains(" > ")), "{from:#?}");
}
