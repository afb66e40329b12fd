//! How the tools are reached: their names in both servers, both spellings, text and data.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::fixture::world;
use crate::world::conversation::{ask, call, told};
use crate::world::{World, answer};

const TOOLS: [&str; 22] = [
    "list_earliest_emails",
    "get_email_full",
    "filter_emails",
    "search_emails",
    "count_emails",
    "get_email_stats",
    "get_top_senders",
    "get_top_domains",
    "get_largest_emails",
    "get_mailbox_stats",
    "get_emails_by_date_range",
    "get_emails_with_attachments",
    "get_email_thread",
    "get_email_activity_heatmap",
    "get_response_time_stats",
    "get_email_frequency_by_sender",
    "get_seasonal_trends",
    "get_emails_by_size_range",
    "get_duplicate_emails",
    "search_email_headers",
    "get_emails_by_keywords",
    "execute_sql_query",
];

fn list_request() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })
}

fn names(answer: &Value) -> BTreeSet<String> {
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn db_mcp_lists_dotted_names_and_the_profile_safe_ones() {
    let world = World::new();

    let exact = ask(&mut world.command(&["db", "mcp", "--database", "nowhere/mail.db"]), &[list_request()]);
    let safe = ask(&mut world.command(&["mcp", "--profile", "db"]), &[list_request()]);

    assert_eq!(names(&exact[&1]), TOOLS.map(|name| format!("db.{name}")).into());
    assert_eq!(names(&safe[&1]), TOOLS.map(|name| format!("db_{name}")).into());
}

#[test]
fn both_spellings_can_be_called_in_both_servers() {
    let world = world();
    let calls = [
        call(1, "db.count_emails", &json!({})),
        call(2, "db_count_emails", &json!({})),
        call(3, "db-count-emails", &json!({})),
    ];

    for server in [&["db", "mcp", "--quiet"][..], &["mcp", "--profile", "db"][..]] {
        let answers = ask(&mut world.command(server), &calls);
        for id in 1..=3 {
            assert_eq!(told(&answers[&id]), json!({ "count": 11 }), "{server:?} {id}");
        }
    }
}

#[test]
fn a_result_is_one_text_and_in_the_profile_data_too() {
    let world = world();
    let calls = [call(1, "db.get_mailbox_stats", &json!({})), call(2, "db.count_emails", &json!({}))];

    let plain = ask(&mut world.command(&["db", "mcp", "--quiet"]), &calls);
    let rich = ask(&mut world.command(&["mcp", "--profile", "db"]), &calls);

    assert_eq!(plain[&1]["result"].get("structuredContent"), None);
    assert_eq!(rich[&1]["result"]["structuredContent"]["items"], told(&rich[&1]));
    assert_eq!(rich[&2]["result"]["structuredContent"], json!({ "count": 11 }));
    assert_eq!(told(&plain[&1]), told(&rich[&1]));
}

#[test]
fn raw_bytes_are_given_by_db_mcp_only() {
    let world = world();
    let calls = [
        call(1, "db.get_email_full", &json!({ "id": 1 })),
        call(
            2,
            "db.execute_sql_query",
            &json!({ "sql_query": "SELECT raw, encoded FROM emails WHERE id = 1" }),
        ),
    ];

    let own = ask(&mut world.command(&["db", "mcp", "--quiet"]), &calls);
    let profile = ask(&mut world.command(&["mcp", "--profile", "db"]), &calls);

    assert!(told(&own[&1])["encoded"].as_str().unwrap().contains("Subject: Budget"));
    assert!(told(&own[&2])["rows"][0]["raw"].as_str().unwrap().contains("Subject: Budget"));
    assert_eq!(told(&profile[&1])["encoded"], Value::Null);
    assert_eq!(told(&profile[&2])["rows"][0], json!({ "raw": null, "encoded": null }));
}

#[test]
fn the_environment_gives_the_defaults() {
    let world = world();
    let elsewhere = World::new();
    let mut command = elsewhere.command(&["db", "mcp"]);
    command
        .env("MAILKEEP_SQLITE_DB", world.home().join("mail.db"))
        .env("MAILKEEP_IMAP_ADDRESS", "ada@example.org")
        .env("MAILKEEP_MCP_MAX_LIMIT", "2")
        .env("MAILKEEP_QUIET", "1");

    let answers = ask(&mut command, &[call(1, "db.filter_emails", &json!({}))]);

    assert_eq!(told(&answers[&1]).as_array().unwrap().len(), 2);
    assert!(!elsewhere.home().exists(), "a server that reads elsewhere makes no home");
}

#[test]
fn initialize_offers_tools_only() {
    let world = world();
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });

    let answers = ask(&mut world.command(&["db", "mcp", "--quiet"]), &[hello]);

    assert_eq!(answers[&1]["result"]["capabilities"], json!({ "tools": {} }));
}

#[test]
fn the_columns_of_the_manual_are_the_columns_there_are() {
    let world = world();
    let manual = include_str!("../../../docs/sql.md");

    for view in ["emails", "threads", "attachments", "labels", "daily_counts"] {
        let sql = format!("SELECT * FROM {view} LIMIT 1");
        let row = answer(world.command(&["--json"]).args(["sql", &sql]));
        let section = manual.split(&format!("\n## `{view}`")).nth(1).unwrap().split("\n## ").next().unwrap();
        let documented: BTreeSet<&str> =
            section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        let there: BTreeSet<&str> = row["rows"][0]
            .as_object()
            .map(|row| row.keys().map(String::as_str).collect())
            .unwrap_or_default();
        assert!(there.is_empty() || documented == there, "{view}: {documented:?} {there:?}");
    }
}

#[test]
fn core_counts_and_finds_who_waits() {
    let world = world();
    let calls = [
        call(1, "email_stats", &json!({ "group_by": "year" })),
        call(
            2,
            "email_stats",
            &json!({ "group_by": "weekday_hour", "after": "2026-03-01", "before": "2026-03-04" }),
        ),
        call(3, "email_stats", &json!({ "group_by": "sender", "after": "2026-05-01" })),
        call(4, "awaiting_reply", &json!({ "waiting_for": "me", "days": 40 })),
        call(5, "awaiting_reply", &json!({ "waiting_for": "others" })),
    ];

    let answers = ask(&mut world.command(&["mcp"]), &calls);

    let items = |id: u64| answers[&id]["result"]["structuredContent"]["items"].clone();
    assert_eq!(
        items(1),
        json!([{ "key": "2023", "count": 1 }, { "key": "2025", "count": 2 }, { "key": "2026", "count": 8 }])
    );
    assert_eq!(items(2), json!([{ "key": "Mon 10", "count": 3 }, { "key": "Mon 12", "count": 1 }]));
    assert_eq!(items(3), json!([{ "key": "Bob Stone <bob@stone.example>", "count": 2 }]));
    let waiting: Vec<_> = items(4).as_array().unwrap().iter().map(|item| item["subject"].clone()).collect();
    assert_eq!(waiting, ["Re: Budget", "Undated", "Grüße", "100 is done", "100%_done"]);
    assert_eq!(items(5), json!([]));
}
