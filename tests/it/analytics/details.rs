//! The small print: what is null, which spellings of an id and an argument are taken, what the environment says, and what
//! is told beside an answer.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};

use super::edges::error;
use super::fixture::{answer, column, ids, world};
use crate::world::conversation::{ask, call, told};
use crate::world::mail::{base64, mboxrd};
use crate::world::{Mail, World};

fn tools(command: &mut Command) -> Value {
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    ask(command, &[list])[&1]["result"]["tools"].clone()
}

/// The whole answer of one tool.
fn answered(world: &World, tool: &str, arguments: &Value) -> Value {
    let call = call(1, &format!("db.{tool}"), arguments);
    ask(&mut world.command(&["db", "mcp", "--quiet"]), &[call])[&1].clone()
}

#[test]
fn a_message_without_sender_or_subject_has_null_and_an_empty_subject_is_empty() {
    let world = World::holding(&mboxrd(&[
        Mail::new("x").without("From").without("Subject").with("Message-ID", "<1@x>").bytes(),
        Mail::new("x").with("Subject", "").from("<>").with("Message-ID", "<2@x>").bytes(),
        Mail::new("Both").bytes(),
    ]));
    let bob = "Bob Stone <bob@stone.example>";

    let rows = answer(&world, "list_earliest_emails", &json!({}));

    assert_eq!(column(&rows, "from"), [Value::Null, Value::Null, json!(bob)]);
    assert_eq!(column(&rows, "subject"), [Value::Null, json!(""), json!("Both")]);
    assert_eq!(
        answer(&world, "get_top_senders", &json!({})),
        json!([{ "from": null, "count": 2 }, { "from": bob, "count": 1 }])
    );
    let frequency = answer(&world, "get_email_frequency_by_sender", &json!({}));
    assert_eq!(column(&frequency, "sender"), [Value::Null, json!(bob)]);
    let sql = "SELECT \"from\" AS f, from_email AS e FROM emails WHERE id < 3 GROUP BY 1, 2";
    let rows = answer(&world, "execute_sql_query", &json!({ "sql_query": sql }));
    assert_eq!(rows["rows"], json!([{ "f": null, "e": null }]));
    let sql = "SELECT subject FROM emails ORDER BY id";
    let rows = answer(&world, "execute_sql_query", &json!({ "sql_query": sql }));
    assert_eq!(rows["rows"], json!([{ "subject": null }, { "subject": "" }, { "subject": "Both" }]));
}

#[test]
fn the_address_of_a_broken_from_line_is_kept_and_found() {
    let world = World::holding(&mboxrd(&[
        Mail::new("Parcel").from("UPS, <info@ml.example>").bytes(),
        Mail::new("Many").from("a, b, c, d, e, f <x@ml.example>").bytes(),
    ]));

    let rows = answer(&world, "filter_emails", &json!({ "from_domain": "ml.example" }));

    assert_eq!(column(&rows, "from"), ["a, b, c, d, e, f <x@ml.example>", "UPS <info@ml.example>"]);
    assert_eq!(ids(&world, "filter_emails", &json!({ "from_contains": "info@ml" })), [1]);
    assert_eq!(
        answer(&world, "get_top_domains", &json!({})),
        json!([{ "domain": "ml.example", "count": 2 }])
    );
}

