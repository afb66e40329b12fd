//! An empty archive, wrong arguments, several accounts, withheld mail, and what is kept while mail comes in.

use serde_json::{Value, json};

use super::fixture::{answer, ids, world};
use crate::world::conversation::{ask, call};
use crate::world::mail::{many, mboxrd};
use crate::world::random::Random;
use crate::world::{Mail, World};

const LISTS: [&str; 19] = [
    "list_earliest_emails",
    "filter_emails",
    "get_top_senders",
    "get_top_domains",
    "get_largest_emails",
    "get_mailbox_stats",
    "get_emails_by_date_range",
    "get_emails_with_attachments",
    "get_email_activity_heatmap",
    "get_response_time_stats",
    "get_email_frequency_by_sender",
    "get_seasonal_trends",
    "get_emails_by_size_range",
    "get_duplicate_emails",
    "search_emails",
    "search_email_headers",
    "get_emails_by_keywords",
    "get_email_thread",
    "execute_sql_query",
];

pub(super) fn arguments(tool: &str) -> Value {
    match tool {
        "search_emails" => json!({ "query": "word1" }),
        "search_email_headers" => json!({ "header_pattern": "from" }),
        "get_emails_by_keywords" => json!({ "keywords": ["numbers"] }),
        "get_email_thread" => json!({ "thread_id": "1" }),
        "execute_sql_query" => json!({ "sql_query": "SELECT * FROM emails" }),
        _ => json!({}),
    }
}

pub(super) fn error(world: &World, tool: &str, arguments: &Value) -> String {
    let name = format!("db.{tool}");
    let answers = ask(&mut world.command(&["db", "mcp", "--quiet"]), &[call(1, &name, arguments)]);
    answers[&1]["error"]["message"]
        .as_str()
        .unwrap_or_else(|| panic!("{tool} {arguments}: {answers:?}"))
        .to_owned()
}

#[test]
fn an_empty_mailbox_has_empty_answers() {
    let world = World::new();
    let empty = world.write("empty.mbox", "");
    world.run(&["import", empty.to_str().unwrap(), "--account", "ada@example.org"]);

    for tool in LISTS {
        let answer = answer(&world, tool, &arguments(tool));
        let rows = if answer.is_array() { &answer } else { &answer["rows"] };
        assert_eq!(*rows, json!([]), "{tool}");
    }
    assert_eq!(answer(&world, "count_emails", &json!({})), json!({ "count": 0 }));
    assert_eq!(
        answer(&world, "get_email_stats", &json!({})),
        json!({
            "total_emails": 0, "date_range": { "earliest": null, "latest": null }, "top_senders": [], "top_domains": [],
            "mailbox_distribution": [],
        })
    );
}

#[test]
fn wrong_arguments_are_errors_that_name_them() {
    let world = world();
    let table: &[(&str, Value, &str)] = &[
        ("filter_emails", json!({ "date_from": "yesterday" }), "date_from"),
        ("filter_emails", json!({ "date_to": "2026-02-30" }), "date_to"),
        ("filter_emails", json!({ "order": "sideways" }), "order"),
        ("filter_emails", json!({ "limit": "many" }), "limit"),
        ("get_emails_by_date_range", json!({ "period": "hourly" }), "period"),
        ("get_largest_emails", json!({ "attachments": "some" }), "attachments"),
        ("get_emails_by_size_range", json!({ "size_category": "tiny" }), "size_category"),
        ("get_duplicate_emails", json!({ "similarity_field": "body" }), "similarity_field"),
        ("get_emails_by_keywords", json!({}), "keywords"),
        ("get_emails_by_keywords", json!({ "keywords": [] }), "keywords"),
        ("search_emails", json!({}), "query"),
        ("search_emails", json!({ "query": "x", "item_types": ["footer"] }), "item_types"),
        ("search_email_headers", json!({ "header_pattern": "" }), "header_pattern"),
        ("get_email_thread", json!({ "thread_id": "abc" }), "thread_id"),
        ("get_email_full", json!({}), "id"),
        ("get_email_full", json!({ "id": 4711 }), "4711"),
        ("get_email_full", json!({ "message_id": "nobody@nowhere" }), "nobody@nowhere"),
        ("execute_sql_query", json!({ "sql_query": "DROP TABLE emails" }), "only SELECT"),
        ("count_emails", json!({ "form_contains": "x" }), "from_contains"),
    ];

    for (tool, arguments, named) in table {
        let message = error(&world, tool, arguments);
        assert!(message.contains(named), "{tool} {arguments}: {message}");
    }
}

