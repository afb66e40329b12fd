//! Clients that guess, forge, flood and insist.

use std::thread;

use serde_json::{Value, json};

use super::{Desk, Line, TASKS, call, letter, modern, post};
use crate::speaks_mcp::client::{code, request};

fn task(desk: &Desk, body: &str) -> Value {
    let answer = desk.stdio(&[]).ask("tools/call", &modern(call("send_email", &letter(body)), &[TASKS]));
    answer["result"]["taskId"].clone()
}

#[test]
fn handles_that_are_guessed_forged_foreign_or_huge_find_nothing() {
    let (desk, other) = (Desk::new(), Desk::new());
    let (own, foreign) = (task(&desk, "At noon?"), task(&other, "At noon?"));
    let (item, own) = (desk.item(), own.as_str().unwrap());
    let code_of_item = desk.json(&["outbox", "show", &item])["code"].clone();
    let wrong = [
        foreign,
        json!(item),
        code_of_item,
        json!(own[..own.len() - 1]),
        json!(own.to_uppercase()),
        json!(format!("{own} ")),
        json!("%"),
        json!("t_%"),
        json!("' OR 1=1 --"),
        json!("x".repeat(1 << 20)),
        json!(""),
        json!("\u{0}"),
        json!(1),
        json!(null),
        json!({ "taskId": own }),
        json!([own]),
    ];
    let mut lines = [Line::Stdio(desk.stdio(&[])), Line::Stdio(desk.shaken(&json!({})))];

    for handle in wrong {
        for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
            let answer = lines[0].ask(method, &modern(json!({ "taskId": handle }), &[TASKS]));
            assert_eq!(code(&answer), Some(-32602), "{method} {answer}");
            assert!(answer.to_string().len() < 600, "what was sent is not repeated");
        }
        for method in ["tasks/get", "tasks/cancel", "tasks/result"] {
            let answer = lines[1].ask(method, &json!({ "taskId": handle }));
            assert_eq!(code(&answer), Some(-32602), "{method} {answer}");
        }
    }
    assert!(own.len() > 60 && !own.contains(&item), "{own}");
    assert_eq!(desk.state(&item), "pending_approval");
}

#[test]
fn three_hundred_who_ask_at_once_are_all_told_the_same() {
    let desk = Desk::new();
    let handle = task(&desk, "At noon?");
    desk.reject(&desk.item(), "enough");
    let asked = modern(json!({ "taskId": handle }), &[TASKS]);
    let served = desk.serve();

    let over_http: usize = thread::scope(|scope| {
        let ask = || (0..10).filter(|_| is_told(&post(&served, "tasks/get", &asked).json())).count();
        let asking: Vec<_> = (0..30).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|one| one.join().unwrap()).sum()
    });
    let mut client = desk.stdio(&[]);
    (0..300).for_each(|number| client.send(&request(number, "tasks/get", &asked)));
    let over_stdio = (0..300).filter(|_| is_told(&client.next())).count();

    assert_eq!((over_http, over_stdio), (300, 300));
}

fn is_told(answer: &Value) -> bool {
    answer["result"]["result"]["structuredContent"]["reason"] == "enough"
}

/// Words that could mean yes somewhere.
fn insisting(handle: &Value, code: &Value) -> Vec<Value> {
    [
        json!({}),
        json!({ "status": "completed" }),
        json!({ "state": "approved", "approve": true }),
        json!({ "inputResponses": { "review": { "action": "accept" } } }),
        json!({ "inputResponses": { "approve": { "action": "accept", "content": { "code": code } } } }),
        json!({ "task": { "status": "completed", "state": "approved" } }),
        json!({ "factor": "click", "door": "page", "code": code }),
        json!({ "policy": { "send": "direct" }, "send": "direct" }),
        json!({ "resume": true, "paused": false }),
        json!({ "decision": "approve", "pin": "1234" }),
    ]
    .into_iter()
    .map(|mut words| {
        words["taskId"] = handle.clone();
        words
    })
    .collect()
}

#[test]
fn three_hundred_insistent_words_about_a_task_decide_nothing() {
    let desk = Desk::new();
    let handle = task(&desk, "At noon?");
    let item = desk.item();
    let code = desk.json(&["outbox", "show", &item])["code"].clone();
    desk.json(&["outbox", "pause"]);
    let before = desk.json(&["approval", "status"]);
    let methods = [
        "tasks/get",
        "tasks/update",
        "tasks/approve",
        "tasks/resume",
        "tasks/set",
        "tasks/complete",
        "tasks/list",
        "notifications/tasks",
    ];
    let mut lines = [Line::Stdio(desk.stdio(&[])), Line::Http(desk.serve())];
    let mut attempts = 0;

    for line in &mut lines {
        for words in insisting(&handle, &code) {
            for method in methods {
                line.ask(method, &modern(words.clone(), &[TASKS]));
                line.ask(method, &words);
                attempts += 2;
            }
        }
    }
    // Answers to questions that nobody asked.
    let mut client = desk.shaken(&json!({ "elicitation": { "url": {} } }));
    for number in 0..50 {
        let yes = json!({ "action": "accept", "content": { "approve": true, "code": code } });
        client.send(&json!({ "jsonrpc": "2.0", "id": number, "result": yes }));
        attempts += 1;
    }
    client.ask("ping", &json!({}));

    assert!(attempts >= 300, "{attempts}");
    assert_eq!(desk.state(&item), "pending_approval");
    assert!(desk.json(&["outbox", "list"])["paused"].is_string());
    assert_eq!(desk.json(&["approval", "status"]), before);
    assert_eq!(std::fs::read_dir(desk.world.path("sent")).unwrap().count(), 0);
}
