//! Tasks as an extension of the revision without a handshake.

use mailkeep::drafts::DraftChange;
use serde_json::{Value, json};

use super::{Desk, Line, TASKS, call, letter, modern, post};
use crate::speaks_mcp::client::code;

fn propose(line: &mut Line, body: &str) -> Value {
    let answer = line.ask("tools/call", &modern(call("send_email", &letter(body)), &[TASKS]));
    assert_eq!(answer["result"]["resultType"], "task", "{answer}");
    answer["result"].clone()
}

fn get(line: &mut Line, task: &Value) -> Value {
    let answer = line.ask("tasks/get", &modern(json!({ "taskId": task["taskId"] }), &[TASKS]));
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"].clone()
}

fn data(task: &Value) -> &Value {
    &task["result"]["structuredContent"]
}

#[test]
fn a_task_tells_by_itself_that_the_message_was_sent() {
    for over_http in [false, true] {
        let desk = Desk::new();
        let mut line = if over_http { Line::Http(desk.serve()) } else { Line::Stdio(desk.stdio(&[])) };

        let task = propose(&mut line, "At noon?");
        let waiting = get(&mut line, &task);
        desk.approve_and_send(&desk.item());
        let done = get(&mut line, &task);

        assert_eq!((&task["status"], &waiting["status"]), (&json!("working"), &json!("working")));
        assert!(task["statusMessage"].as_str().unwrap().starts_with("Not sent yet: waits for the owner"));
        assert_eq!((&task["ttlMs"], &task["pollIntervalMs"]), (&json!(604_800_000), &json!(2_000)));
        assert_eq!(task["createdAt"], waiting["createdAt"]);
        assert_eq!(waiting.get("result"), None);
        assert_eq!(done["status"], "completed");
        assert_eq!((&data(&done)["status"], &done["result"]["isError"]), (&json!("sent"), &json!(false)));
        let said: Value =
            serde_json::from_str(done["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(&said, data(&done));
    }
}

#[test]
fn who_does_not_declare_it_gets_the_plain_answer_and_cannot_ask() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.stdio(&[]));
    let task = propose(&mut line, "At noon?");

    let plain = line.ask("tools/call", &modern(call("send_email", &letter("Other")), &[]));
    let mut odd = modern(call("send_email", &letter("Third")), &[]);
    odd["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "extensions": { TASKS: true }, "tasks": {} });
    let odd = line.ask("tools/call", &odd);

    for answer in [plain, odd] {
        assert_eq!(answer["result"]["resultType"], "complete");
        assert_eq!(answer["result"]["structuredContent"]["status"], "pending_approval");
    }
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let asked = modern(json!({ "taskId": task["taskId"], "inputResponses": {} }), &[]);
        let refused = line.ask(method, &asked);
        let needed = &refused["error"]["data"]["requiredCapabilities"]["extensions"];
        assert_eq!((code(&refused), needed), (Some(-32021), &json!({ TASKS: {} })), "{method}");
    }
    assert_eq!(desk.items().len(), 3);
}

#[test]
fn what_did_not_leave_ends_with_a_result_that_tells_why() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.stdio(&[]));
    let rejected = propose(&mut line, "Too formal");
    desk.reject(&desk.item(), "Too formal; write as you speak");

    let told = get(&mut line, &rejected);

    assert_eq!((&told["status"], &told["result"]["isError"]), (&json!("completed"), &json!(false)));
    assert_eq!(data(&told)["status"], "rejected");
    assert_eq!(data(&told)["reason"], "Too formal; write as you speak");
    assert!(told["statusMessage"].as_str().unwrap().contains("Too formal; write as you speak"));
    for (state, is_error) in
        [("failed", true), ("unknown", true), ("expired", false), ("cancelled", false), ("sent", false)]
    {
        let task = propose(&mut line, state);
        let id = get_id(&desk, state);
        desk.put(&id, state, "because");
        let told = get(&mut line, &task);
        assert_eq!(told["status"], "completed", "{told}");
        assert_eq!((&data(&told)["status"], &told["result"]["isError"]), (&json!(state), &json!(is_error)));
    }
}

#[test]
fn what_the_person_changed_comes_back_with_the_result() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.stdio(&[]));
    let task = propose(&mut line, "Dear Bob,\n\nshall we meet at noon?\n\nAda");
    let id = desk.item();

    let change = DraftChange {
        subject: Some("Lunch on Friday".to_owned()),
        body: Some("Hi Bob,\n\nshall we meet at noon?\n\nAda".to_owned()),
        ..DraftChange::default()
    };
    desk.change_and_approve(&id, &change);
    let waiting = get(&mut line, &task);
    desk.send(&id);
    let done = get(&mut line, &task);
    let asked = line.ask("tools/call", &modern(call("get_send_status", &json!({ "id": id })), &[]));

    assert_eq!(waiting["status"], "working", "approved, and still to be sent");
    assert!(waiting["statusMessage"].as_str().unwrap().contains("The owner changed it"), "{waiting}");
    let diff = "subject: \"Lunch on Friday\" instead of \"Lunch\"\n- Dear Bob,\n+ Hi Bob,";
    for told in [data(&done), &asked["result"]["structuredContent"]] {
        assert_eq!((&told["status"], &told["revision"]), (&json!("sent"), &json!(2)));
        assert!(told["changes_by_owner"].as_str().unwrap().starts_with(diff), "{told}");
    }
}

