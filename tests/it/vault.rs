//! The profile `vault`: notes with the names, inputs, outputs and errors of their document, on real files.

mod attacks;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::speaks_mcp::over_http::Served;
use crate::world::World;
use crate::world::assistant::{Assistant, text_of};

/// A vault beside a home that has no mail.
struct Notes {
    world: World,
    root: PathBuf,
}

impl Notes {
    fn new() -> Self {
        let world = World::new();
        let root = world.path("place/vault");
        fs::create_dir_all(&root).unwrap();
        Self { world, root }
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    fn assistant(&self, profile: &str) -> Assistant {
        let mut command = self.world.command(&["mcp", "--profile", profile]);
        command.env("VAULT_PATH", &self.root).env("LOG_FILE", self.world.path("mcp.log"));
        Assistant::of(&mut command)
    }
}

/// The answer of a call that worked; its text says the same as its data.
fn told(answer: &Value) -> Value {
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{answer}");
    let text: Value = serde_json::from_str(text_of(result)).unwrap();
    assert_eq!(text, result["structuredContent"], "{answer}");
    text
}

/// The word of a call that was refused.
fn refused(answer: &Value) -> String {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    let error: Value = serde_json::from_str(text_of(result)).unwrap();
    assert!(!error["message"].as_str().unwrap().is_empty());
    error["error"].as_str().unwrap().to_owned()
}

fn paths(list: &Value) -> Vec<&str> {
    list["notes"].as_array().unwrap().iter().map(|note| note["path"].as_str().unwrap()).collect()
}

#[test]
fn the_profile_has_its_five_tools_and_their_inputs() {
    let notes = Notes::new();
    let tools = notes.assistant("vault").ask("tools/list", &json!({}))["result"]["tools"].clone();

    let shape = |tool: &Value| {
        let schema = &tool["inputSchema"];
        let types: Vec<_> = schema["properties"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, schema)| format!("{name}: {}", schema["type"].as_str().unwrap()))
            .collect();
        (tool["name"].as_str().unwrap().to_owned(), types.join(", "), schema["required"].to_string())
    };
    let shapes: Vec<_> = tools.as_array().unwrap().iter().map(shape).collect();
    let expected = [
        ("read_note", "path: string", "[\"path\"]"),
        (
            "write_note",
            "body: string, frontmatter: object, path: string",
            "[\"path\",\"frontmatter\",\"body\"]",
        ),
        ("list_notes", "directory: string, filter: string", "[\"directory\"]"),
        ("move_note", "destination: string, source: string", "[\"source\",\"destination\"]"),
        ("search_notes", "query: string", "[\"query\"]"),
    ];
    assert_eq!(
        shapes,
        expected.map(|(name, types, required)| (name.to_owned(), types.to_owned(), required.to_owned()))
    );
}

#[test]
fn a_note_goes_the_way_of_the_document() {
    let notes = Notes::new();
    let mut assistant = notes.assistant("vault");
    let note = json!({
        "path": "Needs_Action/2026/email-001.md",
        "frontmatter": {
            "status": "pending", "to": "bob@example.org", "count": 3, "ratio": 1.5, "urgent": true, "none": null,
            "due": "2026-02-24", "tags": ["mail", "a: b", 7], "who": { "name": "Bob", "others": [] }, "text": "a\nb\r\n# c",
        },
        "body": "---\nnot: frontmatter\n---\nHello Ünïcode 日本語\r\nno end",
    });

    let written = told(&assistant.call("write_note", note.clone()));
    let read = told(&assistant.call("read_note", json!({ "path": "./Needs_Action//2026/email-001.md" })));
    let moved = told(
        &assistant.call("move_note", json!({ "source": note["path"], "destination": "Drafts/reply.md" })),
    );
    let gone = refused(&assistant.call("read_note", json!({ "path": note["path"] })));
    let there = told(&assistant.call("list_notes", json!({ "directory": "Drafts" })));

    assert_eq!(written, note);
    assert_eq!(read, note);
    assert_eq!((moved, gone.as_str()), (json!({ "moved": true }), "not_found"));
    assert_eq!(there, json!({ "notes": [{ "path": "Drafts/reply.md" }] }));
    assert!(!notes.world.home().exists(), "no store and no home are needed");
}