#[test]
fn no_list_is_longer_than_the_server_allows() {
    let world = World::holding(&mboxrd(&many(40)));
    let calls: Vec<Value> = (0..)
        .zip(LISTS)
        .map(|(id, tool)| {
            let mut arguments = arguments(tool);
            if !["get_mailbox_stats", "get_email_activity_heatmap", "get_seasonal_trends", "get_email_thread"]
                .contains(&tool)
            {
                arguments["limit"] = json!(1_000_000);
            }
            call(id, &format!("db_{tool}"), &arguments)
        })
        .collect();

    let answers = ask(&mut world.command(&["db", "mcp", "--quiet", "--max-limit", "4"]), &calls);

    for (id, tool) in (0..).zip(LISTS) {
        let told = crate::world::conversation::told(&answers[&id]);
        let rows = if told.is_array() { &told } else { &told["rows"] };
        let most = if tool == "get_email_activity_heatmap" { 168 } else { 4 };
        assert!(rows.as_array().unwrap().len() <= most, "{tool}");
    }
}

#[test]
fn withheld_messages_are_in_no_answer() {
    let secret = "plugh-seventeen";
    let mut mails = many(6);
    for _ in 0..2 {
        let mail = Mail::new(secret).from(&format!("{secret} <{secret}@{secret}.example>")).body(secret);
        mails.push(
            mail.with("In-Reply-To", "<Report.0@test.example>")
                .with("X-No", &mails.len().to_string())
                .bytes(),
        );
    }
    let world = World::holding(&mboxrd(&mails));
    world.database().execute("UPDATE messages SET withheld = 1 WHERE subject = ?1", [secret]).unwrap();
    world.run(&["verify"]);

    let mut all = String::new();
    for tool in LISTS {
        all += &answer(&world, tool, &arguments(tool)).to_string();
    }
    for tool in ["filter_emails", "get_emails_by_keywords", "search_emails", "search_email_headers"] {
        let arguments = json!({
            "subject_contains": secret, "keywords": [secret], "query": secret, "header_pattern": secret,
        });
        let own = match tool {
            "filter_emails" => "subject_contains",
            "get_emails_by_keywords" => "keywords",
            "search_emails" => "query",
            _ => "header_pattern",
        };
        assert_eq!(answer(&world, tool, &json!({ own: arguments[own] })), json!([]), "{tool}");
    }

    assert!(all.contains("Report 1"));
    assert!(!all.contains(secret));
    assert_eq!(answer(&world, "count_emails", &json!({ "subject_contains": secret })), json!({ "count": 0 }));
    assert_eq!(answer(&world, "count_emails", &json!({})), json!({ "count": 6 }));
}

#[test]
fn an_address_leaves_the_other_accounts_out() {
    let world = world();
    let other = world.write("other.mbox", mboxrd(&[Mail::new("Copy").body("elsewhere").bytes()]));
    world.import_as(&other, "eve@example.org");
    let asked = |tool: &str, arguments: &Value| {
        let mut command = world.command(&["db", "mcp", "--quiet", "--address", "EVE@example.org"]);
        crate::world::conversation::told(&ask(&mut command, &[call(1, &format!("db.{tool}"), arguments)])[&1])
    };

    assert_eq!(asked("count_emails", &json!({})), json!({ "count": 1 }));
    assert_eq!(asked("get_mailbox_stats", &json!({})), json!([{ "mailbox": "INBOX", "count": 1 }]));
    assert_eq!(asked("get_duplicate_emails", &json!({})), json!([]));
    assert_eq!(asked("get_response_time_stats", &json!({})), json!([]));
    for tool in LISTS {
        let told = asked(tool, &arguments(tool)).to_string();
        assert!(!told.contains(r#""address":"ada@example.org""#), "{tool}: {told}");
    }
    assert_eq!(ids(&world, "filter_emails", &json!({ "subject_contains": "copy" })), [10, 9, 12]);
}

#[test]
fn what_is_kept_is_the_same_in_whatever_order_mail_comes() {
    let mut mails = many(60);
    let mut random = Random::new(7);
    for at in (1..mails.len()).rev() {
        mails.swap(at, random.below(at + 1));
    }
    let world = World::new();
    for (number, part) in mails.chunks(7).enumerate() {
        let file = world.write(&format!("{number}.mbox"), mboxrd(part));
        world.import(&file);
    }
    world.import_as(&world.path("0.mbox"), "p3@team.example");

    world.assert_sound();
}
