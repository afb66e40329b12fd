//! Whatever happens to the wire or to us: the next sync ends in the server's exact set, and asks for no body that
//! is here. `MAILKEEP_TEST_OFFSETS` sets how many places a connection is broken at (5 unless told).

use std::process::Stdio;
use std::time::{Duration, Instant};

use mailkeep::model::ContentHash;

use super::{assert_same, large_message, message};
use crate::world::World;
use crate::world::certificates::Certificates;
use crate::world::dovecot::{Dovecot, free_port};
use crate::world::fault_proxy::{Fault, FaultProxy};
use crate::world::random::Random;

const MESSAGES: usize = 60;

fn offsets() -> usize {
    std::env::var("MAILKEEP_TEST_OFFSETS").ok().and_then(|n| n.parse().ok()).unwrap_or(5)
}

fn fill(server: &Dovecot, user: &str) {
    let mut client = server.client(user);
    for number in 0..MESSAGES {
        client.append("INBOX", "", &large_message(&format!("Letter {number}"), number * 60));
    }
    client.append("Sent", "", &message("Sent by me"));
}

/// Points the account somewhere else.
fn move_to(world: &World, port: u16) {
    let sql = "UPDATE servers SET port = ?1";
    world.database().execute(sql, [port]).unwrap();
}

/// The hashes of the bodies that came through whole, with the line that ends them.
pub(super) fn whole_bodies(said: &[Vec<u8>]) -> Vec<String> {
    said.iter().flat_map(|connection| bodies_of(connection)).collect()
}

fn bodies_of(mut said: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(end) = memchr::memchr(b'\n', said) {
        let (line, rest) = said.split_at(end + 1);
        let line = String::from_utf8_lossy(line).trim_end().to_owned();
        let length =
            line.strip_suffix('}').and_then(|l| l.rsplit_once('{')).and_then(|(_, n)| n.parse().ok());
        let Some(literal) = rest.get(..length.unwrap_or(0)) else { break };
        said = &rest[literal.len()..];
        if line.contains(" BODY[]") && memchr::memchr(b'\n', said).is_some() {
            all.push(ContentHash::of(literal).to_hex());
        }
    }
    all
}

/// Syncs through a broken wire and then through a good one. Nothing hangs, the second one asks for exactly what the
/// first left, and no body goes over the wire again that came through whole.
fn recovers(server: &Dovecot, fault: Fault) {
    let proxy = FaultProxy::start(server.port, fault);
    let world = World::with_account(proxy.port, "ada");
    let started = Instant::now();
    let broken = world.try_sync(&["--timeout", "0.3", "--tries", "2"]);
    // A connection that brings something is followed by the next one; none may last longer than its silence.
    let longest = LONGEST + Duration::from_secs(2) * u32::try_from(proxy.said().len()).unwrap();
    assert!(started.elapsed() < longest, "{fault:?} took {:?}", started.elapsed());
    let stored = world.count("");
    let mut bodies = whole_bodies(&proxy.said());

    let good = FaultProxy::start(server.port, Fault::None);
    move_to(&world, good.port);
    let report = world.sync();

    let left = MESSAGES as u64 + 1 - stored;
    assert_eq!(report["fetched"].as_u64(), Some(left), "{fault:?}: {broken} then {report}");
    let again = whole_bodies(&good.said());
    assert_eq!(again.len() as u64, left, "{fault:?}: bodies that were asked for again");
    bodies.extend(again);
    // A reset throws away what had arrived and was not read yet, and so may a connection that is cut while we speak.
    if !matches!(fault, Fault::ResetDown(_) | Fault::CutUp(_)) {
        assert_eq!(bodies.len(), MESSAGES + 1, "{fault:?}: a body came twice, or not at all");
    }
    assert_same(&world, server, "ada");
    world.assert_sound();
}

/// The work itself on a slow machine.
const LONGEST: Duration = Duration::from_secs(15);

