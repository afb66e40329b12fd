//! Both eras on one server: what each revision promises.

use serde_json::{Value, json};

use super::client::{Client, code, meta, request};
use crate::world::World;
use crate::world::mail::{many, mboxrd};

fn modern(method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = meta();
    request(1, method, &params)
}

#[test]
fn initialize_agrees_on_what_is_asked_for_and_on_the_newest_otherwise() {
    let world = World::new();
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("tomorrow", "2025-11-25"),
    ] {
        let result = Client::start(&world, &[]).initialize(asked)["result"].clone();

        assert_eq!(result["protocolVersion"], agreed);
        assert_eq!(result["serverInfo"]["name"], "mailkeep");
        assert_eq!(result["_debug"]["schemaVersion"], 0, "there is no store");
        assert_eq!(result["_debug"]["appBundleVersion"], env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn one_connection_speaks_both_eras() {
    let world = World::holding(&mboxrd(&many(3)));
    let mut client = Client::start(&world, &[]);

    client.send(&modern("server/discover", &json!({})));
    let discovered = client.next()["result"].clone();
    client.send(&modern("tools/call", &json!({ "name": "list_accounts", "arguments": {} })));
    let called = client.next()["result"].clone();
    let agreed = client.initialize("2025-06-18");

    assert_eq!(discovered["supportedVersions"][0], "2026-07-28");
    assert!(discovered["_meta"]["mailkeep/debug"]["schemaVersion"].is_i64(), "{discovered}");
    assert_eq!((&called["resultType"], &called["isError"]), (&json!("complete"), &json!(false)));
    assert_eq!(called["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mailkeep");
    assert_eq!(agreed["result"]["protocolVersion"], "2025-06-18");
}

#[test]
fn the_modern_era_has_no_methods_of_the_older_one() {
    let world = World::new();
    let mut client = Client::start(&world, &[]);

    for method in
        ["initialize", "ping", "logging/setLevel", "resources/subscribe", "subscriptions/listen", "x"]
    {
        client.send(&modern(method, &json!({})));
        assert_eq!(code(&client.next()), Some(-32601), "{method}");
    }
}

#[test]
fn a_modern_request_must_say_what_it_speaks_and_what_its_client_can_do() {
    let world = World::new();
    let mut client = Client::start(&world, &[]);
    let version = "io.modelcontextprotocol/protocolVersion";

    let unknown = client.ask("tools/list", &json!({ "_meta": { version: "2030-01-01" } }));
    let incomplete = client.ask("tools/list", &json!({ "_meta": { version: "2026-07-28" } }));
    let nothing = client.ask("server/discover", &json!({}));

    assert_eq!(code(&unknown), Some(-32022));
    assert_eq!(unknown["error"]["data"]["requested"], "2030-01-01");
    assert_eq!(code(&incomplete), Some(-32602));
    assert_eq!(code(&nothing), Some(-32602));
}

#[test]
fn a_batch_belongs_to_the_two_oldest_revisions_only() {
    let world = World::new();
    let batch = json!([
        request(1, "ping", &json!({})),
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": 2 },
        3,
    ]);

    let mut old = Client::start(&world, &[]);
    old.initialize("2025-03-26");
    old.send(&batch);
    let answers = old.next();
    let mut new = Client::connected(&world, &[]);
    new.send(&batch);
    let refused = new.next();

    let mut codes: Vec<_> =
        answers.as_array().unwrap().iter().map(|answer| (answer["id"].clone(), code(answer))).collect();
    codes.sort_by_key(|(id, _)| id.to_string());
    assert_eq!(codes, [(json!(1), None), (json!(2), Some(-32600)), (Value::Null, Some(-32600))]);
    assert_eq!((code(&refused), &refused["id"]), (Some(-32600), &Value::Null));
}

#[test]
fn an_empty_batch_is_refused_and_one_of_notifications_is_silent() {
    let world = World::new();
    let mut client = Client::start(&world, &[]);
    client.initialize("2025-03-26");

    client.send(&json!([]));
    assert_eq!(code(&client.next()), Some(-32600));
    client.send(&json!([{ "jsonrpc": "2.0", "method": "initialized" }, { "jsonrpc": "2.0", "method": "x" }]));

    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}), "the batch said nothing");
}

