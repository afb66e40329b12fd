//! The profiles `smtp`, `gmail` and `email`: names, inputs, outputs and errors as their documents have them.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ADA, Sending, refused, told};
use crate::world::assistant::text_of;
use crate::world::flaky_smtp::FlakySmtp;

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn inputs(tools: &Value, name: &str) -> (Vec<String>, Value) {
    let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
    let schema = &tool["inputSchema"];
    assert!(!schema.to_string().contains("$ref"));
    (schema["properties"].as_object().unwrap().keys().cloned().collect(), schema["required"].clone())
}

/// The members of an object, in no order.
fn members(value: &Value) -> Vec<&str> {
    let mut names: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[test]
fn the_smtp_profile_has_its_three_tools_and_their_inputs() {
    let sending = Sending::empty();
    let mut assistant = sending.assistant(&["--profile", "smtp"]);
    let tools = assistant.ask("tools/list", &json!({}))["result"]["tools"].clone();

    assert_eq!(names(&tools), ["send-email", "get-email-status", "validate-email"]);
    let (fields, required) = inputs(&tools, "send-email");
    for field in ["to", "subject", "body", "from", "cc", "bcc", "attachments", "replyTo"] {
        assert!(fields.iter().any(|known| known == field), "{field}");
    }
    assert_eq!(required, json!(["to", "subject", "body"]));
    let send = &tools[0]["inputSchema"]["properties"];
    for list in ["to", "cc", "bcc"] {
        assert_eq!(send[list]["type"], json!(["string", "array"]));
    }
    assert_eq!(send["attachments"]["items"]["required"], json!(["filename", "content", "contentType"]));
    assert_eq!(inputs(&tools, "get-email-status").1, json!(["messageId"]));
    assert_eq!(inputs(&tools, "validate-email").1, json!(["email"]));
}

#[test]
fn errors_of_the_smtp_profile_have_its_shape() {
    let sending = Sending::empty();
    let mut assistant = sending.assistant(&["--profile", "smtp"]);

    let missing = refused(&assistant.call("send-email", json!({})));
    let unknown = refused(&assistant.call("get-email-status", json!({ "messageId": "x@y" })));
    let answer = assistant.call("send-email", json!({}));

    assert_eq!(members(&missing), ["error", "errorCode", "retryable", "success", "timestamp"]);
    assert_eq!(missing["success"], false);
    assert_eq!(missing["errorCode"], "INVALID_REQUEST");
    assert_eq!(missing["retryable"], false);
    assert_eq!(missing["timestamp"], "2026-06-15T12:00:00.000Z");
    assert_eq!(unknown["errorCode"], "INVALID_REQUEST");
    assert_eq!(answer["result"].get("structuredContent"), None);
}

/// What `send-email` answers where mail leaves at once, with this server.
fn sent_directly(sending: Sending) -> (Sending, Value) {
    let sending = sending.with("MAX_RETRIES", "1").direct();
    let mut assistant = sending.assistant(&["--profile", "smtp"]);
    let letter = json!({ "to": "bob@example.org", "subject": "Hi", "body": "Hi" });
    let answer = assistant.call("send-email", letter);
    drop(assistant.finish());
    let told = serde_json::from_str::<Value>(text_of(&answer["result"])).unwrap();
    (sending, told)
}

#[test]
fn each_way_of_failing_has_its_code() {
    let refusing = Sending::empty();
    refusing.postbox.refuse_sign_in();

    let (_, taken) = sent_directly(Sending::empty());
    let (_, refused) = sent_directly(refusing);

    assert_eq!((&taken["success"], &taken["status"]), (&json!(true), &json!("sent")));
    assert_eq!((&refused["errorCode"], &refused["retryable"]), (&json!("AUTH_FAILED"), &json!(false)));
}

#[test]
fn what_a_server_refuses_or_cannot_be_told_is_an_error_of_the_call_and_leaves_once_at_most() {
    let never = FlakySmtp::with("rcpt_550");
    let later = FlakySmtp::with("mail_451");
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for (port, code, state, says) in [
        (never.port, "SMTP_ERROR", "failed", "550 5.1.1 no such user"),
        (later.port, "SMTP_ERROR", "approved", "tries it again by itself"),
        (nobody, "NETWORK_ERROR", "approved", "tries it again by itself"),
    ] {
        let (sending, told) = sent_directly(Sending::empty().with("SMTP_PORT", &port.to_string()));

        assert_eq!((&told["success"], &told["errorCode"]), (&json!(false), &json!(code)), "{told}");
        assert_eq!(told["retryable"], true, "{told}");
        assert!(told["error"].as_str().unwrap().contains(says), "{told}");
        let items = sending.json(&["outbox", "list"])["items"].clone();
        assert_eq!((&items[0]["state"], &items[0]["error_code"]), (&json!(state), &json!(code)), "{items}");
        // Who asks again, as the error allows, adds nothing to what waits.
        let (sending, again) = sent_directly(sending);
        assert_eq!(again["errorCode"], code, "{again}");
        let number = sending.json(&["outbox", "list"])["items"].as_array().unwrap().len();
        assert_eq!(number, if state == "failed" { 2 } else { 1 });
    }
    assert_eq!((never.taken().len(), later.taken().len()), (0, 0));
}

#[test]
fn what_may_have_left_is_an_error_that_no_retry_mends_and_the_same_again_is_the_same() {
    let server = FlakySmtp::with("dot_drop");
    let (sending, first) = sent_directly(Sending::empty().with("SMTP_PORT", &server.port.to_string()));

    let (sending, second) = sent_directly(sending);
    let letter = || json!({ "to": "bob@example.org", "subject": "Hi", "body": "Hi" });
    let gmail = refused(&sending.assistant(&["--profile", "gmail"]).call("send_email", letter()));
    let call = json!({ "name": "send_email", "arguments": letter() });
    let email = sending.assistant(&["--profile", "email"]).ask("tools/call", &call);

    for told in [&first, &second] {
        assert_eq!((&told["success"], &told["retryable"]), (&json!(false), &json!(false)), "{told}");
        assert_eq!(
            (&told["errorCode"], &told["status"]),
            (&json!("SMTP_ERROR"), &json!("unknown")),
            "{told}"
        );
        assert!(told["error"].as_str().unwrap().contains("It may have left"), "{told}");
    }
    let id = sending.json(&["outbox", "list"])["items"][0]["id"].clone();
    assert_eq!((&first["duplicate_of"], &second["duplicate_of"]), (&Value::Null, &id));
    assert_eq!(gmail["error"], "send_failed", "{gmail}");
    assert!(
        email.to_string().contains("It may have left") && email["result"]["isError"] != json!(false),
        "{email}"
    );
    let number = sending.json(&["outbox", "list"])["items"].as_array().unwrap().len();
    assert_eq!((number, server.taken().len()), (1, 1));
}

#[test]
fn nothing_leaves_whose_line_in_the_log_file_cannot_be_written() {
    let (sending, told) = sent_directly(Sending::empty().with("LOG_FILE", "/proc/nowhere/log"));

    let item = sending.json(&["outbox", "list"])["items"][0].clone();

    assert_eq!((&told["success"], sending.postbox.mails().len()), (&json!(false), 0), "{told}");
    assert_eq!((&item["state"], &item["error_code"]), (&json!("approved"), &json!("AUDIT_FAILED")), "{item}");
}

#[test]
fn validate_email_answers_without_an_account_and_without_a_store() {
    let sending =
        Sending::empty().without("SMTP_HOST").without("SMTP_USER").without("SMTP_PORT").without("SMTP_PASS");
    let mut assistant = sending.assistant(&["--profile", "smtp"]);

    assert_eq!(
        told(&assistant.call("validate-email", json!({ "email": "a@example.org" }))),
        json!({ "valid": true })
    );
    assert!(!sending.world.home().join("mail.db").exists());
}

#[test]
fn validating_an_address_asks_no_server_for_anything() {
    let traced = std::process::Command::new("strace").arg("-V").output();
    if traced.is_err() {
        return crate::world::skipped(
            "validating_an_address_asks_no_server_for_anything",
            "no `strace` here",
        );
    }
    let sending =
        Sending::empty().without("SMTP_HOST").without("SMTP_USER").without("SMTP_PORT").without("SMTP_PASS");
    let trace = sending.world.path("trace.txt");
    let program = sending.command(&["mcp", "--profile", "smtp"]);
    let mut command = std::process::Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=network,openat", "-o"]).arg(&trace).arg(program.get_program());
    command.args(program.get_args());
    for (name, value) in program.get_envs() {
        value.map(|value| command.env(name, value));
    }
    let mut assistant = crate::world::assistant::Assistant::of(&mut command);

    for email in ["bob@example.org", "bob@gmial.com", "bob@no-such-domain-anywhere.example"] {
        told(&assistant.call("validate-email", json!({ "email": email })));
    }
    drop(assistant.finish());

    let trace = fs::read_to_string(trace).unwrap();
    for word in ["AF_INET", "resolv.conf", "/etc/hosts", "nsswitch", "sendto("] {
        assert!(!trace.contains(word), "{word}: {trace}");
    }
}

#[test]
fn the_gmail_profile_has_its_five_tools_and_their_inputs() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&["--profile", "gmail"]);
    let tools = assistant.ask("tools/list", &json!({}))["result"]["tools"].clone();

    assert_eq!(names(&tools), ["send_email", "list_emails", "get_email", "move_email", "add_label"]);
    let fields = |name: &str| inputs(&tools, name);
    assert_eq!(fields("send_email").0, ["body", "reply_to_message_id", "subject", "to"]);
    assert_eq!(fields("send_email").1, json!(["to", "subject", "body"]));
    assert_eq!(fields("list_emails").0, ["max_results", "query"]);
    let list = &tools[1]["inputSchema"]["properties"];
    assert_eq!(
        (&list["query"]["default"], &list["max_results"]["default"]),
        (&json!("is:unread"), &json!(10))
    );
    assert_eq!(fields("get_email").1, json!(["message_id"]));
    assert_eq!(fields("move_email").1, json!(["message_id", "destination_label"]));
    assert_eq!(fields("add_label").1, json!(["message_id", "label_name"]));
}

