//! `sync --watch` brings in news as they come.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{assert_same, message};
use crate::world::World;
use crate::world::dovecot::Dovecot;
use crate::world::fault_proxy::{Fault, FaultProxy};

/// A watch that ends with the test.
pub(super) struct Watch(Child);

impl Watch {
    fn start(world: &World, poll: &str) -> Self {
        Self::begin(world, &["--poll", poll, "--timeout", "2", "--retry-delay", "0.02"])
    }

    pub(super) fn begin(world: &World, how: &[&str]) -> Self {
        let mut command: Command = world.command(&["--json", "sync", "--watch"]);
        command.args(how);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until a search finds this many.
fn until(world: &World, query: &str, count: u64) -> Duration {
    let started = Instant::now();
    while !world.home().join("mail.db").exists() || world.count(query) != count {
        assert!(started.elapsed() < Duration::from_secs(20), "`{query}` does not find {count}");
        std::thread::sleep(Duration::from_millis(20));
    }
    started.elapsed()
}

#[test]
fn news_in_the_inbox_are_here_at_once_and_elsewhere_with_the_next_look() {
    let Some(server) = Dovecot::start("news_in_the_inbox") else { return };
    let mut client = server.client("ada");
    client.append("INBOX", "", &message("Before"));
    let world = World::with_account(server.port, "ada");
    let idle = Watch::start(&world, "600");
    until(&world, "before", 1);

    client.append("INBOX", "", &message("During"));
    until(&world, "during", 1);
    client.run("SELECT INBOX");
    client.run("UID STORE 1 +FLAGS (\\Flagged)");
    until(&world, "is:starred", 1);
    drop(idle);
    let _polling = Watch::start(&world, "0.5");
    client.append("Sent", "", &message("Elsewhere"));
    until(&world, "elsewhere", 1);

    assert_same(&world, &server, "ada");
}

#[test]
fn a_watch_survives_lost_connections_and_stops_when_told() {
    let Some(server) = Dovecot::start("a_watch_survives") else { return };
    let mut client = server.client("ada");
    let proxy = FaultProxy::start(server.port, Fault::CutDown(6_000));
    let world = World::with_account(proxy.port, "ada");
    let mut watch = Watch::start(&world, "0.5");
    for number in 0..12 {
        client.append("INBOX", "", &message(&format!("Letter {number}")));
        until(&world, "letter", number + 1);
    }

    let asked = Instant::now();
    rustix::process::kill_process(rustix::process::Pid::from_child(&watch.0), rustix::process::Signal::INT)
        .unwrap();
    watch.0.wait().unwrap();

    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    world.assert_sound();
}