#[test]
fn reindex_puts_senders_right_that_an_earlier_version_lost() {
    let mails = [
        Mail::new("Parcel").from("UPS, <info@ml.example>").bytes(),
        Mail::new("Re: Parcel")
            .from("ada@example.org")
            .with("In-Reply-To", "<Parcel@test.example>")
            .date("Mon, 2 Mar 2026 11:00:00 +0000")
            .bytes(),
    ];
    let world = World::holding(&mboxrd(&mails));
    let lost = "UPDATE senders SET display = 'UPS', name = 'UPS', address = '', domain = '' WHERE domain = 'ml.example'";
    world.database().execute(lost, []).unwrap();
    assert_eq!(ids(&world, "filter_emails", &json!({ "from_domain": "ml.example" })), [0; 0]);

    let report = world.json(&["reindex"]);
    let again = world.json(&["reindex"]);

    assert_eq!((&report["renewed"], &report["indexed"]), (&json!(1), &json!(2)));
    assert_eq!(again["renewed"], 0);
    assert_eq!(ids(&world, "filter_emails", &json!({ "from_domain": "ml.example" })), [1]);
    assert_eq!(
        answer(&world, "get_top_senders", &json!({})),
        json!([{ "from": "UPS <info@ml.example>", "count": 1 }, { "from": "ada@example.org", "count": 1 }])
    );
    assert_eq!(world.raw("Parcel@test.example"), mails[0]);
    assert_eq!(world.count("from:info@ml.example"), 1);
    world.assert_sound();
}

#[test]
fn ids_are_taken_as_numbers_and_as_texts() {
    let world = world();
    let gmail = 0x1234_5678_9abc_def0_i64;
    world
        .database()
        .execute("UPDATE messages SET x_gm_thrid = ?1, x_gm_msgid = ?1 + id WHERE id IN (6, 7)", [gmail])
        .unwrap();
    let thread = |id: Value| ids(&world, "get_email_thread", &json!({ "thread_id": id }));

    assert_eq!(thread(json!(gmail)), [6, 7]);
    assert_eq!(thread(json!(gmail.to_string())), [6, 7]);
    assert_eq!(thread(json!("123456789abcdef0")), [6, 7], "as Gmail writes it");
    assert_eq!(thread(json!("0x123456789ABCDEF0")), [6, 7]);
    assert_eq!(thread(json!(1)), [1, 11, 2, 3]);
    assert_eq!(thread(json!("t1")), [1, 11, 2, 3]);
    for id in [json!(3), json!("3"), json!(3.0), json!(" 3 ")] {
        assert_eq!(answer(&world, "get_email_full", &json!({ "id": id }))["id"], 3, "{id}");
    }
    assert_eq!(answer(&world, "get_email_full", &json!({ "id": gmail + 6 }))["id"], 6);
    let tools = tools(&mut world.command(&["db", "mcp", "--quiet"]));
    let schema = |tool: &str, argument: &str| {
        let tool = tools.as_array().unwrap().iter().find(|known| known["name"] == tool).unwrap();
        tool["inputSchema"]["properties"][argument]["type"].clone()
    };
    assert_eq!(schema("db.get_email_full", "id"), json!(["integer", "string"]));
    assert_eq!(schema("db.get_email_thread", "thread_id"), json!(["integer", "string"]));
}

#[test]
fn an_empty_date_is_an_error_and_null_is_none() {
    let world = world();

    for (tool, argument) in [
        ("filter_emails", "date_from"),
        ("count_emails", "date_to"),
        ("get_email_activity_heatmap", "date_from"),
        ("get_email_full", "date"),
    ] {
        for empty in ["", "  "] {
            let message = error(&world, tool, &json!({ argument: empty }));
            assert!(message.contains(argument) && message.contains("is not a date"), "{tool}: {message}");
        }
    }
    assert_eq!(answer(&world, "count_emails", &json!({ "date_from": null })), json!({ "count": 11 }));
}

#[test]
fn a_count_takes_the_arguments_of_the_list() {
    let world = world();
    let arguments = json!({ "from_domain": "stone.example", "order": "date_asc", "limit": 2 });

    assert_eq!(answer(&world, "count_emails", &arguments), json!({ "count": 7 }));
}

#[test]
fn a_corrected_call_offers_a_limit_that_makes_sense() {
    let world = world();

    for wrong in [json!("abc"), json!(true), json!([]), json!(1.5)] {
        let answer = answered(&world, "get_top_senders", &json!({ "limit": wrong }));
        let offered = answer["error"]["data"]["example"]["arguments"]["limit"].as_i64().unwrap();
        assert!((1..=20).contains(&offered), "{wrong}: {answer}");
    }
}

