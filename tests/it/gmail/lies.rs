//! Google, or somebody in its place, lies in one kind of answer: no stored message vanishes, and what is not brought in
//! or thought to have gone is told. Then it is honest again, and everything is as it should be.
//!
//! `MAILKEEP_TEST_LIE` runs only the lies whose names hold these words, and says how each ended.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;
use std::thread;

use mailkeep::model::{ContentHash, ShortId};
use mailkeep::sync::AccountReport;
use serde_json::{Value, json};

use super::{Machine, filled, message};
use crate::world::gmail::api::{Call, Reply};
use crate::world::gmail::mailbox::{Mailbox, hex};
use crate::world::gmail::{BatchLie, GmailDouble, Lie};
use crate::world::{list, skipped};

/// Lies that are told at the same time.
const AT_ONCE: usize = 6;

/// What a client can know about a lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// It contradicts something else that is said, or hides nothing.
    Through,
    /// A server in another state would say exactly this, and nothing that is said later gives it away: forged bytes, or
    /// news that are never told.
    ForGood,
}

/// What happened before the lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Nothing was ever synced.
    First,
    /// There is news, and history that tells it.
    Later,
    /// There is news, and the history is forgotten: everything is listed anew.
    Forgotten,
}

type Twist = fn(&mut Mailbox, &Call, &mut Reply);

/// A lie: in the answer to which method, and how.
struct Told {
    method: &'static str,
    name: &'static str,
    seen: Seen,
    twist: Twist,
}

const fn told(method: &'static str, name: &'static str, twist: Twist) -> Told {
    Told { method, name, seen: Seen::Through, twist }
}

const fn told_as(seen: Seen, method: &'static str, name: &'static str, twist: Twist) -> Told {
    Told { method, name, seen, twist }
}

fn error_body(_: &mut Mailbox, _: &Call, reply: &mut Reply) {
    let error = Reply::error(500, "global", "backendError", "Backend Error").body;
    *reply = Reply::ok(error);
}

fn items<'a>(reply: &'a mut Reply, name: &str) -> Option<&'a mut Vec<Value>> {
    reply.body.get_mut(name).and_then(Value::as_array_mut)
}

fn halve(reply: &mut Reply, name: &str) {
    if let Some(items) = items(reply, name) {
        items.truncate(items.len() / 2);
    }
}

fn without(reply: &mut Reply, name: &str) {
    if let Some(body) = reply.body.as_object_mut() {
        body.remove(name);
    }
}

fn is_all(call: &Call) -> bool {
    call.get("labelIds").is_none()
}

const LISTS: [Told; 18] = [
    told("messages.list", "empty", |_, _, reply| *reply = Reply::ok(json!({"resultSizeEstimate": 0}))),
    told("messages.list", "empty object", |_, _, reply| *reply = Reply::ok(json!({}))),
    told("messages.list", "all messages empty", |_, call, reply| {
        if is_all(call) {
            *reply = Reply::ok(json!({"resultSizeEstimate": 0}));
        }
    }),
    told("messages.list", "half a page and no next one", |_, _, reply| {
        halve(reply, "messages");
        without(reply, "nextPageToken");
    }),
    told("messages.list", "half of each page", |_, _, reply| halve(reply, "messages")),
    told("messages.list", "no next page", |_, _, reply| without(reply, "nextPageToken")),
    told("messages.list", "an empty next page", |_, call, reply| {
        if call.get("pageToken").is_some() {
            *reply = Reply::ok(json!({"resultSizeEstimate": 40}));
        }
    }),
    told("messages.list", "the first page again and again", |mailbox, call, reply| {
        let first = Call {
            query: call.query.iter().filter(|(k, _)| k != "pageToken").cloned().collect(),
            ..call.clone()
        };
        let next = reply.body.get("nextPageToken").cloned();
        *reply = mailbox.call(&first);
        without(reply, "nextPageToken");
        if let Some(next) = next {
            reply.body["nextPageToken"] = next;
        }
    }),
    told("messages.list", "of another query", |mailbox, call, reply| {
        let mut query = call.query.clone();
        query.retain(|(key, _)| key != "labelIds");
        query.push(("labelIds".to_owned(), "SENT".to_owned()));
        *reply = mailbox.call(&Call { query, ..call.clone() });
    }),
    told("messages.list", "everything twice", |_, _, reply| {
        if let Some(items) = items(reply, "messages") {
            items.extend(items.clone());
        }
    }),
    told("messages.list", "backwards", |_, _, reply| {
        if let Some(items) = items(reply, "messages") {
            items.reverse();
        }
    }),
    told("messages.list", "no such ids", |_, _, reply| {
        for item in items(reply, "messages").into_iter().flatten() {
            item["id"] = json!("not an id");
        }
    }),
    told("messages.list", "one without id", |_, _, reply| {
        if let Some(item) = items(reply, "messages").and_then(|items| items.first_mut()) {
            item["id"] = json!("");
        }
    }),
    told("messages.list", "ids that nobody has besides", |_, call, reply| {
        if is_all(call)
            && let Some(items) = items(reply, "messages")
        {
            items.push(json!({"id": "1ffffffffffffff1", "threadId": "1ffffffffffffff1"}));
        }
    }),
    told("messages.list", "an estimate of nonsense", |_, _, reply| {
        reply.body["resultSizeEstimate"] = json!(4_000_000_000_u64);
    }),
    told("messages.list", "an error with status 200", error_body),
    told("messages.list", "not JSON", |_, _, reply| {
        reply.body = json!("<html>sign in to the hotel's network</html>")
    }),
    told("messages.list", "half of the JSON", |_, _, reply| {
        let text = reply.body.to_string();
        reply.body = json!(text[..text.len() / 2].to_owned());
    }),
];

