//! Two accounts and no name: questions look in both, changes find the account by the message, and only what cannot be
//! guessed asks.

use serde_json::{Value, json};

use crate::world::assistant::{Assistant, text_of};
use crate::world::mail::mboxrd;
use crate::world::{Mail, World, list, text};

const HOME: &str = "ada@example.org";
const WORK: &str = "ada@work.example";

fn bring(world: &World, account: &str, mailbox: &str, mails: &[Mail]) {
    let bytes: Vec<_> = mails.iter().map(Mail::bytes).collect();
    let file = world.write(&format!("{account}-{mailbox}.mbox"), mboxrd(&bytes));
    world.json(&["import", text(&file), "--account", account, "--mailbox", mailbox]);
}

/// One letter at home, one at work, and one that went to both.
fn two_accounts() -> World {
    let world = World::new();
    let shared = Mail::new("To both").with("To", "ada@example.org, ada@work.example");
    let listed = Mail::new("To a list").with("To", "everybody@lists.example");
    let work = Mail::new("At work").with("To", WORK).date("Tue, 3 Mar 2026 10:00:00 +0000");
    bring(&world, HOME, "INBOX", &[Mail::new("At home"), shared.clone(), listed.clone()]);
    bring(&world, WORK, "INBOX", &[work, shared, listed]);
    world
}

fn result(assistant: &mut Assistant, tool: &str, arguments: Value) -> Value {
    assistant.call(tool, arguments)["result"].clone()
}

fn found(assistant: &mut Assistant, tool: &str, arguments: Value) -> Vec<(String, String)> {
    let result = result(assistant, tool, arguments);
    let word = |item: &Value, name: &str| item[name].as_str().unwrap_or_else(|| panic!("{item}")).to_owned();
    list(&result["structuredContent"]["items"])
        .iter()
        .map(|item| {
            assert!(item["thread_id"].as_str().unwrap().starts_with('t'), "{item}");
            (word(item, "subject"), word(item, "account"))
        })
        .collect()
}

fn pair(subject: &str, account: &str) -> (String, String) {
    (subject.to_owned(), account.to_owned())
}

/// The error that a result tells.
fn refused(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result}");
    serde_json::from_str(text_of(result)).unwrap()
}

#[test]
fn lists_and_searches_look_in_every_account_and_say_which() {
    let world = two_accounts();
    let mut assistant = Assistant::new(&world, &[]);

    let listed = found(&mut assistant, "list_emails", json!({}));
    let searched = found(&mut assistant, "search_emails", json!({ "query": "subject:at" }));
    let at_work =
        found(&mut assistant, "search_emails", json!({ "query": "account:ada@work.example subject:at" }));
    let named = found(&mut assistant, "list_emails", json!({ "account": HOME, "folder": "inbox" }));

    assert_eq!(listed.len(), 4, "a message in both accounts is one message: {listed:?}");
    assert_eq!(listed[0], pair("At work", WORK));
    assert!(searched.contains(&pair("At home", HOME)) && searched.contains(&pair("At work", WORK)));
    assert_eq!(at_work, [pair("At work", WORK)]);
    assert!(named.iter().all(|(_, account)| account == HOME) && named.len() == 3, "{named:?}");
}

#[test]
fn an_account_without_mail_and_server_does_not_count() {
    let world = two_accounts();
    bring(&world, "empty@example.org", "INBOX", &[Mail::new("Soon gone")]);
    assert!(world.run(&["forget", "account:empty@example.org", "--yes"]).status.success());
    let file = world.write("one.mbox", mboxrd(&[Mail::new("Only one").bytes()]));
    let alone = World::new();
    alone.json(&["import", text(&file), "--account", HOME]);
    alone.json(&["import", text(&file), "--account", WORK]);
    alone.database().execute("DELETE FROM mailbox_counts WHERE mailbox = 2", []).unwrap();

    let asked = result(
        &mut Assistant::new(&world, &[]),
        "create_draft",
        json!({ "to": ["b@x.example"], "subject": "s", "body": "b" }),
    );
    let one = result(
        &mut Assistant::new(&alone, &[]),
        "create_draft",
        json!({ "to": ["b@x.example"], "subject": "s", "body": "b" }),
    );

    let known = &refused(&asked)["details"]["allowed"];
    assert_eq!(known, &json!([HOME, WORK]), "the empty one is not offered");
    assert_eq!(one["structuredContent"]["account"], HOME, "{one}");
}

