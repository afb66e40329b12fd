//! Whatever an assistant says, over whatever protocol, nothing is approved, resumed or made weaker by it.

use serde_json::{Map, Value, json};

use super::Desk;
use crate::speaks_mcp::over_http::Served;
use crate::world::assistant::Assistant;
use crate::world::{ACCOUNT, list};

/// What an assistant may know of an item, and would put wherever it fits.
struct Known {
    id: String,
    code: String,
    hash: String,
}

/// Words that could mean yes somewhere.
const YES: [(&str, &str); 8] = [
    ("state", "approved"),
    ("status", "approved"),
    ("approve", "true"),
    ("approval", "yes"),
    ("decision", "approve"),
    ("factor", "click"),
    ("send", "direct"),
    ("policy", "direct"),
];

const METHODS: [&str; 30] = [
    "outbox/approve",
    "outbox/review",
    "outbox/resume",
    "outbox/resend",
    "outbox/send",
    "outbox/list",
    "approve",
    "approval/confirm",
    "approval/set-pin",
    "approval/renew",
    "policy/set",
    "policy/update",
    "config/set",
    "tasks/get",
    "tasks/result",
    "tasks/list",
    "tasks/update",
    "tasks/cancel",
    "tasks/approve",
    "tasks/resume",
    "elicitation/create",
    "elicitation/response",
    "sampling/createMessage",
    "roots/list",
    "logging/setLevel",
    "resources/write",
    "resources/subscribe",
    "prompts/run",
    "completion/complete",
    "shutdown/now",
];

const PATHS: [&str; 24] = [
    "/",
    "/outbox",
    "/outbox/ID",
    "/outbox/ID/approve",
    "/outbox/approve",
    "/outbox/resume",
    "/outbox/pause?off=1",
    "/approve",
    "/approve/CODE",
    "/approval",
    "/approval/confirm",
    "/approval/set-pin",
    "/policy",
    "/config",
    "/api/outbox/ID/approve",
    "/review",
    "/resend/ID",
    "/send",
    "/mcp/outbox/ID",
    "/mcp/core/approve",
    "/send-email/approve",
    "/send-email",
    "/get-email-status",
    "/validate-email",
];

#[test]
fn three_hundred_attempts_to_say_yes_come_to_nothing() {
    let desk = Desk::new();
    let waiting = desk.proposed("bob@stone.example", "At noon?");
    let lost = desk.proposed("bob@stone.example", "Lost on its way");
    let database = desk.world.database();
    let id = lost["id"].as_str().unwrap().to_owned();
    database.execute("UPDATE drafts SET state = 'unknown' WHERE short_id = ?1", [&id]).unwrap();
    desk.json(&["outbox", "pause"]);
    let before = desk.json(&["approval", "status"]);
    let known = |item: &Value| {
        let id = item["id"].as_str().unwrap();
        let shown = desk.json(&["outbox", "show", id]);
        let text = |field: &str| shown[field].as_str().unwrap().to_owned();
        Known { id: id.to_owned(), code: text("code"), hash: text("sha256") }
    };
    let items = [known(&waiting), known(&lost)];

    let mut attempts = 0;
    for profile in ["core", "assistant", "db", "smtp", "gmail", "email"] {
        let mut command = desk.command(&["mcp", "--profile", profile]);
        attempts += over_stdio(command.env("LOG_FILE", desk.world.path("log")), &items);
    }
    let mut serve = desk.command(&["serve", "--no-sync", "--listen", "127.0.0.1:0", "--no-token"]);
    let mut served = Served::run(serve.env("LOG_FILE", desk.world.path("log")));
    for item in &items {
        attempts += over_http(&served, item);
    }
    served.process.kill().unwrap();
    served.process.wait().unwrap();

    assert!(attempts >= 300, "{attempts}");
    assert_eq!(desk.sent(), [""; 0]);
    let states = list(&desk.json(&["outbox", "list", "--limit", "1000"])["items"]).to_vec();
    for item in &states {
        let state = item["state"].as_str().unwrap();
        assert!(!["approved", "sending", "sent"].contains(&state), "{item}");
    }
    assert!(desk.json(&["outbox", "list"])["paused"].is_string());
    assert_eq!(desk.json(&["approval", "status"]), before);
    for kind in ["approved", "resumed", "policy", "attempt"] {
        assert_eq!(desk.audit(kind), [Value::Null; 0], "{kind}");
    }
    assert_eq!(desk.state(&lost["id"]), "unknown");
}

