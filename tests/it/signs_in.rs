//! Accounts are signed in to: by password or on the provider's own page, on real servers, with tokens that end, and no
//! secret is seen anywhere.

pub(crate) mod checks;
mod keyring;
mod logins;
mod secrets;
mod tokens;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::world::authority::{Authority, visit};
use crate::world::dovecot::Dovecot;
use crate::world::{ACCOUNT, World, text, told};

/// A machine that asks this provider for tokens.
fn machine(authority: &Authority) -> World {
    let world = World::new();
    world.write("config.toml", authority.config());
    world
}

/// A command on such a machine.
fn command(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command(&[]);
    command.arg("--config").arg(world.path("config.toml")).arg("--json").args(arguments);
    command.env("MAILKEEP_TEST_HURRY", "1");
    command
}

fn run(world: &World, arguments: &[&str]) -> Output {
    command(world, arguments).output().unwrap()
}

/// What a command that must go well says.
fn says(world: &World, arguments: &[&str]) -> serde_json::Value {
    let output = run(world, arguments);
    assert!(output.status.success(), "{arguments:?} {}", told(&output));
    crate::world::read_json(&output)
}

/// The error of a command that must fail.
fn fails(world: &World, arguments: &[&str]) -> serde_json::Value {
    let output = run(world, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?} {}", told(&output));
    crate::world::read_json(&output)["error"].clone()
}

/// A login that waits for a browser, and the page it wants to be visited.
fn login(world: &World, more: &[&str]) -> (Child, String, BufReader<std::process::ChildStderr>) {
    let mut command = command(world, &["account", "login", ACCOUNT, "--timeout", "30"]);
    let mut child = command
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut notes = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    notes.read_line(&mut line).unwrap();
    let url = line.trim().rsplit(' ').next().unwrap().to_owned();
    (child, url, notes)
}

/// Adds the account on this server and signs in on the provider's page.
fn sign_in(world: &World, port: u16, way: &str) {
    let server = format!("127.0.0.1:{port}");
    says(world, &["account", "add", ACCOUNT, "--imap", &server, "--user", "ada", "--sign-in", way]);
    agree(world);
}

/// Signs in with a browser that agrees.
fn agree(world: &World) {
    let (child, url, _notes) = login(world, &[]);
    let (status, back) = visit(&url);
    assert_eq!(status, 302, "{back}");
    assert_eq!(visit(&back).0, 200);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
}

/// A mail server that believes this provider.
fn mail_server(test: &str, authority: &Authority) -> Option<(Dovecot, tempfile::TempDir)> {
    let place = tempfile::tempdir().unwrap();
    let more = oauth_lines(authority, place.path());
    Dovecot::with(test, &more).map(|server| (server, place))
}

/// What a mail server must be told to believe this provider; a file is made in this directory.
fn oauth_lines(authority: &Authority, place: &Path) -> String {
    let open = Command::new("chmod").arg("755").arg(place).status().unwrap();
    assert!(open.success());
    let file = place.join("oauth2.conf");
    let here = format!("http://127.0.0.1:{}/introspect", authority.port);
    let lines = format!(
        "introspection_url = {here}\nintrospection_mode = post\nforce_introspection = yes\n\
         active_attribute = active\nactive_value = true\nusername_attribute = email\n"
    );
    std::fs::write(&file, lines).unwrap();
    let file = text(&file);
    format!(
        "auth_mechanisms = plain xoauth2\npassdb {{\n  driver = oauth2\n  mechanisms = xoauth2\n  args = {file}\n}}\n"
    )
}
