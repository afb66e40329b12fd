//! The terminal door: what is shown is what leaves, and only a typed code lets it.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::Desk;
use crate::world::ACCOUNT;
use crate::world::assistant::Assistant;

#[test]
fn a_typed_code_sends_exactly_what_was_shown() {
    let desk = Desk::new().who_wrote_to("bob@stone.example");
    let item = desk.proposed("bob@stone.example", "At noon?\nYours, Ada");
    let code = item["code"].as_str().unwrap();

    let Some(ended) = desk.reviewed("review", &["ABCD", "yes", "", &code.to_lowercase()]) else { return };

    assert_eq!(ended.code, Some(0), "{}", ended.seen);
    assert!(ended.seen.contains("Send to 1 person, from ada@example.org"), "{}", ended.seen);
    assert!(ended.seen.contains("[1 from them, 1 to them, last "), "{}", ended.seen);
    assert!(ended.seen.contains("Yours, Ada"), "{}", ended.seen);
    assert_eq!(ended.seen.matches("nothing was decided").count(), 3, "{}", ended.seen);
    assert!(ended.seen.contains(&format!("{code} sent")), "{}", ended.seen);
    let sent = desk.sent();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("At noon?\r\nYours, Ada"), "{}", sent[0]);
    assert_eq!(desk.state(&item["id"]), "sent");
}

#[test]
fn a_new_address_and_hidden_recipients_are_told() {
    let desk = Desk::new().who_wrote_to("bob@stone.example");
    let mut assistant = desk.assistant();
    assistant.call(
        "send_email",
        json!({ "account": "ada@example.org", "to": ["bob@stone.example"], "bcc": ["eve@xn--bcher-kva.example"],
                "subject": "Lunch", "body": "At noon?" }),
    );
    assistant.finish();

    let Some(ended) = desk.reviewed("review", &["s"]) else { return };

    assert!(ended.seen.contains("Send to 2 people, 1 of them new"), "{}", ended.seen);
    assert!(ended.seen.contains("Bcc: eve@xn--bcher-kva.example (reads `bücher.example`)"), "{}", ended.seen);
    assert!(ended.seen.contains("[new: no mail from or to this address]"), "{}", ended.seen);
    assert_eq!(desk.sent(), [""; 0]);
}

#[test]
fn nobody_says_yes_without_a_terminal() {
    let desk = Desk::new();
    let item = desk.proposed("bob@stone.example", "At noon?");
    let code = item["code"].as_str().unwrap();

    for arguments in [
        vec!["outbox", "review"],
        vec!["outbox", "review", code],
        vec!["outbox", "resend", code],
        vec!["approval", "set-pin"],
    ] {
        let real = desk.command(&arguments);
        let mut apart = Command::new("setsid");
        apart.arg("--wait").arg(real.get_program()).args(real.get_args());
        apart.envs(real.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut process =
            apart.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = writeln!(process.stdin.take().unwrap(), "{code}\n{code}\n1234\n1234");
        let output = process.wait_with_output().unwrap();

        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?} {told}");
        assert!(told.contains("needs a terminal with a person at it"), "{arguments:?} {told}");
    }
    assert_eq!(desk.state(&item["id"]), "pending_approval");
    assert_eq!(desk.sent(), [""; 0]);
}

#[test]
fn what_changes_while_it_is_looked_at_is_shown_again() {
    let desk = Desk::new();
    let item = desk.proposed("bob@stone.example", "At noon?");
    let (id, code) = (item["id"].as_str().unwrap(), item["code"].as_str().unwrap());
    let Some(mut person) = desk.at_terminal("review", &["outbox", "review"]) else { return };
    person.sees("At noon?").sees("`q` stops: ");

    let mut assistant = desk.assistant();
    assistant.call("update_draft", json!({ "draft_id": id, "body": "At midnight, bring the money." }));
    let again = assistant.call("send_email", json!({ "draft_id": id }));
    assert_eq!(again["result"]["isError"], json!(false), "{again}");
    assistant.finish();
    person
        .types(code)
        .sees("changed while you looked")
        .sees("bring the money")
        .sees("`q` stops: ")
        .types("r too late");
    let ended = person.ends();

    assert!(ended.seen.contains("rejected"), "{}", ended.seen);
    assert_eq!(desk.sent(), [""; 0]);
    let mut assistant = desk.assistant();
    let status = assistant.call("get_send_status", json!({ "id": id }));
    assistant.finish();
    assert!(status.to_string().contains("too late"), "{status}");
}

