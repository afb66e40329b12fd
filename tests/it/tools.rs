//! What the assistant reads: every tool's answer on the demonstration mailbox, as text and as data. The snapshots are
//! meant to be read.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::world::World;

const ADA: &str = "ada.berg@example.org";

/// An assistant that talks to the real program.
struct Assistant {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    transcript: String,
    /// Ids of the drafts that were made.
    drafts: Vec<String>,
}

impl Assistant {
    fn new(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.command(&["mcp"]);
        command.args(arguments).env("LOG_FILE", world.path("mcp.log"));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { process, input, output: BufReader::new(output), transcript: String::new(), drafts: Vec::new() }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.input, "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Calls a tool and writes down what it answered.
    #[expect(clippy::needless_pass_by_value, reason = "the calls read better")]
    fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": name, "arguments": arguments }));
        let heading = format!("\n======== {name} {arguments}\n");
        let told = match answer.get("error") {
            Some(error) => format!("JSON-RPC error {error}"),
            None => {
                let result = &answer["result"];
                let text = result["content"][0]["text"].as_str().unwrap();
                let data =
                    result.get("structuredContent").map(|data| serde_json::to_string_pretty(data).unwrap());
                format!("{text}\n-------- {}", data.unwrap_or_else(|| result["_meta"].to_string()))
            }
        };
        if name == "create_draft" {
            self.drafts.extend(answer["result"]["structuredContent"]["id"].as_str().map(str::to_owned));
        }
        self.transcript.push_str(&heading);
        self.transcript.push_str(&told);
        answer
    }

    /// The transcript, with what chance decides left out.
    fn finish(mut self) -> String {
        drop(self.input);
        assert!(self.process.wait().unwrap().success());
        let words = self.transcript.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
        words.map(|word| without_chance(word, &self.drafts)).collect()
    }
}

/// A word of the transcript; ids of drafts and the random words of fences become what they are.
fn without_chance(word: &str, drafts: &[String]) -> String {
    let bare = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let stand_in = match bare.len() {
        _ if drafts.iter().any(|id| id == bare) => "DRAFT",
        16 if bare.bytes().all(|byte| byte.is_ascii_hexdigit()) => "NONCE",
        _ => return word.to_owned(),
    };
    word.replace(bare, stand_in)
}

fn demonstration() -> World {
    let world = World::new();
    assert!(world.run(&["demo", "--once"]).status.success());
    world
}

