//! All ten clients, each with a configuration as people have them.

use std::fs;
use std::process::{Command, Stdio};

use super::samples::samples;
use super::{PROGRAM, Person};
use crate::world::{list, skipped, told};

#[test]
fn an_entry_goes_in_and_out_and_no_other_byte_changes() {
    for sample in samples() {
        let person = Person::new();
        person.write(sample.file, &sample.before());

        let connected = person.connect(&[sample.client]);
        assert_eq!(person.text(sample.file), sample.after(), "{}", sample.client);
        assert_eq!(connected["state"], "connected");

        let removed = person.connect(&[sample.client, "--remove"]);
        let left = sample.left().replace("<+", "").replace("+>", "");
        assert_eq!(person.text(sample.file), left, "{}", sample.client);
        assert_eq!(removed["state"], "removed");
    }
}

#[test]
fn connecting_twice_changes_nothing_the_second_time() {
    for sample in samples() {
        let person = Person::new();
        let file = person.write(sample.file, &sample.after());
        let written = fs::metadata(&file).unwrap().modified().unwrap();

        let again = person.connect(&[sample.client]);

        assert_eq!(again["state"], "already_connected", "{}", sample.client);
        assert_eq!(person.files(), [sample.file], "no backup of what does not change");
        assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), written);
    }
}

#[test]
fn a_dry_run_shows_a_diff_that_patch_takes_and_writes_nothing() {
    let has_patch = Command::new("patch").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_patch {
        return skipped("a_dry_run_shows_a_diff_that_patch_takes_and_writes_nothing", "no `patch` here");
    }
    for sample in samples() {
        let person = Person::new();
        let file = person.write(sample.file, &sample.before());

        let shown = person.connect(&[sample.client, "--dry-run"]);
        assert_eq!(person.files(), [sample.file], "{}", sample.client);
        assert_eq!(person.text(sample.file), sample.before());

        let diff = person.write("change.diff", shown["diff"].as_str().unwrap());
        let mut patch = Command::new("patch");
        let output = patch.args(["--binary", "-s"]).arg(&file).arg(&diff).output().unwrap();
        assert!(output.status.success(), "{} {}", sample.client, told(&output));
        assert_eq!(person.text(sample.file), sample.after(), "{}", sample.client);
    }
}

#[test]
fn the_backup_is_the_file_as_it_was() {
    for sample in samples() {
        let person = Person::new();
        person.write(sample.file, &sample.before());

        let connected = person.connect(&[sample.client]);

        let backup = format!("{}.mailkeep-backup", sample.file);
        assert_eq!(connected["backup"], person.path(&backup).to_str().unwrap());
        assert_eq!(person.text(&backup), sample.before());
        assert_eq!(person.files(), [sample.file.to_owned(), backup], "nothing else is left behind");
    }
}

