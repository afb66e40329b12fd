//! From the tool to the API: what was asked for, what a person saw, and what arrived are one and the same, once.

use std::fs;

use serde_json::{Value, json};

use super::{AUTHOR, LINKEDIN_TOKEN, NUMBER, Office, WHATSAPP_TOKEN, posted, taken};
use crate::world::assistant::text_of;
use crate::world::person::Person;

const TEXT: &str = "Lunch at noon? The usual place, I have the table until two. Ä (really)";

#[test]
fn a_message_that_a_person_approved_at_their_terminal_reaches_whatsapp_once() {
    let office = Office::whatsapp(&[taken()]);
    let mut assistant = office.assistant();
    let answer = office.ask(&mut assistant, TEXT);
    let result = &answer["result"];
    assert_eq!(result["status"], "pending_approval", "{answer}");
    assert_eq!(result["message_id"], "");
    let text: Value = serde_json::from_str(text_of(result)).unwrap();
    assert_eq!(text, result["structuredContent"]);
    let code = result["code"].as_str().unwrap().to_owned();
    assert_eq!(office.api.connections(), 0);

    let review = office.command(&["outbox", "review"]);
    let Some(mut person) = Person::runs("reaches_whatsapp_once", &review) else { return };
    person.sees("Send a WhatsApp message to +4915112345678, from the number with id 109876543210");
    person.sees(TEXT).sees("sends it").types(&code).sees("approved").sees("--profile whatsapp");
    let ended = person.ends();
    assert_eq!(ended.code, Some(0), "{}", ended.seen);

    let id = result["id"].as_str().unwrap().to_owned();
    crate::world::eventually("sent", || office.item(&json!(id))["state"] == "sent");
    let item = office.item(&json!(id));
    drop(assistant.finish());
    office.send();

    let requests = office.api.requests();
    assert_eq!((requests.len(), office.api.connections()), (1, 1));
    assert_eq!(requests[0].first_line(), format!("POST /v23.0/{NUMBER}/messages HTTP/1.1"));
    assert_eq!(requests[0].field("authorization"), Some(format!("Bearer {WHATSAPP_TOKEN}").as_str()));
    let body: Value = serde_json::from_str(&requests[0].body).unwrap();
    assert_eq!(
        body,
        json!({ "messaging_product": "whatsapp", "recipient_type": "individual", "to": "4915112345678",
                "type": "text", "text": { "preview_url": false, "body": TEXT } })
    );
    assert_eq!(
        (&item["channel"], &item["account"]),
        (&json!("whatsapp"), &json!(format!("{NUMBER}@whatsapp")))
    );
    assert_eq!(item["body"], TEXT);
    assert!(office.world.path("vault/Logs/MCP_Actions/2026-06-15.jsonl").exists());
    let line = fs::read_to_string(office.world.path("vault/Logs/MCP_Actions/2026-06-15.jsonl")).unwrap();
    let line: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!(
        line["arguments"]["message"].as_str().unwrap().chars().take(50).collect::<String>(),
        TEXT.chars().take(50).collect::<String>()
    );
    assert!(!line.to_string().contains("until two"), "{line}");
    assert!(!office.world.path("vault/Logs").join("gmail_mcp_2026-06-15.jsonl").exists());
}

#[test]
fn a_post_reaches_linkedin_once_for_those_who_were_named() {
    let office = Office::linkedin(&[posted()]);
    let item = office.approved("New (beta) #release_1 today");

    office.send();
    office.send();

    let requests = office.api.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].first_line(), "POST /rest/posts HTTP/1.1");
    assert_eq!(requests[0].field("authorization"), Some(format!("Bearer {LINKEDIN_TOKEN}").as_str()));
    assert_eq!(requests[0].field("linkedin-version"), Some("202510"));
    assert_eq!(requests[0].field("x-restli-protocol-version"), Some("2.0.0"));
    let body: Value = serde_json::from_str(&requests[0].body).unwrap();
    assert_eq!(
        body,
        json!({ "author": AUTHOR, "commentary": "New \\(beta\\) #release\\_1 today", "visibility": "CONNECTIONS",
                "distribution": { "feedDistribution": "MAIN_FEED", "targetEntities": [],
                                  "thirdPartyDistributionChannels": [] },
                "lifecycleState": "PUBLISHED", "isReshareDisabledByAuthor": false })
    );
    let shown = office.item(&item["id"]);
    assert_eq!((&shown["state"], &shown["body"]), (&json!("sent"), &json!("New (beta) #release_1 today")));
    assert_eq!(shown["to"], json!(["connections@linkedin"]));
    let by_their_id = office.json(&["outbox", "show", "urn:li:share:7"]);
    assert_eq!(by_their_id["id"], item["id"]);
}

