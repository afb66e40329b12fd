//! Everything at once on one home: two servers on stdio, one on HTTP, and an import that writes all the while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::Client;
use crate::world::mail::{many, mboxrd};
use crate::world::{ACCOUNT, World, text};

/// Ten seconds, or as many as `MAILKEEP_TEST_SECONDS` says.
fn duration() -> Duration {
    let set = std::env::var("MAILKEEP_TEST_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(set.unwrap_or(10))
}

/// Asks one thing after the other until it is over; how many answers were good. Anything else fails the test.
fn keep_asking(world: &World, over: &AtomicBool) -> usize {
    let mut client = Client::connected(world, &[]);
    let questions = [
        ("search_emails", json!({ "query": "numbers" })),
        ("list_emails", json!({ "limit": 50 })),
        ("list_accounts", json!({})),
        ("sync_status", json!({})),
        ("search_emails", json!({ "query": "from:p3 is:unread word4" })),
    ];
    let mut good = 0;
    while !over.load(Ordering::Relaxed) {
        let (tool, arguments) = &questions[good % questions.len()];
        let answer = client.call(tool, arguments);
        assert_eq!(answer["result"]["isError"], false, "{tool} {answer}");
        good += 1;
    }
    assert!(client.finish().success());
    good
}

/// Imports file after file until it is over.
fn keep_importing(world: &World, over: &AtomicBool) -> usize {
    let mut imported = 0;
    while !over.load(Ordering::Relaxed) {
        let messages: Vec<_> = many(40).into_iter().map(|message| numbered(&message, imported)).collect();
        let file = world.write(&format!("more-{imported}.mbox"), mboxrd(&messages));
        let answer = world.json(&["import", text(&file), "--account", ACCOUNT]);
        assert_eq!(answer["stored"], 40, "{answer}");
        imported += 1;
    }
    imported
}

fn numbered(message: &[u8], turn: usize) -> Vec<u8> {
    let mut message = message.to_vec();
    message.extend(format!("Turn {turn}.\n").bytes());
    message
}

#[test]
fn nobody_is_ever_told_that_the_store_is_busy() {
    let world = World::holding(&mboxrd(&many(30)));
    let over = AtomicBool::new(false);

    let (asked, imported) = thread::scope(|scope| {
        let clients: Vec<_> = (0..2).map(|_| scope.spawn(|| keep_asking(&world, &over))).collect();
        let http = scope.spawn(|| super::over_http::keep_asking(&world, &over));
        let import = scope.spawn(|| keep_importing(&world, &over));
        let end = Instant::now() + duration();
        while Instant::now() < end && !import.is_finished() {
            thread::sleep(Duration::from_millis(50));
        }
        over.store(true, Ordering::Relaxed);
        let asked: Vec<_> = clients.into_iter().chain([http]).map(|client| client.join().unwrap()).collect();
        (asked, import.join().unwrap())
    });

    assert!(asked.iter().all(|good| *good > 10) && imported > 0, "{asked:?} {imported}");
    assert_eq!(world.count(""), 30 + imported as u64 * 40);
}