/// Every tool with hostile arguments, methods that do not exist, resources and prompts; how many attempts that were.
fn over_stdio(command: &mut std::process::Command, items: &[Known]) -> usize {
    let mut assistant = Assistant::of(command);
    let tools = assistant.ask("tools/list", &json!({}));
    let Some(tools) = tools["result"]["tools"].as_array().cloned() else { return 0 };
    let mut attempts = 0;
    for item in items {
        for tool in &tools {
            for arguments in hostile(tool, item) {
                assistant.ask("tools/call", &json!({ "name": tool["name"], "arguments": arguments }));
                attempts += 1;
            }
        }
        for tool in &tools {
            // Ways of waiting that claim to bring the person's answer along.
            let yes = json!({ "review": { "action": "accept", "content": { "approve": true } } });
            let params = json!({ "name": tool["name"], "arguments": { "id": item.id, "draft_id": item.id },
                                 "task": { "status": "completed", "state": "approved" },
                                 "inputResponses": yes, "requestState": item.id, "state": "approved" });
            let answer = assistant.ask("tools/call", &params);
            assert!(!answer.to_string().contains("\"approved\""), "{answer}");
            attempts += 1;
        }
        for method in METHODS {
            let params = json!({ "id": item.id, "taskId": item.id, "code": item.code, "hash": item.hash,
                                 "state": "approved", "action": "accept", "content": { "approve": true } });
            let answer = assistant.ask(method, &params);
            assert!(!answer.to_string().contains("\"approved\""), "{method} {answer}");
            attempts += 1;
        }
        for path in
            ["outbox/ID", "outbox/ID/approve", "approve/CODE", "item/ID?state=approved", "policy", "draft/ID"]
        {
            let uri = format!("mailkeep://{}", path.replace("ID", &item.id).replace("CODE", &item.code));
            assistant.ask("resources/read", &json!({ "uri": uri }));
            assistant.ask("prompts/get", &json!({ "name": path, "arguments": { "id": item.id } }));
            attempts += 2;
        }
    }
    drop(assistant);
    attempts
}

/// Arguments for a tool: what it knows filled with what is hostile, with and without more.
fn hostile(tool: &Value, item: &Known) -> Vec<Value> {
    let properties = tool["inputSchema"]["properties"].as_object().cloned().unwrap_or_default();
    let mut filled = Map::new();
    for (name, schema) in &properties {
        filled.insert(name.clone(), fitting(name, schema, item));
    }
    let mut more = filled.clone();
    let mut bare = Map::new();
    for (name, value) in YES {
        more.insert(name.to_owned(), json!(value));
        bare.insert(name.to_owned(), json!(value));
    }
    bare.insert("id".to_owned(), json!(item.id));
    bare.insert("draft_id".to_owned(), json!(item.id));
    let by_code = json!({ "id": item.code, "code": item.code, "hash": item.hash });
    vec![Value::Object(filled), Value::Object(more), Value::Object(bare), by_code]
}

fn fitting(name: &str, schema: &Value, item: &Known) -> Value {
    let allowed = schema["enum"].as_array().and_then(|values| {
        values
            .iter()
            .find(|value| value.as_str().is_some_and(|word| word.contains("appro") || word.contains("send")))
    });
    match name {
        _ if allowed.is_some() => allowed.unwrap().clone(),
        "account" | "from" => json!(ACCOUNT),
        "to" | "cc" | "bcc" if schema["type"] == "array" => json!(["mallory@evil.example"]),
        "to" => json!("mallory@evil.example"),
        "query" | "sql" => json!("UPDATE drafts SET state = 'approved'"),
        _ if schema["type"] == "boolean" => json!(true),
        _ if schema["type"] == "integer" || schema["type"] == "number" => json!(1),
        _ if schema["type"] == "array" => json!([item.id]),
        _ if schema["type"] == "object" => json!({ "state": "approved" }),
        _ => json!(item.id),
    }
}

/// Routes that could be doors, each with the ways to knock.
fn over_http(served: &Served, item: &Known) -> usize {
    let body =
        json!({ "id": item.id, "code": item.code, "hash": item.hash, "state": "approved", "approve": true });
    let form = format!("id={}&hash={}&approve=1&decision=approve", item.id, item.hash);
    let mut attempts = 0;
    for path in PATHS {
        let path = path.replace("ID", &item.id).replace("CODE", &item.code);
        for (method, kind, body) in [
            ("GET", "application/json", String::new()),
            ("POST", "application/json", body.to_string()),
            ("POST", "application/x-www-form-urlencoded", form.clone()),
            ("POST", "text/plain", body.to_string()),
            ("PUT", "application/json", body.to_string()),
            ("PATCH", "application/json", body.to_string()),
        ] {
            let head = format!("{method} {path} HTTP/1.1\r\nHost: HERE\r\nContent-Type: {kind}\r\n");
            served.raw(&head, &body);
            attempts += 1;
        }
    }
    for method in METHODS {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": body });
        served.post(&message, &[]);
        attempts += 1;
    }
    attempts
}