#[test]
fn a_client_without_a_file_gets_one_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    for sample in samples() {
        let person = Person::new();

        let connected = person.connect(&[sample.client]);

        assert_eq!(connected["state"], "connected", "{}", sample.client);
        assert!(connected["backup"].is_null());
        assert_eq!(person.files(), [sample.file]);
        assert!(person.text(sample.file).contains(PROGRAM));
        let mode = fs::metadata(person.path(sample.file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", sample.client);
        assert_eq!(person.connect(&[sample.client])["state"], "already_connected");
    }
}

#[test]
fn the_list_and_the_status_say_who_is_connected() {
    let person = Person::new();
    let all: Vec<_> = samples().map(|sample| sample.client).collect();
    for sample in samples() {
        assert_eq!(person.listed(sample.client)["installed"], false, "{}", sample.client);
        person.write(sample.file, &sample.before());
        assert_eq!(person.listed(sample.client)["installed"], true, "{}", sample.client);
        assert_eq!(person.listed(sample.client)["connected"], false, "{}", sample.client);

        person.connect(&[sample.client]);

        let listed = person.listed(sample.client);
        assert_eq!(listed["connected"], true, "{}", sample.client);
        assert_eq!(listed["entries"][0]["command"], PROGRAM);
        assert_eq!(listed["entries"][0]["works"], true);
    }
    let status = person.json(&["status"]);
    assert_eq!(list(&status["clients"]), all);
    assert_eq!(status["server"], serde_json::json!({ "available": true, "command": PROGRAM }));
}

#[test]
fn the_written_command_starts_this_program() {
    let person = Person::new();

    let entry = person.connect(&["cursor"])["entry"].clone();

    let output = Command::new(entry["command"].as_str().unwrap()).arg("--version").output().unwrap();
    assert_eq!(output.stdout, format!("mailkeep {}\n", env!("CARGO_PKG_VERSION")).into_bytes());
}

#[test]
fn an_entry_is_brought_up_to_date_and_keeps_what_the_person_added() {
    let person = Person::new();
    let before = |command: &str| {
        format!(
            r#"{{"mcpServers": {{"mailkeep": {{
  "disabled": true, // on holiday
  "command": "{command}", "env": {{"RUST_LOG": "debug"}},
  "args": ["mcp"]
}}}}}}"#
        )
    };
    person.write(".cursor/mcp.json", &before("/old/bin/mailkeep"));

    let updated = person.connect(&["cursor"]);

    assert_eq!(updated["state"], "updated");
    assert_eq!(person.text(".cursor/mcp.json"), before(PROGRAM));
}

#[test]
fn extensions_that_a_person_switched_off_stay_off() {
    let person = Person::new();
    let before = "extensions:\n  mailkeep:\n    enabled: false\n    type: stdio\n    cmd: /old/mailkeep\n    args:\n    - mcp\n";
    person.write(".config/goose/config.yaml", before);

    person.connect(&["goose"]);

    let after = before.replace("/old/mailkeep", &format!("\"{PROGRAM}\""));
    assert_eq!(person.text(".config/goose/config.yaml"), after);
}

#[test]
fn an_entry_for_the_network_is_replaced_as_a_whole() {
    let person = Person::new();
    person.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"mailkeep": {"url": "http://localhost:8025/mcp"}, "b": {}}}"#,
    );

    person.connect(&["cursor"]);

    let expected = format!(
        r#"{{"mcpServers": {{"mailkeep": {{"command": "{PROGRAM}", "args": ["mcp"]}}, "b": {{}}}}}}"#
    );
    assert_eq!(person.text(".cursor/mcp.json"), expected);
}

#[test]
fn three_channels_become_three_entries_with_no_secret_in_them_and_go_out_again() {
    let person = Person::new();
    let before = "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  }\n}\n";
    person.write(".cursor/mcp.json", before);

    let connected = person.connect(&["cursor", "--channels"]);
    let config: serde_json::Value = serde_json::from_str(&person.text(".cursor/mcp.json")).unwrap();
    let again = person.connect(&["cursor", "--channels"]);
    let removed = person.connect(&["cursor", "--channels", "--remove"]);

    for (name, profile) in
        [("email-mcp", "email"), ("whatsapp-mcp", "whatsapp"), ("linkedin-mcp", "linkedin")]
    {
        let entry = &config["mcpServers"][name];
        assert!(std::path::Path::new(entry["command"].as_str().unwrap()).is_absolute(), "{entry}");
        let arguments = list(&entry["args"]);
        assert!(arguments.windows(2).any(|pair| pair[0] == "--profile" && pair[1] == profile), "{entry}");
        assert_eq!(entry.get("env"), None);
    }
    assert_eq!(list(&connected["entries"]).len(), 3);
    assert!(list(&again["entries"]).iter().all(|entry| entry["state"] == "already_connected"), "{again}");
    assert!(list(&removed["entries"]).iter().all(|entry| entry["state"] == "removed"), "{removed}");
    let left: serde_json::Value = serde_json::from_str(&person.text(".cursor/mcp.json")).unwrap();
    assert_eq!(left, serde_json::from_str::<serde_json::Value>(before).unwrap());
}