/// Says that all these messages were deleted.
fn deleted(mailbox: &Mailbox, reply: &mut Reply, ids: impl Iterator<Item = u64>) {
    let entries: Vec<Value> = ids
        .enumerate()
        .map(|(n, id)| {
            let message = json!({"id": hex(id), "threadId": hex(id), "labelIds": []});
            json!({"id": (mailbox.history_id + n as u64).to_string(), "messages": [message], "messagesDeleted": [{ "message": message }]})
        })
        .collect();
    let mut all = items(reply, "history").map(std::mem::take).unwrap_or_default();
    all.extend(entries);
    reply.body["history"] = json!(all);
}

const HISTORIES: [Told; 14] = [
    told("history.list", "all that was here is deleted", |mailbox, _, reply| {
        let ids: Vec<u64> = mailbox.messages.keys().copied().take(20).collect();
        deleted(mailbox, reply, ids.into_iter());
    }),
    told("history.list", "some were deleted", |mailbox, _, reply| {
        let ids: Vec<u64> = mailbox.messages.keys().copied().take(3).collect();
        deleted(mailbox, reply, ids.into_iter());
    }),
    told("history.list", "what never was is deleted", |mailbox, _, reply| {
        deleted(mailbox, reply, [0x1fff_ffff_ffff_fff1, 0].into_iter());
    }),
    told_as(Seen::ForGood, "history.list", "nothing happened", |mailbox, _, reply| {
        *reply = Reply::ok(json!({"historyId": mailbox.history_id.to_string()}));
    }),
    told("history.list", "empty object", |_, _, reply| *reply = Reply::ok(json!({}))),
    told("history.list", "no historyId", |_, _, reply| without(reply, "historyId")),
    told("history.list", "historyId 0", |_, _, reply| reply.body["historyId"] = json!("0")),
    told("history.list", "historyId 1", |_, _, reply| reply.body["historyId"] = json!("1")),
    told("history.list", "historyId without end", |_, _, reply| {
        reply.body["historyId"] = json!("18446744073709551615");
    }),
    told("history.list", "historyId no number", |_, _, reply| reply.body["historyId"] = json!("soon")),
    told_as(Seen::ForGood, "history.list", "no next page", |_, _, reply| without(reply, "nextPageToken")),
    told_as(Seen::ForGood, "history.list", "entries without messages", |_, _, reply| {
        for item in items(reply, "history").into_iter().flatten() {
            *item = json!({"id": item["id"]});
        }
    }),
    told("history.list", "an error with status 200", error_body),
    told("history.list", "not JSON", |_, _, reply| reply.body = json!("<html>")),
];