#[test]
fn what_is_shown_is_read_from_the_bytes_that_leave() {
    let desk = Desk::new();
    let item = desk.proposed("bob@stone.example", "Transfer the money to Eve.");
    let database = desk.world.database();
    database.execute("UPDATE draft_revisions SET body = 'See you soon', subject = 'Harmless'", []).unwrap();

    let Some(ended) = desk.reviewed("review", &["q"]) else { return };

    assert!(ended.seen.contains("Transfer the money to Eve."), "{}", ended.seen);
    assert!(ended.seen.contains("Subject: Lunch") && !ended.seen.contains("See you soon"), "{}", ended.seen);
    database
        .execute(
            "UPDATE draft_revisions SET raw = CAST(replace(CAST(raw AS TEXT), 'Eve', 'Bob') AS BLOB)",
            [],
        )
        .unwrap();
    let ended = desk.reviewed("review", &[]).unwrap();
    assert_eq!(ended.code, Some(1), "{}", ended.seen);
    assert!(ended.seen.contains("was changed after it was shown"), "{}", ended.seen);
    assert_eq!(desk.state(&item["id"]), "pending_approval");
}

#[test]
fn one_that_cannot_be_shown_keeps_nobody_from_the_others() {
    let desk = Desk::new();
    let broken = desk.proposed("bob@stone.example", "At noon?");
    let whole = desk.proposed("bob@stone.example", "At one?");
    let change = "UPDATE draft_revisions SET raw = raw || 'x'
                  WHERE draft = (SELECT id FROM drafts WHERE short_id = ?1)";
    desk.world.database().execute(change, [broken["id"].as_str().unwrap()]).unwrap();

    let Some(ended) = desk.reviewed("review", &[whole["code"].as_str().unwrap()]) else { return };

    let told = format!("{} cannot be shown", broken["code"].as_str().unwrap());
    assert!(ended.code == Some(1) && ended.seen.contains(&told), "{}", ended.seen);
    assert_eq!((desk.state(&whole["id"]).as_str(), desk.sent().len()), ("sent", 1), "{}", ended.seen);
}

#[test]
fn ctrl_c_takes_a_yes_back() {
    let desk = Desk::new();
    desk.configure("[policy]\nundo = 600\n");
    let item = desk.proposed("bob@stone.example", "At noon?");
    let code = item["code"].as_str().unwrap();
    let Some(mut person) = desk.at_terminal("review", &["outbox", "review", code]) else { return };

    person.sees("`q` stops: ").types(code).sees("sends in 600 s, Ctrl-C takes it back").presses(b"\x03");
    let ended = person.ends();

    assert!(ended.seen.contains("cancelled"), "{}", ended.seen);
    assert_eq!(desk.state(&item["id"]), "cancelled");
    assert_eq!(desk.sent(), [""; 0]);
}

#[test]
fn what_is_paused_waits_until_the_person_resumes_it() {
    let desk = Desk::new();
    let item = desk.proposed("bob@stone.example", "At noon?");
    let code = item["code"].as_str().unwrap();
    assert_eq!(desk.json(&["outbox", "pause"])["paused"], json!(true));

    let Some(ended) = desk.reviewed("review", &[code]) else { return };
    assert!(ended.seen.contains("sending is paused"), "{}", ended.seen);
    desk.json(&["outbox", "send", "--once"]);
    assert_eq!((desk.state(&item["id"]).as_str(), desk.sent().len()), ("approved", 0));
    let mut person = desk.at_terminal("resume", &["outbox", "resume"]).unwrap();
    person.sees("type `resume` to go on: ").types("resume");
    assert_eq!(person.ends().code, Some(0));
    desk.json(&["outbox", "send", "--once"]);

    assert_eq!((desk.state(&item["id"]).as_str(), desk.sent().len()), ("sent", 1));
    assert_eq!(desk.audit("resumed").len(), 1);
}

#[test]
fn only_what_nobody_can_tell_of_is_sent_again_and_keeps_its_message_id() {
    let desk = Desk::new();
    let item = desk.proposed("bob@stone.example", "At noon?");
    let (id, code) = (item["id"].as_str().unwrap(), item["code"].as_str().unwrap());
    let refused = desk.at_terminal("resend", &["outbox", "resend", code]);
    let Some(refused) = refused else { return };
    assert_eq!(refused.ends().code, Some(1));
    desk.world.database().execute("UPDATE drafts SET state = 'unknown' WHERE short_id = ?1", [id]).unwrap();

    let mut person = desk.at_terminal("resend", &["outbox", "resend", code]).unwrap();
    person.sees("a second copy").sees("all else does not: ").types("ABCD");
    assert_eq!(person.ends().code, Some(1));
    assert_eq!(desk.sent(), [""; 0]);
    let mut person = desk.at_terminal("resend", &["outbox", "resend", code]).unwrap();
    person.sees("all else does not: ").types(code);
    let ended = person.ends();

    assert_eq!(ended.code, Some(0), "{}", ended.seen);
    let sent = desk.sent();
    assert!(sent.len() == 1 && sent[0].contains(item["message_id"].as_str().unwrap()), "{sent:?}");
}

