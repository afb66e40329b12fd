//! Tasks of the revision with a handshake.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Desk, Line, call, handshake, letter};
use crate::speaks_mcp::client::{Client, code, request};

fn task_call(body: &str) -> Value {
    let mut params = call("send_email", &letter(body));
    params["task"] = json!({ "ttl": 60_000 });
    params
}

fn propose(line: &mut Line, body: &str) -> Value {
    let answer = line.ask("tools/call", &task_call(body));
    assert!(answer["result"]["task"].is_object(), "{answer}");
    answer["result"]["task"].clone()
}

fn id(task: &Value) -> Value {
    json!({ "taskId": task["taskId"] })
}

/// The answer with this number, after whatever is said before it.
fn answer_to(client: &Client, number: u64) -> Value {
    loop {
        let said = client.next();
        if said["id"] == number {
            return said;
        }
    }
}

#[test]
fn a_call_as_a_task_is_answered_with_one_and_its_result_comes_later() {
    for over_http in [false, true] {
        let desk = Desk::new();
        let mut line =
            if over_http { Line::Http(desk.serve()) } else { Line::Stdio(desk.shaken(&json!({}))) };

        let created = line.ask("tools/call", &task_call("At noon?"));
        let task = &created["result"]["task"];
        let waiting = line.ask("tasks/get", &id(task))["result"].clone();
        desk.approve_and_send(&desk.item());
        let done = line.ask("tasks/get", &id(task))["result"].clone();
        let result = line.ask("tasks/result", &id(task))["result"].clone();

        assert_eq!((&task["status"], &waiting["status"]), (&json!("working"), &json!("working")));
        assert_eq!((&task["ttl"], &task["pollInterval"]), (&json!(604_800_000), &json!(2_000)));
        let meanwhile =
            created["result"]["_meta"]["io.modelcontextprotocol/model-immediate-response"].as_str();
        assert!(meanwhile.unwrap().contains("Do not send it again"), "{created}");
        assert_eq!(done["status"], "completed");
        assert_eq!((done.get("result"), done.get("_meta")), (None, None));
        assert_eq!(result["structuredContent"]["status"], "sent");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/related-task"], id(task));
    }
}

#[test]
fn who_asks_for_the_result_waits_for_it_and_holds_nobody_up() {
    let desk = Desk::new();
    let mut client = desk.shaken(&json!({}));
    let task = client.ask("tools/call", &task_call("At noon?"))["result"]["task"].clone();

    for number in 100..120 {
        client.send(&request(number, "tasks/result", &id(&task)));
    }
    client.send(&request(50, "ping", &json!({})));
    let other = answer_to(&client, 50);
    desk.reject(&desk.item(), "not today");
    let answers = std::iter::repeat_with(|| client.next()).filter(|said| said["id"].is_u64());
    let told: Vec<_> = answers.take(20).collect();

    assert!(other["result"].is_object());
    let mut numbers: Vec<_> = told.iter().filter_map(|answer| answer["id"].as_u64()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (100..120).collect::<Vec<_>>(), "{told:?}");
    for answer in told {
        assert_eq!(answer["result"]["structuredContent"]["reason"], "not today", "{answer}");
        assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/related-task"], id(&task));
    }
}

#[test]
fn waiting_outlasts_the_time_of_a_call_and_ends_with_the_server_or_the_client() {
    let desk = Desk::new();
    let mut command = desk.command(&["mcp"]);
    let mut client = Client::run(command.env("MAILKEEP_CALL_TIME_MS", "300"));
    client.initialize("2025-11-25");
    let task = client.ask("tools/call", &task_call("At noon?"))["result"]["task"].clone();

    client.send(&request(1, "tasks/result", &id(&task)));
    client.send(&request(2, "tasks/result", &id(&task)));
    let begun = std::time::Instant::now();
    while begun.elapsed() < Duration::from_millis(900) {
        if let Some(line) = client.line_within(Duration::from_millis(100)) {
            assert!(line.contains("notifications/tasks/status"), "{line}");
        }
    }
    client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
    );
    client.close_input();
    let last = answer_to(&client, 2);

    assert_eq!(code(&last), Some(-32000), "{last}");
    assert!(client.finish().success());
}