#[test]
fn a_broken_wire_loses_nothing_and_repeats_nothing() {
    let Some(server) = Dovecot::start("a_broken_wire") else { return };
    fill(&server, "ada");
    let mut random = Random::new(4711);
    for place in 0..offsets() {
        let down = [20, 400, 900][place % 3] * (place / 3) + random.below(120_000 / (1 + place % 4));
        recovers(&server, Fault::CutDown(1 + down));
        recovers(&server, Fault::Stall(1 + random.below(60_000)));
        recovers(&server, Fault::CutUp(1 + random.below(600)));
        recovers(&server, Fault::ResetDown(1 + random.below(120_000)));
    }
    recovers(&server, Fault::Refuse);
    for place in 0..offsets().div_ceil(5) {
        recovers(&server, Fault::Split(1 + random.below(7)));
        recovers(&server, Fault::Latency(1 + place as u64 % 4));
        recovers(&server, Fault::Slow(100_000 + random.below(400_000)));
    }
}

#[test]
fn a_wire_that_breaks_again_and_again_still_brings_everything() {
    let Some(server) = Dovecot::start("a_wire_that_breaks_again") else { return };
    fill(&server, "ada");
    let proxy = FaultProxy::start(server.port, Fault::CutDown(30_000));
    let world = World::with_account(proxy.port, "ada");

    let report = world.sync();

    assert!(report["connections"].as_u64().unwrap() > 3, "{report}");
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn what_is_gone_when_the_wire_is_mended_is_found_among_the_gone() {
    let Some(server) = Dovecot::start("what_is_gone_when_the_wire_is_mended") else { return };
    fill(&server, "ada");
    let mut client = server.client("ada");
    let proxy = FaultProxy::start(server.port, Fault::CutDown(30_000));
    let world = World::with_account(proxy.port, "ada");
    let mut command = world.command(&["--json", "sync", "--retry-delay", "2"]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while proxy.said().first().is_none_or(|said| said.len() != 30_000) {
        assert!(started.elapsed() < LONGEST, "the wire does not break");
        std::thread::sleep(Duration::from_millis(5));
    }

    client.run("SELECT INBOX");
    client.run("UID STORE 1:* +FLAGS (\\Deleted)");
    client.run("EXPUNGE");
    assert!(child.wait().unwrap().success());

    assert_eq!((world.count("letter -is:gone"), world.count("sent")), (0, 1));
    assert!(world.count("letter is:gone") > 0, "what had come before the wire broke stays");
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn a_compressed_wire_carries_the_same_mail_with_fewer_bytes() {
    let zlib = "protocol imap {\n  mail_plugins = imap_zlib\n}\n";
    let Some(server) = Dovecot::with("a_compressed_wire", zlib) else { return };
    fill(&server, "ada");
    server.client("ada").append("INBOX", "", &large_message("Large", 5 << 20));
    let bytes = |compressed: bool| {
        let proxy = FaultProxy::start(server.port, Fault::None);
        let world = World::with_account(proxy.port, "ada");
        let mut command = world.sync_command(&[]);
        if compressed {
            command.env("MAILKEEP_TEST_COMPRESS", "1");
        }
        assert!(command.output().unwrap().status.success());
        assert_same(&world, &server, "ada");
        world.assert_sound();
        proxy.said().concat()
    };

    let (plain, compressed) = (bytes(false), bytes(true));

    assert!(compressed.len() * 4 < plain.len(), "{} of {}", compressed.len(), plain.len());
    let shows = |said: &[u8]| said.windows(9).any(|window| window == b"Letter 41");
    assert!(shows(&plain) && !shows(&compressed));
}

#[test]
fn bits_that_turn_on_a_protected_wire_never_reach_the_store() {
    let certificates = Certificates::good("localhost");
    let Some(server) = certificates.server("bits_that_turn") else { return };
    fill(&server, "ada");
    let mut random = Random::new(1234);
    let starts: Vec<usize> = match offsets() {
        0..=5 => vec![1_000, 4_000, 20_000, 100_000],
        many => (0..many).map(|_| random.below(150_000)).collect(),
    };
    for start in starts {
        let proxy = FaultProxy::start(server.tls_port, Fault::Garble(start));
        let world = World::new();
        let place = format!("localhost:{}", proxy.port);
        world.add_account(crate::world::ACCOUNT, &place, &["--user", "ada", "--tls", "implicit"]);
        let sync = || {
            let mut command = world.sync_command(&["--tries", "1"]);
            command.env("SSL_CERT_FILE", certificates.authority()).output().unwrap()
        };
        sync();
        let stored = world.count("");

        move_to(&world, server.tls_port);
        let output = sync();

        let report = crate::world::read_json(&output)["accounts"][0].clone();
        assert_eq!(report["fetched"].as_u64(), Some(MESSAGES as u64 + 1 - stored), "{report}");
        assert_same(&world, &server, "ada");
    }
}

#[test]
fn a_sync_that_is_killed_is_completed_by_the_next_one() {
    let Some(server) = Dovecot::start("a_sync_that_is_killed") else { return };
    fill(&server, "ada");
    let mut random = Random::new(99);
    for _ in 0..offsets() {
        let world = World::with_account(server.port, "ada");
        for _ in 0..3 {
            let mut child = world.sync_command(&[]).stdout(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(random.below(150) as u64));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let stored = world.count("");

        let report = world.sync();

        assert_eq!(report["fetched"].as_u64(), Some(MESSAGES as u64 + 1 - stored), "{report}");
        assert_same(&world, &server, "ada");
        world.assert_sound();
    }
}

#[test]
fn a_sync_that_dies_around_any_commit_is_completed_by_the_next_one() {
    let Some(server) = Dovecot::start("a_sync_that_dies") else { return };
    fill(&server, "ada");
    for point in 1..30 {
        let world = World::with_account(server.port, "ada");
        let mut command = world.sync_command(&[]);
        let output = command.env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap();
        if output.status.success() {
            assert!(point > 6, "only {point} points were found to die at");
            return;
        }
        let stored = world.count("");
        let report = world.sync();
        assert_eq!(report["fetched"].as_u64(), Some(MESSAGES as u64 + 1 - stored), "point {point}: {report}");
        assert_same(&world, &server, "ada");
        world.assert_sound();
    }
}

#[test]
fn ctrl_c_stops_at_once_and_keeps_what_came() {
    let Some(server) = Dovecot::start("ctrl_c") else { return };
    fill(&server, "ada");
    let proxy = FaultProxy::start(server.port, Fault::Stall(40_000));
    let world = World::with_account(proxy.port, "ada");
    let mut child = world.sync_command(&[]).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let pid = rustix::process::Pid::from_child(&child);

    let asked = Instant::now();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    child.wait().unwrap();

    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    let stored = world.count("");
    assert!(stored > 0);
    assert!(world.problem().is_null());
    move_to(&world, server.port);
    assert_eq!(world.sync()["fetched"].as_u64(), Some(MESSAGES as u64 + 1 - stored));
    assert_same(&world, &server, "ada");
}

#[test]
fn a_message_the_server_cannot_read_is_noted_and_the_rest_arrives() {
    let Some(server) = Dovecot::start("a_message_the_server_cannot_read") else { return };
    fill(&server, "ada");
    let world = World::with_account(free_port(), "ada");
    // Opening it makes the server settle the names of its files.
    server.client("ada").run("SELECT INBOX");
    let file =
        std::fs::read_dir(server.path("mail/ada/Maildir/cur")).unwrap().flatten().next().unwrap().path();
    let give_to = |owner: &str| {
        let script = format!("chown {owner} '{0}' && chmod 600 '{0}'", file.display());
        assert!(std::process::Command::new("sh").arg("-c").arg(script).status().unwrap().success());
    };
    give_to("root:root");
    move_to(&world, server.port);

    let output = world.sync_command(&[]).output().unwrap();
    let report = crate::world::read_json(&output)["accounts"][0].clone();
    let stored = world.count("");

    assert_eq!(stored, MESSAGES as u64, "{report}");
    assert_eq!(crate::world::list(&report["problems"]).len(), 1, "{report}");
    assert!(report["error"].is_null(), "{report}");
    give_to("nobody:nogroup");
    assert_eq!(world.sync()["fetched"], 1);
    assert_same(&world, &server, "ada");
}