#[test]
fn drafts_and_labels_take_the_account_from_the_message() {
    let world = two_accounts();
    let mut assistant = Assistant::new(&world, &[]);
    let reply = json!({ "reply_to_id": "At.work@test.example", "body": "Yes." });

    let draft = result(&mut assistant, "create_draft", reply);
    let ids =
        json!({ "email_ids": ["At.work@test.example", "At.home@test.example"], "add_labels": ["later"] });
    result(&mut assistant, "manage_labels", ids);
    let labelled = found(&mut assistant, "search_emails", json!({ "query": "label:later" }));

    assert_eq!(draft["structuredContent"]["account"], WORK);
    assert_eq!(labelled, [pair("At work", WORK), pair("At home", HOME)]);
}

#[test]
fn a_message_in_two_accounts_asks_unless_it_says_whose_it_is() {
    let world = two_accounts();
    let mut assistant = Assistant::new(&world, &[]);
    let both = "To.both@test.example";

    for (tool, arguments) in [
        ("create_draft", json!({ "reply_to_id": both, "body": "Yes." })),
        ("manage_labels", json!({ "email_id": both, "add_labels": ["x"] })),
        ("manage_labels", json!({ "email_id": "To.a.list@test.example", "add_labels": ["x"] })),
    ] {
        let error = refused(&result(&mut assistant, tool, arguments));
        assert_eq!(error["error"], "invalid_request");
        assert_eq!(error["details"]["allowed"], json!([HOME, WORK]), "{tool}");
    }
    let named = json!({ "email_id": both, "account": WORK, "add_labels": ["x"] });
    assert_eq!(result(&mut assistant, "manage_labels", named)["isError"], false);
    assert_eq!(world.count("label:x"), 1);
}

#[test]
fn one_wrong_id_among_many_changes_nothing() {
    let world = two_accounts();
    let mut assistant = Assistant::new(&world, &[]);
    let ids = json!({ "email_ids": ["At.home@test.example", "nobody@test.example"], "add_labels": ["x"] });

    let error = refused(&result(&mut assistant, "manage_labels", ids));

    assert_eq!(error["error"], "not_found");
    assert_eq!(world.count("label:x"), 0);
}

#[test]
fn machines_wait_for_nobody_unless_they_are_asked_for() {
    let world = World::new();
    let calendar = b"BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n";
    bring(
        &world,
        HOME,
        "INBOX",
        &[
            Mail::new("A question"),
            Mail::new("A parcel").from("Shop <no-reply@shop.example>"),
            Mail::new("An offer").from("Shop <hello@shop.example>").with("Precedence", "bulk"),
            Mail::new("Away").from("Carla <carla@x.example>").with("Auto-Submitted", "auto-replied"),
            Mail::new("News").from("News <hello@news.example>").with("List-Id", "<news.example>"),
            Mail::new("Meeting")
                .from("Dora <dora@x.example>")
                .part("Content-Type: text/calendar; method=REQUEST\n", calendar),
        ],
    );
    let mut assistant = Assistant::new(&world, &[]);
    let mut waiting = |more: Value| {
        let mut arguments = more;
        arguments["waiting_for"] = json!("me");
        let result = result(&mut assistant, "awaiting_reply", arguments);
        let items = list(&result["structuredContent"]["items"]).to_vec();
        let next = result["structuredContent"]["next_cursor"].clone();
        (items.iter().map(|item| item["subject"].as_str().unwrap().to_owned()).collect::<Vec<_>>(), next)
    };

    let people = waiting(json!({}));
    let everything = waiting(json!({ "automatic": true, "limit": 100 }));
    let (first, next) = waiting(json!({ "automatic": true, "limit": 3 }));
    let (second, end) = waiting(json!({ "automatic": true, "limit": 3, "cursor": next }));

    assert_eq!(people, (vec!["A question".to_owned()], Value::Null));
    assert!(everything.0.len() >= 5, "{everything:?}");
    assert_eq!([first, second].concat(), everything.0, "pages have no gap and no overlap");
    assert_eq!(end, Value::Null);
}

