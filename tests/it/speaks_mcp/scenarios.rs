//! A home that is not ready: the server starts and lists its tools all the same, and calls say what is wrong.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, code, meta};
use crate::world::mail::{many, mboxrd};
use crate::world::{ACCOUNT, World};

/// Shakes hands and lists, which must work, then asks for the mail: the error.
fn error_of_a_call(world: &World) -> Value {
    let mut client = Client::connected(world, &["--profile", "assistant"]);
    let tools = client.ask("tools/list", &json!({}));
    assert!(tools["result"]["tools"].as_array().is_some_and(|tools| !tools.is_empty()), "{tools}");
    let answer = client.call("list_emails", &json!({ "account": ACCOUNT }));
    assert!(client.finish().success());
    answer["error"].clone()
}

fn with_version(change: i64) -> World {
    let world = World::holding(&mboxrd(&many(3)));
    let database = world.database();
    let version: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    database.pragma_update(None, "user_version", version + change).unwrap();
    world
}

#[test]
fn without_a_database_a_call_says_what_to_launch() {
    let world = World::new();

    let error = error_of_a_call(&world);

    assert_eq!(error["code"], -32001);
    assert_eq!(
        error["message"],
        "mailkeep database not found. Please launch the mailkeep app first to set up your accounts."
    );
    assert!(error["data"]["hint"].as_str().unwrap().contains("mailkeep"), "{error}");
    assert!(!world.home().join("mail.db").exists(), "looking makes nothing");
}

#[test]
fn without_accounts_a_call_says_so() {
    let world = World::new();
    fs::create_dir_all(world.home()).unwrap();
    drop(mailkeep::store::Store::open(&world.home().join("mail.db")).unwrap());

    let error = error_of_a_call(&world);

    assert_eq!((&error["code"], &error["message"]), (&json!(-32002), &json!("No accounts configured")));
}

#[test]
fn a_database_of_another_version_is_left_alone() {
    for (change, cure) in [
        (-1, "Please launch the mailkeep app to update the database."),
        (1, "Please update mailkeep app to the latest version."),
    ] {
        let world = with_version(change);
        let before = fs::read(world.home().join("mail.db")).unwrap();

        let error = error_of_a_call(&world);

        assert_eq!(error["code"], -32003, "{change}");
        assert_eq!(error["message"], format!("Database schema version mismatch. {cure}"));
        assert!(error["data"]["hint"].is_string(), "{error}");
        assert!(before == fs::read(world.home().join("mail.db")).unwrap(), "{change}");
    }
}

#[test]
fn a_database_that_comes_later_is_found_by_the_server_that_waits() {
    let world = World::new();
    let mut client = Client::connected(&world, &[]);
    assert_eq!(client.call("list_accounts", &json!({}))["result"]["isError"], true);

    let mbox = world.write("held.mbox", mboxrd(&many(3)));
    world.import(&mbox);

    let found = client.call("list_emails", &json!({}));
    assert_eq!(found["result"]["isError"], false, "{found}");
}

#[test]
fn a_file_that_is_no_database_is_an_error_and_no_crash() {
    let world = World::new();
    fs::create_dir_all(world.home()).unwrap();
    fs::write(world.home().join("mail.db"), "no database at all, but long enough to look".repeat(100))
        .unwrap();

    let error = error_of_a_call(&world);

    assert!(error["code"].is_i64() && !error["message"].as_str().unwrap().is_empty(), "{error}");
}

#[test]
fn the_core_profile_tells_the_same_as_a_result() {
    let mut client = Client::connected(&World::new(), &[]);

    let result = client.call("list_emails", &json!({}))["result"].clone();

    assert_eq!(
        (&result["isError"], &result["_meta"]["mailkeep/error"]["code"]),
        (&json!(true), &json!(-32001))
    );
    assert!(result["structuredContent"].is_null(), "{result}");
}

#[test]
fn errors_can_be_told_as_errors_of_the_protocol_where_it_has_their_codes() {
    let world = World::new();
    let mut client = Client::start(&world, &["--error-style", "jsonrpc"]);
    let modern = json!({ "name": "list_emails", "arguments": {}, "_meta": meta() });

    let missing = client.call("list_emails", &json!({}));
    let in_the_modern_era = client.ask("tools/call", &modern);
    fs::create_dir_all(world.home()).unwrap();
    drop(mailkeep::store::Store::open(&world.home().join("mail.db")).unwrap());
    let no_account = client.ask("tools/call", &modern);

    assert_eq!((code(&missing), code(&in_the_modern_era)), (Some(-32001), Some(-32001)));
    assert_eq!(code(&no_account), None, "-32002 means nothing in this era");
    assert_eq!(no_account["result"]["_meta"]["mailkeep/error"]["code"], -32002);
}

#[test]
fn what_is_not_allowed_is_not_listed_and_not_there() {
    let world = World::new();
    let names = |arguments: &[&str]| -> Vec<String> {
        let answer = Client::start(&world, arguments).ask("tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };

    let reading = names(&["--read-only"]);
    let chosen = names(&["--tools", "read_email,create_draft", "--read-only"]);
    let without = names(&["--disable", "search_emails"]);
    let refused = Client::start(&world, &["--read-only"]).call("create_draft", &json!({ "body": "x" }));

    assert!(
        reading.contains(&"read_email".to_owned()) && !reading.contains(&"create_draft".to_owned()),
        "{reading:?}"
    );
    assert_eq!(chosen, ["read_email"], "read-only wins");
    assert!(!without.contains(&"search_emails".to_owned()) && without.len() > reading.len());
    assert_eq!(code(&refused), Some(-32602));
}

#[test]
fn profiles_that_have_the_same_names_cannot_be_combined() {
    let error = World::new().failure(&["mcp", "--profile", "core,assistant"]);

    assert_eq!(error["code"], "bad_profile");
    assert!(error["message"].as_str().unwrap().contains("list_emails"), "{error}");
}
