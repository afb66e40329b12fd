//! Many mailboxes are filled over a few connections at once; nothing but the time it takes depends on how many the
//! server allows, and what becomes of them.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::faults::whole_bodies;
use super::{assert_same, large_message};
use crate::world::dovecot::Dovecot;
use crate::world::fault_proxy::{Fault, FaultProxy};
use crate::world::random::Random;
use crate::world::{World, list, read_json};

const MAILBOXES: usize = 17;
const EACH: usize = 6;
const ALL: u64 = (MAILBOXES * EACH) as u64;

fn fill(server: &Dovecot) {
    let mut client = server.client("ada");
    for mailbox in 0..MAILBOXES {
        client.run(&format!("CREATE \"Box {mailbox}\""));
        for number in 0..EACH {
            let subject = format!("Letter {number} in box {mailbox}.");
            client.append(&format!("Box {mailbox}"), "", &large_message(&subject, number * 900));
        }
    }
}

/// A server with many mailboxes, and the person who has them.
fn server(test: &str, more: &str) -> Option<Dovecot> {
    let server = Dovecot::with(test, more)?;
    fill(&server);
    Some(server)
}

/// What a sync through this wire says; it must bring in everything once and be the server's exact set.
fn fills(server: &Dovecot, proxy: &FaultProxy) -> Value {
    let world = World::with_account(proxy.port, "ada");
    let report = world.sync_with(&["--timeout", "1"]);
    assert_eq!(report["fetched"].as_u64(), Some(ALL), "{report}");
    assert_eq!(list(&report["problems"]).len(), 0, "{report}");
    assert_same(&world, server, "ada");
    world.assert_sound();
    report
}

fn assert_no_body_twice(proxy: &FaultProxy) {
    let bodies = whole_bodies(&proxy.said());
    assert_eq!(bodies.len() as u64, ALL, "bodies over the wire");
    assert_eq!(bodies.iter().collect::<BTreeSet<_>>().len(), bodies.len());
}

#[test]
fn many_mailboxes_are_filled_over_a_few_connections() {
    let Some(server) = server("many_mailboxes_are_filled", "") else { return };
    let proxy = FaultProxy::start(server.port, Fault::Latency(5));

    let report = fills(&server, &proxy);

    assert_eq!(report["connections"], 5, "{report}");
    assert_no_body_twice(&proxy);
    let busy =
        proxy.said().iter().filter(|said| !whole_bodies(std::slice::from_ref(said)).is_empty()).count();
    assert!(busy > 1, "one connection did all the work");
}

#[test]
fn the_owner_says_how_many_connections_there_may_be_and_news_need_only_one() {
    let Some(server) = server("the_owner_says_how_many", "") else { return };
    for (connections, made) in [(1, 1), (2, 2), (10, 6)] {
        let world = World::with_account(server.port, "ada");
        let config = world.write("config.toml", format!("[sync]\nconnections = {connections}\n"));
        let sync = || {
            let mut command = world.sync_command(&[]);
            read_json(&command.arg("--config").arg(&config).output().unwrap())["accounts"][0].clone()
        };

        let (first, second) = (sync(), sync());

        assert_eq!((&first["connections"], &first["fetched"]), (&made.into(), &ALL.into()), "{first}");
        assert_eq!((&second["connections"], &second["fetched"]), (&1.into(), &0.into()), "{second}");
        assert_same(&world, &server, "ada");
    }
}

#[test]
fn a_server_that_allows_fewer_connections_is_filled_all_the_same() {
    // The server counts a moment late: connections that arrive together may all be let in as its last one.
    for (allowed, made) in [(1, 1..=1), (2, 2..=5)] {
        let limit = format!("protocol imap {{\n  mail_max_userip_connections = {allowed}\n}}\n");
        let Some(server) = server("a_server_that_allows_fewer", &limit) else { return };
        let world = World::with_account(server.port, "ada");

        let report = world.sync();

        assert_eq!(report["fetched"].as_u64(), Some(ALL), "{report}");
        assert!(made.contains(&report["connections"].as_u64().unwrap()), "{report}");
        assert_eq!(list(&report["problems"]).len(), 0, "{report}");
        assert!(world.problem().is_null());
        assert_same(&world, &server, "ada");
    }
}