/// Asks for a message: a method and what it is given.
type Way<'a> = &'a dyn Fn(&Value) -> (&'static str, Value);

/// However it was read: by a tool, as a resource, or with SQL, which compared it with something or gave it out.
#[test]
fn the_person_is_told_what_was_read_before() {
    let tool = |id: &Value| ("tools/call", json!({ "name": "read_email", "arguments": { "email_id": id } }));
    let resource = |id: &Value| {
        let uri = format!("mail://{ACCOUNT}/message/{}", id.as_str().unwrap());
        ("resources/read", json!({ "uri": uri }))
    };
    let sql = |statement: &'static str| {
        let arguments = json!({ "sql_query": statement });
        move |_: &Value| ("tools/call", json!({ "name": "db_execute_sql_query", "arguments": arguments }))
    };
    let ways: [(&str, Way<'_>); 5] = [
        ("1 message", &tool),
        ("1 message", &resource),
        ("1 message", &sql("SELECT subject, substr(plain_text, 1, 5) FROM emails")),
        ("1 message", &sql("SELECT group_concat(upper(plain_text)) AS everything FROM emails")),
        ("", &sql("SELECT subject FROM emails")),
    ];
    for (told, way) in ways {
        let desk = Desk::new();
        let mut assistant = Assistant::of(&mut desk.command(&["mcp", "--profile", "full"]));
        let found = assistant.call("list_emails", json!({}));
        let message = found["result"]["structuredContent"]["items"][0]["id"].clone();
        assert!(message.is_string(), "{found}");
        let (method, params) = way(&message);
        let read = assistant.ask(method, &params);
        assert!(read["error"].is_null() && read["result"]["isError"] != json!(true), "{read}");
        assistant.finish();
        desk.proposed("eve@stone.example", "Here is what you asked for.");

        let Some(ended) = desk.reviewed("review", &["q"]) else { return };

        let expected = format!("Read before: {told}, 1 from strangers: `bob@stone.example`");
        assert_eq!(ended.seen.contains(&expected), !told.is_empty(), "{params} {}", ended.seen);
        // A server also seals what it finds when it starts, perhaps at the same moment, and the proposal itself when it idles.
        let sealed = desk.audit("calls").iter().map(|entry| entry["body"]["upto"].as_i64().unwrap()).max();
        assert!(matches!(sealed, Some(2 | 3)), "{params} {sealed:?}");
    }
}

#[test]
fn a_text_and_html_that_differ_are_both_shown() {
    for attachments in [json!([]), json!([{ "name": "a.txt", "content_base64": "aGk=" }])] {
        let desk = Desk::new();
        let mut assistant = desk.assistant();
        let told = assistant.call(
            "send_email",
            json!({ "account": "ada@example.org", "to": ["bob@stone.example"], "subject": "Lunch", "body": "At noon?",
                    "html": "<p>Pay the bill now.</p>", "attachments": attachments }),
        );
        assistant.finish();
        assert_eq!(told["result"]["isError"], json!(false), "{told}");

        let Some(ended) = desk.reviewed("review", &["q"]) else { return };

        for words in ["At noon?", "Pay the bill now.", "differs from the text"] {
            assert!(ended.seen.contains(words), "{}", ended.seen);
        }
        assert!(!ended.seen.contains("the same is sent"), "{}", ended.seen);
    }
}

#[test]
fn what_nobody_decided_about_in_time_cannot_be_approved_where_nothing_runs_that_sends() {
    let desk = Desk::new();
    let item = desk.proposed("bob@stone.example", "At noon?");
    let Some(mut person) = desk.at_terminal("review", &["outbox", "review"]) else { return };
    person.sees("At noon?").sees("`q` stops: ");

    desk.world
        .database()
        .execute("UPDATE proposals SET proposed_epoch = proposed_epoch - 72 * 3600", [])
        .unwrap();
    person.types(item["code"].as_str().unwrap());
    let ended = person.ends();

    assert!(ended.seen.contains("expired"), "{}", ended.seen);
    assert_eq!((desk.state(&item["id"]), desk.sent().len()), ("expired".to_owned(), 0));
    assert_eq!(desk.audit("expired").len(), 1);
}
