//! The tools of `core`.

use serde_json::{Value, json};

use super::{ADA, Sending, refused, told};

fn hello() -> Value {
    json!({ "to": ["bob@example.org"], "subject": "Hello", "body": "Hi Bob.", "account": ADA })
}

#[test]
fn what_is_sent_waits_for_the_person_and_says_so() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&[]);

    let asked = told(&assistant.call("send_email", hello()));

    assert_eq!(asked["status"], "pending_approval");
    assert!(
        asked["message"]
            .as_str()
            .unwrap()
            .starts_with("Not sent yet: waits for the owner's approval. Do not send it again.")
    );
    assert_eq!(asked["code"].as_str().unwrap().len(), 4);
    assert_eq!(asked.get("approvalUrl"), None, "no `serve` runs");
    let listed = sending.json(&["outbox", "list"]);
    assert!(listed.to_string().contains(asked["id"].as_str().unwrap()), "{listed}");
}

#[test]
fn the_same_again_is_the_same_item_with_and_without_a_key() {
    let sending = Sending::demonstration();
    let before = sending.drafts();
    let mut assistant = sending.assistant(&[]);
    let first = told(&assistant.call("send_email", hello()));

    let again = told(&assistant.call("send_email", hello()));
    let mut keyed = hello();
    keyed["subject"] = json!("Other");
    keyed["idempotency_key"] = json!("k1");
    let one = told(&assistant.call("send_email", keyed.clone()));
    let same = told(&assistant.call("send_email", keyed.clone()));
    keyed["body"] = json!("Other words, the same key.");
    let other = assistant.call("send_email", keyed);

    assert_eq!((&again["id"], &again["duplicate_of"]), (&first["id"], &first["id"]));
    assert_eq!((&same["id"], &same["duplicate_of"]), (&one["id"], &one["id"]));
    assert_eq!(other["result"]["isError"], true, "{other}");
    assert_eq!(sending.drafts(), before + 2, "a repeated call leaves no draft behind");
}

#[test]
fn an_edit_asks_anew_and_a_withdrawn_item_stays_a_draft() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&[]);
    let first = told(&assistant.call("send_email", hello()));
    let id = first["id"].clone();

    let changed = told(&assistant.call("update_draft", json!({ "draft_id": id, "body": "Hi again." })));
    let taken_back = told(&assistant.call("withdraw_send", json!({ "id": first["code"] })));
    let after = told(&assistant.call("get_send_status", json!({ "id": first["message_id"] })));

    assert_eq!((&changed["status"], &changed["revision"]), (&json!("pending_approval"), &json!(2)));
    assert_eq!(changed["code"], first["code"]);
    assert_eq!(taken_back["status"], "withdrawn");
    assert_eq!((&after["id"], &after["status"]), (&id, &json!("withdrawn")));
}

#[test]
fn a_draft_is_sent_as_it_is_or_not_at_all() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&[]);
    let answer = assistant.call("create_draft", hello());
    let draft = answer["result"]["structuredContent"]["id"].clone();

    let both = refused(&assistant.call("send_email", json!({ "draft_id": draft, "body": "Other" })));
    let asked = told(&assistant.call("send_email", json!({ "draft_id": draft })));
    let nobody = refused(&assistant.call("send_email", json!({ "draft_id": "d000000000000" })));

    assert!(both["message"].as_str().unwrap().contains("as it is"), "{both}");
    assert_eq!(asked["id"], draft);
    assert_eq!(nobody["error"], "not_found");
}

#[test]
fn what_cannot_be_proposed_leaves_no_draft_behind() {
    let sending = Sending::demonstration();
    let before = sending.drafts();
    sending.world.database().execute("UPDATE accounts SET send_folder = NULL", []).unwrap();
    // The demonstration proposes one.
    sending.configure("[policy]\ndeny = [\"@evil.example\"]\nper_hour = 2\n");
    let mut assistant = sending.assistant(&[]);
    let mut wrong = hello();
    wrong["to"] = json!(["x@evil.example"]);
    let mut other = hello();
    other["account"] = json!("a.berg@northwind-optics.example");

    let denied = refused(&assistant.call("send_email", wrong));
    let no_way_out = refused(&assistant.call("send_email", other));
    told(&assistant.call("send_email", hello()));
    let too_many = refused(&assistant.call(
        "send_email",
        json!({ "to": ["eve@example.org"], "subject": "Two", "body": "Two", "account": ADA }),
    ));

    assert_eq!(denied["error"], "permission_denied");
    assert!(denied["message"].as_str().unwrap().contains("deny @evil.example"), "{denied}");
    assert!(no_way_out["message"].as_str().unwrap().contains("no server that takes mail"), "{no_way_out}");
    assert_eq!(too_many["error"], "rate_limited");
    assert!(too_many["details"]["retryAfter"].as_str().unwrap().ends_with('Z'), "{too_many}");
    assert_eq!(sending.drafts(), before + 1);
}

