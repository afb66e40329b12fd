//! Messages that try to talk to an assistant behind its owner's back, from a corpus that not every machine has.

use std::fs;
use std::path::{Path, PathBuf};

use mailkeep::model::{DateHints, ParsedMessage};
use mailkeep::parse;
use mailkeep::text_safety::{Nonce, fence};
use serde_json::Value;

use crate::world::{list, skipped};

/// Everything about a message that a tool can show.
fn shown(message: &ParsedMessage) -> String {
    let people = message.from.iter().chain(&message.to).chain(&message.cc).chain(&message.reply_to);
    let people: Vec<String> = people.map(ToString::to_string).collect();
    let names: Vec<&str> = message.attachments.iter().filter_map(|file| file.name.as_deref()).collect();
    format!("{}\n{}\n{}\n{}", message.subject, people.join("\n"), names.join("\n"), message.text)
}

struct Sample {
    file: String,
    entry: Value,
    message: ParsedMessage,
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().map(|items| items.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

impl Sample {
    fn leaks(&self) -> Vec<String> {
        let shown = shown(&self.message);
        let words = strings(&self.entry["must_hide"]).into_iter().filter(|word| shown.contains(word));
        let ranges = self.entry["must_hide_codepoints"].as_str().unwrap_or_default();
        let points = shown.chars().filter(|c| ranges.split(',').any(|range| is_in(*c, range)));
        words.map(str::to_owned).chain(points.map(|c| c.escape_unicode().to_string())).collect()
    }

    fn missing(&self) -> Vec<&str> {
        let shown = shown(&self.message);
        strings(&self.entry["must_show"]).into_iter().filter(|word| !shown.contains(*word)).collect()
    }

    fn flags(&self) -> Vec<&'static str> {
        self.message.findings.flags.iter().map(|flag| flag.name()).collect()
    }
}

fn is_in(c: char, range: &str) -> bool {
    let (low, high) = range.split_once('-').unwrap_or((range, range));
    let point = |text| u32::from_str_radix(text, 16).unwrap_or(u32::MAX);
    (point(low)..=point(high)).contains(&u32::from(c))
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/injection")
}

fn samples(kind: &str) -> Vec<Sample> {
    let manifest = fs::read_to_string(corpus().join("manifest.jsonl")).unwrap_or_default();
    let entries = manifest.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    entries
        .filter(|entry| entry["kind"] == kind)
        .map(|entry| {
            let file = entry["file"].as_str().unwrap().to_owned();
            let bytes = fs::read(corpus().join(&file)).unwrap();
            let message = parse::judged(&bytes, &DateHints::default());
            Sample { file, entry, message }
        })
        .collect()
}

#[test]
fn nothing_hidden_reaches_the_reader_and_nothing_visible_is_lost() {
    let samples = samples("hidden");
    if samples.is_empty() {
        return skipped("nothing_hidden_reaches_the_reader", "the corpus is not on this machine");
    }

    let wrong: Vec<_> = samples
        .iter()
        .filter(|sample| !sample.leaks().is_empty() || !sample.missing().is_empty())
        .map(|sample| (&sample.file, sample.leaks(), sample.missing()))
        .collect();

    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), samples.len());
}

#[test]
fn what_only_looks_dangerous_is_left_as_it_is() {
    let samples = samples("benign");
    if samples.is_empty() {
        return skipped("what_only_looks_dangerous", "the corpus is not on this machine");
    }

    let wrong: Vec<_> = samples
        .iter()
        .filter(|sample| !sample.missing().is_empty() || !sample.flags().is_empty())
        .map(|sample| (&sample.file, sample.missing(), sample.flags()))
        .collect();

    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn attacks_in_plain_sight_are_shown_fenced_and_flagged() {
    let samples = samples("visible");
    if samples.is_empty() {
        return skipped("attacks_in_plain_sight", "the corpus is not on this machine");
    }

    let wrong: Vec<_> = samples
        .iter()
        .filter(|sample| {
            let nonce = Nonce::random();
            let fenced = fence(&sample.message.text, &nonce);
            let flag = sample.entry["must_flag"].as_str().unwrap();
            !sample.leaks().is_empty()
                || !sample.missing().is_empty()
                || !sample.flags().contains(&flag)
                || fenced.matches(&nonce.to_string()).count() != 2
        })
        .map(|sample| (&sample.file, sample.leaks(), sample.missing(), sample.flags()))
        .collect();

    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(list(&samples[0].entry["must_show"]).len() < 100);
}