#[test]
fn the_gmail_profile_answers_in_its_models() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&["--profile", "gmail"]);
    let rows = |answer: &Value| -> Vec<Value> { serde_json::from_str(text_of(&answer["result"])).unwrap() };

    let unread = rows(&assistant.call("list_emails", json!({})));
    let invoices =
        rows(&assistant.call("list_emails", json!({ "query": "subject:invoice", "max_results": 3 })));
    let opened = told(&assistant.call("get_email", json!({ "message_id": invoices[0]["id"] })));
    let nobody = refused(&assistant.call("get_email", json!({ "message_id": "m000000000000" })));

    assert!(!unread.is_empty() && unread.len() <= 10);
    assert_eq!(members(&unread[0]), ["date", "id", "sender", "snippet", "subject"]);
    assert_eq!(invoices.len(), 3);
    assert!(invoices.iter().all(|mail| mail["snippet"].as_str().unwrap().chars().count() <= 100));
    assert_eq!(
        members(&opened),
        ["attachment_names", "body", "date", "has_attachments", "id", "sender", "subject", "to"]
    );
    assert_eq!(members(&nobody), ["details", "error", "message"]);
    assert_eq!(nobody["error"], "not_found");
}

#[test]
fn a_reply_of_the_gmail_profile_is_in_its_thread_and_not_sent_yet() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&["--profile", "gmail"]);
    let query = json!({ "query": "subject:\"Invoice CI-2024-112\"", "max_results": 1 });
    let answer = assistant.call("list_emails", query);
    let found: Vec<Value> = serde_json::from_str(text_of(&answer["result"])).unwrap();

    let asked = told(&assistant.call(
        "send_email",
        json!({ "to": "ruben@castellan-interiors.example", "subject": "Re: Invoice", "body": "<p>Paid.</p>",
            "reply_to_message_id": found[0]["id"] }),
    ));

    assert!(asked["thread_id"].as_str().is_some_and(|thread| !thread.is_empty()), "{asked}");
    assert_eq!(asked["sent_at"], "");
    assert_eq!(asked["status"], "pending_approval");
    let id = sending.json(&["outbox", "list"])["items"][0]["id"].clone();
    let raw = sending.command(&["drafts", "show", id.as_str().unwrap(), "--raw"]).output().unwrap();
    let raw = String::from_utf8(raw.stdout).unwrap();
    assert!(raw.contains("In-Reply-To: <") && raw.contains("text/html"), "{raw}");
}