#[test]
fn a_shorter_list_of_duplicates_is_the_beginning_of_a_longer_one() {
    let mut mails = Vec::new();
    for subject in 0..40 {
        for copy in 0..2 + subject % 3 {
            let mail =
                Mail::new(&format!("Subject {subject}")).with("Message-ID", &format!("<{subject}.{copy}@x>"));
            mails.push(mail.bytes());
        }
    }
    let world = World::holding(&mboxrd(&mails));
    let all = answer(&world, "get_duplicate_emails", &json!({}));
    let mut expected: Vec<(usize, String)> =
        (0..40).map(|subject| (2 + subject % 3, format!("Subject {subject}"))).collect();
    expected.sort_by_key(|(count, subject)| (std::cmp::Reverse(*count), subject.clone()));

    let told: Vec<(usize, String)> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|group| {
            let count = group["duplicate_count"].as_u64().unwrap() as usize;
            (count, group["similarity_field"].as_str().unwrap().to_owned())
        })
        .collect();

    assert_eq!(told, expected);
    for limit in [1, 5, 13, 14, 20, 39] {
        let few = answer(&world, "get_duplicate_emails", &json!({ "limit": limit }));
        assert_eq!(few.as_array().unwrap()[..], all.as_array().unwrap()[..limit], "{limit}");
    }
}

#[test]
fn of_very_many_equal_groups_a_shorter_list_is_the_beginning_of_a_longer_one_too() {
    let mail = |number: usize| {
        let id = format!("<{number}@x>");
        Mail::new(&format!("Subject {}", number / 2)).with("Message-ID", &id).body("x").bytes()
    };
    let mails: Vec<_> = (0..4_100).map(mail).collect();
    let world = World::holding(&mboxrd(&mails));

    let calls = [(1, 3), (2, 150), (3, 1000)];
    let calls = calls.map(|(id, limit)| call(id, "db.get_duplicate_emails", &json!({ "limit": limit })));
    let answers = ask(&mut world.command(&["db", "mcp", "--quiet"]), &calls);

    let [few, more, most] = [1, 2, 3].map(|id| told(&answers[&id]).as_array().unwrap().clone());
    assert_eq!((few.len(), more.len(), most.len()), (3, 150, 1000));
    assert_eq!((&few[..], &more[..]), (&most[..3], &most[..150]));
}

#[test]
fn a_uid_that_several_accounts_have_is_said() {
    let world = world();
    let other = world.write("other.mbox", mboxrd(&[Mail::new("Elsewhere").bytes()]));
    world.import_as(&other, "eve@example.org");

    let several = answered(&world, "get_email_full", &json!({ "mailbox": "INBOX", "uid": 1 }));
    let one = answered(&world, "get_email_full", &json!({ "mailbox": "INBOX", "uid": 2 }));

    let warning = several["result"]["_meta"]["warning"].as_str().unwrap();
    assert!(warning.contains("ada@example.org") && warning.contains("the ids 12"), "{warning}");
    assert_eq!(told(&several)["id"], 1);
    assert_eq!(one["result"]["_meta"].get("warning"), None);
}

#[test]
fn bytes_that_are_no_text_come_in_base64_too() {
    let mut latin = Mail::new("Latin").bytes();
    latin.extend_from_slice(b"caf\xe9 \xff\xfe\n");
    let world = World::holding(&mboxrd(&[latin.clone(), Mail::new("Grüße").body("Grüße").bytes()]));
    let encoded = base64(&latin).replace('\n', "");

    let full = answer(&world, "get_email_full", &json!({ "id": 1 }));
    let text = answer(&world, "get_email_full", &json!({ "id": 2 }));
    let sql = "SELECT raw, x'00ff' AS b, x'6869' AS hi, 1 AS b_base64 FROM emails WHERE id = 1";
    let row = answer(&world, "execute_sql_query", &json!({ "sql_query": sql }))["rows"][0].clone();

    assert_eq!(full["encoded_base64"], encoded);
    assert!(full["encoded"].as_str().unwrap().ends_with("caf\u{fffd} \u{fffd}\u{fffd}\n"));
    assert_eq!(text.get("encoded_base64"), None);
    assert_eq!(row["raw_base64"], encoded);
    assert_eq!((&row["b"], &row["b_base64_"]), (&json!("\u{0}\u{fffd}"), &json!("AP8=")));
    assert_eq!((&row["hi"], row.get("hi_base64"), &row["b_base64"]), (&json!("hi"), None, &json!(1)));
}

