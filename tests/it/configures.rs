//! The settings: where they are, what is wrong with them, and that each of them is explained.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::world::conversation::{ask, call};
use crate::world::{World, read_json};

/// Runs `mailkeep config ...` with this file.
fn config(text: &str, arguments: &[&str]) -> std::process::Output {
    let world = World::new();
    let file = world.write("config.toml", text);
    world.command(&["--config"]).arg(file).arg("config").args(arguments).output().unwrap()
}

#[test]
fn a_wrong_file_is_explained_by_line_and_column() {
    let wrong = "[sync]\npoll = 60\n\n[shield]\nsendres = [\"bank.example\"]\n";

    let output = config(wrong, &["check"]);

    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("line 5, column 1") && said.contains("sendres") && said.contains("senders"),
        "{said}"
    );
}

#[test]
fn what_is_right_and_does_nothing_is_told() {
    let text = "[orchestrator]\nservers = { slack = { command = [\"x\"] }, gmail = { command = [\"y\"] } }\n";

    let warnings = read_json(&config(text, &["check", "--json"]))["warnings"].clone();
    let said = String::from_utf8(config(text, &["check"]).stdout).unwrap();

    assert_eq!(warnings.as_array().unwrap().len(), 2, "{warnings}");
    assert!(
        said.contains("`slack`") && said.contains("`label`") && !said.contains("nothing is wrong"),
        "{said}"
    );
    assert_eq!(read_json(&config("", &["check", "--json"]))["warnings"], json!([]));
}

#[test]
fn what_is_in_force_is_shown_with_where_it_comes_from_and_without_secrets() {
    let text = "[sync]\npoll = 60\n[oauth.google]\nclient_id = \"us\"\nclient_secret = \"canary\"\n";

    let shown = String::from_utf8(config(text, &["show"]).stdout).unwrap();
    let json = read_json(&config(text, &["show", "--json"]));

    let lines: Vec<_> = shown.lines().collect();
    assert!(lines.contains(&"poll = 60") && lines.contains(&"# background = true"), "{shown}");
    assert!(lines.contains(&"client_secret = \"(set)\""), "{shown}");
    assert!(!shown.contains("canary") && !json.to_string().contains("canary"));
    let from = |key: &str| {
        let settings = json["settings"].as_array().unwrap();
        settings.iter().find(|setting| setting["key"] == key).unwrap()["from"].clone()
    };
    assert_eq!((from("sync.poll"), from("sync.gone")), (Value::from("file"), Value::from("default")));
}

#[test]
fn the_file_is_named_also_where_there_is_none() {
    let world = World::new();
    let missing = world.path("none.toml");

    let mut command = world.command(&["config", "path", "--json"]);
    let output = command.env("MAILKEEP_CONFIG", &missing).output();

    assert_eq!(read_json(&output.unwrap())["exists"], false);
}

/// The names of variables that files below a directory read.
fn variables(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(variables(&path));
        } else if let Ok(text) = fs::read_to_string(&path) {
            let quoted = text.split('"').filter(|word| word.starts_with("MAILKEEP_"));
            found.extend(quoted.map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_variable_that_the_program_reads_is_explained() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/config.md")).unwrap();
    let is_for_people = |name: &String| {
        let is_a_name = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        is_a_name && !name.starts_with("MAILKEEP_TEST_")
    };

    let missing: Vec<_> = variables(&root.join("src"))
        .into_iter()
        .filter(is_for_people)
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();

    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_owners_limits_hold_for_every_profile() {
    let world = World::new();
    world.import(&world.write("one.eml", "From: a@example.org\r\nSubject: hello\r\n\r\nhello\r\n"));
    let file = world.write("limits.toml", "[limits]\ncalls_per_minute = 2\n");
    let calls: Vec<_> = (1..=3).map(|id| call(id, "list_accounts", &json!({}))).collect();

    let answers = ask(world.command(&["mcp", "--config"]).arg(file), &calls);

    let refused: Vec<_> = answers.values().filter(|answer| answer["result"]["isError"] == true).collect();
    assert_eq!(refused.len(), 1, "{answers:?}");
    assert!(refused[0].to_string().contains("rate_limited"), "{}", refused[0]);
}