#[test]
fn nothing_leaves_without_a_yes_and_the_same_again_is_the_same_item() {
    for office in [Office::whatsapp(&[taken()]), Office::linkedin(&[posted()])] {
        let (first, again) = (office.asked(TEXT), office.asked(TEXT));
        let rejected = office.asked("Another");
        office.send();
        office.json(&["outbox", "reject", rejected["id"].as_str().unwrap()]);
        office.send();

        assert_eq!(again["duplicate_of"], first["id"]);
        assert_eq!(office.item(&first["id"])["state"], "pending_approval");
        assert_eq!(office.item(&rejected["id"])["state"], "rejected");
        assert_eq!(office.api.connections(), 0);
    }
}

#[test]
fn what_would_leave_by_another_number_or_for_others_than_was_approved_does_not_leave() {
    let office = Office::whatsapp(&[taken()]);
    let item = office.approved(TEXT);
    let other = Office { env: office.env.clone(), ..office }.with("WHATSAPP_PHONE_NUMBER_ID", "555");
    other.send();
    assert_eq!((other.item(&item["id"])["state"].clone(), other.api.connections()), (json!("approved"), 0));

    let office = other.with("WHATSAPP_PHONE_NUMBER_ID", NUMBER);
    let connection = rusqlite::Connection::open(office.world.home().join("mail.db")).unwrap();
    let changed = connection
        .execute("UPDATE draft_revisions SET raw = CAST(replace(raw, 'noon', 'nine') AS BLOB)", [])
        .unwrap();
    assert_eq!(changed, 1);
    office.send();
    assert_eq!(office.api.connections(), 0);

    let post = Office::linkedin(&[posted()]);
    let item = post.approved(TEXT);
    let connection = rusqlite::Connection::open(post.world.home().join("mail.db")).unwrap();
    connection.execute("UPDATE draft_revisions SET to_json = '[\"public@linkedin\"]'", []).unwrap();
    post.send();
    assert_eq!(
        (post.item(&item["id"])["state"].clone(), post.api.connections()),
        (json!("pending_approval"), 0)
    );
}

#[test]
fn wrong_arguments_and_missing_credentials_are_told_before_anything_is_kept() {
    let office = Office::whatsapp(&[taken()]);
    let mut assistant = office.assistant();
    for arguments in [
        json!({ "to": "Bob", "message": "Hi" }),
        json!({ "to": "0151 12345678", "message": "Hi" }),
        json!({ "to": "+4915112345678", "message": "x".repeat(4_097) }),
        json!({ "to": "+4915112345678", "message": "a\u{202e}b" }),
        json!({ "to": "+4915112345678", "message": "" }),
        json!({ "message": "Hi" }),
    ] {
        let answer = assistant.call("send_message", arguments);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    drop(assistant.finish());
    assert_eq!(office.json(&["outbox", "list"])["items"], json!([]));

    let session =
        Office::of("whatsapp", &[taken()]).with("WHATSAPP_SESSION_PATH", "/home/ada/.whatsapp_session");
    let mut assistant = session.assistant();
    let tools = assistant.ask("tools/list", &json!({}));
    assert_eq!(tools["result"]["tools"][0]["name"], "send_message");
    let answer = session.ask(&mut assistant, "Hi");
    let told = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(told.contains("WHATSAPP_SESSION_PATH") && told.contains("Cloud API"), "{told}");
    drop(assistant.finish());
    let none = Office::of("linkedin", &[posted()]);
    let mut assistant = none.assistant();
    let answer = none.ask(&mut assistant, "Hi");
    assert!(answer["error"]["message"].as_str().unwrap().contains("LINKEDIN_ACCESS_TOKEN"), "{answer}");
    drop(assistant.finish());
}