/// The item with this text.
fn get_id(desk: &Desk, body: &str) -> String {
    let ids = desk.items();
    ids.into_iter().find(|id| desk.json(&["outbox", "show", id]).to_string().contains(body)).unwrap()
}

#[test]
fn nobody_has_to_run_for_a_proposal_to_expire() {
    let desk = Desk::new();
    let task = propose(&mut Line::Stdio(desk.stdio(&[])), "At noon?");
    let at = |time: &str| {
        let mut command = desk.command(&["mcp"]);
        let client = crate::speaks_mcp::client::Client::run(command.env("MAILKEEP_TEST_NOW", time));
        let asked = modern(json!({ "taskId": task["taskId"] }), &[TASKS]);
        Line::Stdio(client).ask("tasks/get", &asked)
    };

    let early = at("2026-06-18T11:59:00Z");
    let late = at("2026-06-18T12:00:01Z");
    let gone = at("2026-06-22T12:00:01Z");

    assert_eq!(
        (&early["result"]["status"], &early["result"]["pollIntervalMs"]),
        (&json!("working"), &json!(15_000))
    );
    assert_eq!(data(&late["result"])["status"], "expired", "{late}");
    assert_eq!(code(&gone), Some(-32602), "{gone}");
    assert_eq!(desk.state(&desk.item()), "expired");
}

#[test]
fn any_other_process_of_the_home_answers() {
    let desk = Desk::new();
    let task = propose(&mut Line::Stdio(desk.stdio(&[])), "At noon?");

    let over_stdio = get(&mut Line::Stdio(desk.stdio(&[])), &task);
    let over_http = get(&mut Line::Http(desk.serve()), &task);
    desk.reject(&desk.item(), "no");
    let ended = get(&mut Line::Http(desk.serve()), &task);

    for known in [over_stdio, over_http] {
        assert_eq!((&known["taskId"], &known["status"]), (&task["taskId"], &json!("working")));
    }
    assert_eq!(data(&ended)["status"], "rejected");
}

#[test]
fn to_cancel_is_to_withdraw_as_long_as_it_has_not_left() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.stdio(&[]));
    let task = propose(&mut line, "At noon?");
    let cancel = |task: &Value| modern(json!({ "taskId": task["taskId"] }), &[TASKS]);

    let first = line.ask("tasks/cancel", &cancel(&task));
    let again = line.ask("tasks/cancel", &cancel(&task));
    let cancelled = get(&mut line, &task);
    let sent = propose(&mut line, "Sent before");
    let id = get_id(&desk, "Sent before");
    desk.approve_and_send(&id);
    let too_late = line.ask("tasks/cancel", &cancel(&sent));

    for acknowledged in [first, again, too_late] {
        let mut result = acknowledged["result"].clone();
        result.as_object_mut().unwrap().remove("_meta");
        assert_eq!(result, json!({ "resultType": "complete" }));
    }
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(data(&get(&mut line, &sent))["status"], "sent");
    assert_eq!(desk.state(&id), "sent");
    let states: Vec<_> = desk.items().iter().map(|id| desk.state(id)).collect();
    assert!(states.contains(&"withdrawn".to_owned()), "{states:?}");
}

#[test]
fn a_task_that_has_ended_stays_as_it_ended() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.stdio(&[]));
    let first = propose(&mut line, "At noon?");
    let id = desk.item();
    desk.reject(&id, "too early");
    let changed = json!({ "draft_id": id, "body": "At one?" });
    line.ask("tools/call", &modern(call("update_draft", &changed), &[]));

    let second = line.ask("tools/call", &modern(call("send_email", &json!({ "draft_id": id })), &[TASKS]));
    desk.approve_and_send(&id);

    let (first, second) = (get(&mut line, &first), get(&mut line, &second["result"]));
    assert_eq!((&data(&first)["status"], &data(&first)["reason"]), (&json!("rejected"), &json!("too early")));
    assert_eq!(data(&first)["revision"], 1);
    assert_eq!(data(&second)["status"], "sent");
}

