//! The page that clients show beside a call.

use serde_json::{Value, json};

use super::{Desk, call, letter, modern};
use crate::speaks_mcp::client::code;

const URI: &str = "ui://mailkeep/proposal";
const SHOWS: &str = "io.modelcontextprotocol/ui";

fn page(desk: &Desk) -> Value {
    let answer = desk.stdio(&[]).ask("resources/read", &json!({ "uri": URI }));
    answer["result"]["contents"][0].clone()
}

#[test]
fn the_tools_that_propose_name_a_page_and_there_is_one() {
    let desk = Desk::new();
    let mut client = desk.stdio(&[]);
    let listed = client.ask("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone();
    let found = client.ask("server/discover", &modern(json!({}), &[]));

    let with_page: Vec<_> = listed.iter().filter(|tool| tool["_meta"]["ui"]["resourceUri"] == URI).collect();
    let names: Vec<_> = with_page.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let page = page(&desk);

    assert_eq!(names, ["send_email", "forward", "unsubscribe"]);
    assert_eq!(with_page[0]["_meta"]["ui/resourceUri"], URI);
    assert_eq!(found["result"]["capabilities"]["extensions"][SHOWS], json!({}));
    assert_eq!((&page["uri"], &page["mimeType"]), (&json!(URI), &json!("text/html;profile=mcp-app")));
    assert_eq!(page["_meta"]["ui"]["csp"]["connectDomains"], json!([]));
    for profile in ["gmail", "smtp", "email", "assistant", "db"] {
        let mut other = desk.stdio(&["--profile", profile]);
        let listed = other.ask("tools/list", &json!({})).to_string();
        let read = other.ask("resources/read", &json!({ "uri": URI }));
        assert!(!listed.contains("ui://") && code(&read).is_some(), "{profile}");
    }
}

#[test]
fn the_page_is_small_fetches_nothing_and_has_no_way_to_say_yes() {
    let page = page(&Desk::new())["text"].as_str().unwrap().to_owned();

    assert!(page.len() <= 12 << 10, "{}", page.len());
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("default-src 'none'"));
    for forbidden in [
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "XMLHttp",
        "WebSocket",
        "EventSource",
        "sendBeacon",
        "import(",
        "<img",
        "<link",
        "src=",
        "href=",
        "<form",
        "<a ",
        "<iframe",
        "url(",
        "localStorage",
        "cookie",
        "window.open",
        "location",
        "http://",
        "https://",
        "ui/message",
        "update-model-context",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let called: Vec<_> =
        page.match_indices("call(\"").map(|(at, _)| page[at + 6..].split('"').next().unwrap()).collect();
    assert_eq!(called, ["get_send_status", "withdraw_send"]);
}

#[test]
fn a_client_that_shows_the_page_gets_the_text_that_would_leave_beside_the_answer() {
    let desk = Desk::new();
    let mut client = desk.stdio(&[]);
    let long = "é".repeat(5_000);

    let shown = client.ask("tools/call", &modern(call("send_email", &letter(&long)), &[SHOWS]));
    let id = &shown["result"]["structuredContent"]["id"];
    let later = client.ask("tools/call", &modern(call("get_send_status", &json!({ "id": id })), &[SHOWS]));
    let plain = client.ask("tools/call", &modern(call("get_send_status", &json!({ "id": id })), &[]));

    for answer in [&shown, &later] {
        let beside = &answer["result"]["_meta"]["mailkeep/proposal"];
        assert_eq!(beside["text"].as_str().unwrap().chars().count(), 4_000);
        assert_eq!(beside["more"], 1_000, "{beside}");
        assert!(!answer["result"]["content"].to_string().contains("éé"), "models are not told twice");
    }
    assert_eq!(plain["result"]["_meta"].get("mailkeep/proposal"), None);
}
