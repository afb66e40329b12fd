//! `serve` brings in news while it runs, leaves an account to whoever watches it already, and tells what goes wrong.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{assert_same, message};
use crate::world::dovecot::{Dovecot, PASSWORD};
use crate::world::{ACCOUNT, World, list};

/// A server that ends with the test.
pub(super) struct Serving(Child);

impl Serving {
    pub(super) fn start(world: &World, more: &[&str]) -> Self {
        let config = world.write("config.toml", "[sync]\npoll = 1\n");
        let mut command = world.command(&["--config", config.to_str().unwrap(), "serve", "--no-token"]);
        let mut child = command
            .args(["--listen", "127.0.0.1:0"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("serving"), "{line}");
        Self(child)
    }

    /// Ends it as Ctrl-C does; it must take a moment only.
    pub(super) fn stop(mut self) {
        let asked = Instant::now();
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        assert!(self.0.wait().unwrap().success());
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn account(world: &World) -> Value {
    list(&world.json(&["status"])["accounts"])[0].clone()
}

#[test]
fn a_server_brings_in_news_and_stops_when_told() {
    let Some(server) = Dovecot::start("a_server_brings_in_news") else { return };
    let mut client = server.client("ada");
    client.append("INBOX", "", &message("Before"));
    let world = World::with_account(server.port, "ada");
    let serving = Serving::start(&world, &[]);
    wait_until("what was there is here", || world.count("before") == 1);

    client.append("INBOX", "", &message("During"));

    wait_until("news are here", || world.count("during") == 1);
    assert_eq!(account(&world)["watched"], true);
    assert!(account(&world)["synced_at"].is_string());
    serving.stop();
    assert_eq!(account(&world)["watched"], false);
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn a_server_takes_over_when_another_watch_ends() {
    let Some(server) = Dovecot::start("a_server_takes_over") else { return };
    let mut client = server.client("ada");
    let world = World::with_account(server.port, "ada");
    let mut watch = world.sync_command(&["--watch", "--poll", "600"]);
    let mut watch = watch.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the watch has begun", || account(&world)["watched"] == true);
    let serving = Serving::start(&world, &[]);
    std::thread::sleep(Duration::from_secs(2));
    let sessions = |server: &Dovecot| server.log().matches("Login: user=<ada>").count();
    let before = sessions(&server);
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(sessions(&server), before, "two watch at once: {}", server.log());

    watch.kill().unwrap();
    watch.wait().unwrap();
    client.append("INBOX", "", &message("Later"));

    wait_until("the server has taken over", || world.count("later") == 1);
    serving.stop();
}

#[test]
fn an_account_that_is_not_let_in_is_tried_once_and_again_when_it_has_signed_in() {
    let Some(server) = Dovecot::start("an_account_that_is_not_let_in") else { return };
    server.client("ada").append("INBOX", "", &message("Behind the door"));
    let world = World::with_account(server.port, "ada");
    world.log_in("wrong-canary-99");
    let serving = Serving::start(&world, &[]);
    wait_until("the problem is told", || account(&world)["problem"]["code"] == "sign_in");
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(server.log().matches("auth failed").count(), 1, "{}", server.log());

    world.log_in(PASSWORD);

    wait_until("it is let in", || world.count("door") == 1);
    assert!(account(&world)["problem"].is_null());
    serving.stop();
}

#[test]
fn accounts_come_and_go_while_a_server_runs() {
    let Some(server) = Dovecot::start("accounts_come_and_go") else { return };
    let mut client = server.client("ada");
    client.append("INBOX", "", &message("Before"));
    let world = World::new();
    let serving = Serving::start(&world, &[]);

    world.add_account(ACCOUNT, &format!("127.0.0.1:{}", server.port), &["--user", "ada"]);
    wait_until("the new account is synced", || world.count("before") == 1);
    world.json(&["account", "remove", ACCOUNT]);
    wait_until("it is watched no more", || account(&world)["watched"] == false);
    client.append("INBOX", "", &message("After"));
    std::thread::sleep(Duration::from_secs(2));

    assert_eq!((world.count("after"), world.count("before")), (0, 1));
    assert_eq!(account(&world)["kind"], "local");
    assert!(account(&world)["problem"].is_null());
    serving.stop();
}

#[test]
fn the_owner_can_have_a_server_that_brings_in_nothing() {
    let Some(server) = Dovecot::start("the_owner_can_have_a_server") else { return };
    server.client("ada").append("INBOX", "", &message("Stays there"));
    let world = World::with_account(server.port, "ada");

    let serving = Serving::start(&world, &["--no-sync"]);
    std::thread::sleep(Duration::from_secs(3));

    assert_eq!(world.count(""), 0);
    assert!(!server.log().contains("auth failed") && account(&world)["synced_at"].is_null());
    serving.stop();
}