#[test]
fn files_and_html_go_with_it_and_programs_do_not() {
    let sending = Sending::demonstration();
    let invoice = sending.json(&["search", "subject:\"Invoice CI-2024-112\""])["results"][0]["id"].clone();
    let mut assistant = sending.assistant(&[]);
    let mut letter = hello();
    letter["html"] = json!("<p>Hi <b>Bob</b><script>alert(1)</script></p>");
    letter["attachments"] = json!([
        { "name": "a.txt", "content_base64": "aGVsbG8=" },
        { "email_id": invoice, "part": "invoice-CI-2024-112.pdf" },
    ]);

    let asked = told(&assistant.call("send_email", letter.clone()));
    letter["attachments"] = json!([{ "name": "run.exe", "content_base64": "TVo=" }]);
    let program = refused(&assistant.call("send_email", letter.clone()));
    letter["attachments"] = json!([{ "path": "/etc/passwd" }]);
    let file = refused(&assistant.call("send_email", letter));

    assert_eq!(asked["attachments"], json!(["a.txt", "invoice-CI-2024-112.pdf"]));
    assert!(program["message"].as_str().unwrap().contains("run.exe"), "{program}");
    assert!(file["message"].as_str().unwrap().contains("cannot be attached"), "{file}");
    let raw = sending.command(&["drafts", "show", asked["id"].as_str().unwrap(), "--raw"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&raw.stdout).contains("<script"));
}

#[test]
fn a_message_is_passed_on_with_its_files() {
    let sending = Sending::demonstration();
    let invoice = sending.json(&["search", "subject:\"Invoice CI-2024-112\""])["results"][0]["id"].clone();
    let mut assistant = sending.assistant(&[]);

    let asked = told(
        &assistant.call("forward", json!({ "email_id": invoice, "to": ["emil@example.org"], "body": "FYI" })),
    );

    assert_eq!(asked["status"], "pending_approval");
    assert!(asked["subject"].as_str().unwrap().starts_with("Fwd: "), "{asked}");
    assert_eq!(asked["attachments"], json!(["invoice-CI-2024-112.pdf"]));
}

#[test]
fn where_a_server_runs_the_answer_says_where_the_person_decides() {
    let sending = Sending::demonstration();
    let server = sending.serve(&[]);
    let mut assistant = sending.assistant(&[]);

    let asked = told(&assistant.call("send_email", hello()));

    let url = asked["approvalUrl"].as_str().unwrap().to_owned();
    assert!(url.starts_with(&format!("http://localhost:{}/", server.port)), "{url}");
    assert!(url.ends_with(asked["id"].as_str().unwrap()));
    drop(server);
    let later = told(&assistant.call("get_send_status", json!({ "id": asked["id"] })));
    assert_eq!(later.get("approvalUrl"), None, "{later}");
}

#[test]
fn definitions_say_whether_something_can_leave_without_being_asked_about() {
    let annotations = |sending: &Sending| {
        let mut assistant = sending.assistant(&[]);
        let tools = assistant.ask("tools/list", &json!({}))["result"]["tools"].clone();
        tools.as_array().unwrap().iter().find(|tool| tool["name"] == "send_email").unwrap().clone()
    };
    let sending = Sending::demonstration();
    let asks = annotations(&sending);
    let direct = annotations(&sending.direct());

    assert_eq!(
        asks["annotations"],
        json!({ "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false })
    );
    assert_eq!(asks["_meta"].get("anthropic/requiresUserInteraction"), None);
    assert_eq!(direct["annotations"]["destructiveHint"], true);
    assert_eq!(direct["annotations"]["openWorldHint"], true);
    assert_eq!(direct["_meta"]["anthropic/requiresUserInteraction"], true);
}

#[test]
fn what_may_leave_at_once_is_held_by_a_pause_and_says_so() {
    let sending = Sending::empty().direct();
    sending.json(&["outbox", "pause"]);
    let mut assistant = sending.assistant(&[]);

    let told = told(
        &assistant.call("send_email", json!({ "to": ["bob@x.example"], "subject": "Hello", "body": "Hi." })),
    );

    assert_eq!(told["status"], "approved", "{told}");
    assert!(sending.postbox.mails().is_empty());
}

#[test]
fn people_are_found_by_a_part_of_their_name() {
    let sending = Sending::demonstration();
    let mut assistant = sending.assistant(&[]);

    let answer = assistant.call("find_people", json!({ "query": "ruben" }));

    let found = &answer["result"]["structuredContent"]["items"];
    assert_eq!(found[0]["address"], "ruben@castellan-interiors.example", "{answer}");
    assert!(found[0]["from_them"].as_u64().unwrap() > 0);
    assert!(found[0]["to_them"].as_u64().unwrap() > 0);
    let none = assistant.call("find_people", json!({ "query": "zzyzx" }));
    assert_eq!(none["result"]["structuredContent"]["items"], json!([]));
}

#[test]
fn people_who_only_stand_in_withheld_mail_are_not_found() {
    let sending = Sending::empty();
    let code = "From: Vera Vault <vera@vault.example>\r\nTo: ada@example.org\r\nSubject: Your sign-in code\r\n\
                Message-ID: <1@vault.example>\r\nDate: Mon, 15 Jun 2026 10:00:00 +0000\r\n\r\n\
                Your verification code is 493021. Do not share it with anyone. It expires in 10 minutes.\r\n";
    let file = sending.world.write("code.eml", code);
    sending.world.import(&file);
    let mut assistant = sending.assistant(&[]);

    let answer = assistant.call("find_people", json!({ "query": "vera" }));

    assert_eq!(sending.json(&["search", "from:vera"])["total"], 1, "the person sees it");
    assert_eq!(answer["result"]["structuredContent"], json!({ "items": [], "more": 0 }), "{answer}");
}
