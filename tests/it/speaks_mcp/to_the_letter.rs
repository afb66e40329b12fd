//! The `assistant` profile against its requirement document: whole texts, bytes on request, names and labels as they
//! were given, limits that clamp, and a handshake that says no more than it should.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::client::{Client, code};
use crate::world::mail::{many, mboxrd};
use crate::world::random::Random;
use crate::world::{ACCOUNT, Mail, World, text};

const MEGABYTE: usize = 1 << 20;

fn assistant(world: &World) -> Client {
    Client::connected(world, &["--profile", "assistant"])
}

fn holding(mails: &[Mail]) -> World {
    World::holding(&mboxrd(&mails.iter().map(Mail::bytes).collect::<Vec<_>>()))
}

fn said(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// The one message of a world with this subject's Message-ID, read.
fn read(client: &mut Client, subject: &str) -> Value {
    let id = format!("{subject}@test.example");
    client.call("read_email", &json!({ "account": ACCOUNT, "email_id": id }))
}

fn attachment(client: &mut Client, subject: &str, name: &str, base64: bool) -> Value {
    let id = format!("{subject}@test.example");
    let mut arguments = json!({ "account": ACCOUNT, "email_id": id, "attachment_id": name });
    if base64 {
        arguments["base64"] = json!(true);
    }
    client.call("get_attachment", &arguments)
}

fn saved_file(answer: &Value) -> Vec<u8> {
    fs::read(answer["result"]["structuredContent"]["path"].as_str().unwrap()).unwrap()
}

#[test]
fn a_body_is_told_whole_up_to_a_megabyte_and_saved_beyond() {
    let line = "A line of a long letter, which goes on.\n";
    let body = |bytes: usize| format!("{}The very last words.", line.repeat(bytes / line.len()));
    let world =
        holding(&[Mail::new("long").body(&body(900_000)), Mail::new("longer").body(&body(3 * MEGABYTE))]);
    let mut client = assistant(&world);

    let long = read(&mut client, "long");
    let longer = read(&mut client, "longer");

    assert!(said(&long).contains("The very last words.") && said(&long).matches(line).count() > 20_000);
    assert!(said(&longer).contains("[Large text saved to: ") && said(&longer).len() < 20_000);
    assert!(said(&longer).contains("[File will be deleted in 1 hour]"));
    assert!(String::from_utf8(saved_file(&longer)).unwrap().trim_end().ends_with("The very last words."));
    client.finish();
    let left = fs::read_dir(world.home().join("attachments-out")).unwrap().count();
    assert_eq!(left, 0, "saved files go with the server");
}

#[test]
fn a_text_attachment_is_told_whole_below_a_megabyte_and_saved_from_there_on() {
    let text = |bytes: usize| format!("{}the end", "row of a table, 1, 2, 3\n".repeat(bytes / 24));
    let world = holding(&[Mail::new("tables")
        .attach("small.csv", "text/csv", text(900_000).as_bytes())
        .attach("large.csv", "text/csv", text(MEGABYTE + 100).as_bytes())]);
    let mut client = assistant(&world);

    let small = attachment(&mut client, "tables", "small.csv", false);
    let large = attachment(&mut client, "tables", "large.csv", false);

    assert_eq!(said(&small).matches("row of a table").count(), 37_500);
    assert!(said(&small).contains("the end"));
    assert!(said(&large).contains("[Large file saved to: "), "{large}");
    assert_eq!(saved_file(&large), text(MEGABYTE + 100).into_bytes());
}

#[test]
fn json_is_laid_out_and_means_what_it_meant() {
    let json = r#"{"z":12345678901234567890123,"a":1e3,"a":2.50,"list":[]}"#;
    let world = holding(&[Mail::new("data")
        .attach("data.json", "application/json", json.as_bytes())
        .attach("broken.json", "application/json", b"{\"a\": nothing")]);
    let mut client = assistant(&world);

    let shown = attachment(&mut client, "data", "data.json", false);
    let broken = attachment(&mut client, "data", "broken.json", false);

    let expected = "{\n  \"z\": 12345678901234567890123,\n  \"a\": 1e3,\n  \"a\": 2.50,\n  \"list\": []\n}";
    assert!(said(&shown).contains(expected), "{shown}");
    assert!(said(&broken).contains("{\"a\": nothing"), "{broken}");
}

#[test]
fn bytes_come_as_base64_when_they_are_asked_for_and_not_before() {
    let bytes = Random::new(7).bytes(500_000);
    let large = Random::new(8).bytes(MEGABYTE + 1);
    let world = holding(&[Mail::new("files")
        .attach("photo.png", "image/png", &bytes)
        .attach("tool.bin", "application/octet-stream", &bytes)
        .attach("large.bin", "application/octet-stream", &large)]);
    let mut client = assistant(&world);
    let decoded = |data: &Value| STANDARD.decode(data.as_str().unwrap()).unwrap();

    let plain = attachment(&mut client, "files", "photo.png", false);
    let image = attachment(&mut client, "files", "photo.png", true)["result"]["content"][1].clone();
    let binary = attachment(&mut client, "files", "tool.bin", true)["result"]["content"][1].clone();
    let large_answer = attachment(&mut client, "files", "large.bin", true);

    assert_eq!(plain["result"]["content"].as_array().unwrap().len(), 1);
    assert!(said(&plain).contains("[Image file - 500000 bytes. Base64 available on request.]"));
    assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
    assert!(decoded(&image["data"]) == bytes);
    assert_eq!(binary["resource"]["mimeType"], "application/octet-stream");
    assert!(decoded(&binary["resource"]["blob"]) == bytes);
    assert!(saved_file(&large_answer) == large);
}

#[test]
fn attachments_of_one_name_are_listed_and_read_apart() {
    let world = holding(&[Mail::new("twins")
        .attach("notes.txt", "text/plain", b"the first")
        .attach("notes.txt", "text/plain", b"the second")
        .attach("dir/../odd/plan.txt", "text/plain", b"the plan")]);
    let mut client = assistant(&world);

    let letter = read(&mut client, "twins");
    let second = attachment(&mut client, "twins", "notes (2).txt", false);
    let by_path = attachment(&mut client, "twins", "dir/../odd/plan.txt", false);

    assert!(
        said(&letter).contains("- notes.txt (9 bytes, text/plain)\n- notes (2).txt (10 bytes, text/plain)"),
        "{letter}"
    );
    assert!(said(&second).contains("the second"), "{second}");
    assert!(said(&by_path).contains("the plan"), "{by_path}");
}

#[test]
fn a_drawing_tells_its_size() {
    let drawing =
        b"<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"480px\"/>";
    let world = holding(&[Mail::new("drawing").attach("a.svg", "image/svg+xml", drawing)]);

    let shown = attachment(&mut assistant(&world), "drawing", "a.svg", false);

    assert!(said(&shown).contains("[Image - 640x480]"), "{shown}");
}

#[test]
fn labels_come_back_as_they_were_added() {
    let world = holding(&[Mail::new("letter")]);
    let mut client = assistant(&world);

    for label in ["TRASH", "SPAM", "INBOX", "STARRED", "Travel"] {
        let change = json!({ "account": ACCOUNT, "email_id": "letter@test.example", "add_labels": [label] });
        assert!(client.call("manage_labels", &change)["result"].is_object());
        let letter = read(&mut client, "letter");
        let labels = letter["result"]["structuredContent"]["labels"].clone();
        assert!(labels.as_array().unwrap().contains(&json!(label)), "{label}: {labels}");
    }
}

#[test]
fn a_name_with_a_comma_reads_as_one_person() {
    let to = "\"Doe, Jane\" <jane@doe.example>, Bob <bob@stone.example>";
    let world = holding(&[Mail::new("letter").with("To", to).from("\"Stone, Bob\" <bob@stone.example>")]);

    let letter = read(&mut assistant(&world), "letter");

    assert!(said(&letter).contains(&format!("\nTo: {to}\n")), "{letter}");
    assert!(said(&letter).contains("\nFrom: \"Stone, Bob\" <bob@stone.example>\n"), "{letter}");
}

#[test]
fn a_limit_beyond_the_largest_means_the_largest() {
    let world = World::holding(&mboxrd(&many(130)));
    let mut client = assistant(&world);
    let items = |answer: &Value| answer["result"]["structuredContent"]["items"].as_array().unwrap().len();

    let listed = client.call("list_emails", &json!({ "account": ACCOUNT, "limit": 1000 }));
    let found = client.call("search_emails", &json!({ "account": ACCOUNT, "query": "numbers", "limit": 51 }));
    let none = client.call("list_emails", &json!({ "account": ACCOUNT, "limit": 0 }));

    assert_eq!((items(&listed), items(&found)), (100, 50));
    assert_eq!(code(&none), Some(-32602));
}

#[test]
fn a_draft_is_read_by_its_id_and_stands_in_no_list_of_mail() {
    let world = holding(&[Mail::new("letter")]);
    world.json(&["import", text(&world.write("b.mbox", mboxrd(&many(1)))), "--account", "bob@example.org"]);
    let mut client = assistant(&world);
    let draft =
        json!({ "account": ACCOUNT, "to": ["bob@stone.example"], "subject": "Hello", "body": "Dear Bob," });

    let created = client.call("create_draft", &draft);
    let id = created["result"]["structuredContent"]["id"].clone();
    let drafts = client.call("list_emails", &json!({ "account": ACCOUNT, "folder": "drafts" }));
    let shown = client.call("read_email", &json!({ "account": ACCOUNT, "email_id": id }));
    let elsewhere = client.call("read_email", &json!({ "account": "bob@example.org", "email_id": id }));
    let mail = client.call("list_emails", &json!({ "account": ACCOUNT }));

    assert!(said(&drafts).contains(id.as_str().unwrap()));
    assert!(said(&shown).contains("Subject: Hello") && said(&shown).contains("Dear Bob,"), "{shown}");
    assert_eq!(code(&elsewhere), Some(-32001));
    assert!(!said(&mail).contains("Hello"), "{mail}");
}

#[test]
fn a_list_without_a_folder_leaves_out_drafts_trash_and_spam_and_says_so() {
    let world = World::new();
    for mailbox in ["INBOX", "Sent", "Drafts", "Trash", "Spam", "Work"] {
        let file =
            world.write(&format!("{mailbox}.mbox"), mboxrd(&[Mail::new(&format!("in {mailbox}")).bytes()]));
        world.json(&["import", text(&file), "--account", ACCOUNT, "--mailbox", mailbox]);
    }
    let mut client = assistant(&world);

    let listed = client.call("list_emails", &json!({ "account": ACCOUNT }));
    let tools = client.ask("tools/list", &json!({}));

    let subjects: Vec<_> =
        said(&listed).lines().filter_map(|line| line.strip_prefix("Subject: in ")).collect();
    assert_eq!(subjects, ["Work", "Sent", "INBOX"]);
    let folder = &tools["result"]["tools"][0]["inputSchema"]["properties"]["folder"]["description"];
    assert!(folder.as_str().unwrap().contains("all but drafts, trash and spam"), "{folder}");
}

#[test]
fn text_with_a_colon_or_an_open_quote_is_searched_for_as_text() {
    let world = holding(&[Mail::new("letter").body("The form: Bob has it (or nobody"), Mail::new("other")]);
    let mut client = assistant(&world);
    let mut found = |query: &str| {
        let answer = client.call("search_emails", &json!({ "account": ACCOUNT, "query": query }));
        answer["result"]["structuredContent"]["total"]
            .as_u64()
            .or_else(|| code(&answer).map(i64::unsigned_abs))
    };

    assert_eq!(found("form:bob"), Some(1));
    assert_eq!(found("\"form"), Some(1));
    assert_eq!(found("(or nobody"), Some(1));
    assert_eq!(found("form:carla"), Some(0));
    assert_eq!(found("before:whenever"), Some(32602), "a slip in an operator is told");
}

#[test]
fn the_handshake_says_what_the_document_has_and_no_more() {
    let world = holding(&[Mail::new("letter")]);
    let mut client = Client::start(&world, &["--profile", "assistant"]);

    let result = client.initialize("2024-11-05")["result"].clone();
    let tools = client.ask("tools/list", &json!({}));

    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(result["capabilities"], json!({ "tools": {} }));
    assert_eq!(result["serverInfo"], json!({ "name": "mailkeep-mcp", "version": version }));
    assert_eq!(code(&client.ask("resources/list", &json!({}))), Some(-32601));
    let names: Vec<_> =
        tools["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    let instructions = result["instructions"].as_str().unwrap();
    let named: Vec<_> = instructions
        .split(|c: char| !(c.is_ascii_lowercase() || c == '_'))
        .filter(|word| word.contains('_'))
        .collect();
    assert!(named.iter().all(|name| names.contains(&json!(name))), "{named:?}");
}

#[test]
fn the_schema_version_that_is_told_is_the_stores() {
    let world = holding(&[Mail::new("letter")]);
    let told = |world: &World| {
        let result = Client::start(world, &["--profile", "assistant"]).initialize("2024-11-05");
        result["result"]["_debug"]["schemaVersion"].as_i64().unwrap()
    };
    let own: i64 = world.database().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();

    assert_eq!(told(&world), own);
    for other in [own - 1, own + 3] {
        world.database().pragma_update(None, "user_version", other).unwrap();
        assert_eq!(told(&world), other);
    }
    assert_eq!(told(&World::new()), 0);
}

#[test]
fn a_call_without_a_name_is_told_that_it_is_missing() {
    let mut client = assistant(&World::new());

    for params in [json!({}), json!({ "name": 7 }), json!({ "name": null, "arguments": {} })] {
        let answer = client.ask("tools/call", &params);
        assert_eq!(code(&answer), Some(-32602));
        assert!(answer["error"]["message"].as_str().unwrap().contains("`name` is missing"), "{answer}");
    }
}

/// An account on a server that nobody has signed in to.
fn unsigned() -> World {
    let world = World::new();
    world.json(&["account", "add", ACCOUNT, "--imap", "127.0.0.1:1", "--sign-in", "google"]);
    world
}

#[test]
fn an_account_that_nobody_has_signed_in_to_says_so() {
    let world = unsigned();
    let mut client = assistant(&world);

    for (tool, more) in [
        ("list_emails", json!({})),
        ("search_emails", json!({ "query": "x" })),
        ("create_draft", json!({ "to": ["b@x.example"], "subject": "s", "body": "b" })),
    ] {
        let mut arguments = more;
        arguments["account"] = json!(ACCOUNT);
        let error = client.call(tool, &arguments)["error"].clone();
        assert_eq!(error["code"], -32002, "{tool}: {error}");
        assert_eq!(
            error["message"],
            "Authentication required. Please open mailkeep and sign in to your account."
        );
        assert!(error["data"]["hint"].as_str().unwrap().contains("account login"), "{error}");
    }
}

#[test]
fn an_account_whose_sign_in_was_refused_says_so_until_mail_of_it_is_here() {
    let world = World::new();
    let mut add = world.command(&["account", "add", ACCOUNT, "--imap", "127.0.0.1:1", "--password-stdin"]);
    let mut process =
        add.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(&mut process.stdin.take().unwrap(), b"a password\n").unwrap();
    assert!(process.wait().unwrap().success());
    let listed = |world: &World| assistant(world).call("list_emails", &json!({ "account": ACCOUNT }));

    let signed_in = listed(&world);
    world
        .database()
        .execute("UPDATE accounts SET problem = 'no', problem_code = 'sign_in', problem_hint = 'x'", [])
        .unwrap();
    let refused = listed(&world);
    world.import(&world.write("old.mbox", mboxrd(&many(3))));
    let with_mail = listed(&world);

    assert!(said(&signed_in).starts_with("Found 0 emails"), "{signed_in}");
    assert_eq!(code(&refused), Some(-32002));
    assert!(said(&with_mail).starts_with("Found 3 emails"), "mail that is here can be read: {with_mail}");
}