/// The text of a request as a client writes it: the order of its members is the client's.
#[test]
fn keys_are_written_in_the_order_they_came() {
    let notes = Notes::new();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note","arguments":
        {"path":"a.md","frontmatter":{"zeta":1,"to":"bob","alpha":[2]},"body":"x"}}}"#
        .replace('\n', "");
    let mut command = notes.world.command(&["mcp", "--profile", "vault"]);
    command.env("VAULT_PATH", &notes.root).env("LOG_FILE", notes.world.path("mcp.log"));
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut process = command.spawn().unwrap();
    std::io::Write::write_all(&mut process.stdin.take().unwrap(), request.as_bytes()).unwrap();

    let answer: Value = serde_json::from_slice(&process.wait_with_output().unwrap().stdout).unwrap();

    assert_eq!(notes.text("a.md"), "---\nzeta: 1\nto: bob\nalpha:\n  - 2\n---\nx");
    assert!(text_of(&answer["result"]).contains(r#"{"zeta":1,"to":"bob","alpha":[2]}"#), "{answer}");
}

#[test]
fn writing_keeps_what_it_was_not_told_to_change() {
    let notes = Notes::new();
    let text = "\u{feff}---\r\n# mine\r\nstatus: pending # why\r\naliases: [One, 'Two']\r\nweight: 1.50\r\n---\r\nOld\r\n";
    notes.put("a.md", text);
    let mut assistant = notes.assistant("vault");
    let write =
        |frontmatter: Value, body: &str| json!({ "path": "a.md", "frontmatter": frontmatter, "body": body });

    let read = told(&assistant.call("read_note", json!({ "path": "a.md" })));
    told(&assistant.call("write_note", write(read["frontmatter"].clone(), read["body"].as_str().unwrap())));
    let same = notes.text("a.md");
    let changed =
        told(&assistant.call("write_note", write(json!({ "status": "done", "new": "x" }), "New\r\n")));

    assert_eq!(same, text);
    assert_eq!(
        notes.text("a.md"),
        "\u{feff}---\r\n# mine\r\nstatus: done # why\r\naliases: [One, 'Two']\r\nweight: 1.50\r\nnew: x\r\n---\r\nNew\r\n"
    );
    assert_eq!(changed["frontmatter"]["aliases"], json!(["One", "Two"]));
}

#[test]
fn notes_are_filtered_by_every_kind_of_value() {
    let notes = Notes::new();
    let fields = "status: pending\nurl: https://a.example:80/x\nnumber: 42\ndone: false\ndue: 2026-02-24\ntags: [mail, work]\n";
    notes.put("Needs_Action/a.md", &format!("---\n{fields}---\n"));
    notes.put("Needs_Action/b.md", "---\nstatus: done\n---\n");
    notes.put("Needs_Action/broken.md", "---\nstatus: [\n---\n");
    notes.put("Needs_Action/sub/c.md", &format!("---\n{fields}---\n"));
    notes.put("Needs_Action/image.png", "status: pending");
    let mut assistant = notes.assistant("vault");
    let mut list = |filter: Value| {
        told(&assistant.call("list_notes", json!({ "directory": "Needs_Action/", "filter": filter })))
    };

    for filter in [
        "status:pending",
        "url:https://a.example:80/x",
        "number:42",
        "done:false",
        "due:2026-02-24",
        "tags:work",
    ] {
        assert_eq!(paths(&list(json!(filter))), ["Needs_Action/a.md"], "{filter}");
    }
    assert_eq!(paths(&list(json!("status:nothing"))).len(), 0);
    assert_eq!(paths(&list(Value::Null)).len(), 3);
    let wrong = assistant.call("list_notes", json!({ "directory": "Needs_Action", "filter": "pending" }));
    assert_eq!(refused(&wrong), "invalid_request");
    let missing = assistant.call("list_notes", json!({ "directory": "Nowhere" }));
    assert_eq!(refused(&missing), "not_found");
    assert!(text_of(&missing["result"]).contains("Needs_Action"), "it names the folders that there are");
}

#[test]
fn a_search_looks_into_bodies_and_values_in_any_case() {
    let notes = Notes::new();
    notes.put("a.md", "---\nsubject: Quarterly Report\nkeyword: x\n---\nNothing\n");
    notes.put(
        "deep/er/b.md",
        &format!("{}\nThe QUARTERLY\u{a0}numbers are zero-width\u{200b}\n", "x ".repeat(300)),
    );
    notes.put(".obsidian/c.md", "quarterly");
    notes.put("Approved/d.md", "Grüße, quarterly");
    let mut assistant = notes.assistant("vault");
    let mut search = |query: &str| told(&assistant.call("search_notes", json!({ "query": query })));

    let found = search("quarterly");
    assert_eq!(paths(&found), ["Approved/d.md", "a.md", "deep/er/b.md"]);
    for note in found["notes"].as_array().unwrap() {
        let snippet = note["snippet"].as_str().unwrap();
        assert!(snippet.to_lowercase().contains("quarterly") && snippet.len() < 300, "{snippet}");
        assert!(!snippet.contains('\u{200b}'));
    }
    assert_eq!(paths(&search("GRÜSSE")).len() + paths(&search("GRÜße")).len(), 1);
    assert_eq!(paths(&search("keyword")).len(), 0, "keys are not searched");
    assert_eq!(paths(&search("no such words")).len(), 0);
}

#[test]
fn long_answers_say_how_to_go_on() {
    let notes = Notes::new();
    for number in 0..620 {
        notes.put(&format!("many/{number:04}.md"), "needle");
    }
    notes.put("long.md", &format!("---\na: 1\n---\n{}é-end", "x".repeat((1 << 20) - 1)));
    let mut assistant = notes.assistant("vault");
    let mut all = |tool: &str, mut arguments: Value| {
        let (mut answers, mut texts) = (Vec::new(), String::new());
        loop {
            let answer = told(&assistant.call(tool, arguments.clone()));
            answers.extend(answer["notes"].as_array().into_iter().flatten().cloned());
            texts.push_str(answer["body"].as_str().unwrap_or_default());
            match answer.get("next_cursor") {
                Some(next) => arguments["cursor"] = next.clone(),
                None => return (answers, texts),
            }
        }
    };

    let listed = all("list_notes", json!({ "directory": "many" })).0;
    let found = all("search_notes", json!({ "query": "NEEDLE" })).0;
    let body = all("read_note", json!({ "path": "long.md" })).1;

    assert_eq!((listed.len(), found.len()), (620, 620));
    assert!(listed.windows(2).all(|pair| pair[0]["path"].as_str() < pair[1]["path"].as_str()));
    assert!(body.len() == (1 << 20) + 5 && body.ends_with("é-end"));
    let half = assistant.call("write_note", json!({ "path": "long.md", "frontmatter": {}, "body": "short" }));
    assert_eq!(refused(&half), "invalid_request", "what nobody can have read whole is not replaced");
}

#[test]
fn a_broken_note_is_told_and_left_alone() {
    let notes = Notes::new();
    let broken = "---\nstatus: [pending\nkey: x\n---\nPrecious\n";
    notes.put("a.md", broken);
    fs::write(notes.root.join("latin.md"), b"caf\xe9").unwrap();
    let mut assistant = notes.assistant("vault");

    for path in ["a.md", "latin.md"] {
        assert_eq!(refused(&assistant.call("read_note", json!({ "path": path }))), "parse_error");
        let write = json!({ "path": path, "frontmatter": { "status": "done" }, "body": "x" });
        assert_eq!(refused(&assistant.call("write_note", write)), "parse_error");
    }
    told(&assistant.call("move_note", json!({ "source": "a.md", "destination": "mend/a.md" })));

    assert_eq!(notes.text("mend/a.md"), broken);
    assert_eq!(fs::read(notes.root.join("latin.md")).unwrap(), b"caf\xe9");
    assert_eq!(paths(&told(&assistant.call("search_notes", json!({ "query": "precious" })))), ["mend/a.md"]);
}

#[test]
fn a_wrong_argument_is_no_broken_note() {
    let notes = Notes::new();
    let mut assistant = notes.assistant("vault");

    for (tool, arguments) in [
        ("read_note", json!({})),
        ("read_note", json!({ "path": 7 })),
        ("read_note", json!({ "path": "" })),
        ("read_note", json!({ "path": "image.png" })),
        ("write_note", json!({ "path": "a.md", "body": "x" })),
        ("write_note", json!({ "path": "a.md", "frontmatter": "status: x", "body": "x" })),
        ("write_note", json!({ "path": "a.txt", "frontmatter": {}, "body": "x" })),
        ("search_notes", json!({ "query": " " })),
        ("list_notes", json!({ "directory": "", "filte": "x" })),
    ] {
        assert_eq!(refused(&assistant.call(tool, arguments)), "invalid_request", "{tool}");
    }
    assert_eq!(fs::read_dir(&notes.root).unwrap().count(), 0);
}

#[test]
fn the_vault_is_part_of_everything_over_both_transports_and_from_the_configuration() {
    let notes = Notes::new();
    notes.put("a.md", "from the configuration");
    let config = notes.world.write("config.toml", format!("[vault]\npath = \"{}\"\n", notes.root.display()));
    let asked = json!({ "name": "read_note", "arguments": { "path": "a.md" } });
    let body = |answer: &Value| answer["result"]["structuredContent"]["body"].clone();

    let mut full = notes.world.command(&["mcp", "--profile", "full"]);
    full.arg("--config").arg(&config).env_remove("VAULT_PATH").env("LOG_FILE", notes.world.path("mcp.log"));
    let over_stdio = Assistant::of(&mut full).ask("tools/call", &asked);
    let mut serve = notes.world.command(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--no-token",
        "--no-sync",
        "--profile",
        "vault",
    ]);
    serve
        .arg("--config")
        .arg(&config)
        .env_remove("VAULT_PATH")
        .env("LOG_FILE", notes.world.path("server.log"));
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked });
    let over_http = Served::run(&mut serve).post(&request, &[]).json();
    let mut none = notes.world.command(&["mcp", "--profile", "vault"]);
    none.env_remove("VAULT_PATH").env("LOG_FILE", notes.world.path("mcp.log"));
    let without = Assistant::of(&mut none).call("read_note", json!({ "path": "a.md" }));

    assert_eq!(
        (body(&over_stdio), body(&over_http)),
        (json!("from the configuration"), json!("from the configuration"))
    );
    assert_eq!(refused(&without), "not_found");
    assert!(text_of(&without["result"]).contains("VAULT_PATH"));
}

/// Everything below a directory, with what it holds.
fn everything(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        match entry.path() {
            path if entry.file_type().unwrap().is_dir() => found.extend(everything(&path)),
            path => found.push((path.clone(), fs::read(&path).unwrap_or_default())),
        }
    }
    found.sort();
    found
}
