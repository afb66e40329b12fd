//! What Google, or somebody in its place, says in an error is a stranger's text: tokens that come back in it, in any
//! form, are seen nowhere.

use std::fs;
use std::sync::Mutex;
use std::thread;

use serde_json::json;

use super::{Machine, filled};
use crate::lies::secrets::{files, forms, telling};
use crate::world::gmail::Lie;
use crate::world::gmail::api::Reply;

/// The access token that the double gives first; in one sync there is no other.
const TOKEN: &str = "ya29.double-1";
const METHODS: [&str; 5] = ["getProfile", "labels.list", "messages.list", "messages.get", "history.list"];
/// Forms in one answer: few enough that none is cut off when words are shortened.
const TOGETHER: usize = 3;

/// An error that holds these words.
fn error(kind: usize, words: &str) -> Reply {
    match kind {
        0 => Reply::error(400, "global", "failedPrecondition", words),
        1 => Reply::error(403, "global", "insufficientPermissions", words),
        2 => Reply::error(500, "global", "backendError", words),
        3 => Reply::ok(json!(format!("<html>{words}"))),
        _ => Reply::ok(
            json!({"error": {"message": words}, "historyId": words, "labels": words, "messages": words}),
        ),
    }
}

/// What of the tokens is seen after this method has failed in this way, in this group of forms.
fn leaks(method: &'static str, kind: usize, group: usize) -> Vec<String> {
    let double = filled(4);
    let machine = Machine::new();
    double.google().lie = Some(Lie(Box::new(move |_, call, reply| {
        if call.method != method {
            return reply;
        }
        let words = forms("ada@example.org", TOKEN).into_iter().skip(group * TOGETHER).take(TOGETHER);
        error(kind, &words.collect::<Vec<_>>().join(" "))
    })));
    let report = machine.try_sync(&double);
    let mut seen = format!("{report:?}").into_bytes();
    for arguments in [&["--json", "status"][..], &["status"], &["doctor"]] {
        let output = machine.world.run(arguments);
        seen.extend([output.stdout, output.stderr].concat());
    }
    for file in files(machine.world.home()) {
        seen.extend(fs::read(file).unwrap());
    }
    let told = telling(TOKEN).into_iter().filter_map(|form| {
        let place = memchr::memmem::find(&seen, &form)?;
        let around = &seen[place.saturating_sub(120)..place + form.len()];
        Some(format!("{method}, {kind}, {group}: {}", String::from_utf8_lossy(around).replace('\n', " ")))
    });
    told.collect()
}

#[test]
fn no_error_of_the_api_gives_a_token_away() {
    let groups = forms("ada@example.org", TOKEN).len().div_ceil(TOGETHER);
    let mut cases: Vec<(&'static str, usize, usize)> = Vec::new();
    for method in METHODS {
        for kind in 0..5 {
            cases.extend((0..groups).map(|group| (method, kind, group)));
        }
    }
    let (cases, found) = (Mutex::new(cases), Mutex::new(Vec::new()));

    // Most of it is waiting.
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some((method, kind, group)) = { cases.lock().unwrap().pop() } {
                    found.lock().unwrap().extend(leaks(method, kind, group));
                }
            });
        }
    });

    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