#[test]
fn moving_takes_a_message_out_of_the_inbox_and_a_label_leaves_it_there() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&["--profile", "gmail"]);
    let answer = assistant.call("list_emails", json!({ "query": "in:inbox", "max_results": 2 }));
    let found: Vec<Value> = serde_json::from_str(text_of(&answer["result"])).unwrap();
    let (one, two) = (&found[0]["id"], &found[1]["id"]);

    let moved =
        told(&assistant.call("move_email", json!({ "message_id": one, "destination_label": "DONE" })));
    let labelled =
        told(&assistant.call("add_label", json!({ "message_id": two, "label_name": "AI_PROCESSED" })));

    assert_eq!((&moved["moved"], &moved["added"]), (&json!(true), &json!(["DONE"])));
    assert_eq!(labelled["added"], json!(["AI_PROCESSED"]));
    let still = |id: &Value, place: &str| {
        let found = sending.json(&["search", &format!("in:inbox label:{place}")]);
        found["results"].as_array().unwrap().iter().any(|mail| mail["id"] == *id)
    };
    assert!(!still(one, "DONE") && still(two, "AI_PROCESSED"));
}

#[test]
fn gmails_own_searches_are_understood_or_refused() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&["--profile", "gmail"]);
    let mut count = |query: &str| -> Option<usize> {
        let answer = assistant.call("list_emails", json!({ "query": query, "max_results": 100 }));
        let text = text_of(&answer["result"]).to_owned();
        (answer["result"]["isError"] == false)
            .then(|| serde_json::from_str::<Vec<Value>>(&text).unwrap().len())
    };

    let everything = count("in:anywhere").unwrap();
    assert!(everything > 50);
    for query in [
        "from:ruben",
        "to:me",
        "from:me",
        "subject:(kitchen renovation)",
        "has:attachment",
        "filename:pdf",
        "is:unread",
        "is:starred",
        "label:inbox",
        "in:inbox",
        "older_than:1d",
        "newer_than:20y",
        "after:2004/04/16",
        "before:2030/01/01",
        "larger:1K",
        "{from:ruben from:emil}",
        "from:(ruben OR emil)",
        "kitchen -invoice",
        "\"kitchen renovation\"",
        "rfc822msgid:x@y",
        "deliveredto:ada.berg@example.org",
        "older:2030/01/01",
        "has:nouserlabels",
        "category:primary",
        "is:important",
        "size:100",
        "label:unread",
    ] {
        assert!(count(query).is_some(), "{query} is refused");
    }
    let either = count("{from:ruben from:emil}").unwrap();
    assert_eq!(Some(either), count("from:ruben OR from:emil"));
    assert_eq!(count("kitchen AROUND 3 renovation"), count("renovation AROUND 3 kitchen"));
    assert!(count("kitchen AROUND 3 renovation").unwrap() > 0);
    assert!(either > 0 && count("label:inbox").unwrap() > 0 && count("from:me").unwrap() > 0);
    for query in ["has:drive", "is:chat", "has:yellow-star", "nonsense:word"] {
        assert_eq!(count(query), None, "{query} is answered as if it were something else");
    }
}

