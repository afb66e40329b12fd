//! Real bounces of some seventy mail systems, rewritten so that each names an item of ours.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mailkeep::model::{DateHints, Draft, ItemState};
use mailkeep::parse;
use mailkeep::store::{Delivery, DeliveryStatus};
use regex::bytes::Regex;
use serde_json::Value;

use super::{bring_in, deliveries, draft, leave, reader, world};
use crate::world::{World, skipped};

/// Without a field that says so: read by a person, these say that delivery is still tried.
const DELAYED: [&str; 9] = [
    "lhost-exim-38",
    "lhost-exim-41",
    "lhost-gmail-06",
    "lhost-gmail-08",
    "lhost-gmail-09",
    "lhost-gmail-17",
    "lhost-opensmtpd-04",
    "lhost-x1-04",
    "lhost-zoho-04",
];

const ADDRESS: &str = r"[A-Za-z0-9!#%&*+/=?^_`{|}~.'-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]*[A-Za-z0-9]";

struct Sample {
    name: String,
    bytes: Vec<u8>,
    /// What it must be noted as; `None`: not at all.
    expected: Option<DeliveryStatus>,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/bounces")
}

fn samples() -> Option<Vec<Sample>> {
    let list = fs::read_to_string(directory().join("manifest.jsonl")).ok()?;
    let rows = list.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    Some(rows.map(|row| read_sample(&row)).collect())
}

fn read_sample(row: &Value) -> Sample {
    let file = row["file"].as_str().unwrap();
    let name = Path::new(file).file_stem().unwrap().to_str().unwrap().to_owned();
    let mut bytes = fs::read(directory().join(file)).unwrap();
    if !bytes.contains(&b'\n') {
        bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
    }
    let expected = expected(row, &name, &bytes);
    Sample { name, bytes, expected }
}

fn expected(row: &Value, name: &str, bytes: &[u8]) -> Option<DeliveryStatus> {
    let says = |words: &str| Regex::new(&format!("(?im)^Action: *{words}")).unwrap().is_match(bytes);
    let reason = row["expect"][0]["reason"].as_str().unwrap_or_default();
    let is_other_kind = reason == "feedback" || name.starts_with("arf") || name.starts_with("rfc3834");
    if row["bounce"] == false || is_other_kind {
        None
    } else if DELAYED.contains(&name) || says("delayed") && !says("failed") {
        Some(DeliveryStatus::Delayed)
    } else if reason == "delivered" {
        Some(DeliveryStatus::Delivered)
    } else {
        Some(DeliveryStatus::Bounced)
    }
}

fn found(pattern: &str, bytes: &[u8]) -> Vec<Vec<u8>> {
    let pattern = Regex::new(&pattern.replace("ADDRESS", ADDRESS)).unwrap();
    pattern.captures_iter(bytes).map(|found| found[1].to_vec()).collect()
}

/// Puts the item's Message-ID and recipient into the place of the original's, as far as they can be made out by plain
/// patterns that know nothing of how we read.
fn rewritten(bytes: &[u8], item: &Draft) -> Vec<u8> {
    let end = bytes
        .windows(2)
        .position(|pair| pair == b"\n\n")
        .or(bytes.windows(3).position(|three| three == b"\n\r\n"));
    let (header, body) = bytes.split_at(end.unwrap_or(bytes.len()));
    let own = found(r"(?im)^(?:To|Delivered-To):[^\n]*?(ADDRESS)", header);
    let original = found(r"(?im)^[ >\t]*message-id:\s*<([^>\s]+)>", body).into_iter().next();
    let answered = || found(r"(?im)^(?:In-Reply-To|References):\s*(?:<[^>]*>\s*)*<([^>\s]+)>", header).pop();
    let recipient = [
        (body, r"(?im)^(?:Original-Recipient|Final-Recipient):\s*[^;\n]*?;?\s*<?(ADDRESS)"),
        (header, r"(?im)^X-Failed-Recipients:\s*(ADDRESS)"),
        (body, r"(?m)^[ \t]*<?(ADDRESS)>?:?(?:\s|$)"),
        (body, r"(?im)^To:[^\n]*?(ADDRESS)"),
        (body, r"(ADDRESS)"),
    ]
    .into_iter()
    .enumerate()
    .find_map(|(number, (place, pattern))| {
        let is_it = |address: &Vec<u8>| number < 2 || !own.contains(address) && is_person(address);
        found(pattern, place).into_iter().find(is_it)
    });
    let mut output = bytes.to_vec();
    if let Some(id) = original.or_else(answered) {
        output = swapped(&output, &id, &item.message_id);
    }
    if let Some(address) = recipient {
        output = swapped(&output, &address, &item.recipients.to[0].address);
    }
    output
}

