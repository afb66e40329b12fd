//! A home that cannot be looked into is not an empty one, and where nothing is nothing is called sound.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use mailkeep::store::{Reader, Store};
use serde_json::json;

use super::filled;
use crate::world::conversation::{ask, call};
use crate::world::{World, list, read_json, skipped, text, told};

/// Commands that only read, and would show an empty archive where there is none.
const READING: [&[&str]; 9] = [
    &[],
    &["count", ""],
    &["search", "numbers"],
    &["status"],
    &["stats"],
    &["sql", "SELECT count(*) FROM emails"],
    &["reindex"],
    &["verify"],
    &["export", "", "--to", "out.mbox"],
];

fn assert_unreadable(run: impl Fn(&[&str]) -> Command) {
    for arguments in READING {
        let output = run(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?} {}", told(&output));
        let error = read_json(&output)["error"].clone();
        assert_eq!(error["code"], "store_unreadable", "{arguments:?} {error}");
        assert!(error["hint"].as_str().unwrap().contains("permissions"), "{error}");
    }
    let doctor = run(&["doctor"]).output().unwrap();
    assert_eq!(doctor.status.code(), Some(1), "{}", told(&doctor));
    let findings = read_json(&doctor)["findings"].clone();
    let store = list(&findings).iter().find(|finding| finding["what"] == "mail store").unwrap();
    assert_eq!(store["ok"], false, "{findings}");
}

#[test]
fn a_store_behind_a_link_without_end_is_an_error_and_not_an_empty_one() {
    let world = World::new();
    fs::create_dir(world.home()).unwrap();
    std::os::unix::fs::symlink("mail.db", world.home().join("mail.db")).unwrap();

    assert_unreadable(|arguments| {
        let mut command = world.command(&["--json"]);
        command.args(arguments).current_dir(world.path(""));
        command
    });
}

#[test]
fn a_home_below_a_file_is_an_error_and_not_an_empty_one() {
    let world = World::new();
    let file = world.write("file", "not a directory");
    let world = World::with_home(&file.join("home"));

    assert_unreadable(|arguments| {
        let mut command = world.command(&["--json"]);
        command.args(arguments).current_dir(world.path(""));
        command
    });
}

/// The command without the right to read everything, which root has.
fn like_anybody(command: &Command) -> Command {
    let mut weak = Command::new("setpriv");
    weak.args(["--bounding-set", "-dac_override,-dac_read_search"]).arg(command.get_program());
    weak.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => weak.env(name, value),
            None => weak.env_remove(name),
        };
    }
    weak
}

#[test]
fn a_home_without_permission_is_an_error_and_not_an_empty_one() {
    if !like_anybody(&Command::new("true")).status().is_ok_and(|status| status.success()) {
        return skipped("a_home_without_permission", "needs `setpriv` and root");
    }
    let world = filled();
    let readable = fs::metadata(world.home()).unwrap().permissions();
    fs::set_permissions(world.home(), fs::Permissions::from_mode(0o000)).unwrap();

    assert_unreadable(|arguments| {
        let mut command = like_anybody(world.command(&["--json"]).args(arguments));
        command.current_dir(world.path(""));
        command
    });

    fs::set_permissions(world.home(), readable).unwrap();
    assert!(world.count("numbers") > 0);
}

#[test]
fn an_assistant_is_told_too_that_the_home_cannot_be_read() {
    let world = World::new();
    fs::create_dir(world.home()).unwrap();
    std::os::unix::fs::symlink("mail.db", world.home().join("mail.db")).unwrap();

    let calls = [call(1, "search_emails", &json!({ "query": "x" })), call(2, "list_accounts", &json!({}))];
    let answers = ask(&mut world.command(&["mcp"]), &calls);

    for answer in answers.values() {
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(answer.to_string().contains("cannot be read"), "{answer}");
    }
}

#[test]
fn where_there_is_no_store_nothing_is_called_sound() {
    let world = World::new();

    let error = world.failure(&["verify"]);
    let shown = world.run(&["verify"]);

    assert_eq!(error["code"], "store_missing");
    assert!(error["hint"].is_string());
    assert!(shown.stdout.is_empty(), "{}", told(&shown));
    assert!(!Path::new(text(world.home())).exists(), "asking makes nothing");
}

/// Opens the store as any program may, looks, and closes it.
const LOOK: &str = "
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute('SELECT count(*) FROM messages').fetchone()
store.close()";

/// Whoever closes a store last moves its log into it and removes the log. Another program is the last one when our locks
/// are gone, and they go when we close any descriptor of the file.
#[test]
fn another_program_that_looks_into_the_store_does_not_take_its_log_away() {
    let world = filled();
    let path = world.path("home/mail.db");
    let mut store = Store::open(&path).unwrap();
    drop(Reader::open(&path).unwrap());
    drop(Store::open_existing(&path).unwrap());
    drop(Store::open(&path).unwrap());
    let tx = store.begin().unwrap();
    tx.account("new@example.org", 0).unwrap();
    tx.commit().unwrap();

    let look = Command::new("python3").args(["-c", LOOK]).arg(&path).status();
    if !look.is_ok_and(|status| status.success()) {
        return skipped("another program in the store", "python3 is not installed");
    }

    assert!(world.path("home/mail.db-wal").exists());
    let tx = store.begin().unwrap();
    tx.account("newer@example.org", 0).unwrap();
    tx.commit().unwrap();
    drop(store);
    assert_eq!(Reader::open(&path).unwrap().accounts().unwrap().len(), 3);
}