#[test]
fn the_email_profile_puts_its_fields_into_the_result_itself() {
    let sending = Sending::empty();
    let mut assistant = sending.assistant(&["--profile", "email"]);
    let tools = assistant.ask("tools/list", &json!({}))["result"]["tools"].clone();

    let answer = assistant
        .call("send_email", json!({ "to": "user@example.com", "subject": "Test", "body": "Test message" }));
    let wrong = assistant
        .ask("tools/call", &json!({ "name": "send_email", "arguments": { "to": "user@example.com" } }));
    let unknown = assistant.ask("nope", &json!({}));

    assert_eq!(names(&tools), ["send_email"]);
    assert_eq!(tools[0]["description"], "Send an email via SMTP");
    assert_eq!(
        tools[0]["inputSchema"],
        json!({
            "type": "object",
            "properties": { "to": { "type": "string" }, "subject": { "type": "string" }, "body": { "type": "string" } },
            "required": ["to", "subject", "body"],
        })
    );
    let result = &answer["result"];
    assert_eq!((&result["status"], &result["isError"]), (&json!("pending_approval"), &json!(false)));
    assert!(result["message_id"].is_string() && result["content"].is_array());
    assert_eq!(wrong["error"]["code"], -32602);
    assert_eq!(unknown["error"]["message"], "Method not found: nope");
}

