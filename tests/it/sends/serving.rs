//! `serve` sends what was approved while it runs, and being ended in any phase neither doubles nor loses anything.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use mailkeep::model::{ItemState, Tls};
use mailkeep::store::{AttemptOutcome, Item};

use crate::sends::Outgoing;
use crate::world::flaky_smtp::FlakySmtp;

/// The real program, serving; it ends with the test.
struct Serving(Child);

impl Serving {
    fn start(outgoing: &Outgoing) -> Self {
        Self::start_with(outgoing, "")
    }

    /// The same with more lines about the outbox.
    fn start_with(outgoing: &Outgoing, more: &str) -> Self {
        let config = outgoing.world.write("config.toml", format!("[outbox]\nretry_delay_ms = 50\n{more}"));
        let config = config.to_str().unwrap().to_owned();
        let mut command = outgoing.world.command(&["--config", &config, "serve", "--no-token", "--no-sync"]);
        let log = outgoing.world.path("server.log");
        let mut child = command
            .args(["--listen", "127.0.0.1:0"])
            .env("LOG_FILE", log)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("serving"), "{line}");
        Self(child)
    }

    /// Ends it as the system does.
    fn stop(mut self) {
        let asked = Instant::now();
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        assert!(self.0.wait().unwrap().success());
        assert!(asked.elapsed() < Duration::from_secs(30), "{:?}", asked.elapsed());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_server_sends_what_is_approved_while_it_runs_and_its_log_tells_each_try_without_a_word_of_it() {
    let server = FlakySmtp::by_session(|number| if number < 2 { "mail_451" } else { "none" });
    let outgoing = Outgoing::to(server.port);
    let serving = Serving::start(&outgoing);

    let item = outgoing.approved("Topsecret words");
    wait_until("it is sent", || outgoing.state(&item) == ItemState::Sent);
    serving.stop();

    assert_eq!((server.taken().len(), outgoing.attempts(&item).len()), (1, 3));
    let log = std::fs::read_to_string(outgoing.world.path("server.log")).unwrap();
    let id = item.draft.id.to_string();
    let told: Vec<_> = log.lines().filter(|line| line.contains(&id)).collect();
    assert_eq!(told.iter().filter(|line| line.contains("to be tried again")).count(), 2, "{log}");
    assert!(told.last().unwrap().contains("sent"), "{log}");
    assert!(!log.contains("Topsecret") && !log.contains("stone.example"), "{log}");
}

/// How far an attempt is when the server is ended.
fn reached(outgoing: &Outgoing, item: &Item, phase: &str) -> bool {
    let attempts = outgoing.attempts(item);
    attempts.last().is_some_and(|attempt| match phase {
        "attempt" => true,
        "data" => attempt.data_ms.is_some(),
        _ => attempt.dot_ms.is_some(),
    })
}

#[test]
fn a_server_that_is_ended_in_any_phase_doubles_and_loses_nothing() {
    for (phase, fault) in [("attempt", "slow_reply"), ("data", "slow_reply"), ("dot", "dot_hang")] {
        let server = FlakySmtp::by_session(move |number| if number == 0 { fault } else { "none" });
        let outgoing = Outgoing::to(server.port);
        let item = outgoing.approved("Ended");
        let serving = Serving::start(&outgoing);
        wait_until(phase, || reached(&outgoing, &item, phase));

        serving.stop();
        let state = outgoing.state(&item);
        assert!(matches!(state, ItemState::Approved | ItemState::Sent), "{phase}: {state}");
        assert_eq!(server.taken().len(), usize::from(state == ItemState::Sent), "{phase}");
        let serving = Serving::start(&outgoing);
        wait_until("it is sent", || outgoing.state(&item) == ItemState::Sent);
        serving.stop();

        assert_eq!(server.taken().len(), 1, "{phase}");
    }
}

/// A port of this machine at which a connection is never made: nobody takes the few that wait already.
fn full() -> (socket2::Socket, Vec<std::net::TcpStream>, u16) {
    let listener = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    listener.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    listener.listen(0).unwrap();
    let address = listener.local_addr().unwrap().as_socket().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = std::net::TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
        waiting.push(stream);
        assert!(waiting.len() < 20, "this system takes all that come");
    }
    (listener, waiting, address.port())
}

#[test]
fn a_server_that_is_ended_while_a_connection_hangs_ends_and_the_item_waits() {
    let (listener, waiting, port) = full();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent_port = silent.local_addr().unwrap().port();
    for (what, port, tls) in [
        ("a connection", port, Tls::None),
        ("a handshake", silent_port, Tls::Implicit),
        ("a greeting", silent_port, Tls::None),
    ] {
        let outgoing = Outgoing::protected(port, tls);
        let item = outgoing.approved("Hangs");
        let serving = Serving::start_with(&outgoing, "connect = 600\ncommand = 600\n");
        wait_until(what, || reached(&outgoing, &item, "attempt"));
        std::thread::sleep(Duration::from_millis(300));

        serving.stop();

        assert_eq!(outgoing.state(&item), ItemState::Approved, "{what}");
        assert_eq!(outgoing.outcomes(&item), [Some(AttemptOutcome::Later)], "{what}");
        assert_eq!(outgoing.again(&item).reason.as_deref(), Some("stopped"), "{what}");
    }
    drop((listener, waiting));
}

#[test]
fn a_server_that_waits_for_something_to_send_needs_next_to_no_processor() {
    let outgoing = Outgoing::to(9);
    let serving = Serving::start(&outgoing);
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", serving.0.id())).unwrap();
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|n| n.parse().unwrap())
            .collect();
        Duration::from_millis(10 * (fields[0] + fields[1]))
    };
    std::thread::sleep(Duration::from_secs(2));

    let (before, since) = (used(), Instant::now());
    std::thread::sleep(Duration::from_secs(4));

    let share = (used() - before).as_secs_f64() / since.elapsed().as_secs_f64();
    // A build without optimisation on a machine that does other things too.
    assert!(share < 0.05, "{share}");
}