#[test]
fn too_many_who_wait_are_told_to_ask_instead() {
    let desk = Desk::new();
    let mut client = desk.shaken(&json!({}));
    let task = client.ask("tools/call", &task_call("At noon?"))["result"]["task"].clone();

    (100..140).for_each(|number| client.send(&request(number, "tasks/result", &id(&task))));
    let mut refused = 0;
    while refused < 8 {
        refused += usize::from(code(&client.next()) == Some(-32000));
    }
    client.send(&request(50, "tasks/get", &id(&task)));
    assert_eq!(answer_to(&client, 50)["result"]["status"], "working");
    desk.reject(&desk.item(), "no");
    let mut told = 0;
    while told < 32 {
        told += usize::from(client.next()["result"]["structuredContent"]["reason"] == "no");
    }
}

#[test]
fn a_result_that_is_waited_for_over_http_comes_as_a_stream() {
    let desk = Desk::new();
    let mut line = Line::Http(desk.serve());
    let task = propose(&mut line, "At noon?");
    let Line::Http(served) = &line else { unreachable!() };

    let answer = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| served.post(&request(9, "tasks/result", &id(&task)), &[]));
        std::thread::sleep(Duration::from_millis(300));
        desk.reject(&desk.item(), "not by post");
        waiting.join().unwrap()
    });

    assert_eq!((answer.status, answer.headers["content-type"].as_str()), (200, "text/event-stream"));
    assert!(
        answer.body.contains("notifications/tasks/status") && answer.body.contains("not by post"),
        "{}",
        answer.body
    );
}

#[test]
fn what_an_answer_calls_an_error_this_revision_calls_failed() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.shaken(&json!({})));
    for (state, status, is_error) in [
        ("failed", "failed", true),
        ("unknown", "failed", true),
        ("rejected", "completed", false),
        ("expired", "completed", false),
    ] {
        let task = propose(&mut line, state);
        let item = desk.items().into_iter().find(|id| desk.state(id) == "pending_approval").unwrap();
        desk.put(&item, state, "because");

        let shown = line.ask("tasks/get", &id(&task))["result"].clone();
        let result = line.ask("tasks/result", &id(&task))["result"].clone();

        assert_eq!(shown["status"], status, "{state}");
        assert_eq!(
            (&result["isError"], &result["structuredContent"]["status"]),
            (&json!(is_error), &json!(state))
        );
    }
}

#[test]
fn to_cancel_is_to_withdraw_and_what_is_over_cannot_be() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.shaken(&json!({})));
    let task = propose(&mut line, "At noon?");

    let cancelled = line.ask("tasks/cancel", &id(&task));
    let again = line.ask("tasks/cancel", &id(&task));
    let result = line.ask("tasks/result", &id(&task));

    assert_eq!(
        (&cancelled["result"]["status"], &cancelled["result"]["taskId"]),
        (&json!("cancelled"), &task["taskId"])
    );
    assert_eq!(code(&again), Some(-32602), "{again}");
    assert_eq!(result["result"]["structuredContent"]["status"], "withdrawn");
    assert_eq!(desk.state(&desk.item()), "withdrawn");
    let sending = propose(&mut line, "On its way");
    let item = desk.items().into_iter().find(|id| desk.state(id) == "pending_approval").unwrap();
    desk.world
        .database()
        .execute("UPDATE drafts SET state = 'sending' WHERE short_id = ?1", [&item])
        .unwrap();
    let late = line.ask("tasks/cancel", &id(&sending));
    assert_eq!(code(&late), Some(-32602), "{late}");
    assert_eq!(line.ask("tasks/get", &id(&sending))["result"]["status"], "working");
}

