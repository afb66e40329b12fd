//! A client that can open links offers the person the page. What it says about that decides nothing.

use serde_json::{Value, json};

use super::{Desk, call, handshake, letter, modern};
use crate::speaks_mcp::client::{Client, code, request};

const OPENS: &str = "elicitation";

fn can_open() -> Value {
    json!({ OPENS: { "form": {}, "url": {} } })
}

/// The same parameters of a client without a handshake that can open links.
fn opening(params: Value) -> Value {
    let mut params = modern(params, &[]);
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = can_open();
    params
}

/// Proposes, and gives the question that comes before the answer.
fn offered(client: &mut Client, body: &str) -> Value {
    client.send(&request(7, "tools/call", &call("send_email", &letter(body))));
    let question = client.next();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    question
}

fn reply(client: &mut Client, question: &Value, result: &Value) {
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }));
}

#[test]
fn the_page_is_offered_and_whoever_declines_it_has_decided_nothing() {
    let desk = Desk::new();
    let served = desk.serve_pages();
    let mut client = desk.shaken(&can_open());

    let question = offered(&mut client, "At noon?");
    reply(&mut client, &question, &json!({ "action": "decline" }));
    let answer = client.next();

    let (params, item) = (&question["params"], desk.item());
    assert_eq!(params["mode"], "url");
    assert_eq!(params["url"], format!("http://localhost:{}/outbox/{item}", served.port));
    assert!(params["elicitationId"].is_string() && params.get("requestedSchema").is_none(), "{params}");
    let code = desk.json(&["outbox", "show", &item])["code"].as_str().unwrap().to_owned();
    assert!(params["message"].as_str().unwrap().contains(&code), "{params}");
    assert!(!params["url"].as_str().unwrap().contains("stone"), "the address names nobody");
    let told = &answer["result"]["structuredContent"];
    assert_eq!((&told["status"], &told["approvalUrl"]), (&json!("pending_approval"), &params["url"]));
    assert_eq!(desk.state(&item), "pending_approval");
}

#[test]
fn who_opens_it_and_decides_is_waited_for() {
    let desk = Desk::new();
    let _served = desk.serve_pages();
    let mut client = desk.shaken(&can_open());

    let question = offered(&mut client, "At noon?");
    reply(
        &mut client,
        &question,
        &json!({ "action": "accept", "content": { "approve": true, "pin": "1234" } }),
    );
    assert_eq!(client.line_within(std::time::Duration::from_millis(700)), None, "nobody has decided");
    assert_eq!(desk.state(&desk.item()), "pending_approval");
    desk.reject(&desk.item(), "not so early");
    let (complete, answer) = (client.next(), client.next());

    assert_eq!(complete["method"], "notifications/elicitation/complete");
    assert_eq!(complete["params"]["elicitationId"], question["params"]["elicitationId"]);
    assert_eq!(answer["result"]["structuredContent"]["reason"], "not so early");
}

#[test]
fn a_client_that_breaks_or_ends_gets_the_plain_answer() {
    let desk = Desk::new();
    let _served = desk.serve_pages();
    let mut client = desk.shaken(&can_open());

    let question = offered(&mut client, "At noon?");
    client.send(
        &json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -32602, "message": "no" } }),
    );
    let first = client.next();
    offered(&mut client, "At one?");
    client.close_input();
    let second = client.next();

    for answer in [first, second] {
        assert_eq!(answer["result"]["structuredContent"]["status"], "pending_approval", "{answer}");
    }
}

#[test]
fn nobody_is_asked_who_does_not_say_that_they_open_links_or_where_there_is_no_page() {
    let desk = Desk::new();
    let plain = |desk: &Desk, capabilities: &Value| {
        let answer = desk.shaken(capabilities).ask("tools/call", &call("send_email", &letter("Hi")));
        answer["result"]["structuredContent"]["status"].clone()
    };

    let no_page = plain(&desk, &can_open());
    let _served = desk.serve_pages();
    let mut older = desk.stdio(&[]);
    let mut shake = handshake(&can_open());
    shake["protocolVersion"] = json!("2025-06-18");
    older.ask("initialize", &shake);
    let older = older.ask("tools/call", &call("send_email", &letter("Hi")));

    assert_eq!(no_page, "pending_approval");
    for capabilities in
        [json!({}), json!({ OPENS: {} }), json!({ OPENS: { "form": {} } }), json!({ OPENS: { "url": null } })]
    {
        assert_eq!(plain(&desk, &capabilities), "pending_approval", "{capabilities}");
    }
    assert_eq!(older["result"]["structuredContent"]["status"], "pending_approval");
    let reads = desk.shaken(&can_open()).ask("tools/call", &call("list_emails", &json!({})));
    assert_eq!(reads["result"]["isError"], false);
}

