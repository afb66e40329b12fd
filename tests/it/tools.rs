//! What the assistant reads: every tool's answer on the demonstration mailbox, as text and as data. The snapshots are
//! meant to be read.

mod accounts;
mod window;

use serde_json::{Value, json};

use crate::world::World;
use crate::world::assistant::Assistant;

const ADA: &str = "ada.berg@example.org";

/// The sample mailbox without the reply that it proposes: these tests speak of drafts of their own.
fn demonstration() -> World {
    let world = World::new();
    let shown = world.json(&["demo", "--once"]);
    let proposed = shown["proposed"]["id"].as_str().unwrap();
    assert!(world.run(&["drafts", "discard", proposed, "--yes"]).status.success());
    world
}

/// The id of the message with this subject.
fn id(world: &World, subject: &str) -> String {
    let answer = world.json(&["search", &format!("subject:\"{subject}\"")]);
    answer["results"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn the_six_tools_of_the_assistant_profile_answer_in_its_words() {
    let world = demonstration();
    let invoice = id(&world, "Invoice CI-2024-112");
    let mut assistant = Assistant::new(&world, &["--profile", "assistant"]);

    assistant.call("list_emails", json!({ "account": ADA, "folder": "inbox", "limit": 2 }));
    assistant
        .call("list_emails", json!({ "account": ADA, "unread_only": true, "sender": "nobody@example.org" }));
    assistant.call("search_emails", json!({ "account": ADA, "query": "kitchen invoice", "limit": 2 }));
    assistant.call("read_email", json!({ "account": ADA, "email_id": invoice }));
    assistant.call("get_attachment", json!({ "account": ADA, "email_id": invoice, "attachment_id": "1" }));
    let draft = json!({ "account": ADA, "to": ["ruben@castellan-interiors.example"], "subject": "Re: Invoice",
        "body": "Paid today.", "reply_to_id": invoice });
    assistant.call("create_draft", draft);
    assistant.call("list_emails", json!({ "account": ADA, "folder": "drafts" }));
    let draft = assistant.drafts[0].clone();
    assistant.call("read_email", json!({ "account": ADA, "email_id": draft }));
    assistant.call("manage_labels", json!({ "account": ADA, "email_id": invoice, "add_labels": ["paid"] }));
    assistant
        .call("manage_labels", json!({ "account": ADA, "email_id": invoice, "remove_labels": ["urgent"] }));
    assistant
        .call("read_email", json!({ "account": "a.berg@northwind-optics.example", "email_id": invoice }));
    assistant.call("read_email", json!({ "email_id": invoice }));
    assistant.call("list_emails", json!({ "account": ADA, "limit": 0 }));
    assistant.call("search_emails", json!({ "account": ADA, "query": "form:bob \"open" }));

    insta::assert_snapshot!("assistant", assistant.finish());
}

#[test]
fn the_tools_of_the_core_profile_answer_with_text_and_data() {
    let world = demonstration();
    let invoice = id(&world, "Invoice CI-2024-112");
    let kitchen = id(&world, "Re: Kitchen renovation, Lindenallee 14");
    let mut assistant = Assistant::new(&world, &[]);

    assistant.call("list_accounts", json!({}));
    assistant.call("list_emails", json!({ "account": ADA, "limit": 1, "response_format": "detailed" }));
    assistant.call("search_emails", json!({ "account": ADA, "query": "kitchen has:attachment", "limit": 1 }));
    assistant.call("read_email", json!({ "email_id": kitchen, "max_chars": 300 }));
    assistant.call("get_thread", json!({ "thread_id": kitchen }));
    assistant
        .call("get_attachment", json!({ "email_id": invoice, "attachment_id": "invoice-CI-2024-112.pdf" }));
    let draft = json!({ "body": "Paid today.", "reply_to_id": invoice, "bcc": ["emil@emilberg.example"] });
    let answer = assistant.call("create_draft", draft);
    let draft = answer["result"]["structuredContent"]["id"].clone();
    assistant.call("update_draft", json!({ "draft_id": draft, "subject": "Your invoice" }));
    assistant.call("list_drafts", json!({}));
    assistant.call("read_email", json!({ "email_id": draft }));
    let labels = json!({ "email_ids": [invoice, kitchen], "add_labels": ["paid", "STARRED"] });
    assistant.call("manage_labels", labels);
    assistant.call("email_stats", json!({ "account": ADA, "group_by": "domain", "limit": 3 }));
    assistant
        .call("email_stats", json!({ "query": "invoice", "group_by": "account", "per": "year", "limit": 3 }));
    assistant.call("awaiting_reply", json!({ "days": 30, "waiting_for": "me", "limit": 3 }));
    assistant.call("sync_status", json!({}));
    assistant.call("search_emails", json!({ "query": "invoice", "limit": 2 }));
    assistant.call("create_draft", json!({ "to": ["bob@example.org"], "subject": "Hello", "body": "Hi." }));
    assistant.call("search_emails", json!({ "account": ADA, "query": "form:ada" }));
    assistant.call("list_emails", json!({ "account": ADA, "foldr": "inbox" }));

    insta::assert_snapshot!("core", assistant.finish());
}

#[test]
fn every_answer_fits_the_window_and_pages_reach_the_end() {
    let world = demonstration();
    let mut assistant = Assistant::new(&world, &[]);
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);

    loop {
        let answer = assistant.call("list_emails", json!({ "account": ADA, "limit": 100, "cursor": cursor }));
        let size = answer["result"].to_string().chars().count();
        assert!(size < 40_000, "{size}");
        let data = &answer["result"]["structuredContent"];
        seen.extend(data["items"].as_array().unwrap().iter().map(|item| item["id"].to_string()));
        cursor = data["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }

    let count = seen.len() as u64;
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len() as u64, count, "no message came twice");
    let accounts = assistant.call("list_accounts", json!({}));
    let accounts = &accounts["result"]["structuredContent"]["items"];
    let ada = accounts.as_array().unwrap().iter().find(|account| account["address"] == ADA).unwrap();
    assert_eq!(ada["mailboxes"][0]["count"], count);
}

#[test]
fn the_documents_list_the_tools_that_there_are() {
    let table = mailkeep::tools::registry::table();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tools.md")).unwrap();

    assert!(page.contains(&table), "put this table into docs/tools.md:\n{table}");
}

#[test]
fn definitions_stay_small() {
    let bytes = |profile: &str| {
        let world = World::new();
        let mut assistant = Assistant::new(&world, &["--profile", profile]);
        let answer = assistant.ask("tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        let size = |tool: &Value| {
            json!({ "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"] })
                .to_string()
                .len()
        };
        (tools.len(), tools.iter().map(size).sum::<usize>())
    };

    let (count, core) = bytes("core");
    assert!(core <= 4 * 2_200, "{count} tools of core take {core} bytes");
    let (count, full) = bytes("full");
    assert!(full <= 550 * count, "{count} tools take {full} bytes");
}