#[test]
fn the_list_has_every_task_once_newest_first() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.shaken(&json!({})));
    let mut made: Vec<_> =
        (0..70).map(|number| propose(&mut line, &format!("Nr. {number}"))["taskId"].to_string()).collect();
    made.reverse();

    let (mut seen, mut pages, mut cursor) = (Vec::new(), 0, json!(null));
    loop {
        let page = line.ask("tasks/list", &json!({ "cursor": cursor }))["result"].clone();
        seen.extend(page["tasks"].as_array().unwrap().iter().map(|task| task["taskId"].to_string()));
        pages += 1;
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let wrong = ["x", "-1", "0", "99999999999999999999999", ""]
        .map(|cursor| code(&line.ask("tasks/list", &json!({ "cursor": cursor }))));
    let other = desk.stdio(&["--profile", "smtp"]).ask("tasks/list", &json!({}));

    assert_eq!((seen, pages), (made, 2));
    assert_eq!(wrong, [Some(-32602); 5]);
    assert_eq!(other["result"]["tasks"], json!([]), "other tools, other tasks");
}

#[test]
fn tasks_are_declared_by_this_revision_alone_and_by_tools_that_can_wait() {
    let desk = Desk::new();
    let offered = |version: &str, profile: &str| {
        let mut client = desk.stdio(&["--profile", profile]);
        let capabilities = client.initialize(version)["result"]["capabilities"].clone();
        let tools = client.ask("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone();
        let can: Vec<_> =
            tools.iter().filter(|tool| tool["execution"]["taskSupport"] == "optional").collect();
        let names: Vec<_> = can.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
        (capabilities["tasks"].clone(), names)
    };

    let (declared, tools) = offered("2025-11-25", "core");
    assert_eq!(declared, json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } }));
    assert_eq!(tools, ["send_email", "forward", "unsubscribe"]);
    for version in ["2025-06-18", "2025-03-26", "2024-11-05"] {
        assert_eq!(offered(version, "core"), (Value::Null, Vec::new()), "{version}");
    }
    assert_eq!(offered("2025-11-25", "db"), (Value::Null, Vec::new()));
}

#[test]
fn older_revisions_and_an_owner_who_wants_none_get_the_plain_answer() {
    let desk = Desk::new();
    let plain = |client: &mut Client| {
        let answer = client.ask("tools/call", &task_call("At noon?"));
        let method = client.ask("tasks/get", &json!({ "taskId": "t" }));
        (answer["result"]["structuredContent"]["status"].clone(), code(&method))
    };
    let mut older = desk.stdio(&[]);
    older.initialize("2025-06-18");

    let first = plain(&mut older);
    desk.configure("[mcp]\ntasks = false\n");
    let second = plain(&mut desk.shaken(&json!({})));

    assert_eq!(first, (json!("pending_approval"), Some(-32601)));
    assert_eq!(second, (json!("pending_approval"), Some(-32601)));
}

#[test]
fn a_call_that_is_refused_makes_no_task_and_a_tool_that_cannot_wait_says_so() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.shaken(&json!({})));
    let with_task = |tool: &str, arguments: Value| {
        let mut params = call(tool, &arguments);
        params["task"] = json!({});
        params
    };

    let nobody =
        line.ask("tools/call", &with_task("send_email", json!({ "to": ["no address"], "body": "x" })));
    let reads = line.ask("tools/call", &with_task("list_emails", json!({})));
    let odd = line.ask("tools/call", &{
        let mut params = call("list_emails", &json!({}));
        params["task"] = json!("yes");
        params
    });

    assert_eq!(code(&nobody), Some(-32602), "{nobody}");
    assert!(nobody["error"]["message"].as_str().unwrap().contains("no address"), "{nobody}");
    assert_eq!(code(&reads), Some(-32601), "{reads}");
    assert_eq!(odd["result"]["isError"], false, "{odd}");
    assert_eq!(line.ask("tasks/list", &json!({}))["result"]["tasks"], json!([]));
    assert!(handshake(&json!({}))["protocolVersion"] == "2025-11-25" && desk.items().is_empty());
}