#[test]
fn a_refused_statement_is_named_by_its_own_verb() {
    let world = world();
    let table = [
        ("CREATE TABLE x (a)", "CREATE"),
        ("CREATE TEMP VIEW x AS SELECT 1", "CREATE"),
        ("DROP TABLE emails", "DROP"),
        ("DROP VIEW emails", "DROP"),
        ("ALTER TABLE emails ADD COLUMN x", "ALTER"),
        ("TRUNCATE TABLE emails", "TRUNCATE"),
        ("/* x */ INSERT INTO emails (id) VALUES (1)", "INSERT"),
        ("REPLACE INTO emails (id) VALUES (1)", "REPLACE"),
        ("UPDATE emails SET subject = ''", "UPDATE"),
        ("WITH x AS (SELECT 1) DELETE FROM emails", "DELETE"),
        ("WITH x AS (SELECT 1) UPDATE emails SET subject = ''", "UPDATE"),
        ("PRAGMA user_version", "PRAGMA"),
        ("ATTACH 'x' AS y", "ATTACH"),
        ("VACUUM", "VACUUM"),
        ("BEGIN", "BEGIN"),
        ("EXPLAIN SELECT 1", "EXPLAIN"),
    ];

    for (sql, verb) in table {
        let message = error(&world, "execute_sql_query", &json!({ "sql_query": sql }));
        assert_eq!(message, format!("only SELECT is allowed, not {verb}"), "{sql}");
    }
}

#[test]
fn what_is_withheld_is_counted_beside_the_answer_by_mailbox_and_time_and_never_by_words() {
    let world = world();
    world.database().execute("UPDATE messages SET withheld = 1 WHERE id IN (1, 6)", []).unwrap();
    world.run(&["verify"]);
    let withheld = |tool: &str, arguments: Value| {
        answered(&world, tool, &arguments)["result"]["_meta"].get("withheld").cloned().unwrap_or_default()
    };

    assert_eq!(withheld("count_emails", json!({})), 3);
    assert_eq!(withheld("filter_emails", json!({ "mailbox": "Archive" })), 1);
    assert_eq!(withheld("count_emails", json!({ "date_from": "2026-01-01" })), 2);
    assert_eq!(withheld("count_emails", json!({ "date_from": "2026-04-01" })), Value::Null);
    assert_eq!(withheld("count_emails", json!({ "subject_contains": "no such word" })), 3);
    assert_eq!(withheld("count_emails", json!({ "subject_contains": "budget" })), 3);
    assert_eq!(withheld("get_mailbox_stats", json!({})), 3);
    assert_eq!(withheld("execute_sql_query", json!({ "sql_query": "SELECT 1" })), 3);
    assert_eq!(answer(&world, "count_emails", &json!({})), json!({ "count": 8 }));
}

#[test]
fn a_limit_in_the_environment_that_is_no_number_is_refused() {
    let world = world();

    for wrong in ["abc", "0", "-5", "1e3"] {
        let output = world.command(&["db", "mcp"]).env("MAILKEEP_MCP_MAX_LIMIT", wrong).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{wrong}");
        assert!(said.contains("MAILKEEP_MCP_MAX_LIMIT") && said.contains(wrong), "{wrong}: {said}");
    }
    let mut named = world.command(&["db", "mcp", "--quiet", "--max-limit", "2"]);
    let answers = ask(named.env("MAILKEEP_MCP_MAX_LIMIT", "abc"), &[call(1, "db.filter_emails", &json!({}))]);
    assert_eq!(told(&answers[&1]).as_array().unwrap().len(), 2, "an option goes before the environment");
}