const OTHERS: [Told; 24] = [
    told("labels.list", "empty", |_, _, reply| *reply = Reply::ok(json!({"labels": []}))),
    told("labels.list", "empty object", |_, _, reply| *reply = Reply::ok(json!({}))),
    told("labels.list", "half", |_, _, reply| halve(reply, "labels")),
    told("labels.list", "only the user's", |_, _, reply| {
        if let Some(items) = items(reply, "labels") {
            items.retain(|label| label["type"] != "system");
        }
    }),
    told("labels.list", "without ids", |_, _, reply| {
        for item in items(reply, "labels").into_iter().flatten() {
            item["id"] = json!("");
        }
    }),
    told("labels.list", "an error with status 200", error_body),
    told("labels.list", "not JSON", |_, _, reply| reply.body = json!("[1,2")),
    told("getProfile", "historyId 0", |_, _, reply| reply.body["historyId"] = json!("0")),
    told("getProfile", "historyId without end", |_, _, reply| {
        reply.body["historyId"] = json!("18446744073709551615");
    }),
    told("getProfile", "empty object", |_, _, reply| *reply = Reply::ok(json!({}))),
    told("getProfile", "no messages", |_, _, reply| reply.body["messagesTotal"] = json!(0)),
    told("getProfile", "more messages", |_, _, reply| reply.body["messagesTotal"] = json!(4_000_000)),
    told("getProfile", "somebody else's", |_, _, reply| {
        reply.body["emailAddress"] = json!("eve@evil.example")
    }),
    told("getProfile", "an error with status 200", error_body),
    told_as(Seen::ForGood, "messages.get", "is not there", |_, _, reply| *reply = Reply::not_found()),
    told("messages.get", "empty object", |_, _, reply| *reply = Reply::ok(json!({}))),
    told("messages.get", "an error with status 200", error_body),
    told("messages.get", "without bytes", |_, _, reply| without(reply, "raw")),
    told("messages.get", "empty bytes", |_, call, reply| {
        if call.get("format") == Some("raw") {
            reply.body["raw"] = json!("");
        }
    }),
    told("messages.get", "bytes that are no base64", |_, _, reply| reply.body["raw"] = json!("***")),
    told("messages.get", "of another message", |mailbox, _, reply| {
        let other = hex(*mailbox.messages.keys().next().unwrap());
        if reply.body["id"] != json!(other) {
            reply.body["id"] = json!(other);
        }
    }),
    told_as(Seen::ForGood, "messages.get", "another message's bytes", |_, call, reply| {
        if call.get("format") == Some("raw") {
            reply.body["raw"] = json!("U3ViamVjdDogZm9yZ2VkDQoNCmZvcmdlZA0K");
        }
    }),
    told("messages.get", "refused", |_, _, reply| {
        *reply = Reply::error(400, "global", "failedPrecondition", "Mail service not enabled");
    }),
    told("messages.get", "not JSON", |_, _, reply| reply.body = json!("<html>")),
];

const BATCHES: [(&str, BatchLie); 8] = [
    ("without its first half", |parts| parts[parts.len() / 2..].to_vec()),
    ("only the last", |parts| parts[parts.len() - 1..].to_vec()),
    ("backwards", |parts| parts.into_iter().rev().collect()),
    ("every part twice", |parts| parts.iter().chain(&parts).cloned().collect()),
    ("the parts of others", |parts| {
        let count = parts.len();
        (0..count).map(|n| (parts[n].0.clone(), parts[(n + 1) % count].1.clone())).collect()
    }),
    ("parts nobody asked for", |parts| {
        parts.into_iter().map(|(id, reply)| (format!("{id}9999"), reply)).collect()
    }),
    ("parts without names", |parts| parts.into_iter().map(|(_, reply)| (String::new(), reply)).collect()),
    ("no part", |_| Vec::new()),
];

/// What is found of a message: whether it is marked gone.
fn found(machine: &Machine) -> BTreeMap<String, bool> {
    let answer = machine.world.json(&["search", "--limit", "100000", "letter"]);
    let results = list(&answer["results"]).iter();
    results.map(|item| (item["id"].as_str().unwrap().to_owned(), !item["gone"].is_null())).collect()
}

fn id(bytes: &[u8]) -> String {
    ShortId::of(&ContentHash::of_message(bytes)).to_string()
}

fn truth(double: &GmailDouble) -> BTreeSet<String> {
    double.everything().into_values().map(|(raw, _)| id(&raw)).collect()
}

/// What Gmail has and the store hides.
fn hidden(truth: &BTreeSet<String>, found: &BTreeMap<String, bool>) -> (usize, usize) {
    let missing = truth.iter().filter(|id| !found.contains_key(*id)).count();
    let gone = truth.iter().filter(|id| found.get(*id) == Some(&true)).count();
    (missing, gone)
}

fn is_told(report: &AccountReport) -> bool {
    report.error.is_some() || !report.problems.is_empty()
}

/// A lie that is ready to be told, and the story of it.
struct Case {
    name: String,
    seen: Seen,
    lie: Option<Lie>,
    batch: Option<BatchLie>,
}