#[test]
fn of_several_accounts_the_owner_says_which_one_mail_leaves_from() {
    let mut sending = Sending::demonstration();
    sending.env.clear();
    sending.world.database().execute("UPDATE accounts SET send_folder = NULL", []).unwrap();
    let letter = json!({ "to": "user@example.com", "subject": "Hi", "body": "Hi" });

    let open = sending.assistant(&["--profile", "smtp"]).call("send-email", letter.clone());
    let named = sending.assistant(&["--profile", "smtp", "--account", ADA]).call("send-email", letter);

    assert!(refused(&open)["error"].as_str().unwrap().contains("--account"), "{open}");
    assert!(refused(&named)["error"].as_str().unwrap().contains("no server that takes mail"), "{named}");
}

#[test]
fn who_only_sends_reads_no_mail() {
    let sending = Sending::demonstration();
    for profile in ["email", "smtp", "gmail"] {
        let mut assistant = sending.assistant(&["--profile", profile]);

        for method in ["resources/list", "resources/read", "prompts/list", "completion/complete"] {
            let answer = assistant.ask(method, &json!({ "uri": "mailkeep://manual" }));
            assert_eq!(answer["error"]["code"], -32601, "{profile} {method}");
        }
    }
}

#[test]
fn a_process_knows_only_the_credentials_of_its_own_channel() {
    let sending = Sending::empty()
        .with("LINKEDIN_ACCESS_TOKEN", "linkedin-canary")
        .with("WHATSAPP_SESSION_PATH", "whatsapp-canary");
    let mut assistant = sending.assistant(&["--profile", "email"]);

    assistant.call(
        "send_email",
        json!({ "to": "user@example.com", "subject": "LINKEDIN_ACCESS_TOKEN", "body": "x" }),
    );
    drop(assistant.finish());

    let mut all = Vec::new();
    for entry in walk(sending.world.home()).into_iter().chain([sending.world.path("sends.jsonl")]) {
        all.extend(fs::read(entry).unwrap_or_default());
    }
    let text = String::from_utf8_lossy(&all);
    for canary in ["linkedin-canary", "whatsapp-canary", "hunter2-canary"] {
        assert!(!text.contains(canary), "{canary}");
    }
}

fn walk(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map_while(Result::ok) {
        match entry.path() {
            path if path.is_dir() => files.extend(walk(&path)),
            path => files.push(path),
        }
    }
    files
}

#[test]
fn a_refused_sign_in_leaves_a_note_in_the_vault() {
    let sending = Sending::empty().with("MAX_RETRIES", "1").direct();
    let vault = sending.world.path("vault");
    let sending = sending.with("VAULT_PATH", vault.to_str().unwrap());
    sending.postbox.refuse_sign_in();
    let mut assistant = sending.assistant(&["--profile", "email"]);

    let answer = assistant.ask(
        "tools/call",
        &json!({ "name": "send_email", "arguments": { "to": "user@example.com", "subject": "Hi", "body": "secret text" } }),
    );

    assert_eq!(answer["error"]["code"], -32002, "{answer}");
    let notes = walk(&vault.join("Needs_Action"));
    assert_eq!(notes.len(), 1);
    let lines = walk(&vault.join("Logs/MCP_Actions"));
    let line: Value = serde_json::from_str(fs::read_to_string(&lines[0]).unwrap().trim()).unwrap();
    assert_eq!((&line["tool"], &line["result"]), (&json!("send_email"), &json!("error")));
    let note = fs::read_to_string(&notes[0]).unwrap();
    assert!(note.contains("reason: auth_failed") && !note.contains("secret text"), "{note}");
}

/// Another program holds the store: the call is told that it took too long, and the person finds a note.
#[test]
fn a_call_that_hangs_is_told_and_leaves_a_note_in_the_vault() {
    let sending = Sending::empty().with("MAILKEEP_CALL_TIME_MS", "300");
    let vault = sending.world.path("vault");
    let sending = sending.with("VAULT_PATH", vault.to_str().unwrap());
    let mut assistant = sending.assistant(&["--profile", "email"]);
    assistant.ask("tools/list", &json!({}));
    let held = sending.world.database();
    held.execute_batch("BEGIN IMMEDIATE").unwrap();

    let answer = assistant.ask(
        "tools/call",
        &json!({ "name": "send_email", "arguments": { "to": "user@example.com", "subject": "Hi", "body": "secret text" } }),
    );
    held.execute_batch("ROLLBACK").unwrap();

    assert!(answer["error"]["code"].is_i64(), "{answer}");
    let until = Instant::now() + Duration::from_secs(20);
    let noted = || {
        let notes = fs::read_dir(vault.join("Needs_Action")).into_iter().flatten().flatten();
        notes.map(|note| fs::read_to_string(note.path()).unwrap()).collect::<String>()
    };
    while noted().is_empty() && Instant::now() < until {
        thread::sleep(Duration::from_millis(10));
    }
    let note = noted();
    assert_eq!(note.matches("type: mcp_escalation").count(), 1, "{note}");
    assert!(note.contains("reason: timeout\ntool: send_email\n") && !note.contains("secret text"), "{note}");
}