#[test]
fn the_same_call_again_is_the_same_item() {
    let desk = Desk::new();
    let mut line = Line::Stdio(desk.stdio(&[]));

    let handles: Vec<_> = (0..25).map(|_| propose(&mut line, "At noon?")["taskId"].clone()).collect();
    desk.reject(&desk.item(), "once is enough");

    let all: std::collections::BTreeSet<_> = handles.iter().map(Value::to_string).collect();
    assert_eq!(all.len(), 20, "who asks for very many gets one that is there");
    for handle in handles {
        assert_eq!(data(&get(&mut line, &json!({ "taskId": handle })))["reason"], "once is enough");
    }
}

#[test]
fn nothing_that_a_client_adds_to_a_task_decides_anything() {
    let desk = Desk::new();
    let mut line = Line::Http(desk.serve());
    let task = propose(&mut line, "At noon?");
    let code = desk.json(&["outbox", "show", &desk.item()])["code"].clone();

    for given in [
        json!({ "review": { "action": "accept" } }),
        json!({ "approve": { "action": "accept", "content": { "approve": true, "code": code, "pin": "1234" } } }),
        json!({ "state": "approved" }),
        json!([]),
        json!(null),
    ] {
        let params = json!({ "taskId": task["taskId"], "inputResponses": given, "status": "completed", "state": "approved" });
        let answer = line.ask("tasks/update", &modern(params, &[TASKS]));
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        assert_eq!(get(&mut line, &task)["status"], "working");
    }
    assert_eq!(desk.state(&desk.item()), "pending_approval");
}

#[test]
fn tasks_are_announced_where_somebody_can_be_asked_and_the_owner_wants_them() {
    let desk = Desk::new();
    let extensions = |desk: &Desk, profile: &str| {
        let mut client = desk.stdio(&["--profile", profile]);
        let found = client.ask("server/discover", &modern(json!({}), &[]));
        found["result"]["capabilities"]["extensions"].clone()
    };

    let on = extensions(&desk, "core");
    let reads = extensions(&desk, "db");
    desk.configure("[mcp]\ntasks = false\n");
    let off = extensions(&desk, "core");
    let mut client = desk.stdio(&[]);
    let plain = client.ask("tools/call", &modern(call("send_email", &letter("Hi")), &[TASKS]));
    let methods = ["tasks/get", "tasks/update", "tasks/cancel"];
    let refused =
        methods.map(|method| code(&client.ask(method, &modern(json!({ "taskId": "t" }), &[TASKS]))));

    assert_eq!(on[TASKS], json!({}));
    assert_eq!((&reads, off.get(TASKS)), (&Value::Null, None));
    assert_eq!(plain["result"]["structuredContent"]["status"], "pending_approval", "{plain}");
    assert_eq!(refused, [Some(-32601); 3]);
}

#[test]
fn the_tools_of_documents_answer_later_in_their_own_shape() {
    for (profile, tool, letter) in [
        ("smtp", "send-email", json!({ "to": "bob@stone.example", "subject": "A", "body": "B" })),
        ("email", "send_email", json!({ "to": "bob@stone.example", "subject": "A", "body": "B" })),
        ("gmail", "send_email", json!({ "to": "bob@stone.example", "subject": "A", "body": "B" })),
    ] {
        let desk = Desk::new();
        let mut line = Line::Stdio(desk.stdio(&["--profile", profile]));
        let answer = line.ask("tools/call", &modern(call(tool, &letter), &[TASKS]));
        let task = answer["result"].clone();
        desk.approve_and_send(&desk.item());

        let done = get(&mut line, &task);
        let elsewhere = modern(json!({ "taskId": task["taskId"] }), &[TASKS]);
        let foreign = desk.stdio(&["--profile", "core"]).ask("tasks/get", &elsewhere);

        let said: Value =
            serde_json::from_str(done["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(said["status"], "sent", "{profile} {done}");
        let id = if profile == "smtp" { "messageId" } else { "message_id" };
        assert!(said[id].as_str().unwrap().contains('@'), "{said}");
        assert_eq!(code(&foreign), Some(-32602), "the tools of another profile know nothing of it");
    }
}

#[test]
fn the_header_of_a_request_about_a_task_must_name_it() {
    let desk = Desk::new();
    let served = desk.serve();
    let mut line = Line::Http(served);
    let task = propose(&mut line, "At noon?");
    let Line::Http(served) = &line else { unreachable!() };
    let message = crate::speaks_mcp::client::request(
        1,
        "tasks/get",
        &modern(json!({ "taskId": task["taskId"] }), &[TASKS]),
    );
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tasks/get")];

    let without = served.post(&message, &headers);
    let unknown = post(served, "tasks/get", &modern(json!({ "taskId": "t_0" }), &[TASKS]));

    assert_eq!((without.status, code(&without.json())), (400, Some(-32020)));
    assert_eq!((unknown.status, code(&unknown.json())), (400, Some(-32602)));
}
