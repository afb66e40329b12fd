//! The desktop's keyring keeps the key of the secrets, proven on a real one on a bus of its own.

use std::process::{Command, Stdio};

use crate::world::{ACCOUNT, World, skipped, told};

/// Adds an account with the keyring, looks from inside and from outside of the session, and moves the key back.
const SCRIPT: &str = r#"
printf 'login' | gnome-keyring-daemon --foreground --unlock --components=secrets --control-directory="$HOME/c" >&2 &
keyring=$!
trap 'kill $keyring; wait' EXIT
for _ in $(seq 400); do
    gdbus call --session --dest org.freedesktop.DBus --object-path /org/freedesktop/DBus \
        --method org.freedesktop.DBus.NameHasOwner org.freedesktop.secrets 2>/dev/null | grep -q true && break
    sleep 0.05
done
mailkeep() { store=$1; shift; "$BINARY" --home "$PLACE/home" --config "$PLACE/$store.toml" --json account "$@"; }
echo "$SECRET" | mailkeep keyring add "$ADDRESS" --imap 127.0.0.1:1 --password-stdin
cat "$PLACE/home/secrets.key"
mailkeep auto list
DBUS_SESSION_BUS_ADDRESS= mailkeep auto list || true
echo "$SECRET" | mailkeep file login "$ADDRESS" --password-stdin
DBUS_SESSION_BUS_ADDRESS= mailkeep auto list
"#;

#[test]
fn the_key_is_kept_by_the_keyring_and_can_be_taken_back() {
    let is_there = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    if !["gnome-keyring-daemon", "dbus-run-session", "gdbus"].into_iter().all(is_there) {
        return skipped(
            "the_key_is_kept_by_the_keyring",
            "needs gnome-keyring, dbus-daemon and libglib2.0-bin",
        );
    }
    let world = World::new();
    for store in ["auto", "file", "keyring"] {
        world.write(&format!("{store}.toml"), format!("[secrets]\nstore = \"{store}\"\n"));
    }
    let mut session = Command::new("dbus-run-session");
    session.args(["--", "sh", "-c", SCRIPT]).env_remove("XDG_RUNTIME_DIR").env("HOME", world.path("."));
    session.env("PLACE", world.path(".")).env("BINARY", env!("CARGO_BIN_EXE_mailkeep"));
    session.env("ADDRESS", ACCOUNT).env("SECRET", "canary-9f3k").stdin(Stdio::null());

    let output = session.output().unwrap();

    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 6, "{}", told(&output));
    assert!(lines[1].starts_with("keyring "), "{said}");
    assert!(lines[2].contains("\"signed_in\":true"), "{said}");
    assert!(lines[3].contains("\"code\":\"keyring\""), "without the session nothing can be read: {said}");
    assert!(lines[5].contains("\"signed_in\":true"), "the key is back in its file: {said}");
    let key = std::fs::read(world.home().join("secrets.key")).unwrap();
    assert_eq!(key.len(), 32);
}

#[test]
fn a_keyring_that_is_asked_for_and_not_there_is_told() {
    let world = World::new();
    world.write("config.toml", "[secrets]\nstore = \"keyring\"\n");
    let mut add =
        world.command(&["--json", "account", "add", ACCOUNT, "--imap", "127.0.0.1:1", "--password-stdin"]);
    let output = crate::world::synced::with_input(add.arg("--config").arg(world.path("config.toml")), "x");

    let error = crate::world::read_json(&output)["error"].clone();

    assert_eq!(error["code"], "keyring", "{error}");
    assert!(!world.home().join("secrets").exists());
}