fn is_person(address: &[u8]) -> bool {
    let address = String::from_utf8_lossy(address).to_lowercase();
    !address.contains("daemon") && !address.starts_with("support@")
}

fn swapped(bytes: &[u8], from: &[u8], to: &str) -> Vec<u8> {
    let pattern = format!("(?i){}", regex::escape(&String::from_utf8_lossy(from)));
    Regex::new(&pattern).unwrap().replace_all(bytes, regex::bytes::NoExpand(to.as_bytes())).into_owned()
}

/// An item for each sample, sent ten minutes before the sample was written.
fn items(world: &World, samples: &[Sample]) -> Vec<Draft> {
    let item = |(number, sample): (usize, &Sample)| {
        let draft = draft(world, &[&format!("recipient{number}@elsewhere.example")]);
        let date = parse::message(&sample.bytes, &DateHints::default()).date.epoch;
        leave(world, &draft, ItemState::Sent, date - 600);
        draft
    };
    samples.iter().enumerate().map(item).collect()
}

#[test]
fn real_bounces_are_matched_with_the_right_verdict_and_to_no_wrong_item() {
    let Some(samples) = samples() else {
        return skipped(
            "real_bounces_are_matched_with_the_right_verdict_and_to_no_wrong_item",
            "needs ../shared/corpus/bounces",
        );
    };
    let world = world();
    let items = items(&world, &samples);
    let reports: Vec<Vec<u8>> =
        samples.iter().zip(&items).map(|(sample, item)| rewritten(&sample.bytes, item)).collect();

    bring_in(&world, &reports);

    let tally = Tally::of(&world, &samples, &items);
    assert_eq!(tally.wrong_item, [""; 0]);
    assert_eq!(tally.not_left_alone, [""; 0]);
    assert!(tally.right * 100 >= tally.reports * 95, "{tally:#?}");
    assert!(tally.certain * 100 >= tally.reports * 85, "{tally:#?}");
}

#[derive(Debug, Default)]
struct Tally {
    /// Samples that report on a delivery.
    reports: usize,
    /// Noted for the right item with the right status.
    right: usize,
    /// Of those, the ones that are no guess.
    certain: usize,
    missed: Vec<String>,
    wrong_verdict: BTreeMap<String, String>,
    wrong_item: Vec<String>,
    /// What is no report on a delivery and changed something all the same.
    not_left_alone: Vec<String>,
}

impl Tally {
    fn of(world: &World, samples: &[Sample], items: &[Draft]) -> Self {
        let mut tally = Self::default();
        samples.iter().zip(items).for_each(|(sample, item)| tally.add(world, sample, item));
        tally
    }

    fn add(&mut self, world: &World, sample: &Sample, item: &Draft) {
        let known = deliveries(world, item);
        if known.iter().any(|delivery| !is_named_by(world, item, delivery)) {
            self.wrong_item.push(sample.name.clone());
        }
        let Some(expected) = sample.expected else {
            return self.not_left_alone.extend((!known.is_empty()).then(|| sample.name.clone()));
        };
        self.reports += 1;
        match known.first() {
            Some(delivery) if delivery.status == expected => {
                self.right += 1;
                self.certain += usize::from(!delivery.is_probable);
            }
            Some(delivery) => {
                drop(self.wrong_verdict.insert(sample.name.clone(), delivery.status.name().to_owned()))
            }
            None => self.missed.push(sample.name.clone()),
        }
    }
}

/// Whether the report that something was noted from has the item's recipient or id in it; no other sample has them.
fn is_named_by(world: &World, item: &Draft, delivery: &Delivery) -> bool {
    let raw = reader(world).raw(delivery.message.unwrap()).unwrap();
    let names =
        |text: &str| raw.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()));
    names(&item.recipients.to[0].address) || names(&item.message_id)
}