#[test]
fn tools_are_listed_without_any_handshake() {
    let answer = Client::start(&World::new(), &[]).ask("tools/list", &json!({}));

    let names: Vec<_> =
        answer["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert!(names.contains(&&json!("search_emails")), "{names:?}");
}

#[test]
fn what_is_not_declared_is_not_there() {
    let mut client = Client::connected(&World::new(), &[]);

    for method in ["logging/setLevel", "resources/subscribe", "roots/list", "tasks/update", "debug/health"] {
        assert_eq!(code(&client.ask(method, &json!({}))), Some(-32601), "{method}");
    }
}

#[test]
fn arguments_that_are_wrong_are_told_with_the_field_and_what_is_allowed() {
    let world = World::holding(&mboxrd(&many(3)));
    let mut client = Client::connected(&world, &[]);

    for (tool, arguments, field) in [
        ("list_emails", json!({ "limit": "many" }), "limit"),
        ("list_emails", json!({ "limit": 0 }), "limit"),
        ("list_emails", json!({ "account": 7 }), "account"),
        ("list_emails", json!({ "lmit": 3 }), "lmit"),
        ("read_email", json!({}), "email_id"),
        ("search_emails", json!([]), "arguments"),
    ] {
        let result = client.call(tool, &arguments)["result"].clone();

        let told = result["content"][0]["text"].as_str().unwrap();
        assert!(result["isError"] == true && told.contains(field), "{tool} {arguments}: {told}");
    }
}

#[test]
fn health_is_told_only_when_debugging() {
    let world = World::new();
    let mut client = Client::run(super::client::server(&world, &[]).env("MAILKEEP_DEBUG", "1"));
    client.initialize("2025-11-25");

    let health = client.ask("debug/health", &json!({}))["result"].clone();

    for part in ["uptime", "requests", "memory"] {
        assert!(health.to_string().contains(part), "{health}");
    }
}

#[test]
fn an_error_is_short_however_long_the_words_were_that_it_repeats() {
    let world = World::holding(&mboxrd(&many(3)));
    let mut client = Client::connected(&world, &[]);
    let long = "x".repeat(1_000_000);

    let answers = [
        client.ask(&long, &json!({})),
        client.ask("resources/read", &json!({ "uri": long })),
        client.ask("prompts/get", &json!({ "name": long })),
        client.call(&long, &json!({})),
        client.call("read_email", &json!({ "email_id": long })),
        client.call("list_emails", &json!({ "account": long })),
        client.call("list_emails", &json!({ "folder": long })),
        client.call("list_emails", &json!({ "limit": long })),
        client.call("list_emails", &json!({ &long: 1 })),
        client.call("get_thread", &json!({ "thread_id": long })),
        client.call("search_emails", &json!({ "query": long })),
    ];

    for answer in answers {
        assert!(answer["error"].is_object() || answer["result"]["isError"] == true, "{answer}");
        assert!(answer.to_string().len() < 5_000, "{answer}");
    }
}

#[test]
fn lists_have_one_page_and_no_other() {
    let mut client = Client::connected(&World::new(), &[]);

    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        assert_eq!(code(&client.ask(method, &json!({ "cursor": "more" }))), Some(-32602), "{method}");
        assert!(client.ask(method, &json!({ "cursor": null }))["result"].is_object(), "{method}");
    }
}

#[test]
fn the_oldest_revision_takes_batches_too_within_bounds() {
    let world = World::holding(&mboxrd(&many(3)));
    let mut client = Client::start(&world, &["--profile", "assistant"]);
    client.initialize("2024-11-05");
    let pings = |count: u64| Value::Array((0..count).map(|id| request(id, "ping", &json!({}))).collect());

    client.send(&pings(100));
    let answers = client.next();
    client.send(&pings(101));
    let refused = client.next();

    assert_eq!(answers.as_array().unwrap().len(), 100);
    assert_eq!(code(&refused), Some(-32600));
}