#[test]
fn variables_under_their_other_name_count_and_are_noted() {
    let world = world();
    let elsewhere = World::new();
    let command = || {
        let mut command = elsewhere.command(&["db", "mcp"]);
        command
            .env("NITTYMAIL_SQLITE_DB", world.home().join("mail.db"))
            .env("NITTYMAIL_MCP_MAX_LIMIT", "2")
            .env("MAILKEEP_IMAP_ADDRESS", "ada@example.org")
            .env("NITTYMAIL_IMAP_ADDRESS", "nobody@example.org");
        command
    };

    let answers = ask(&mut command(), &[call(1, "db.filter_emails", &json!({}))]);
    let said = String::from_utf8(command().output().unwrap().stderr).unwrap();

    assert_eq!(told(&answers[&1]).as_array().unwrap().len(), 2);
    let read_as = "`NITTYMAIL_MCP_MAX_LIMIT` is read as `MAILKEEP_MCP_MAX_LIMIT`";
    assert!(said.contains(read_as), "{said}");
    assert!(!said.contains("NITTYMAIL_IMAP_ADDRESS"), "{said}");
}

#[test]
fn a_database_that_is_not_there_is_named() {
    let world = World::new();
    let file = world.path("nowhere/mail.db");

    let mut command = world.command(&["db", "mcp", "--quiet", "--database", file.to_str().unwrap()]);
    let answer = ask(&mut command, &[call(1, "db.count_emails", &json!({}))])[&1].clone();

    assert_eq!(answer["error"]["code"], -32001);
    let message = answer["error"]["message"].as_str().unwrap();
    assert_eq!(message, format!("there is no database `{}`", file.display()));
}

#[test]
fn the_page_about_the_tools_is_made_from_their_definitions() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/db-tools.md");
    let page = mailkeep::tools::db::page();
    if std::env::var_os("MAILKEEP_WRITE_DOCS").is_some() {
        std::fs::write(file, &page).unwrap();
    }

    let written = std::fs::read_to_string(file).unwrap_or_default();

    assert!(
        written == page,
        "docs/db-tools.md is out of date; write it with MAILKEEP_WRITE_DOCS=1 cargo test {}",
        "made_from"
    );
}

#[test]
fn every_answer_has_the_shape_that_the_page_and_the_schema_promise() {
    let world = world();
    let list = tools(&mut world.command(&["mcp", "--profile", "db"]));

    for tool in list.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let arguments = super::edges::arguments(name.trim_start_matches("db_"));
        let arguments = if name == "db_get_email_full" { json!({ "id": 3 }) } else { arguments };
        let mut server = world.command(&["mcp", "--profile", "db"]);
        let answer = ask(&mut server, &[call(1, name, &arguments)])[&1].clone();
        let data = &answer["result"]["structuredContent"];
        let problem = mismatch(data, &tool["outputSchema"]);
        assert_eq!(problem, None, "{name}: {answer}");
    }
}

/// Why a value does not fit a schema, as far as our schemas go: types, required properties, and no others than are named.
fn mismatch(value: &Value, schema: &Value) -> Option<String> {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types = &schema["type"];
    if *types != kind && !types.as_array().is_some_and(|types| types.contains(&json!(kind))) {
        return Some(format!("{value} is no {types}"));
    }
    if let Some(items) = value.as_array() {
        return items.iter().find_map(|item| mismatch(item, &schema["items"]));
    }
    let (Some(object), Some(properties)) = (value.as_object(), schema["properties"].as_object()) else {
        return None;
    };
    let missing = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|name| !object.contains_key(name.as_str().unwrap()));
    if let Some(missing) = missing {
        return Some(format!("{missing} is missing"));
    }
    object.iter().find_map(|(name, value)| match properties.get(name) {
        Some(schema) => mismatch(value, schema),
        None => Some(format!("{name} is not in the schema")),
    })
}