impl Case {
    fn of(told: &'static Told) -> Self {
        let lie = Lie(Box::new(move |mailbox, call, mut reply| {
            if call.method == told.method {
                (told.twist)(mailbox, call, &mut reply);
            }
            reply
        }));
        Self { name: format!("{}: {}", told.method, told.name), seen: told.seen, lie: Some(lie), batch: None }
    }

    fn of_batch(name: &str, lie: BatchLie) -> Self {
        Self { name: format!("batch: {name}"), seen: Seen::Through, lie: None, batch: Some(lie) }
    }
}

/// Tells one lie; what went wrong.
fn tell(mut case: Case, moment: Moment) -> Vec<String> {
    let double = filled(24);
    double.google().mailbox.most_on_a_page = 7;
    let machine = Machine::new();
    let mut expunged = None;
    if moment != Moment::First {
        machine.sync(&double);
        expunged = Some(news(&double));
    }
    if moment == Moment::Forgotten {
        double.google().mailbox.forget_history();
    }
    let before: BTreeSet<String> = found(&machine).into_keys().collect();
    double.google().lie = case.lie.take();
    double.google().batch_lie = case.batch;
    let lying = machine.try_sync(&double);
    let after_lie = found(&machine);
    (double.google().lie, double.google().batch_lie) = (None, None);
    let honest = machine.try_sync(&double);
    let after_truth = found(&machine);

    let truth = truth(&double);
    let story = format!("{moment:?}, {}", case.name);
    let mut wrong = Vec::new();
    for (when, after) in [("", &after_lie), (" for good", &after_truth)] {
        let lost = before.iter().filter(|id| !after.contains_key(*id)).count();
        if lost > 0 {
            wrong.push(format!("{story}: {lost} stored messages vanished{when}"));
        }
    }
    let (missing, gone) = hidden(&truth, &after_lie);
    if missing + gone > 0 && !is_told(&lying) && case.seen == Seen::Through {
        wrong.push(format!("{story}: silent, and {missing} missing, {gone} marked gone"));
    }
    if is_told(&honest) {
        wrong.push(format!("{story}: honest Gmail is said to be wrong: {honest:?}"));
    }
    let (missing, gone) = hidden(&truth, &after_truth);
    if missing + gone > 0 && case.seen != Seen::ForGood {
        wrong.push(format!("{story}: honest Gmail is not believed: {missing} missing, {gone} marked gone"));
    }
    if case.seen != Seen::ForGood && expunged.is_some_and(|id| after_truth.get(&id) != Some(&true)) {
        wrong.push(format!("{story}: what was deleted is not marked gone"));
    }
    if std::env::var_os("MAILKEEP_TEST_LIE").is_some() {
        skipped(&story, &format!("{lying:?}\n{honest:?}"));
    }
    wrong
}

/// Messages come, one goes; gives the one that went.
fn news(double: &GmailDouble) -> String {
    for number in 0..9 {
        double.deliver(&message(&format!("Late letter {number}")), &["INBOX", "UNREAD"]);
    }
    let mut google = double.google();
    let (gone, raw) =
        google.mailbox.messages.iter().nth(5).map(|(id, message)| (*id, message.raw.clone())).unwrap();
    google.mailbox.delete(gone);
    id(&raw)
}

fn all_lies(moment: Moment) {
    let only = std::env::var("MAILKEEP_TEST_LIE").unwrap_or_default();
    // With news to follow nothing is listed.
    let lists = if moment == Moment::Later { &LISTS[..0] } else { &LISTS[..] };
    let single = lists.iter().chain(&HISTORIES).chain(&OTHERS).map(Case::of);
    let batches = BATCHES.iter().map(|(name, lie)| Case::of_batch(name, *lie));
    let cases: VecDeque<Case> = single.chain(batches).filter(|case| case.name.contains(&only)).collect();
    let (cases, wrong) = (Mutex::new(cases), Mutex::new(Vec::new()));
    // Most of it is waiting.
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = { cases.lock().unwrap().pop_front() } {
                    wrong.lock().unwrap().extend(tell(case, moment));
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} things are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_lie_on_the_first_fill_hides_nothing_in_silence() {
    all_lies(Moment::First);
}

#[test]
fn a_lie_in_the_news_takes_nothing_away() {
    all_lies(Moment::Later);
}

#[test]
fn a_lie_when_everything_is_listed_anew_takes_nothing_away() {
    all_lies(Moment::Forgotten);
}