#[test]
fn without_a_handshake_the_call_comes_again_and_finds_the_same_item() {
    let desk = Desk::new();
    let _served = desk.serve_pages();
    let mut client = desk.stdio(&[]);

    let first = client.ask("tools/call", &opening(call("send_email", &letter("At noon?"))))["result"].clone();
    let review = &first["inputRequests"]["review"];
    let again = |state: &Value, action: &str| {
        let mut params = call("send_email", &letter("At noon?"));
        params["requestState"] = state.clone();
        params["inputResponses"] = json!({ "review": { "action": action, "content": { "approve": true } } });
        opening(params)
    };
    let declined = client.ask("tools/call", &again(&first["requestState"], "decline"));
    desk.reject(&desk.item(), "not so early");
    let accepted = client.ask("tools/call", &again(&first["requestState"], "accept"));
    let repeated = client.ask("tools/call", &again(&first["requestState"], "cancel"));

    assert_eq!(
        (&first["resultType"], &review["method"]),
        (&json!("input_required"), &json!("elicitation/create"))
    );
    assert_eq!((&review["params"]["mode"], review["params"].get("elicitationId")), (&json!("url"), None));
    assert_eq!(declined["result"]["structuredContent"]["status"], "pending_approval");
    for told in [accepted, repeated] {
        assert_eq!(told["result"]["structuredContent"]["reason"], "not so early", "{told}");
        assert_eq!(told["result"]["resultType"], "complete");
    }
    assert_eq!(desk.items().len(), 1, "nothing was proposed again");
}

#[test]
fn who_accepts_is_waited_for_without_a_handshake_too() {
    let desk = Desk::new();
    let _served = desk.serve_pages();
    let mut client = desk.stdio(&[]);
    let first = client.ask("tools/call", &opening(call("send_email", &letter("At noon?"))))["result"].clone();
    let mut params = call("send_email", &letter("At noon?"));
    params["requestState"] = first["requestState"].clone();
    params["inputResponses"] = json!({ "review": { "action": "accept" } });

    client.send(&request(9, "tools/call", &opening(params)));
    assert_eq!(client.line_within(std::time::Duration::from_millis(600)), None);
    desk.approve_and_send(&desk.item());
    let answer = client.next();

    assert_eq!(answer["result"]["structuredContent"]["status"], "sent", "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[test]
fn a_state_that_was_not_given_for_this_call_is_refused_and_proposes_nothing() {
    let desk = Desk::new();
    let _served = desk.serve_pages();
    let mut client = desk.stdio(&[]);
    let first = client.ask("tools/call", &opening(call("send_email", &letter("At noon?"))))["result"].clone();
    let mut given = |arguments: &Value, tool: &str, state: Value| {
        let mut params = call(tool, arguments);
        params["requestState"] = state;
        params["inputResponses"] = json!({ "review": { "action": "accept" } });
        code(&client.ask("tools/call", &opening(params)))
    };
    let item = desk.item();

    let other_words = given(&letter("At one?"), "send_email", first["requestState"].clone());
    let other_tool = given(&json!({}), "list_emails", first["requestState"].clone());
    let forged = [json!("t_0"), json!(item), json!(7), json!("x".repeat(100_000)), json!(null), json!(["t"])]
        .map(|state| given(&letter("At noon?"), "send_email", state));

    assert_eq!((other_words, other_tool), (Some(-32602), Some(-32602)));
    assert_eq!(forged, [Some(-32602); 6]);
    assert_eq!((desk.items().len(), desk.state(&item)), (1, "pending_approval".to_owned()));
}