/// The id of the message with this subject.
fn id(world: &World, subject: &str) -> String {
    let answer = world.json(&["search", &format!("subject:\"{subject}\"")]);
    answer["results"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn the_six_tools_of_the_assistant_profile_answer_in_its_words() {
    let world = demonstration();
    let invoice = id(&world, "Invoice CI-2024-112");
    let mut assistant = Assistant::new(&world, &["--profile", "assistant"]);

    assistant.call("list_emails", json!({ "account": ADA, "folder": "inbox", "limit": 2 }));
    assistant
        .call("list_emails", json!({ "account": ADA, "unread_only": true, "sender": "nobody@example.org" }));
    assistant.call("search_emails", json!({ "account": ADA, "query": "kitchen invoice", "limit": 2 }));
    assistant.call("read_email", json!({ "account": ADA, "email_id": invoice }));
    assistant.call("get_attachment", json!({ "account": ADA, "email_id": invoice, "attachment_id": "1" }));
    let draft = json!({ "account": ADA, "to": ["ruben@castellan-interiors.example"], "subject": "Re: Invoice",
        "body": "Paid today.", "reply_to_id": invoice });
    assistant.call("create_draft", draft);
    assistant.call("list_emails", json!({ "account": ADA, "folder": "drafts" }));
    assistant.call("manage_labels", json!({ "account": ADA, "email_id": invoice, "add_labels": ["paid"] }));
    assistant
        .call("manage_labels", json!({ "account": ADA, "email_id": invoice, "remove_labels": ["urgent"] }));
    assistant
        .call("read_email", json!({ "account": "a.berg@northwind-optics.example", "email_id": invoice }));
    assistant.call("read_email", json!({ "email_id": invoice }));
    assistant.call("list_emails", json!({ "account": ADA, "limit": 500 }));

    insta::assert_snapshot!("assistant", assistant.finish());
}

#[test]
fn the_tools_of_the_core_profile_answer_with_text_and_data() {
    let world = demonstration();
    let invoice = id(&world, "Invoice CI-2024-112");
    let kitchen = id(&world, "Re: Kitchen renovation, Lindenallee 14");
    let mut assistant = Assistant::new(&world, &[]);

    assistant.call("list_accounts", json!({}));
    assistant.call("list_emails", json!({ "account": ADA, "limit": 1, "response_format": "detailed" }));
    assistant.call("search_emails", json!({ "account": ADA, "query": "kitchen has:attachment", "limit": 1 }));
    assistant.call("read_email", json!({ "email_id": kitchen, "max_chars": 300 }));
    assistant.call("get_thread", json!({ "thread_id": kitchen }));
    assistant
        .call("get_attachment", json!({ "email_id": invoice, "attachment_id": "invoice-CI-2024-112.pdf" }));
    let draft = json!({ "account": ADA, "body": "Paid today.", "reply_to_id": invoice });
    let answer = assistant.call("create_draft", draft);
    let draft = answer["result"]["structuredContent"]["id"].clone();
    assistant.call("update_draft", json!({ "draft_id": draft, "subject": "Your invoice" }));
    assistant.call("list_drafts", json!({}));
    assistant.call(
        "manage_labels",
        json!({ "account": ADA, "email_id": invoice, "add_labels": ["paid", "STARRED"] }),
    );
    assistant.call("email_stats", json!({ "account": ADA, "group_by": "domain", "limit": 3 }));
    assistant.call("awaiting_reply", json!({ "account": ADA, "days": 30, "waiting_for": "me" }));
    assistant.call("sync_status", json!({}));
    assistant.call("search_emails", json!({ "query": "invoice" }));
    assistant.call("search_emails", json!({ "account": ADA, "query": "form:ada" }));
    assistant.call("list_emails", json!({ "account": ADA, "foldr": "inbox" }));

    insta::assert_snapshot!("core", assistant.finish());
}

#[test]
fn every_answer_fits_the_window_and_pages_reach_the_end() {
    let world = demonstration();
    let mut assistant = Assistant::new(&world, &[]);
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);

    loop {
        let answer = assistant.call("list_emails", json!({ "account": ADA, "limit": 100, "cursor": cursor }));
        let size = answer["result"].to_string().chars().count();
        assert!(size < 40_000, "{size}");
        let data = &answer["result"]["structuredContent"];
        seen.extend(data["items"].as_array().unwrap().iter().map(|item| item["id"].to_string()));
        cursor = data["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }

    let count = seen.len() as u64;
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len() as u64, count, "no message came twice");
    let accounts = assistant.call("list_accounts", json!({}));
    let accounts = &accounts["result"]["structuredContent"]["items"];
    let ada = accounts.as_array().unwrap().iter().find(|account| account["address"] == ADA).unwrap();
    assert_eq!(ada["mailboxes"][0]["count"], count);
}

#[test]
fn the_readme_lists_the_tools_that_there_are() {
    let table = mailkeep::tools::registry::table();
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();

    assert!(readme.contains(&table), "put this table into README.md:\n{table}");
}

#[test]
fn definitions_stay_small() {
    let bytes = |profile: &str| {
        let world = World::new();
        let mut assistant = Assistant::new(&world, &["--profile", profile]);
        let answer = assistant.ask("tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        let size = |tool: &Value| {
            json!({ "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"] })
                .to_string()
                .len()
        };
        (tools.len(), tools.iter().map(size).sum::<usize>())
    };

    let (count, core) = bytes("core");
    assert!(core <= 6_000, "{count} tools of core take {core} bytes");
    let (count, full) = bytes("full");
    assert!(full <= 440 * count, "{count} tools take {full} bytes");
}