/// A file of the project.
fn page(name: &str) -> String {
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn the_help_and_the_readme_name_the_tools_and_the_page_about_them() {
    let help = String::from_utf8(World::new().run(&["db", "mcp", "--help"]).stdout).unwrap();
    let readme = page("README.md");

    for tool in tools(&mut World::new().command(&["db", "mcp", "--quiet"])).as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(help.contains(name), "{name}");
        assert!(readme.contains(name.trim_start_matches("db.")), "{name}");
    }
    for text in [&help, &readme] {
        assert!(text.contains("docs/db-tools.md"));
    }
    assert!(readme.contains("mailkeep db mcp"));
}

#[test]
fn the_sample_of_an_environment_has_every_variable_that_the_server_reads() {
    let help = String::from_utf8(World::new().run(&["db", "mcp", "--help"]).stdout).unwrap();
    let is_name = |c: char| c.is_ascii_uppercase() || c == '_';
    let named = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c| !is_name(c)).filter(|word| word.starts_with("MAILKEEP_"));
        words.map(str::to_owned).collect()
    };

    let (_, defaults) = help.split_once("Defaults come from").unwrap();

    assert_eq!(named(defaults), named(&page(".env.sample")));
    assert_eq!(named(defaults).len(), 4);
}

#[test]
fn an_unknown_account_is_an_error_that_names_those_there_are() {
    let world = world();

    let mut command = world.command(&["db", "mcp", "--quiet", "--address", "eve@example.org"]);
    let answer = ask(&mut command, &[call(1, "db.count_emails", &json!({}))])[&1].clone();

    assert_eq!(answer["error"]["code"], -32001);
    assert!(answer["error"]["message"].as_str().unwrap().contains("eve@example.org"), "{answer}");
    assert!(answer["error"]["data"]["hint"].as_str().unwrap().contains("ada@example.org"), "{answer}");
}

#[test]
fn the_time_zone_of_the_process_does_not_matter() {
    let world = world();
    let calls = [
        call(1, "db.filter_emails", &json!({ "date_from": "2026-01-01", "date_to": "2026-01-01" })),
        call(2, "db.get_email_activity_heatmap", &json!({})),
        call(3, "db.get_emails_by_date_range", &json!({ "period": "daily" })),
        call(4, "db.get_seasonal_trends", &json!({})),
    ];

    let [here, there] = ["UTC", "Pacific/Kiritimati"].map(|zone| {
        let answers = ask(world.command(&["db", "mcp", "--quiet"]).env("TZ", zone), &calls);
        (1..=4).map(|id| told(&answers[&id])).collect::<Vec<_>>()
    });

    assert_eq!(here, there);
    assert_eq!(column(&here[0], "id"), [4]);
}

/// A message of exactly so many bytes.
fn of_size(size: usize) -> Vec<u8> {
    let start = Mail::new(&format!("Size {size}")).body("").bytes();
    let filler = format!("{}\n", "x".repeat(size - start.len() - 1));
    [start, filler.into_bytes()].concat()
}

#[test]
fn sizes_are_told_apart_at_the_very_byte() {
    const KB: usize = 1024;
    let sizes = [10 * KB - 1, 10 * KB, 100 * KB, 100 * KB + 1, KB * KB, KB * KB + 1];
    let mails: Vec<_> = sizes.iter().map(|size| of_size(*size)).collect();
    let world = World::holding(&mboxrd(&mails));
    let found = |category: &str| {
        let rows = answer(&world, "get_emails_by_size_range", &json!({ "size_category": category }));
        column(&rows, "size_bytes").iter().map(|size| size.as_u64().unwrap() as usize).collect::<Vec<_>>()
    };

    assert_eq!(found("small"), [10 * KB - 1]);
    assert_eq!(found("medium"), [100 * KB, 10 * KB]);
    assert_eq!(found("large"), [KB * KB + 1, KB * KB, 100 * KB + 1]);
    assert_eq!(found("huge"), [KB * KB + 1]);
    let largest = answer(&world, "get_largest_emails", &json!({ "limit": 2 }));
    assert_eq!(column(&largest, "rfc822_size"), [KB * KB + 1, KB * KB]);
}