#[test]
fn the_documents_own_test_of_a_server_passes_for_each_profile() {
    for profile in ["email", "smtp", "gmail"] {
        let sending = Sending::empty();
        let mut command = sending.command(&["mcp", "--profile", profile]);
        let mut process =
            command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });

        std::io::Write::write_all(&mut process.stdin.take().unwrap(), request.to_string().as_bytes())
            .unwrap();
        let output = process.wait_with_output().unwrap();

        let response: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(response["jsonrpc"], "2.0");
        assert_eq!(response["id"], 1);
        assert!(response["result"]["tools"].is_array(), "{profile}");
    }
}

#[test]
fn the_gmail_profile_writes_its_line_before_it_sends_and_sends_nothing_without_it() {
    let sending = Sending::empty().with("MAX_RETRIES", "1").direct();
    let vault = sending.world.path("vault");
    let sending = sending.with("VAULT_PATH", vault.to_str().unwrap());
    let letter = |subject: &str| json!({ "to": "bob@example.org", "subject": subject, "body": "Hi" });

    let sent = told(&sending.assistant(&["--profile", "gmail"]).call("send_email", letter("One")));
    let file = walk(&vault.join("Logs")).remove(0);
    let line: Value = serde_json::from_str(fs::read_to_string(&file).unwrap().trim()).unwrap();
    fs::remove_dir_all(&vault).unwrap();
    fs::write(&vault, "in the way").unwrap();
    let stopped = refused(&sending.assistant(&["--profile", "gmail"]).call("send_email", letter("Two")));

    assert!(sent["sent_at"].as_str().unwrap().ends_with('Z'), "{sent}");
    assert_eq!((&line["event"], &line["subject"]), (&json!("pre_send_audit"), &json!("One")));
    assert_eq!(stopped["error"], "send_failed", "{stopped}");
    assert_eq!(sending.postbox.mails().len(), 1);
}

#[test]
fn no_message_of_a_client_approves_resumes_or_changes_a_rule() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&["--profile", "full"]);
    let asked = told(&assistant.call(
        "send_email",
        json!({ "to": ["bob@example.org"], "subject": "Hello", "body": "Hi", "account": ADA }),
    ));
    let id = asked["id"].as_str().unwrap().to_owned();
    let verbs = [
        "approve",
        "approve_send",
        "confirm_send",
        "send_now",
        "resume",
        "outbox_resume",
        "set_policy",
        "confirm",
        "resend",
        "set_pin",
        "decide",
        "accept",
    ];
    let targets = [
        json!({ "id": id }),
        json!({ "code": asked["code"] }),
        json!({ "id": id, "approved": true }),
        json!({ "id": id, "state": "approved" }),
        json!({ "draft_id": id, "confirm": "SEND" }),
    ];

    for verb in verbs {
        for target in &targets {
            assistant.ask("tools/call", &json!({ "name": verb, "arguments": target }));
            assistant.ask(&format!("tools/{verb}"), target);
            assistant.ask(&format!("tasks/{verb}"), target);
            assistant.ask("prompts/get", &json!({ "name": verb, "arguments": target }));
            assistant.ask("resources/read", &json!({ "uri": format!("mailkeep://outbox/{id}/{verb}") }));
        }
    }
    for (tool, argument) in
        [("send_email", "approved"), ("update_draft", "state"), ("get_send_status", "approve")]
    {
        let answer = assistant.call(tool, json!({ "draft_id": id, "id": id, argument: "approved" }));
        assert_eq!(answer["result"]["isError"], true, "{tool}");
    }

    let after = told(&assistant.call("get_send_status", json!({ "id": id })));
    assert_eq!(after["status"], "pending_approval");
    assert!(sending.postbox.mails().is_empty());
}
