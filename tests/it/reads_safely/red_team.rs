//! Messages by somebody who knew how text is told to be visible, from a corpus that not every machine has.

use std::fs;
use std::path::{Path, PathBuf};

use mailkeep::model::DateHints;
use mailkeep::parse;
use serde_json::Value;

use crate::world::skipped;

/// Readers cannot be shown everything that they could see: this many of the visible texts may be left out in doubt.
const MOST_LOST: usize = 1;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/redteam")
}

fn entries(kind: &str) -> Vec<Value> {
    let manifest = fs::read_to_string(corpus().join("manifest.jsonl")).unwrap_or_default();
    let entries = manifest.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    entries.filter(|entry| entry["kind"] == kind).collect()
}

/// The text that an assistant gets, and whether a word of the list is in it.
fn found<'e>(entry: &'e Value, list: &str) -> Vec<(&'e str, bool)> {
    let bytes = fs::read(corpus().join(entry["file"].as_str().unwrap())).unwrap();
    let text = parse::message(&bytes, &DateHints::default()).text;
    let words = entry[list].as_array().into_iter().flatten().filter_map(Value::as_str);
    words.map(|word| (word, text.contains(word))).collect()
}

#[test]
fn nothing_that_a_person_cannot_see_is_read() {
    let entries = entries("hidden");
    if entries.is_empty() {
        return skipped("nothing_that_a_person_cannot_see", "the corpus is not on this machine");
    }

    let leaks: Vec<&Value> = entries
        .iter()
        .filter(|entry| found(entry, "must_hide").iter().any(|(_, is_read)| *is_read))
        .collect();

    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn what_a_person_sees_is_read_all_the_same() {
    let entries = entries("visible");
    if entries.is_empty() {
        return skipped("what_a_person_sees", "the corpus is not on this machine");
    }

    let lost: Vec<&Value> = entries
        .iter()
        .filter(|entry| found(entry, "must_show").iter().any(|(_, is_read)| !is_read))
        .collect();

    assert!(lost.len() <= MOST_LOST, "{lost:#?}");
}