#[test]
fn a_draft_of_the_assistants_is_no_mail_wherever_its_copy_lies() {
    let world = World::new();
    bring(&world, HOME, "INBOX", &[Mail::new("A question")]);
    let copy = Mail::new("Copy").with("In-Reply-To", "<A.question@test.example>").body("Not sent yet.");
    bring(&world, HOME, "Drafts", &[copy]);
    let mut assistant = Assistant::new(&world, &[]);
    result(
        &mut assistant,
        "create_draft",
        json!({ "reply_to_id": "A.question@test.example", "body": "Not sent yet." }),
    );
    const MARK: &str = "
        INSERT INTO copies (account, role, draft, message_id, mailbox, uid, uidvalidity)
        SELECT b.account, 'drafts', (SELECT id FROM drafts), 'x', b.id, p.uid, b.uidvalidity
        FROM mailboxes b JOIN placements p ON p.mailbox = b.id WHERE b.name = 'Drafts'";
    assert_eq!(world.database().execute(MARK, []).unwrap(), 1);

    let listed = found(&mut assistant, "list_emails", json!({}));
    let drafts = result(&mut assistant, "list_emails", json!({ "folder": "drafts" }));
    let thread = result(&mut assistant, "get_thread", json!({ "thread_id": "A.question@test.example" }));

    assert_eq!(listed, [pair("A question", HOME)]);
    assert_eq!(text_of(&drafts).matches("Subject: ").count(), 1, "once, as the draft it is: {drafts}");
    assert!(
        !text_of(&thread).contains("Not sent yet.") && text_of(&thread).contains("Emails: 1"),
        "{thread}"
    );
}

/// A line of statistics: what, in which period, how many.
fn rows(result: &Value) -> Vec<(String, Option<String>, i64)> {
    let row = |item: &Value| {
        let period = item["period"].as_str().map(str::to_owned);
        (item["key"].as_str().unwrap().to_owned(), period, item["count"].as_i64().unwrap())
    };
    list(&result["structuredContent"]["items"]).iter().map(row).collect()
}

#[test]
fn statistics_count_what_a_search_finds_by_anything() {
    let world = World::new();
    let news = |number: usize, month: &str, list: &str| {
        Mail::new(&format!("{list} {number}"))
            .with("List-Id", &format!("<{list}.example>"))
            .from(&format!("{list} <hello@{list}.example>"))
            .date(&format!("7 {month} 2026 10:00:00 +0000"))
    };
    bring(
        &world,
        HOME,
        "INBOX",
        &[news(1, "Mar", "beans"), news(2, "Mar", "beans"), news(3, "Apr", "rail"), Mail::new("A letter")],
    );
    bring(&world, WORK, "INBOX", &[news(4, "Apr", "beans")]);
    let mut assistant = Assistant::new(&world, &[]);
    let mut stats = |arguments: Value| rows(&result(&mut assistant, "email_stats", arguments));
    let row = |key: &str, count: i64| (key.to_owned(), None, count);

    assert_eq!(stats(json!({ "group_by": "list" })), [row("beans.example", 3), row("rail.example", 1)]);
    assert_eq!(
        stats(json!({ "group_by": "list", "account": HOME, "after": "2026-03", "before": "2026-04" })),
        [row("beans.example", 2)]
    );
    assert_eq!(
        stats(json!({ "group_by": "account", "query": "list:beans.example" })),
        [row(HOME, 2), row(WORK, 1)]
    );
    assert_eq!(
        stats(json!({ "group_by": "month", "query": "from:hello" })),
        [row("2026-03", 2), row("2026-04", 2)]
    );
    assert_eq!(stats(json!({ "group_by": "month" })), [row("2026-03", 3), row("2026-04", 2)]);
    assert_eq!(stats(json!({ "group_by": "domain", "query": "subject:letter" })), [row("stone.example", 1)]);
    assert_eq!(stats(json!({ "group_by": "mailbox", "account": WORK, "query": "beans" })), [row("INBOX", 1)]);
    assert_eq!(stats(json!({ "group_by": "sender", "query": "zebra" })), []);
}

#[test]
fn pages_of_statistics_have_no_gap_and_no_overlap() {
    let world = World::holding(&mboxrd(&crate::world::mail::many(60)));
    let mut assistant = Assistant::new(&world, &[]);

    for base in [
        json!({ "group_by": "sender" }),
        json!({ "group_by": "day" }),
        json!({ "group_by": "sender", "query": "numbers", "per": "year" }),
    ] {
        let mut ask = |limit: usize, cursor: Value| {
            let mut arguments = base.clone();
            (arguments["limit"], arguments["cursor"]) = (json!(limit), cursor);
            result(&mut assistant, "email_stats", arguments)
        };
        let mut whole = rows(&ask(200, Value::Null));
        let (mut seen, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let page = ask(4, cursor);
            seen.extend(rows(&page));
            cursor = page["structuredContent"]["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        // Each page runs forward in time, and the next one goes back.
        whole.sort();
        seen.sort();
        assert!(whole.len() > 4 && seen == whole, "{base}: {seen:?}");
    }
}
