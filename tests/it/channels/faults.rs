//! These APIs have no way to ask for something to be done once: what is not plainly refused is never tried again.

use std::fs;

use serde_json::json;

use super::{Office, posted, refusal, taken};
use crate::world::api_double::Reaction;

fn both(reaction: &Reaction) -> [Office; 2] {
    [Office::whatsapp(std::slice::from_ref(reaction)), Office::linkedin(std::slice::from_ref(reaction))]
}

#[test]
fn a_lost_reply_is_unknown_at_once_wherever_it_is_lost_and_nothing_is_tried_again() {
    for reaction in Reaction::losses() {
        for office in both(&reaction) {
            let item = office.approved("Hi");
            office.send();
            office.send();

            let told = office.item(&item["id"]);
            assert_eq!(told["state"], "unknown", "{reaction:?} {told}");
            assert_eq!(told["error_code"], "UNKNOWN_OUTCOME", "{reaction:?}");
            assert_eq!(office.api.connections(), 1, "{reaction:?}");
        }
    }
}

#[test]
fn a_server_that_fails_may_have_done_it() {
    for status in [500, 502, 503, 504, 408] {
        for office in both(&Reaction::json(status, &json!({ "error": { "message": "x", "code": 131_000 } })))
        {
            let item = office.approved("Hi");
            office.send();
            office.send();

            assert_eq!(office.item(&item["id"])["state"], "unknown", "{status}");
            assert_eq!(office.api.connections(), 1);
        }
    }
    let without_id = Office::whatsapp(&[Reaction::json(200, &json!({ "messages": [] }))]);
    let item = without_id.approved("Hi");
    without_id.send();
    assert_eq!(without_id.item(&item["id"])["state"], "unknown");
}

#[test]
fn a_refusal_says_what_to_do_and_is_not_tried_again() {
    for (status, code, word, says) in [
        (400, 131_047, "WINDOW_CLOSED", "24 hours"),
        (404, 132_001, "TEMPLATE_ERROR", "template"),
        (400, 131_026, "UNDELIVERABLE", "not be on WhatsApp"),
        (400, 100, "INVALID_REQUEST", "WHATSAPP_PHONE_NUMBER_ID"),
        (400, 131_008, "INVALID_REQUEST", "WHATSAPP_PHONE_NUMBER_ID"),
        (403, 10, "AUTH_FAILED", "WHATSAPP_ACCESS_TOKEN"),
    ] {
        let office = Office::whatsapp(&[refusal(status, code)]);
        let item = office.approved("Hi");
        office.send();
        office.send();

        let told = office.item(&item["id"]);
        assert_eq!((&told["state"], &told["error_code"]), (&json!("failed"), &json!(word)), "{told}");
        assert!(told["reason"].as_str().unwrap().contains(says), "{told}");
        assert_eq!(office.api.requests().len(), 1);
    }
    for (status, word) in
        [(401, "AUTH_FAILED"), (403, "AUTH_FAILED"), (422, "INVALID_REQUEST"), (301, "SEND_FAILED")]
    {
        let office =
            Office::linkedin(&[Reaction::json(status, &json!({ "message": "no", "status": status }))]);
        let item = office.approved("Hi");
        office.send();
        office.send();

        let told = office.item(&item["id"]);
        assert_eq!((&told["state"], &told["error_code"]), (&json!("failed"), &json!(word)), "{told}");
        assert_eq!(office.api.requests().len(), 1);
    }
}

#[test]
fn a_rate_is_waited_out_as_told_and_linkedins_until_midnight_in_utc() {
    let rate = |fields: Vec<(&'static str, String)>| Reaction::Answers(429, fields, "{}".to_owned());
    let told = rate(vec![("retry-after", "90".to_owned())]);
    for (office, next) in [
        (Office::whatsapp(&[told.clone(), taken()]), "2026-06-15T12:01:30Z"),
        (Office::whatsapp(&[refusal(400, 131_056), taken()]), "2026-06-15T12:01:00Z"),
        (Office::whatsapp(&[refusal(429, 130_429), taken()]), "2026-06-15T13:00:00Z"),
        (Office::linkedin(&[told, posted()]), "2026-06-15T12:01:30Z"),
        (Office::linkedin(&[rate(Vec::new()), posted()]), "2026-06-16T00:00:00Z"),
    ] {
        let item = office.approved("Hi");
        office.send();
        office.send();
        let waits = office.item(&item["id"]);
        assert_eq!((&waits["state"], &waits["next_attempt"]), (&json!("approved"), &json!(next)), "{waits}");
        assert_eq!(office.api.requests().len(), 1);

        let mut later = office.command(&["outbox", "send", "--once", "--channel", office.channel]);
        assert!(later.env("MAILKEEP_TEST_NOW", next).status().unwrap().success());
        assert_eq!(office.item(&item["id"])["state"], "sent");
        assert_eq!(office.api.requests().len(), 2);
    }
}

#[test]
fn a_server_that_nobody_reaches_is_tried_again_after_five_seconds_because_nothing_has_left() {
    let office = Office::whatsapp(&[taken()]);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = fs::read_to_string(office.world.path("config/config.toml")).unwrap();
    let config = config.replace(&office.api.port.to_string(), &nobody.to_string());
    office.world.write("config/config.toml", config);
    let item = office.approved("Hi");
    let begun = std::time::Instant::now();
    office.send();

    let told = office.item(&item["id"]);
    assert!(begun.elapsed().as_secs() >= 5);
    assert_eq!(
        (&told["state"], &told["error_code"]),
        (&json!("approved"), &json!("NETWORK_ERROR")),
        "{told}"
    );
    assert_eq!(told["attempts"].as_array().unwrap().len(), 2);
}

#[test]
fn a_refused_sign_in_leaves_a_note_in_the_vault_and_a_word_for_the_assistant() {
    let office = Office::whatsapp(&[refusal(401, 190)]);
    let mut assistant = office.assistant();
    let item = office.ask(&mut assistant, "Hi")["result"].clone();
    office.approve(&item["id"]);
    crate::world::eventually("failed", || office.item(&item["id"])["state"] == "failed");
    let notes = || fs::read_dir(office.world.path("vault/Needs_Action")).map_or(0, Iterator::count);
    crate::world::eventually("a note", || notes() == 1);
    drop(assistant.finish());

    let note = fs::read_dir(office.world.path("vault/Needs_Action")).unwrap().next().unwrap().unwrap().path();
    let note = fs::read_to_string(note).unwrap();
    assert!(note.contains("reason: auth_failed") && note.contains("WHATSAPP_ACCESS_TOKEN"), "{note}");
    assert!(!note.contains(super::WHATSAPP_TOKEN), "{note}");
}

#[test]
fn a_process_that_dies_anywhere_on_the_way_sends_nothing_twice() {
    for point in 1.. {
        let office = Office::whatsapp(&[taken()]);
        let item = office.approved("Hi");
        let mut dies = office.command(&["outbox", "send", "--once", "--channel", "whatsapp"]);
        let died = dies.env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap();
        office.send();

        let (state, requests) = (office.item(&item["id"])["state"].clone(), office.api.requests().len());
        assert!(requests <= 1, "point {point}");
        assert!(state == "unknown" || state == "sent" && requests == 1, "point {point}: {state} {requests}");
        if died.status.success() {
            assert!(point > 3, "the points were not reached");
            break;
        }
    }
}