#[test]
fn whatever_happens_to_the_other_connections_the_first_one_brings_in_everything() {
    let Some(server) = server("whatever_happens_to_the_others", "") else { return };
    let mut random = Random::new(2024);
    let mut faults = vec![Fault::Refuse, Fault::CutUp(10), Fault::Stall(0), Fault::Garble(2_000)];
    for _ in 0..2 {
        faults.push(Fault::CutDown(300 + random.below(20_000)));
        faults.push(Fault::Stall(300 + random.below(12_000)));
        faults.push(Fault::ResetDown(300 + random.below(12_000)));
    }
    for fault in faults {
        let others = move |number| if number == 0 { Fault::Latency(2) } else { fault };
        let proxy = FaultProxy::by_connection(server.port, others);
        if matches!(fault, Fault::Garble(_)) {
            // A wire without protection may turn any bit: that nothing hangs is all there is to promise.
            World::with_account(proxy.port, "ada").try_sync(&["--timeout", "1", "--tries", "1"]);
            continue;
        }

        fills(&server, &proxy);

        // A reset throws away what had arrived and was not read yet.
        if !matches!(fault, Fault::ResetDown(_)) {
            assert_no_body_twice(&proxy);
        }
    }
}

#[test]
fn wires_that_all_break_again_and_again_still_bring_everything() {
    let Some(server) = server("wires_that_all_break", "") else { return };
    let proxy = FaultProxy::start(server.port, Fault::CutDown(25_000));
    let world = World::with_account(proxy.port, "ada");

    let report = world.sync();

    assert!(report["connections"].as_u64().unwrap() > 3, "{report}");
    assert_no_body_twice(&proxy);
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn a_message_that_costs_every_connection_is_left_alone_and_no_other() {
    let Some(server) = server("a_message_that_costs_every_connection", "") else { return };
    let proxy = FaultProxy::start(server.port, Fault::CutAt("Letter 3 in box 11."));
    let world = World::with_account(proxy.port, "ada");

    let report = world.try_sync(&[]);

    assert_eq!(world.count(""), ALL - 1, "{report}");
    let problems = list(&report["problems"]);
    assert!(problems.len() == 1 && problems[0].as_str().unwrap().contains("`Box 11`"), "{report}");
}

#[test]
fn large_messages_come_whole_whoever_meets_them() {
    let Some(server) = server("large_messages_come_whole", "") else { return };
    let mut client = server.client("ada");
    for mailbox in [3, 9, 14] {
        client.append(&format!("Box {mailbox}"), "", &large_message("Large", (mailbox + 2) << 20));
    }
    let world = World::with_account(server.port, "ada");

    let report = world.sync();

    assert_eq!(report["fetched"].as_u64(), Some(ALL + 3), "{report}");
    assert_same(&world, &server, "ada");
}

#[test]
fn ctrl_c_stops_all_connections_and_keeps_what_came() {
    let Some(server) = server("ctrl_c_stops_all_connections", "") else { return };
    let proxy = FaultProxy::start(server.port, Fault::Slow(40_000));
    let world = World::with_account(proxy.port, "ada");
    let mut child = world.sync_command(&[]).stdout(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while whole_bodies(&proxy.said()).len() < 10 {
        assert!(Instant::now() < until, "nothing comes");
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_child(&child);

    let asked = Instant::now();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    child.wait().unwrap();

    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    let stored = world.count("");
    assert!(stored > 0 && stored < ALL, "{stored}");
    world.database().execute("UPDATE servers SET port = ?1", [server.port]).unwrap();
    assert_eq!(world.sync()["fetched"].as_u64(), Some(ALL - stored));
    assert_same(&world, &server, "ada");
}
