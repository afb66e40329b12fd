//! What can be odd about a file, a name or a call, and what is never written.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::{PROGRAM, Person};
use crate::world::{list, told};

const CURSOR: &str = ".cursor/mcp.json";
const OTHER: &str = "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n";

#[test]
fn a_home_and_a_profile_of_ones_own_are_named_in_full() {
    let person = Person::new();
    fs::create_dir(person.path("mail")).unwrap();

    let entry = person.connect(&["cursor", "--home", "mail", "--profile", "assistant"])["entry"].clone();

    let home = person.path("mail");
    assert_eq!(entry["args"], json!(["mcp", "--home", home.to_str().unwrap(), "--profile", "assistant"]));
}

#[test]
fn what_is_standard_is_left_out() {
    let person = Person::new();
    let standard = person.path(".local/share/mailkeep");

    let args = |arguments: &[&str]| person.connect(arguments)["entry"]["args"].clone();

    assert_eq!(args(&["cursor", "--profile", "core"]), json!(["mcp"]));
    assert_eq!(args(&["cursor", "--home", standard.to_str().unwrap()]), json!(["mcp"]));
}

#[test]
fn a_home_from_the_environment_is_written_down_because_the_client_may_not_have_it() {
    let person = Person::new();
    let mut command = person.command(&["--json", "connect", "codex"]);

    let connected = crate::world::answer(command.env("MAILKEEP_HOME", "/srv/mail"));

    assert_eq!(connected["entry"]["args"], json!(["mcp", "--home", "/srv/mail"]));
    assert!(person.text(".codex/config.toml").contains(r#"args = ["mcp", "--home", "/srv/mail"]"#));
}

#[test]
fn two_entries_with_names_of_their_own_stand_side_by_side() {
    let person = Person::new();
    person.connect(&["cursor"]);
    person.connect(&["cursor", "--name", "mail-db", "--profile", "db"]);

    let names: Vec<_> = list(&person.listed("cursor")["entries"]).iter().map(|e| e["name"].clone()).collect();
    assert_eq!(names, ["mail-db", "mailkeep"]);

    person.connect(&["cursor", "--remove"]);
    assert!(person.text(CURSOR).contains("mail-db"));
    let output = person.run(&["connect", "cursor", "--remove"]);
    assert!(told(&output).contains("add --name mail-db"), "{}", told(&output));
}

#[test]
fn a_name_that_not_every_client_takes_is_refused() {
    let person = Person::new();
    for name in ["", "my mail", "a.b", "é", "x\"y"] {
        let output = person.run(&["connect", "cursor", "--name", name]);
        assert_eq!(output.status.code(), Some(2), "{name:?}");
    }
    assert_eq!(person.files(), [""; 0]);
}

#[test]
fn a_project_gets_its_own_file() {
    let person = Person::new();

    let connected = person.connect(&["claude-code", "--project"]);

    assert_eq!(person.files(), [".mcp.json"]);
    assert_eq!(connected["file"], person.path(".mcp.json").canonicalize().unwrap().to_str().unwrap());
    assert_eq!(person.failure(&["cursor", "--project"])["code"], "no_project");
}

#[test]
fn variables_that_move_a_client_move_its_file() {
    let person = Person::new();
    let moved =
        [("CODEX_HOME", "codex", "c/config.toml"), ("CLAUDE_CONFIG_DIR", "claude-code", "c/.claude.json")];
    for (variable, client, file) in moved {
        let mut command = person.command(&["connect", client]);
        let output = command.env(variable, person.path("c")).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
        assert!(person.text(file).contains(PROGRAM));
    }
}

#[test]
fn an_unknown_client_is_an_error_that_names_the_nearest() {
    let error = Person::new().failure(&["curser"]);

    assert_eq!(error["code"], "unknown_client");
    assert!(error["message"].as_str().unwrap().contains("did you mean `cursor`?"));
    assert!(error["hint"].as_str().unwrap().contains("copilot-cli"));
}

#[test]
fn what_cannot_be_read_is_left_alone_with_its_place_told() {
    let broken = [
        (
            "cursor",
            CURSOR,
            "{\n  \"mcpServers\": {\n    \"a\": {}\n    \"b\": {}\n  }\n}",
            "line 4, column 5",
        ),
        ("cursor", CURSOR, "{\"mcpServers\": []}", "line 1, column 16"),
        ("zed", ".config/zed/settings.json", "{ /* \n", "line 1, column 3"),
        ("codex", ".codex/config.toml", "model = \"a\"\nmodel = \"b\"\n", "line 2, column 1"),
        ("goose", ".config/goose/config.yaml", "a: 1\nextensions: {b: {cmd: c}}\n", "line 2, column 1"),
    ];
    for (client, file, text, place) in broken {
        let person = Person::new();
        person.write(file, text);

        let error = person.failure(&[client]);

        assert_eq!(error["code"], "config_invalid");
        assert!(error["message"].as_str().unwrap().contains(place), "{client} {error}");
        assert_eq!(person.text(file), text);
        assert_eq!(person.files(), [file]);
        person.failure(&[client, "--dry-run"]);
    }
}

#[test]
fn a_broken_file_does_not_spoil_the_list() {
    let person = Person::new();
    person.write(CURSOR, "{");
    person.connect(&["zed"]);

    assert!(person.listed("cursor")["problem"].as_str().unwrap().contains("line 1, column 2"));
    assert_eq!(person.listed("zed")["connected"], true);
    assert_eq!(person.json(&["status"])["clients"], json!(["zed"]));
}

#[test]
fn a_program_that_is_gone_is_told_in_the_list() {
    let person = Person::new();
    person.write(CURSOR, r#"{"mcpServers": {"mk": {"command": "/gone/mailkeep", "args": ["mcp"]}}}"#);

    let output = person.run(&["connect"]);

    assert!(told(&output).contains("`/gone/mailkeep` is gone"), "{}", told(&output));
    assert_eq!(person.listed("cursor")["entries"][0]["works"], false);
}

#[test]
fn links_stay_links_and_their_target_is_changed() {
    let person = Person::new();
    person.write("dotfiles/cursor.json", OTHER);
    fs::create_dir(person.path(".cursor")).unwrap();
    symlink("../dotfiles/cursor.json", person.path(CURSOR)).unwrap();

    person.connect(&["cursor"]);

    assert!(fs::symlink_metadata(person.path(CURSOR)).unwrap().is_symlink());
    assert!(person.text("dotfiles/cursor.json").contains(PROGRAM));
    assert_eq!(person.text(".cursor/mcp.json.mailkeep-backup"), OTHER);
}

#[test]
fn a_link_to_nothing_yet_gets_its_target() {
    let person = Person::new();
    fs::create_dir(person.path(".cursor")).unwrap();
    symlink(person.path("dotfiles/new.json"), person.path(CURSOR)).unwrap();

    person.connect(&["cursor"]);

    assert!(fs::symlink_metadata(person.path(CURSOR)).unwrap().is_symlink());
    assert!(person.text("dotfiles/new.json").contains(PROGRAM));
}

#[test]
fn links_in_a_circle_are_an_error() {
    let person = Person::new();
    fs::create_dir(person.path(".cursor")).unwrap();
    symlink("mcp.json", person.path(CURSOR)).unwrap();

    assert_eq!(person.failure(&["cursor"])["code"], "config_unreadable");
}

#[test]
fn a_read_only_file_is_not_changed() {
    let person = Person::new();
    let file = person.write(CURSOR, OTHER);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();

    let error = person.failure(&["cursor"]);

    assert_eq!(error["code"], "config_read_only");
    assert_eq!(person.text(CURSOR), OTHER);
    assert_eq!(person.files(), [CURSOR]);
}

#[test]
fn the_mode_of_a_file_stays_and_its_backup_has_it_too() {
    let person = Person::new();
    let file = person.write(CURSOR, OTHER);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();

    person.connect(&["cursor"]);

    let mode = |name| fs::metadata(person.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(CURSOR), 0o640);
    assert_eq!(mode(".cursor/mcp.json.mailkeep-backup"), 0o640);
}

#[test]
fn a_later_change_does_not_overwrite_the_first_backup() {
    let person = Person::new();
    person.write(CURSOR, OTHER);
    person.connect(&["cursor"]);
    let connected = person.text(CURSOR);

    let removed = person.connect(&["cursor", "--remove"]);

    let later = ".cursor/mcp.json.mailkeep-backup-20260615T120000Z";
    assert_eq!(removed["backup"], person.path(later).to_str().unwrap());
    assert_eq!(person.text(later), connected);
    assert_eq!(person.text(".cursor/mcp.json.mailkeep-backup"), OTHER);
}

#[test]
fn what_is_no_text_or_no_file_is_an_error() {
    let person = Person::new();
    fs::create_dir_all(person.path(CURSOR)).unwrap();
    fs::create_dir_all(person.path(".gemini")).unwrap();
    fs::write(person.path(".gemini/settings.json"), b"\xff\xfe{\0}\0").unwrap();

    assert_eq!(person.failure(&["cursor"])["code"], "config_unreadable");
    assert_eq!(person.failure(&["gemini"])["code"], "config_invalid");
}

#[test]
fn removing_what_is_not_there_is_no_failure_and_writes_nothing() {
    let person = Person::new();

    assert_eq!(person.connect(&["goose", "--remove"])["state"], "not_connected");
    assert_eq!(person.files(), [""; 0]);
}

#[test]
fn options_without_a_client_are_refused() {
    let person = Person::new();
    for option in ["--remove", "--dry-run", "--project"] {
        assert_eq!(person.run(&["connect", option]).status.code(), Some(2), "{option}");
    }
}

#[test]
fn people_are_told_what_happened_and_what_to_do() {
    let person = Person::new();
    person.write(CURSOR, OTHER);

    let output = person.run(&["connect", "cursor"]);

    let file = person.path(CURSOR);
    let expected = format!(
        "Cursor is connected: `mailkeep` is in {0}\nrestart Cursor so that it reads it\nit can run commands as you, \
         so it can also type your yes. A factor that it does not have keeps it from approving what it proposes: a PIN \
         (`mailkeep approval set-pin`), or better a passkey (`mailkeep approval passkey add`)\nthe file as it was: \
         {0}.mailkeep-backup\n",
        file.display()
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(output.stderr, b"");
    let again = String::from_utf8(person.run(&["connect", "cursor"]).stdout).unwrap();
    assert!(
        again.contains("is already connected") && again.contains("it can run commands as you"),
        "{again}"
    );
}
